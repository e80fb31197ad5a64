import HeadwayRun
import RunFixtures
import Testing

@testable import HeadwayView

/// The lines of `--output group` and `stream`.
struct OutputFeedTests {
  /// The feed of a run whose logs are texts.
  private func feed(
    _ logs: MemoryLogs, _ names: [String] = ["a", "long"], _ change: (inout OutputOptions) -> Void
  ) -> OutputFeed {
    var description = RunDescription(name: "r", names: names)
    description.logs = logs
    description.output.mode = .stream
    change(&description.output)
    var feed = OutputFeed(description, color: true)
    for index in names.indices {
      feed.follow(RunEvent(time: .zero, kind: .taskStarted(TaskID(index), attempt: 1)))
    }
    return feed
  }

  /// What the next pass shows of the running tasks.
  private func next(_ feed: inout OutputFeed) -> String {
    var output: [UInt8] = []
    feed.stream(into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// What is left of a task that has ended.
  private func end(_ feed: inout OutputFeed, _ task: TaskID = 0) -> String {
    var output: [UInt8] = []
    var isWhole = false
    while !isWhole { isWhole = feed.finish(task, into: &output) }
    feed.follow(
      RunEvent(time: .zero, kind: .taskEnded(task, .succeeded, attempts: 1, ran: .zero)))
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `Named lines are shown when they are complete`() {
    let logs = MemoryLogs()
    var feed = feed(logs) { _ in }
    logs[0] = "one\ntw"
    logs[1] = "three\n"
    #expect(next(&feed) == "a    | one\nlong | three\n")
    #expect(next(&feed) == "")
    logs[0] = "one\ntwo\nfo"
    #expect(next(&feed) == "a    | two\n")
    #expect(end(&feed) == "a    | fo\n")
    #expect(!feed.isMidLine)
  }

  @Test func `The bytes of a single task pass at once, unchanged in a terminal, too`() {
    let logs = MemoryLogs()
    var feed = feed(logs, ["a"]) {
      $0.showsNames = false
      $0.isTerminal = true
    }
    logs[0] = "Password: "
    #expect(next(&feed) == "Password: ")
    #expect(feed.isMidLine)
    logs[0] = "Password: \u{1B}[31m\r\n"
    #expect(next(&feed) == "\u{1B}[31m\r\n")
    #expect(!feed.isMidLine)
    logs[0] += "x"
    #expect(end(&feed) == "x\n\u{1B}[0m")
  }

  @Test func `A line that something else has ended is not ended again`() {
    let logs = MemoryLogs()
    var feed = feed(logs, ["a"]) { $0.showsNames = false }
    logs[0] = "wait"
    #expect(next(&feed) == "wait")
    feed.breakLine()
    #expect(!feed.isMidLine)
    #expect(end(&feed) == "")
  }

  @Test func `Lines of several tasks and groups cannot change the terminal`() {
    let logs = MemoryLogs()
    logs[0] = "a\u{1B}[2Jb\n"
    var named = feed(logs) { $0.isTerminal = true }
    #expect(next(&named) == "\u{1B}[36ma    |\u{1B}[0m ab\n")
    var grouped = feed(logs) {
      $0.isTerminal = true
      $0.mode = .group
    }
    #expect(next(&grouped) == "")
    #expect(end(&grouped) == "==> a <==\nab\n")
  }

  @Test func `A long line with names is broken, and one in a group is not`() {
    let logs = MemoryLogs()
    logs[0] = String(repeating: "x", count: OutputFeed.readBytes + 1)
    var named = feed(logs) { _ in }
    #expect(end(&named).split(separator: "\n").map(\.utf8.count) == [OutputFeed.readBytes + 7, 8])
    var grouped = feed(logs) { $0.mode = .group }
    #expect(end(&grouped) == "==> a <==\n\(logs[0])\n")
  }

  @Test func `Each task gets its share of a pass`() {
    let logs = MemoryLogs()
    let line = String(repeating: "x", count: 1023)
    let count = 2 * OutputFeed.passBytes / 1024
    logs[0] = String(repeating: "\(line)\n", count: count)
    logs[1] = "y\n"
    var feed = feed(logs) { _ in }
    let text = next(&feed)
    #expect(text.hasSuffix("long | y\n"))
    #expect(feed.hasMore)
    var rest = ""
    while feed.hasMore { rest += next(&feed) }
    let lines = (text + rest).split(separator: "\n")
    #expect(lines.count == count + 1)
    #expect(lines.count { $0 == "a    | \(line)" } == count)
  }

  @Test func `Times are before lines, and in the name of a group`() {
    let logs = MemoryLogs()
    logs[0] = "one\ntwo\n"
    var named = feed(logs) { $0.timestamp = { "12:00" } }
    #expect(next(&named) == "12:00 a    | one\n12:00 a    | two\n")
    var single = feed(logs) {
      $0.timestamp = { "12:00" }
      $0.showsNames = false
    }
    #expect(next(&single) == "12:00 one\n12:00 two\n")
    var grouped = feed(logs) {
      $0.timestamp = { "12:00" }
      $0.mode = .group
      $0.service = .github
    }
    #expect(end(&grouped) == "::group::12:00 a\none\ntwo\n::endgroup::\n")
  }

  @Test func `On GitHub the commands of tasks stay in force, but not those for groups`() {
    let logs = MemoryLogs()
    logs[0] = "::error::bad\n::endgroup::\nx ##[endgroup]\nplain\n"
    var grouped = feed(logs) {
      $0.mode = .group
      $0.service = .github
    }
    #expect(
      end(&grouped)
        == "::group::a\n::error::bad\n| ::endgroup::\nx ## [endgroup]\nplain\n::endgroup::\n")
    var named = feed(logs) { $0.service = .github }
    #expect(
      next(&named)
        == "::error::bad\na    | | ::endgroup::\na    | x ## [endgroup]\na    | plain\n")
    var single = feed(logs) {
      $0.service = .github
      $0.showsNames = false
    }
    #expect(next(&single) == logs[0])
  }
}
