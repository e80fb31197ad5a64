import HeadwayRun
import HeadwayText
import Testing

@testable import HeadwayReport

/// The form of the page, whatever it is made from.
struct `The page of a run` {
  /// A run with a bit of all.
  private static let whole = SampleRun.failing.report()
  /// The run of a test.
  private let run = Self.whole

  /// Checks that a page is well formed, that its numbers are numbers, and that nothing is loaded.
  private func checked(_ report: RunReport) throws -> MarkupDocument {
    let page = report.page()
    let document = try MarkupDocument(page)
    for element in document.elements {
      for name in ["x", "y", "width", "height"] {
        guard let value = element.attributes[name] else { continue }
        let number = try #require(Double(value), "\(name)=\(value)")
        #expect(number.isFinite && number >= -5 && number < 3000, "\(name)=\(value)")
      }
      if let line = element.attributes["d"] {
        #expect(!line.contains("nan") && !line.contains("inf"))
      }
      #expect(Set(element.attributes.keys).isDisjoint(with: ["src", "srcset", "style", "onclick"]))
      if let target = element.attributes["href"] { #expect(target.hasPrefix("#")) }
    }
    for word in ["http:", "https:", "@import", "@font-face", "//", "url(h", "fetch(", "import "] {
      #expect(!page.contains(word), "the page holds \(word)")
    }
    return document
  }

  @Test func `It is a document with a language, a title and one heading`() throws {
    let document = try checked(run)
    #expect(document.elements.first?.name == "html")
    #expect(document.elements.first?.attributes["lang"] == "en")
    #expect(document.elements(named: "h1").count == 1)
    #expect(document.elements(named: "h1").first?.text == "release ✕ failed")
    #expect(
      document.elements.first { $0.name == "title" }?.text == "release – run 20261121-195848-19428")
    let time = try #require(document.elements(named: "time").first)
    #expect(time.attributes["datetime"] == "2026-11-21T19:58:48Z")
    #expect(time.text == "2026-11-21 19:58:48 UTC")
  }

