import HeadwayProgress
import HeadwayRun
import Testing

@testable import HeadwayRelay

/// What a watcher reads, and what it does not accept.
struct WatcherCoreTests {
  private static let hello = #"{"event":"hello","time":0,"version":2,"pid":7,"program":"test"}"#
  private static let began =
    #"{"event":"publication_began","time":1,"publication":"7.1","kind":"work","accepts":["cancel"]}"#
  private static let tree =
    #"{"event":"progress","time":1,"publication":"7.1","nodes":[{"node":0,"label":"a"}]}"#

  /// What a watcher does when it has received some lines.
  private func actions(_ lines: [String], asking: [RelayRequest.Body] = []) -> [WatcherCore.Action]
  {
    var core = WatcherCore()
    var actions: [WatcherCore.Action] = []
    for body in asking { core.request(body) }
    core.received(Array(lines.map { $0 + "\n" }.joined().utf8)[...])
    while let action = core.nextAction() { actions.append(action) }
    return actions
  }

  /// Why a watcher closes the connection, nil if it does not.
  private func error(_ actions: [WatcherCore.Action]) -> RelayError? {
    for case .close(let error) in actions { return error }
    return nil
  }

  /// The changes of trees.
  private func changes(_ actions: [WatcherCore.Action]) -> [TreeChange] {
    actions.compactMap { if case .changed(_, _, let change) = $0 { change } else { nil } }
  }

  /// A line of a tree.
  private static func line(_ name: String, _ fields: String) -> String {
    #"{"event":"\#(name)","time":2,"publication":"7.1",\#(fields)}"#
  }

  /// A line with changes of a tree.
  private static func line(_ fields: String) -> String { line("progress_changed", fields) }

