import DocumentedPages
import HeadwayProgress
import HeadwayRun
import Testing

@testable import HeadwayRelay

/// The page of the protocol, `docs/protocol.md`.
struct ProtocolPageTests {
  private let pages = DocumentedPages(of: "HeadwayRelay")
  private let path = "docs/protocol.md"

  /// The lines of the conversation of one side.
  private func lines(of side: String) throws -> [String] {
    try pages.lines(of: path).filter { $0.hasPrefix(side) }.map { String($0.dropFirst(2)) }
  }

  @Test func `A watcher understands the conversation of the page, and says its lines`() throws {
    var watcher = WatcherCore()
    watcher.request(.subscribe(Interest()))
    let id = PublicationID("12345.1")
    watcher.request(.ask(.pause, id, node: 4))
    watcher.request(.ask(.resume, id, node: 9))
    let lines = try lines(of: "< {")
    watcher.received(Array(lines.map { $0 + "\n" }.joined().utf8)[...])
    var (asked, names) = ("", [] as [String])
    while let action = watcher.nextAction() {
      switch action {
      case .send(let bytes):
        asked += String(decoding: bytes, as: UTF8.self)
        watcher.sent(bytes.count)
      case .began(let info, _, let isOld): names.append("began \(info.name ?? "") \(isOld)")
      case .changed(_, let isWhole, let change):
        names.append(isWhole ? "tree" : "changed \(change.nodes.count)")
      case .forecast: names.append("forecast")
      case .ended(_, let reason): names.append(reason.rawValue)
      case .answered(let id, _, let refusal):
        names.append("answered \(id) \(refusal?.kind.rawValue ?? "")")
      case .close(let error): Issue.record(error)
      }
    }
    #expect(try asked.split(separator: "\n").map { String($0) } == self.lines(of: "> {"))
    #expect(
      names == [
        "began nightly true", "tree", "answered 1 ", "changed 1", "changed 1", "answered 2 ",
        "answered 3 unknown_node", "changed 1", "changed 1", "finished",
      ])
  }

  @Test func `The lines of the page are those that are written`() throws {
    for text in try lines(of: "< {") {
      let event = try RelayEvent(line: Array(text.utf8)[...])
      #expect(line(event) == text)
    }
    for text in try lines(of: "> {") {
      let request = try RelayRequest(line: Array(text.utf8)[...])
      #expect(line(request) == text)
    }
    for text in try pages.lines(of: "docs/events.md") where text.contains(#"{"event":"progress"#) {
      let event = try ProgressEvent(line: Array(text.utf8)[...])
      #expect(line(event) == text)
    }
  }

  private func line(_ record: some EventRecord) -> String {
    var bytes: [UInt8] = []
    record.appendLine(to: &bytes)
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  @Test func `The page has a row for every event, request, field and refusal`() throws {
    let text = try pages.lines(of: path).filter { $0.hasPrefix("|") }.joined(separator: "\n")
    let keys = EventKey.allCases.drop { $0 != .more }.map(\.rawValue)
    let names = RelayEventName.allCases.map(\.rawValue) + RelayRequestName.allCases.map(\.rawValue)
    let refusals = RelayRefusal.Kind.allCases.map(\.rawValue)
    let reasons = PublicationEnd.allCases.map(\.rawValue)
    for name in keys + names + refusals + reasons {
      #expect(text.contains("`\(name)`"), "\(name)")
    }
  }

  @Test func `The page has the limits that hold`() throws {
    let rows = try pages.lines(of: path).filter { $0.hasPrefix("|") }
    for (what, limit) in [
      ("line of the publisher", "262,144 bytes"), ("line of a watcher", "8,192 bytes"),
      ("lines of one moment", "64"), ("nodes of a tree", "1,000"), ("`detail`", "1,024 bytes"),
      ("`path`", "4,096 bytes"), ("`publication`, `kind`", "256 bytes"),
      ("watchers of a process", "1,024"), ("publications of a process", "10,000"),
      ("requests that wait", "64"), ("a new connection", "5 s"), ("a watcher that reads", "30 s"),
    ] {
      #expect(rows.contains { $0.hasPrefix("| \(what)") && $0.contains("| \(limit)") }, "\(what)")
    }
    #expect(RelayLimits.eventBytes == 262_144 && RelayLimits.requestBytes == 8_192)
    #expect(RelayLimits.parts == 64 && RelayLimits.nodes == 1_000)
    #expect(RelayLimits.nameBytes == 256 && RelayLimits.detailBytes == 1_024)
    #expect(RelayLimits.pathBytes == 4_096 && RelayLimits.watchers == 1_024)
    #expect(RelayLimits.publications == 10_000 && RelayLimits.pendingRequests == 64)
    #expect(RelayLimits.silence == .seconds(5) && RelayLimits.stall == .seconds(30))
  }
}
