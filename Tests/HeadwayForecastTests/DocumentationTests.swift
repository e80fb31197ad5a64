import DocumentedPages
import HeadwayForecast
import HeadwayRun
import Testing

/// The examples of the documentation, run as they stand there.
struct DocumentationTests {
  /// The pages of the module.
  private let pages = DocumentedPages(of: "HeadwayForecast")

  @Test func `The landing page tells the truth`() throws {
    var progress = SimulatedProgress(strategy: .average)
    try progress.setUp(steps: 2, weights: [0.25, 1])
    try progress.start(expecting: .seconds(2), at: .zero)
    try progress.finishStep(at: .seconds(4))
    let value = progress.fraction(at: .seconds(10))  // 0.625
    #expect(value == 0.625)
  }

  @Test func `The landing page tells the truth of counted work`() {
    var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)
    estimator.report(430, at: .seconds(3))
    let remaining = estimator.remaining(at: .seconds(4))  // 56 s
    #expect(remaining == .seconds(56))
  }

  @Test func `Simulating progress tells the truth`() throws {
    var progress = SimulatedProgress(strategy: .average)
    try progress.setUp(steps: 3, weights: [0.2, 0.7, 1])
    try progress.start(expecting: .seconds(2), at: .zero)
    try progress.finishStep(at: .seconds(4))  // it took twice as long as expected
    // The second step is expected to take ten seconds.
    let value = progress.fraction(at: .seconds(9))  // 0.45
    #expect(abs(value - 0.45) < 1e-12)

    var bar = ShownProgress()
    let target = progress.fraction(at: .seconds(9))
    bar.advance(to: .seconds(9), target: target, remaining: nil)  // bar.fraction is what to draw
    #expect(abs(bar.fraction - 0.45) < 0.02)
    bar.finish()  // when the last step is finished; now it is 1
    #expect(bar.fraction == 1)
  }

  @Test func `The landing page tells the truth of graphs`() {
    let graph = ForecastInput(
      tasks: [ForecastInput.Task(name: "compile"), ForecastInput.Task(name: "link")],
      edges: [(before: 0, after: 1)])
    let earlier = DurationHistory.Run(
      samples: [
        DurationHistory.Sample(name: "compile", kind: "", duration: .seconds(10)),
        DurationHistory.Sample(name: "link", kind: "", duration: .seconds(10)),
      ])
    let history = DurationHistory(runs: Array(repeating: earlier, count: 9))  // the oldest first

    var forecast = GraphForecast(graph, workers: 2, history: history)
    forecast.start(0, at: .zero)
    let answer = forecast.forecast(at: .seconds(5))
    var left = ShownRemaining()
    let words = left.advance(to: .seconds(5), forecast: answer.remaining)  // about 15 s
    #expect(words == .about(.seconds(15)))
  }

  @Test func `How the forecast works tells the truth`() {
    let graph = ForecastInput(
      tasks: [ForecastInput.Task(name: "compile"), ForecastInput.Task(name: "link")],
      edges: [(before: 0, after: 1)])
    let earlier = DurationHistory.Run(
      samples: [
        DurationHistory.Sample(name: "compile", kind: "", duration: .seconds(10)),
        DurationHistory.Sample(name: "link", kind: "", duration: .seconds(10)),
      ])
    let history = DurationHistory(runs: [earlier])  // the oldest first

    var forecast = GraphForecast(graph, workers: 8, history: history)
    var bar = ShownProgress()
    var left = ShownRemaining()
    forecast.start(0, at: .zero)
    forecast.end(0, .succeeded, at: .seconds(3))

    // For each frame:
    let now = Duration.seconds(4)
    let answer = forecast.forecast(at: now)
    bar.advance(to: now, target: answer.fraction, remaining: answer.remaining?.median)
    left.advance(to: now, forecast: answer.remaining)
    #expect(bar.fraction > 0 && bar.fraction < 1)
    #expect(left.value != .unknown && left.value != .late)
  }

  @Test func `What the bar promises tells the truth`() {
    var left = ShownRemaining()
    let expected = RemainingTime(low: .seconds(140), median: .seconds(150), high: .seconds(170))
    left.advance(to: .zero, forecast: expected)  // about 3 min
    #expect(left.value == .about(.seconds(180)))
    left.advance(to: .seconds(60), forecast: nil)  // about 2 min: no news, and the clock runs down
    #expect(left.value == .about(.seconds(120)))
  }

  @Test func `The remaining time that is shown tells the truth`() {
    var shown = ShownRemaining()
    let first = RemainingTime(low: .seconds(100), median: .seconds(120), high: .seconds(150))
    shown.advance(to: .zero, forecast: first)  // about 2 min
    #expect(shown.value == .about(.seconds(120)))
    shown.advance(to: .seconds(60), forecast: nil)  // about 1 min: no news, and the clock runs down
    #expect(shown.value == .about(.seconds(60)))
  }

  @Test(
    arguments: [
      "HeadwayForecast", "SimulatingProgress", "HowTheForecastWorks", "WhatTheBarPromises",
    ])
  func `Every example is run here`(page: String) throws {
    let missing = try pages.examplesNotRun(
      of: page, in: "DocumentationTests")
    #expect(missing == [])
  }
}
