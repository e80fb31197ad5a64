import HeadwayCollections
import HeadwayRun
import Testing

@testable import HeadwayReport

/// Coordinates of bars, computed by hand.
struct `The timeline` {
  /// The layout of tasks.
  private func layout(
    _ tasks: [SampleTask], needs: [(task: Int, before: Int)] = [], total: Double? = nil
  ) -> GanttLayout {
    let report = report(tasks, needs: needs, total: total)
    let times = RunTimes(report)
    return GanttLayout(report, times: times, path: RunPath(times, report.run.graph))
  }

  @Test func `Few tasks have a row each, in the order of their beginnings`() {
    // Names of 1 column: the scale begins at 24 + 7 and is 1120 - 31 - 12 = 1077 long.
    let layout = layout([task("b", 4, 6), task("a", 0, 4), task("c", nil)], total: 10)
    #expect(layout.form == .tasks)
    #expect(layout.rows == [1, 0, -1])
    #expect(layout.scale.start == 31)
    #expect(layout.scale.length == 1077)
    let bars = layout.bars.sorted { $0.row < $1.row }
    #expect(bars.map(\.task) == [1, 0])
    #expect(bars[0].x == 31)
    #expect((bars[0].width - 430.8).magnitude < 1e-9)
    #expect((bars[1].x - 461.8).magnitude < 1e-9)
    #expect((bars[1].width - 646.2).magnitude < 1e-9)
  }

  @Test func `The numbers stand in the page`() throws {
    let page = report([task("first", 0, 4), task("second", 4, 6)], total: 10).page()
    let document = try MarkupDocument(page)
    // Names of 6 columns: the scale begins at 66 and is 1042 long; rows are 24 high and begin at 24.
    let first = try #require(document.bar(of: "first"))
    #expect(first.attributes["x"] == "66")
    #expect(first.attributes["y"] == "29")
    #expect(first.attributes["width"] == "416.8")
    #expect(first.attributes["height"] == "14")
    let second = try #require(document.bar(of: "second"))
    #expect(second.attributes["x"] == "482.8")
    #expect(second.attributes["y"] == "53")
    #expect(second.attributes["width"] == "625.2")
  }

  @Test func `More tasks share as many lanes as ran at once`() throws {
    // Two at a time, one second each: 21 seconds on 1064 units, so 50.67 a task and a unit of air behind it.
    let tasks = (0..<42).map { task("t\($0);", Double($0 / 2), 1) }
    let layout = layout(tasks, total: 21)
    #expect(layout.form == .lanes(perRow: 1))
    #expect(layout.rowCount == 2)
    #expect(layout.rows == (0..<42).map { $0 % 2 })
    let document = try MarkupDocument(report(tasks, total: 21).page())
    let bar = try #require(document.bar(of: "t3;"))
    #expect(bar.attributes["x"] == "94.7")
    #expect(bar.attributes["y"] == "53")
    #expect(bar.attributes["width"] == "49.7")
    #expect(bar.attributes["height"] == "20")
  }

  @Test func `A lane is taken again as soon as it is free, and the first is preferred`() {
    let tasks = [
      task("a", 0, 2), task("b", 0, 5), task("c", 1, 1), task("d", 2, 1), task("e", 3, 0),
    ]
    let times = RunTimes(report(tasks, total: 5))
    let packing = LanePacking(times, slack: 0)
    #expect(packing.lanes == [0, 1, 2, 0, 0])
    #expect(packing.count == 3)
  }

