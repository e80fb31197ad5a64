import HeadwayRun
import RunFixtures
import Testing

@testable import HeadwayView

/// The lines of logs that are read while a run goes on, or later.
struct LogFeedTests {
  /// The description of two tasks with logs.
  private func description(_ logs: [String], showsNames: Bool = true) -> RunDescription {
    var description = RunDescription(name: "r", names: ["build", "it"])
    description.output.mode = .stream
    description.output.showsNames = showsNames
    description.logs = MemoryLogs(
      Dictionary(uniqueKeysWithValues: logs.enumerated().map { ($0.offset, $0.element) }))
    return description
  }

  /// All that a feed prints of a task.
  private func whole(_ feed: LogFeed, _ task: TaskID) -> String {
    var feed = feed
    var output: [UInt8] = []
    while !feed.finish(task, into: &output) {}
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `Each line has its task, and the last one an end`() {
    let feed = LogFeed(description(["one\ntwo\n", "three"]), isJSON: false, color: false)
    #expect(whole(feed, 0) == "build | one\nbuild | two\n")
    #expect(whole(feed, 1) == "it    | three\n")
  }

  @Test(
    arguments: [
      (0, ""), (1, "three\n"), (2, "two\nthree\n"), (3, "one\ntwo\nthree\n"),
      (4, "one\ntwo\nthree\n"),
    ])
  func `The last lines are printed`(count: Int, text: String) {
    for end in ["\n", ""] {
      var feed = LogFeed(
        description(["one\ntwo\nthree\(end)"], showsNames: false), isJSON: false, color: false)
      feed.skip(0, toLast: count)
      #expect(whole(feed, 0) == (text.isEmpty ? "" : String(text.dropLast()) + "\n"))
    }
  }

  @Test func `The last lines of a long log are found across the borders of reads`() {
    let lines = (0..<40_000).map { "line \($0)\n" }
    var feed = LogFeed(
      description([lines.joined()], showsNames: false), isJSON: false, color: false)
    feed.skip(0, toLast: 20_000)
    #expect(whole(feed, 0) == lines.suffix(20_000).joined())
  }

  @Test func `A line that is not complete waits while its task runs`() {
    var feed = LogFeed(description(["one\ntw", "three\n"]), isJSON: false, color: false)
    feed.begin(0)
    var output: [UInt8] = []
    let hasMore = feed.next(into: &output)
    #expect(!hasMore)
    #expect(String(decoding: output, as: UTF8.self) == "build | one\n")
    #expect(feed.running == [0])
    #expect(whole(feed, 0) == "build | tw\n")
  }

  @Test func `Lines of JSON have the task and whole lines`() {
    var feed = LogFeed(description(["one\ntwo\nthr", "\u{1B}[1m"]), isJSON: true, color: false)
    feed.begin(0)
    var output: [UInt8] = []
    let hasMore = feed.next(into: &output)
    #expect(!hasMore)
    #expect(
      String(decoding: output, as: UTF8.self)
        == #"{"task":"build","id":0,"text":"one\ntwo\n"}"# + "\n")
    #expect(whole(feed, 0) == #"{"task":"build","id":0,"text":"thr"}"# + "\n")
    #expect(whole(feed, 1) == #"{"task":"it","id":1,"text":"\u001b[1m"}"# + "\n")
  }

  @Test func `A long log is read in parts`() {
    let text = String(repeating: "0123456789abcde\n", count: 20_000)
    let feed = LogFeed(description([text]), isJSON: true, color: false)
    let lines = whole(feed, 0).split(separator: "\n")
    #expect(lines.count == 20)
    #expect(lines.allSatisfy { $0.hasSuffix(#"abcde\n"}"#) })
  }
}