  private static let wrong: [(lines: [String], words: String)] = [
    ([#"{"event":"publication_began"}"#], "'time' is missing"),
    ([began], "did not greet"),
    ([#"{"event":"new","time":0}"#], "did not greet"),
    ([hello, hello], "greeted twice"),
    ([#"{"event":"hello","time":0,"version":2,"pid":-1,"program":"x"}"#], "'pid'"),
    ([#"{"event":"hello","time":0,"version":2,"pid":1}"#], "'program' is missing"),
    ([hello, "nonsense"], "not JSON"),
    ([hello, #"{"time":0}"#], "'event' is missing"),
    ([hello, #"{"event":"new"}"#], "'time' is missing"),
    ([hello, began, began], "began twice"),
    (
      [hello, #"{"event":"publication_began","time":0,"publication":"1","kind":"x"}"#], "'accepts'"
    ),
    ([hello, tree], "no publication '7.1'"),
    ([hello, #"{"event":"progress","time":0}"#], "'publication' is missing"),
    ([hello, began, line(#""nodes":[]"#)], "before its tree"),
    (
      [hello, began, tree, line(#""nodes":[{"node":1e400}]"#)],
      "'node' must be a whole number of 64 bits"
    ),
    ([hello, began, tree, line(#""nodes":[{"node":4294967296}]"#)], "'node' must be from 0"),
    ([hello, began, tree, line(#""nodes":[{"node":0,"completed":-1}]"#)], "'completed'"),
    (
      [hello, began, tree, line(#""nodes":[{"node":0,"total":18446744073709551616}]"#)],
      "'total' must be a whole number of 64 bits"
    ),
    ([hello, began, tree, line(#""more":true"#), tree], "not a part"),
    ([hello, began, tree, line(#""more":true"#), line(#""ended":[1]"#)], "not a part"),
    (
      [hello, #"{"event":"publication_ended","time":0,"publication":"8","reason":"finished"}"#], "8"
    ),
    (
      [hello, began, #"{"event":"publication_ended","time":0,"publication":"7.1","reason":"x"}"#],
      "must be one of finished, failed, unpublished"
    ),
    ([hello, #"{"event":"answer","time":0,"id":4,"ok":true}"#], "request 4, which nobody made"),
    ([hello, #"{"event":"answer","time":0,"id":4,"ok":false}"#], "'error' is missing"),
    (
      [hello, #"{"event":"answer","time":0,"ok":false,"error":"too_many","message":"no room"}"#],
      "no room"
    ),
    (
      [hello, #"{"event":"forecast","time":0,"publication":"8","fraction":0,"says":"late"}"#], "'8'"
    ),
    ([hello, String(repeating: "{", count: 300_000)], "more than 262144 bytes"),
    ([hello, #"{"x":"# + String(repeating: "[", count: 200_000)], "not JSON"),
  ]

  @Test(arguments: wrong)
  func `A line that is not allowed closes the connection, and nothing after it is read`(
    lines: [String], words: String
  ) {
    let actions = actions(lines + [Self.hello, Self.began, Self.tree])
    let error = error(actions)
    #expect(error?.description.contains(words) ?? false, "\(String(describing: error))")
    guard case .close? = actions.last else {
      Issue.record("it is not the last thing")
      return
    }
  }

  @Test(arguments: [
    ("label", 256, true), ("label", 257, false), ("detail", 1_024, true), ("detail", 1_025, false),
    ("path", 4_096, true), ("path", 4_097, false),
  ])
  func `Texts have the length that the limits allow`(field: String, count: Int, isRead: Bool) {
    let text = String(repeating: "x", count: count)
    let node =
      field == "path" ? #""values":{"path":"\#(text)"}"# : #""\#(field)":"\#(text)""#
    let lines = [Self.hello, Self.began, Self.line("progress", #""nodes":[{"node":0,\#(node)}]"#)]
    #expect((error(actions(lines)) == nil) == isRead)
  }

  @Test(arguments: [(1_000, true), (1_001, false)])
  func `A change has as many nodes as a tree can have`(count: Int, isRead: Bool) {
    let nodes = (0..<count).map { #"{"node":\#($0)}"# }.joined(separator: ",")
    let changed = [Self.hello, Self.began, Self.tree, Self.line(#""nodes":[\#(nodes)]"#)]
    #expect((error(actions(changed)) == nil) == isRead)
    let ids = (0..<count).map { "\($0)" }.joined(separator: ",")
    let ended = [Self.hello, Self.began, Self.tree, Self.line(#""ended":[\#(ids)]"#)]
    #expect((error(actions(ended)) == nil) == isRead)
    // Also in parts.
    let half = (0..<count - 500).map { #"{"node":\#($0)}"# }.joined(separator: ",")
    let rest = (0..<500).map { #"{"node":\#($0)}"# }.joined(separator: ",")
    let parts = [
      Self.hello, Self.began, Self.tree, Self.line(#""more":true,"nodes":[\#(half)]"#),
      Self.line(#""nodes":[\#(rest)]"#),
    ]
    #expect((error(actions(parts)) == nil) == isRead)
  }

  @Test func `Trees that never come to their end fill no memory`() {
    func part(_ number: Int) -> [String] {
      let nodes = (0..<1_000).map { #"{"node":\#($0)}"# }.joined(separator: ",")
      let began = Self.began.replacing("7.1", with: "7.\(number)")
      let line = Self.line("progress", #""more":true,"nodes":[\#(nodes)]"#)
      return [began, line.replacing("7.1", with: "7.\(number)")]
    }
    #expect(error(actions([Self.hello] + (1...4).flatMap(part))) == nil)
    #expect(error(actions([Self.hello] + (1...5).flatMap(part))) != nil)
    // What was completed, or has ended, waits no more.
    let over = (1...50).flatMap { number in
      let id = "7.\(number)"
      let end =
        number % 2 == 0
        ? Self.line(#""nodes":[]"#).replacing("7.1", with: id)
        : #"{"event":"publication_ended","time":0,"publication":"\#(id)","reason":"finished"}"#
      return part(number) + [end]
    }
    #expect(error(actions([Self.hello] + over)) == nil)
  }

  @Test func `Parts are one change, of at most 64 lines`() {
    let part = Self.line(#""more":true,"nodes":[{"node":0,"completed":1}]"#)
    let last = Self.line(#""nodes":[{"node":0,"completed":2}]"#)
    let begin = [Self.hello, Self.began, Self.tree]
    let whole = actions(begin + [String](repeating: part, count: 63) + [last])
    #expect(error(whole) == nil && changes(whole).map(\.nodes.count) == [1, 64])
    let cut = actions(begin + [String](repeating: part, count: 63))
    #expect(error(cut) == nil && changes(cut).count == 1)
    #expect(error(actions(begin + [String](repeating: part, count: 65) + [last])) != nil)
    // A whole tree in parts is a whole one.
    let first = Self.line("progress", #""more":true,"nodes":[{"node":0}]"#)
    let parts = actions([Self.hello, Self.began, first, last])
    guard case .changed(_, true, let change)? = parts.last else {
      Issue.record("it is not whole")
      return
    }
    #expect(change.nodes.count == 2)
  }

  @Test func `A later version is refused, whatever its greeting has`() {
    for fields in [#","program":"new""#, ""] {
      let line = #"{"event":"hello","time":0,"version":3\#(fields)}"#
      let program = fields.isEmpty ? "a publisher" : "new"
      #expect(error(actions([line])) == .newerVersion(3, program: program))
    }
  }

  @Test func `What a later publisher adds is ignored`() {
    let actions = actions([
      #"{"program":"test","pid":7,"version":2,"more":[[]],"time":0,"event":"hello"}"#,
      #"{"event":"weather","time":0,"rain":true}"#,
      #"{"event":"publication_began","time":1,"publication":"7.1","kind":"x","accepts":["fly"]}"#,
      Self.line("progress", #""nodes":[{"node":0,"colour":"red"}],"new":{}"#),
    ])
    #expect(error(actions) == nil && actions.count == 2)
    guard case .began(let info, let age, let isOld)? = actions.first else {
      Issue.record("it has not begun")
      return
    }
    #expect(info.accepts == [] && age == .seconds(1) && isOld)
  }

  @Test func `A truncated line is no line`() {
    var core = WatcherCore()
    core.received(Array((Self.hello + "\n" + Self.began).utf8)[...])
    let next = core.nextAction()
    let program = core.publisher?.program
    #expect(next == nil && program == "test")
  }

  @Test func `Invalid UTF-8 closes the connection`() {
    var core = WatcherCore()
    core.received((Array(#"{"event":""#.utf8) + [0xC3, 0x28] + Array("\"}\n".utf8))[...])
    guard case .close? = core.nextAction() else {
      Issue.record("it was read")
      return
    }
  }

  @Test func `Each request is answered, those that are too many or too long at once`() {
    var core = WatcherCore()
    var refusals: [Int: RelayRefusal.Kind] = [:]
    for _ in 0..<RelayLimits.pendingRequests { core.request(.unsubscribe) }
    let extra = core.request(.unsubscribe)
    var sent: [UInt8] = []
    while let action = core.nextAction() {
      if case .send(let bytes) = action {
        // In pieces.
        sent += bytes.prefix(100)
        core.sent(min(bytes.count, 100))
        if bytes.count > 100 { core.writable() }
      }
      if case .answered(let id, _, let refusal) = action { refusals[id] = refusal?.kind }
    }
    #expect(refusals == [extra: .tooMany])
    #expect(sent.split(separator: LineBuffer.newline).count == RelayLimits.pendingRequests)
    var other = WatcherCore()
    other.request(.subscribe(Interest(path: "/" + String(repeating: "\u{1B}", count: 4_000))))
    guard case .answered(1, _, let refusal?)? = other.nextAction() else {
      Issue.record("it is not refused")
      return
    }
    #expect(refusal.kind == .invalid)
  }

  @Test func `A refused change closes the connection`() {
    var core = WatcherCore()
    core.received(Array((Self.hello + "\n").utf8)[...])
    let first = core.nextAction()
    #expect(first == nil)
    core.refuse(PublicationID("7.1"), .moved(3))
    guard case .close(let error)? = core.nextAction() else {
      Issue.record("it is open")
      return
    }
    #expect(error.description.contains("the node 3 cannot get another parent"))
    core.request(.unsubscribe)
    core.received(Array("nonsense\n".utf8)[...])
    let last = core.nextAction()
    #expect(last == nil)
  }

  @Test func `The words of another program are safe to show`() {
    let line = #"{"event":"answer","time":0,"ok":false,"error":"x","message":"\u001b[2J\u202e"}"#
    let error = error(actions([Self.hello, line]))
    #expect(error?.description.contains("\u{1B}") == false)
    #expect(error?.description.contains("\u{202E}") == false)
  }
}
