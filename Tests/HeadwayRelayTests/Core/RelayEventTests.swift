import HeadwayCollections
import HeadwayProgress
import HeadwayRun
import Testing

@testable import HeadwayRelay

/// The lines of the protocol, there and back.
struct RelayEventTests {
  private static let id = PublicationID("7.1")

  private static let events: [(RelayEvent, String)] = [
    (
      .hello(version: 2, pid: 7, program: "a\u{1B}b"),
      #"{"event":"hello","time":0.000,"version":2,"pid":7,"program":"a\u001bb"}"#
    ),
    (
      .began(
        PublicationInfo(id: id, kind: "run", name: "n", path: "/p", accepts: [.pause]),
        age: .milliseconds(1_500)),
      """
      {"event":"publication_began","time":1.500,"publication":"7.1","kind":"run","name":"n",\
      "path":"/p","accepts":["pause"]}
      """
    ),
    (
      .ended(id, .unpublished, time: .seconds(2)),
      #"{"event":"publication_ended","time":2.000,"publication":"7.1","reason":"unpublished"}"#
    ),
    (.answer(3, nil), #"{"event":"answer","time":0.000,"id":3,"ok":true}"#),
    (
      .answer(nil, RelayRefusal(.tooMany, "no")),
      #"{"event":"answer","time":0.000,"ok":false,"error":"too_many","message":"no"}"#
    ),
    (
      .forecast(id, RunForecast(fraction: 0.5), time: .seconds(1)),
      #"{"event":"forecast","time":1.000,"publication":"7.1","fraction":0.5,"says":"unknown"}"#
    ),
    (.tree(summarized), summarizedLine),
  ]

  private static var summarized: ProgressEvent {
    var (new, old) = (NodeChange(4), NodeChange(5))
    var sums = ValueTable()
    sums.setFinishedSum(9, of: ProgressKeys.TotalFileCount.self)
    new.summary = .some(ProgressSummary(part: 0.25, sums: sums))
    old.summary = .some(nil)
    var change = TreeChange()
    change.nodes = [new, old]
    var event = ProgressEvent(
      isWhole: false, time: .seconds(1), publication: id, change: change)
    event.hasMore = true
    return event
  }

  private static let summarizedLine = """
    {"event":"progress_changed","time":1.000,"publication":"7.1","more":true,"nodes":[\
    {"node":4,"summary":{"fraction":0.25,"total_files":9}},{"node":5,"summary":null}]}
    """

  private static let requests: [(RelayRequest.Body, String)] = [
    (.subscribe(Interest()), #"{"request":"subscribe","id":8}"#),
    (
      .subscribe(
        Interest(
          publication: id, kind: "run", path: "/p", hasTrees: false, interval: .seconds(1))),
      """
      {"request":"subscribe","id":8,"publication":"7.1","kind":"run","path":"/p","trees":false,\
      "interval":1.000}
      """
    ),
    (.unsubscribe, #"{"request":"unsubscribe","id":8}"#),
    (.ask(.cancel, id, node: nil), #"{"request":"cancel","id":8,"publication":"7.1"}"#),
    (.ask(.pause, id, node: 4), #"{"request":"pause","id":8,"publication":"7.1","node":4}"#),
    (.ask(.resume, id, node: 0), #"{"request":"resume","id":8,"publication":"7.1","node":0}"#),
    (
      .control(ControlRequest("cancel", task: "a b"), id),
      #"{"request":"control","id":8,"publication":"7.1","action":"cancel","task":"a b"}"#
    ),
    (
      .control(ControlRequest("end"), id),
      #"{"request":"control","id":8,"publication":"7.1","action":"end"}"#
    ),
    (.offer(share: "s.1"), #"{"request":"offer","id":8,"share":"s.1"}"#),
    (
      .tell(share: "s", told),
      """
      {"request":"tell","id":8,"share":"s","completed":1,"total":2,"add":-3,"percent":4.5,\
      "label":"l","detail":"d","finished":true}
      """
    ),
    (.other("dance"), #"{"request":"dance","id":8}"#),
  ]

  private static var told: Told {
    var told = Told()
    (told.completed, told.total, told.added, told.percent) = (1, 2, -3, 4.5)
    (told.label, told.detail, told.isFinished) = ("l", "d", true)
    return told
  }

  /// The line of a record.
  private func line(_ record: some EventRecord) -> String {
    var bytes: [UInt8] = []
    record.appendLine(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `Events are what they were`() throws {
    for (event, text) in Self.events {
      #expect(line(event) == text + "\n")
      #expect(try RelayEvent(line: Array(text.utf8)[...]) == event)
    }
  }

  @Test func `Requests are what they were`() throws {
    for (body, text) in Self.requests {
      let request = RelayRequest(id: 8, body)
      #expect(line(request) == text + "\n")
      #expect(try RelayRequest(line: Array(text.utf8)[...]) == request)
    }
  }

  @Test func `An unknown kind of refusal is one`() throws {
    let text = #"{"event":"answer","time":0,"id":1,"ok":false,"error":"tired","message":"no"}"#
    let event = try RelayEvent(line: Array(text.utf8)[...])
    #expect(event == .answer(1, RelayRefusal(.refused, "no")))
  }

  @Test func `Every name of the protocol is in one of the lines`() {
    let all = (Self.events.map(\.1) + Self.requests.map(\.1)).joined()
    for key in EventKey.allCases.drop(while: { $0 != .summary }) {
      #expect(all.contains("\"\(key.rawValue)\":"), "\(key)")
    }
    for name in RelayEventName.allCases { #expect(all.contains("\"\(name.rawValue)\"")) }
    for name in RelayRequestName.allCases { #expect(all.contains("\"\(name.rawValue)\"")) }
  }

  @Test(arguments: 0..<(20 as UInt64))
  func `A text is cut where it would take too many bytes in a line`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let scalars: [Unicode.Scalar] = [
      "a", "\"", "\\", "\n", "\u{1B}", "\u{7F}", "é", "\u{202E}", "😀", "\u{E0001}", "\u{9B}", "/",
    ]
    for _ in 0..<100 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<60, using: &random) {
        text.append(scalars.randomElement(using: &random) ?? "a")
      }
      let limit = Int.random(in: 0..<100, using: &random)
      let cut = JSONLine.prefix(of: String(text), bytes: limit)
      let count = written(cut)
      #expect(count <= limit && text.starts(with: cut.unicodeScalars))
      // The next scalar does not fit.
      let next = String(String.UnicodeScalarView(text.prefix(cut.unicodeScalars.count + 1)))
      #expect(next == cut || written(next) > limit)
    }
  }

  /// How many bytes a text takes between its quotes.
  private func written(_ text: String) -> Int {
    line(RelayRequest(id: 8, .other(text))).utf8.count
      - line(RelayRequest(id: 8, .other(""))).utf8.count
  }
}
