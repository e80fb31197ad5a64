import HeadwayRun
import Testing

@testable import HeadwayReport

/// Runs so large that not all can be shown.
struct `The page of a very large run` {
  /// A run of many tasks on some workers, one after the other on each, of which each thousandth fails.
  private func run(_ count: Int, workers: Int) -> RunReport {
    let tasks = (0..<count).map { place in
      RunReport.Task(
        name: "part/unit-\(place).o", kind: "unit",
        began: .milliseconds(place / workers * 100),
        ran: .milliseconds(place % 97 == 0 ? 100 : 60),
        outcome: place % 1000 == 17 ? .failed : .succeeded, expected: .milliseconds(70))
    }
    let forecasts = (0..<5000).map { place in
      RunReport.Forecast(
        at: .milliseconds(place * 100), fraction: 0.0002 * Double(place), remaining: nil)
    }
    return RunReport(
      plan: "large", run: "1", began: 0, workers: workers,
      total: .milliseconds(count / workers * 100), outcome: .failed, tasks: tasks,
      needs: (workers..<count).map { ($0, $0 - workers) }, forecasts: forecasts)
  }

  @Test(arguments: [8, 500])
  func `A hundred thousand tasks stay a page`(workers: Int) throws {
    let run = run(100_000, workers: workers)
    let page = run.page()
    #expect(page.utf8.count < 1_500_000)
    let document = try MarkupDocument(page)
    let bars = document.elements(named: "g").filter {
      $0.attributes["class"]?.hasPrefix("bar ") ?? false
    }
    #expect(bars.count <= GanttLayout.mostBars + 10)
    #expect(document.elements(ofClass: "density").contains { $0.name == "path" })
    let rows = document.elements(named: "th").filter { $0.attributes["scope"] == "row" }
    #expect(rows.count == TaskTable.mostRows)
    #expect(page.contains("tasks that took longest of 100\u{202f}000"))
    #expect(page.contains("are drawn together in grey"))
  }

  @Test func `Those that failed are listed however short they were`() {
    let run = run(20_000, workers: 8)
    let table = TaskTable(run.tasks, facts: RunFacts(run))
    #expect(table.listed.count == 1000)
    #expect(table.listed.count { run.tasks[$0].outcome == .failed } == 20)
    let lengths = table.listed.map { run.tasks[$0].ran }
    #expect(lengths == lengths.sorted(by: >))
  }

  @Test func `The longest names make no page that is out of bounds`() {
    var run = run(30_000, workers: 8)
    for place in run.tasks.indices {
      run.tasks[place].name = String(repeating: "\"", count: 400) + "\(place)"
      run.tasks[place].kind = run.tasks[place].name
      run.tasks[place].outcome = .failed
    }
    #expect(run.page().utf8.count < 8_000_000)
  }

  @Test func `More than ten that failed are counted`() throws {
    let document = try MarkupDocument(run(20_000, workers: 8).page())
    #expect(document.elements(named: "a").count == ReportPage.mostNamed)
    #expect(document.elements.contains { $0.text == "and 10 more, in the table below" })
  }
}