  @Test func `Every picture has a title and a description`() throws {
    let document = try checked(run)
    let pictures = document.elements(named: "svg").filter { $0.attributes["aria-hidden"] == nil }
    #expect(pictures.count == 3)
    for picture in pictures {
      #expect(picture.attributes["role"] == "img")
      let names = try #require(picture.attributes["aria-labelledby"]).split(separator: " ")
      #expect(names.count == 2)
      for name in names { #expect(document.ids.contains(String(name))) }
    }
  }

  @Test func `Links lead to tasks of the table`() throws {
    let document = try checked(run)
    let links = document.elements(named: "a").compactMap { $0.attributes["href"]?.dropFirst() }
    #expect(links == ["task-7", "task-8"])
    for link in links { #expect(document.ids.contains(String(link))) }
  }

  @Test func `The table has heads with a scope and a row for each task`() throws {
    let document = try checked(run)
    let heads = document.elements(named: "th")
    #expect(heads.filter { $0.attributes["scope"] == "col" }.count == 7)
    #expect(heads.filter { $0.attributes["scope"] == "row" }.count == 13)
    #expect(heads.allSatisfy { $0.attributes["scope"] != nil })
    #expect(document.elements(named: "caption").count == 1)
    let sorted = heads.filter { $0.attributes["aria-sort"] != nil }
    #expect(sorted.map(\.text) == ["Took"])
  }

  @Test func `The table has the numbers of a task`() throws {
    let tasks = [task("a", 1, 5, expected: 3), task("b", 2, 3, .failed, expected: 4)]
    let document = try checked(report(tasks, total: 6, outcome: .failed))
    let cells = document.elements(named: "td")
    #expect(
      cells.map(\.text) == [
        "✓ succeeded", "1.0s", "5.0s", "3.0s", "+2.0s", "1",
        "✕ failed", "2.0s", "3.0s", "4.0s", "–", "1",
      ])
    #expect(cells[2].attributes["data-v"] == "5000000")
    #expect(cells[4].attributes["data-v"] == "2000000")
    #expect(cells[4].attributes["class"] == "slow")
    #expect(cells[10].attributes["data-v"] == nil)
  }

  @Test func `The table says what is a service, and that a hook was not needed`() throws {
    let names = ["db", "web", "test", "on_failure"]
    let run = RunRecord(
      plan: "site", name: "r", began: 0, workers: 1, machine: MachineIdentity(cores: 1, host: 1),
      tasks: names.map { TaskIdentity(name: $0, kind: "", fingerprint: 1) },
      total: .seconds(9), outcome: .failed,
      records: [
        TaskRecord(
          index: 0, outcome: .succeeded, began: .zero, ran: .milliseconds(300), attempts: 1,
          role: .service),
        TaskRecord(
          index: 1, outcome: .timedOut, began: .zero, ran: .seconds(5), attempts: 1, role: .service),
        TaskRecord(
          index: 2, outcome: .timedOut, began: .zero, ran: .seconds(5), attempts: 1),
        TaskRecord(index: 3, outcome: .skipped, attempts: 0, role: .failureHook),
      ])
    let page = try checked(RunReport(run))
    let rows = page.elements(named: "tr").map(\.text)
    #expect(rows.contains { $0.hasPrefix("db service, ready after 0.3s✓ succeeded") }, "\(rows)")
    #expect(rows.contains { $0.hasPrefix("web critical service! not ready") }, "\(rows)")
    #expect(rows.contains { $0.hasPrefix("test! timed out") }, "\(rows)")
    #expect(rows.contains { $0.hasPrefix("on_failure· not needed") }, "\(rows)")
    #expect(!RunReport(run).page().contains("1 skipped"))
    let failures = [1: TaskFailure(outcome: .timedOut(limit: .seconds(5)))]
    #expect(RunReport(run, failures: failures).page().contains("not ready after 5s at 5.0s"))
  }

  @Test func `A difference that nobody would notice is not highlighted`() throws {
    let tasks = [task("a", 0, 0.4, expected: 0.2), task("b", 0, 0.02, expected: 0.01)]
    let cells = try checked(report(tasks, total: 1)).elements(named: "td")
    #expect(cells.count == 12)
    #expect(cells[4].attributes["class"] == "slow")
    #expect(cells[10].attributes["class"] == nil)
  }

  @Test(arguments: [0, -3])
  func `A damaged run without workers is shown with one`(workers: Int) {
    let facts = ReportPage(report([task("a", 0, 5)], total: 10, workers: workers)).facts
    #expect(facts.workers == 1)
    #expect(facts.utilization == 0.5)
  }

  @Test(arguments: [
    (0, "0"), (-0.04, "0"), (0.04, "0"), (-0.06, "-0.1"), (12.34, "12.3"), (2.96, "3"), (-7, "-7"),
  ])
  func `A coordinate has one digit behind the point, and zero has no sign`(
    number: Double, text: String
  ) {
    var markup = Markup()
    markup.number(number)
    #expect(String(decoding: markup.bytes, as: UTF8.self) == text)
  }

  @Test func `The heading has the work and how much ran at once`() throws {
    let facts = ReportPage(
      report([task("a", 0, 6), task("b", 0, 9)], total: 10, workers: 2)
    ).factList
    let workers = try #require(facts.first { $0.name == "Workers" })
    #expect(workers.value == "2")
    #expect(workers.note == "15.0s of work; 1.5 of 2 busy on average (75%)")
    let counts = ReportPage(run).factList.first { $0.name == "Tasks" }
    #expect(
      counts?.note
        == "8 succeeded, 1 up to date, 1 failed, 1 timed out, 2 skipped")
  }

  @Test(arguments: [
    "</script><b>bold</b>", "\"onload=\"alert(1)", "' onclick='x", "<!-- & -->", "]]>",
    "a\u{0}b\u{1b}[31mred\u{7f}", "\u{202e}gnp.exe", "\u{2067}אבג\u{2069} שלום", "line\nbreak\ttab",
    "&amp;&lt;", "😀👩‍🚀 e\u{301}", "\u{feff}\u{fffe}\u{e0041}", "",
  ])
  func `Any name is harmless`(name: String) throws {
    var tasks = [task(name, 0, 4, .failed), task("x", 4, 1)]
    tasks[0].kind = name
    for count in [1, 60] {
      let run = report(
        (0..<count).flatMap { _ in tasks }, needs: [(1, 0)], total: 5, outcome: .failed,
        plan: name, run: name)
      let document = try checked(run)
      #expect(document.elements(named: "script").count == 1)
      #expect(document.elements(named: "b").count == ReportPage(run).factList.count)
      let row = try #require(document.elements(named: "bdi").last { $0.text == name.sanitized })
      #expect(row.depth > 2)
      for odd in ["\u{202e}", "\u{2067}", "\u{0}", "\u{1b}", "\u{feff}"] {
        #expect(!run.page().unicodeScalars.contains(odd.unicodeScalars.first ?? "x"))
      }
    }
  }

