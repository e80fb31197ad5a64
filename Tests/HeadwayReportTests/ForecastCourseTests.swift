import HeadwayForecast
import HeadwayRun
import Testing

@testable import HeadwayReport

/// How good a forecast was, by hand.
struct `The course of a forecast` {
  /// A forecast: when, the fraction, and what remains.
  private func told(
    _ at: Double, _ fraction: Double, _ remaining: (Double, Double, Double)? = nil
  ) -> ForecastRecord {
    ForecastRecord(
      at: .seconds(at), fraction: fraction,
      remaining: remaining.map {
        RemainingTime(low: .seconds($0.0), median: .seconds($0.1), high: .seconds($0.2))
      })
  }

  @Test func `A fraction that follows the truth has no error`() throws {
    let course = ForecastCourse([told(0, 0), told(5, 0.5), told(10, 1)])
    #expect(course.meanError(total: 10) == 0)
  }

  @Test func `The error is the area between the shown and the true line`() throws {
    // The shown fraction stands at zero: a triangle.
    #expect(ForecastCourse([told(0, 0)]).meanError(total: 10) == 0.5)
    // 0.2 ahead at 2 seconds, 0.2 behind at 6: triangles on 0 to 2, 2 to 4, 4 to 6, then behind up to 0.6 at the end.
    let course = ForecastCourse([told(2, 0.4), told(6, 0.4)])
    let area = 0.5 * 2 * 0.2 + 0.5 * 2 * 0.2 + 0.5 * 2 * 0.2 + 4 * 0.4
    let error = try #require(course.meanError(total: 10))
    #expect((error - area / 10).magnitude < 1e-12)
  }

  @Test func `The range counts as long as it stood`() {
    // Held from 0 to 4: 9 to 12, true; from 4 to 7: 11 to 14, too late; from 7 to 10: 8 to 9.5, too early.
    let course = ForecastCourse([
      told(0, 0, (9, 10, 12)), told(4, 0.4, (7, 8, 10)), told(7, 0.7, (1, 2, 2.5)),
    ])
    #expect(course.coverage(total: 10) == 0.4)
  }

  @Test(arguments: [(5, 8, 10, 1), (10, 12, 14, 1), (10, 10, 10, 1), (5, 8, 9.5, 0)])
  func `The edges of the range belong to it`(
    low: Double, median: Double, high: Double, coverage: Double
  ) {
    #expect(ForecastCourse([told(0, 0, (low, median, high))]).coverage(total: 10) == coverage)
  }

  @Test(arguments: [
    (Outcome.Kind?.some(.succeeded), true), (.failed, false), (.cancelled, false), (nil, false),
  ])
  func `Only a run that succeeded says how often the range was right`(
    outcome: Outcome.Kind?, isShown: Bool
  ) {
    let run = report(
      [task("a", 0, 10)], total: 10, outcome: outcome, forecasts: [told(0, 0, (5, 8, 10))])
    let names = ReportPage(run).factList.map(\.name)
    #expect(names.contains("Interval coverage") == isShown)
  }

  @Test func `Time without a range does not count`() {
    let course = ForecastCourse([told(0, 0), told(5, 0.5, (4, 5, 6)), told(8, 0.8)])
    #expect(course.coverage(total: 10) == 1)
    #expect(ForecastCourse([told(0, 0)]).coverage(total: 10) == nil)
  }

  @Test func `Invalid values are left out`() throws {
    let course = ForecastCourse([
      told(5, .nan, (6, 5, 4)), told(-3, -0.5), told(20, 0.9), told(7, .infinity),
    ])
    #expect(course.points.map(\.at) == [0, 5, 7, 20])
    #expect(course.points.map(\.fraction) == [0, nil, 1, 0.9])
    #expect(course.points[1].end == ForecastCourse.Range(low: 9, median: 10, high: 11))
    let error = try #require(course.meanError(total: 10))
    #expect(error.isFinite)
    #expect(course.meanError(total: 0) == nil)
    #expect(ForecastCourse([told(5, .nan)]).meanError(total: 10) == nil)
  }

  @Test func `Thinning keeps the last of each part of the time`() {
    let course = ForecastCourse((0..<1000).map { told(Double($0) / 100, 0) })
    let kept = course.thinned(to: 10, span: 10).map { Int($0.at * 100 + 0.5) }
    #expect(kept == (1...10).map { $0 * 100 - 1 })
    #expect(course.thinned(to: 2000, span: 10).count == 1000)
    #expect(course.thinned(to: 10, span: 0).count == 10)
  }

  @Test func `The first prediction stands beside what came`() throws {
    let run = report(
      [task("a", 0, 10)], total: 10,
      forecasts: [told(0, 0), told(0.1, 0, (6.9, 7.9, 11.9)), told(5, 0.5, (4, 5, 6))])
    let fact = try #require(
      ReportPage(run).factList.first { $0.name.hasPrefix("Predicted") })
    #expect(fact.name == "Predicted at first")
    #expect(fact.value == "8.0s")
    #expect(fact.note == "80% range 7.0s to 12.0s; it took 2.0s more")
  }

  @Test func `A late first prediction says when it came`() throws {
    let run = report(
      [task("a", 0, 10)], total: 10, outcome: .failed, forecasts: [told(3, 0, (5, 7, 9))])
    let facts = ReportPage(run).factList
    #expect(facts[1].name == "Predicted after 3.0s")
    #expect(facts[1].note == "80% range 8.0s to 12.0s")
    #expect(facts.contains { $0.note.contains("a forecast cannot know of an early end") })
  }

  @Test func `Lines stand where the numbers say`() throws {
    let run = report(
      [task("a", 0, 10)], total: 10,
      forecasts: [told(0, 0, (5, 10, 20)), told(5, 0.25, (5, 5, 5))])
    let pictures = ForecastPictures(
      ReportPage(run).facts.course, times: ReportPage(run).facts.times)
    // The axis goes to 20 · 1.06 = 21.2 seconds, over 246 units from 262 upwards.
    #expect((pictures.maxEnd - 21.2).magnitude < 1e-9)
    #expect((pictures.y(ofEnd: 10) - (262 - 246 * 10 / 21.2)).magnitude < 1e-9)
    #expect(pictures.across(5) == 292)
    #expect(pictures.y(ofFraction: 0.25) == 200.5)
    #expect(!pictures.isCut)
    let document = try MarkupDocument(run.page())
    let lines = document.elements(ofClass: "told").compactMap { $0.attributes["d"] }
    #expect(lines.contains("M58 146L292 146L292 146L526 146"))
    #expect(lines.contains("M58 262L58 262L292 200.5"))
    let truths = document.elements(ofClass: "truth").compactMap { $0.attributes["d"] }
    #expect(truths.contains("M58 146L526 146"))
    #expect(truths.contains("M58 262L526 16"))
  }

  @Test func `A wild range is cut, and the page says so`() throws {
    let run = report(
      [task("a", 0, 10)], total: 10, forecasts: [told(0, 0, (5, 10, 4000))])
    #expect(run.page().contains("The range continues above the chart."))
  }

  @Test func `Gaps between ranges stay gaps`() throws {
    let run = report(
      [task("a", 0, 10)], total: 10,
      forecasts: [told(0, 0, (5, 10, 20)), told(4, 0.4), told(6, 0.6, (3, 4, 5))])
    let document = try MarkupDocument(run.page())
    #expect(document.elements(ofClass: "band").filter { $0.name == "path" }.count == 2)
  }
}
