import HeadwayRun
import Testing

@testable import HeadwayReport

/// Runs so large that not all tasks can be shown.
struct `The page of a very large run` {
  /// A run of many tasks on some workers, one after the other on each, of which each thousandth fails.
  private func run(_ count: Int, workers: Int) -> RunRecord {
    let records = (0..<count).map { index in
      TaskRecord(
        index: index, outcome: index % 1000 == 17 ? .failed : .succeeded,
        began: .milliseconds(index / workers * 100),
        ran: .milliseconds(index % 97 == 0 ? 100 : 60), attempts: 1, expected: .milliseconds(70))
    }
    let forecasts = (0..<5000).map { index in
      ForecastRecord(
        at: .milliseconds(index * 100), fraction: 0.0002 * Double(index), remaining: nil)
    }
    return RunRecord(
      plan: "large", name: "1", began: 0, workers: workers,
      machine: MachineIdentity(cores: workers, host: 0),
      tasks: (0..<count).map {
        TaskIdentity(name: "part/unit-\($0).o", kind: "unit", fingerprint: 0)
      },
      graph: graph((workers..<count).map { ($0, $0 - workers) }, count: count),
      total: .milliseconds(count / workers * 100), outcome: .failed, records: records,
      forecasts: forecasts)
  }

  @Test(arguments: [8, 500])
  func `A hundred thousand tasks stay a page`(workers: Int) throws {
    let page = RunReport(run(100_000, workers: workers)).page()
    #expect(page.utf8.count < 1_500_000)
    let document = try MarkupDocument(page)
    let bars = document.elements(named: "g").filter {
      $0.attributes["class"]?.hasPrefix("bar ") ?? false
    }
    #expect(bars.count <= GanttLayout.maxBars + 10)
    #expect(document.elements(ofClass: "density").contains { $0.name == "path" })
    let rows = document.elements(named: "th").filter { $0.attributes["scope"] == "row" }
    #expect(rows.count == TaskTable.maxRows)
    #expect(page.contains("longest of 100,000 tasks"))
    #expect(page.contains("are merged in gray"))
  }

  @Test func `Those that failed are listed however short they were`() {
    let report = RunReport(run(20_000, workers: 8))
    let table = TaskTable(report, facts: RunFacts(report))
    #expect(table.listed.count == 1000)
    #expect(table.listed.count { report.records[$0].outcome == .failed } == 20)
    let lengths = table.listed.map { report.records[$0].ran }
    #expect(lengths == lengths.sorted(by: >))
  }

  @Test func `The longest names keep the page within its limit`() {
    var run = run(30_000, workers: 8)
    for index in run.tasks.indices {
      run.tasks[index].name = String(repeating: "\"", count: 400) + "\(index)"
      run.tasks[index].kind = run.tasks[index].name
      run.records[index].outcome = .failed
    }
    #expect(RunReport(run).page().utf8.count < 8_000_000)
  }

  @Test func `More than ten that failed are counted`() throws {
    let document = try MarkupDocument(RunReport(run(20_000, workers: 8)).page())
    #expect(document.elements(named: "a").count == RunReport.maxFailures)
    #expect(document.elements.contains { $0.text == "and 10 more, in the table below" })
  }
}