  @Test func `A very long name is shortened in its middle`() throws {
    let name = String(repeating: "a", count: 500_000) + String(repeating: "z", count: 500_000)
    let run = report([task(name, 0, 4, .failed)], total: 4, outcome: .failed, plan: name)
    #expect(run.page().utf8.count < 30_000)
    let row = try #require(checked(run).elements(named: "th").last)
    #expect(row.text.hasPrefix("aaa"))
    #expect(row.text.contains("a…z"))
    #expect(row.text.dropLast(" critical".count).count == 160)
    let marks = Name.truncated("e" + String(repeating: "\u{301}", count: 9000), to: 160)
    #expect(marks.unicodeScalars.count == 160)
  }

  @Test func `No tasks`() throws {
    let document = try checked(report([], total: 3))
    #expect(document.elements(named: "table").isEmpty)
    #expect(document.elements.contains { $0.text == "This run had no tasks." })
  }

  @Test func `Tasks without a time`() throws {
    let document = try checked(report([task("a", nil, 0, .skipped)], total: 3))
    #expect(document.elements.contains { $0.text == "No task of this run has a time." })
    #expect(document.elements(named: "td").first?.text == "· skipped")
  }

  @Test func `All times zero`() throws {
    let forecast = ForecastRecord(
      at: .zero, fraction: 0, remaining: RemainingTime(low: .zero, median: .zero, high: .zero))
    for count in [3, 50] {
      let tasks = (0..<count).map { _ in task("a", 0, 0) }
      let run = report(tasks, needs: [(1, 0)], total: 0, forecasts: [forecast])
      let document = try checked(run)
      #expect(document.elements(ofClass: "bar").count >= count)
      let facts = ReportPage(run).facts
      #expect(facts.utilization == nil)
      #expect(facts.meanError == nil)
    }
  }

  @Test func `A run without an end goes to the last known moment`() throws {
    let forecast = ForecastRecord(at: .seconds(12), fraction: 0.4, remaining: nil)
    let run = report(
      [task("a", 0, 4), task("b", 4, 0, nil), task("c", nil, 0, nil)], needs: [(1, 0)],
      total: nil, outcome: nil, forecasts: [forecast])
    let document = try checked(run)
    #expect(document.elements(named: "h1").first?.text == "plan ? running or killed")
    for (isRunning, words) in [(true, "running"), (false, "killed")] {
      let known = try checked(RunReport(run.run, isRunning: isRunning))
      #expect(known.elements(named: "h1").first?.text == "plan ? \(words)")
    }
    let duration = try #require(ReportPage(run).factList.first)
    #expect(duration.name == "Ran for at least")
    #expect(duration.value == "12.0s")
    #expect(ReportPage(run).facts.meanError == nil)
    // From 4 to 12 of 12 seconds on 1077 units.
    #expect(document.bar(of: "b")?.attributes["width"] == "718")
    #expect(document.elements(ofClass: "truth").isEmpty)
  }

  @Test func `A year, and impossible times`() throws {
    let year = 365.0 * 86_400
    let forecast = ForecastRecord(
      at: .seconds(Int64.max), fraction: .nan,
      remaining: RemainingTime(low: .zero, median: .seconds(Int64.max), high: .zero))
    let odd = SampleTask(
      name: "odd",
      record: TaskRecord(
        index: 0, outcome: .succeeded, began: .seconds(-5), ran: .seconds(Int64.max),
        attempts: .max, expected: .seconds(Int64.min)))
    let first = try checked(report([task("a", 0, year)], total: year))
    #expect(first.elements.contains { $0.text == "365d00h" })
    _ = try checked(report([odd], total: 1, forecasts: [forecast]))
    _ = try checked(report([odd], total: nil, forecasts: [forecast]))
    _ = try checked(report([task("b", 2, -7)], total: -1, workers: -3))
  }

  @Test func `Cycles`() throws {
    let tasks = [task("a", 0, 4), task("b", 4, 1)]
    _ = try checked(report(tasks, needs: [(0, 1), (1, 0), (1, 1)], total: 5))
  }

  @Test func `Records of tasks that the run does not have are left out`() throws {
    var run = report([task("a", 0, 4)], total: 5).run
    run.records.append(TaskRecord(index: 9, outcome: .failed, attempts: 1))
    #expect(try checked(RunReport(run)).elements(named: "td").count == 6)
  }

  @Test func `The critical path is listed, too`() throws {
    let tasks = [task("a", 0, 4), task("b", 6, 1), task("c", 0, 1)]
    let document = try checked(report(tasks, needs: [(1, 0)], total: 7))
    #expect(
      document.elements(named: "li").filter { $0.attributes["value"] != nil }.map(\.text) == [
        "a took 4.0s", "b took 1.0s, after waiting 2.0s for a worker",
      ])
    #expect(document.elements(ofClass: "tag").count == 2)
  }
}