  @Test func `No two tasks on a lane run at once, and there are no more lanes than need be`() {
    var numbers = SplitMix64(seed: 3)
    for _ in 0..<200 {
      let tasks = (0..<60).map { _ in
        task(
          "t", Double(Int.random(in: 0..<40, using: &numbers)),
          Double(Int.random(in: 0..<9, using: &numbers)))
      }
      let times = RunTimes(report(tasks, total: 50))
      let packing = LanePacking(times, slack: 0)
      for one in 0..<60 {
        for other in 0..<one where packing.lanes[one] == packing.lanes[other] {
          #expect(
            times.ends[one] <= times.begins[other] || times.ends[other] <= times.begins[one])
        }
      }
      // Tasks that take no time need a lane too, but only for a moment that is shared with nobody.
      let most =
        (0..<60).map { one in
          (0..<60).count { other in
            times.begins[other] <= times.begins[one] && times.begins[one] < times.ends[other]
          }
        }.max() ?? 0
      #expect(packing.count <= most + 1)
    }
  }

  @Test func `Overlaps that nobody sees open no lane`() {
    let tasks = (0..<50).map { task("t", Double($0), 1.001) }
    #expect(layout(tasks, total: 50).rowCount == 1)
  }

  @Test func `Many lanes share rows, where only what matters is a bar`() {
    let tasks = (0..<200).map { task("t", 0, 10, $0 == 7 ? .failed : .succeeded) }
    let layout = layout(tasks, total: 10)
    #expect(layout.form == .lanes(perRow: 4))
    #expect(layout.rowCount == 50)
    // The failed one, and the first, which is the critical path.
    #expect(layout.bars.map(\.task).sorted() == [0, 7])
    #expect(layout.mergedCount == 198)
    // Three of the four lanes of the rows that lack a bar are filled; the last part is a third of one.
    #expect(layout.densities.first { $0.row == 0 }?.level == 3)
    #expect(layout.densities.first { $0.row == 2 }?.level == 4)
  }

  @Test func `The last of many lanes has a row, too`() {
    // Four lanes a row: 50 rows, and one for the last lane.
    let layout = layout((0..<201).map { _ in task("t", 0, 10, .failed) }, total: 10)
    #expect(layout.form == .lanes(perRow: 4))
    #expect(layout.rowCount == 51)
    #expect(layout.bars.map(\.row).max() == 50)
  }

  @Test func `Very many short tasks become a density`() {
    // 2,100 tasks one after the other on 1,064 units: none is two wide. The last is the critical path.
    let tasks = (0..<2100).map { task("t", Double($0), 1) }
    let layout = layout(tasks, total: 2100)
    #expect(layout.bars.map(\.task) == [2099])
    #expect(layout.mergedCount == 2099)
    // 354 parts of 3 units are full; of the last, 1.49 of 3 units are: two quarters.
    #expect(
      layout.densities == [
        GanttLayout.Density(row: 0, part: 0, count: 354, level: 4),
        GanttLayout.Density(row: 0, part: 354, count: 1, level: 2),
      ])
  }

  @Test func `Long ones stay bars among many short ones`() {
    var tasks = (0..<2500).map { task("short", Double($0) * 0.01, 0.001) }
    tasks.append(task("long", 0, 25))
    let layout = layout(tasks, total: 25)
    #expect(layout.bars.map(\.task) == [2500])
    // A tenth of each part is filled.
    #expect(Set(layout.densities.map(\.level)) == [1])
  }

  @Test func `Of very many that went wrong the longest stay bars`() {
    let tasks = (0..<3000).map { task("t", Double($0), $0 == 99 ? 0.9 : 0.5, .failed) }
    let layout = layout(tasks, total: 3000)
    #expect(layout.bars.count == GanttLayout.maxMarkedBars)
    #expect(layout.bars.last?.task == 99)
    #expect(layout.mergedCount == 2000)
  }

  @Test func `An expected end is marked unless it lies behind the end of the timeline`() throws {
    let tasks = [task("a", 0, 4, expected: 6), task("b", 0, 4, expected: 10.1)]
    let document = try MarkupDocument(report(tasks, total: 10).page())
    // The scale begins at 31 and is 1077 long.
    let marks = document.elements(ofClass: "usual").compactMap { $0.attributes["d"] }
    #expect(marks.count == 1)
    #expect(marks.first?.hasPrefix("M677.2 ") == true)
  }

  @Test func `A wait for a worker is drawn and named`() throws {
    let tasks = [task("a", 0, 2), task("b", 6, 4)]
    let page = report(tasks, needs: [(1, 0)], total: 10).page()
    let document = try MarkupDocument(page)
    #expect(document.elements.contains { $0.text == "waited for a worker: 4.0s" })
    // From the end of a to the beginning of b, in the middle of the second row: 31 + 1077 · 0.2 and · 0.6.
    let gap = try #require(document.elements(ofClass: "gap").first)
    #expect(gap.attributes["d"] == "M246.4 60H677.2")
    let link = try #require(document.elements(ofClass: "link").first)
    #expect(link.attributes["d"] == "M246.4 36V60")
    #expect(document.elements(ofClass: "gapname").map(\.text) == ["waited for a worker"])
  }

  @Test func `The time of a task stands in its bar when there is no room behind it`() throws {
    let page = report([task("a", 0, 5), task("b", 7, 3)], needs: [(1, 0)], total: 10).page()
    let document = try MarkupDocument(page)
    // The bar ends at 31 + 1077.
    let label = try #require(document.elements(ofClass: "inside").first { $0.text == "3.0s" })
    #expect(label.attributes["x"] == "1102")
    #expect(label.attributes["class"] == "inside e succeeded critical")
  }

  @Test func `A task that ended after the run widens the picture, with a line at the end`() throws {
    let page = report([task("a", 0, 4), task("b", 4, 8)], total: 10).page()
    let document = try MarkupDocument(page)
    let bar = try #require(document.bar(of: "b"))
    #expect(bar.attributes["width"] == "718")
    let end = try #require(document.elements(ofClass: "end").first)
    #expect(end.attributes["d"]?.hasPrefix("M928.5 ") == true)
  }

  @Test func `Bars have tooltips`() throws {
    var slow = task("slow", 1, 5, .timedOut, expected: 2)
    slow.record.attempts = 3
    let document = try MarkupDocument(report([slow], total: 6).page())
    #expect(
      document.elements.contains {
        $0.name == "title"
          && $0.text == "slow\ntimed out, on the critical path\n"
            + "started at 1.0s, took 5.0s, expected 2.0s, 3 attempts"
      })
  }

  @Test func `The words of a bar at the end are in it or beside it, not beyond its wait`() throws {
    let tasks = [task("a", 0, 2), task("b", 60, 40, .failed), task("c", 98, 2, .failed)]
    let run = report(
      tasks, needs: [(task: 1, before: 0), (task: 2, before: 0)], total: 100, outcome: .failed)
    let document = try MarkupDocument(run.page())
    #expect(document.elements(ofClass: "inside").map(\.text) == ["40.0s failed"])
    let bars = document.elements(named: "rect").compactMap { $0.attributes["x"] }.compactMap(
      Double.init)
    let left = try #require(document.elements(ofClass: "over").first)
    #expect(left.text == "2.0s failed")
    let x = try #require(left.attributes["x"].flatMap(Double.init))
    #expect(bars.contains { abs($0 - x - 6) < 0.2 })
  }

  @Test func `Outcomes are distinguished without color`() throws {
    let tasks = [
      task("a", 0, 5, .failed), task("b", 0, 5, .timedOut), task("c", 0, 5, .cancelled),
      task("d", 0, 5, nil), task("e", 0, 6),
    ]
    let document = try MarkupDocument(report(tasks, total: 6, outcome: .failed).page())
    #expect(document.elements(ofClass: "sign").map(\.text).sorted() == ["!", "–", "…", "✕"])
    let words = document.elements(ofClass: "time").map(\.text)
    #expect(words.contains("5.0s failed") || words.contains("5.0s not ended"))
    #expect(document.ids.isSuperset(of: ["slanted", "upright"]))
  }
}
