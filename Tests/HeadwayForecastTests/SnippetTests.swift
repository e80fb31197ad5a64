import HeadwayForecast
import HeadwayRun
import Testing

/// The examples beside the declarations.
struct SnippetTests {
  private let graph = ForecastInput(
    tasks: [ForecastInput.Task(name: "compile"), ForecastInput.Task(name: "link")],
    edges: [(before: 0, after: 1)])

  @Test func `A history is put together`() {
    let predicted = RemainingTime(low: .seconds(8), median: .seconds(10), high: .seconds(14))
    var run = DurationHistory.Run(
      samples: [DurationHistory.Sample(name: "compile", kind: "cc", duration: .seconds(12))],
      workers: 8,
      misses: [DurationHistory.Miss(predicted: predicted, actual: .seconds(12))])
    run.upToDate = [DurationHistory.Task(name: "fetch", kind: "git")]
    let elsewhere = DurationHistory.Kind(name: "cc", typical: .seconds(4), spread: 0.5, count: 20)
    let history = DurationHistory(runs: [run], kinds: [elsewhere])
    #expect(history.runs.first?.samples.first?.kind == history.kinds.first?.name)
  }

  @Test func `A forecast knows the task that is late`() {
    var lines: [String] = []
    let earlier = DurationHistory.Run(
      samples: [
        DurationHistory.Sample(name: "compile", kind: "", duration: .seconds(10)),
        DurationHistory.Sample(name: "link", kind: "", duration: .seconds(10)),
      ])
    let history = DurationHistory(runs: Array(repeating: earlier, count: 9))
    func show(_ line: String) { lines.append(line) }
    var forecast = GraphForecast(graph, workers: 8, history: history, order: .firstReady)
    forecast.start(0, at: .zero)
    let answer: GraphForecast.Answer = forecast.forecast(at: .seconds(5))
    if let late: GraphForecast.OverdueTask = forecast.overdue(at: .seconds(600)) {
      show("task \(late.task) usually takes \(late.usual)")
    }
    #expect(answer.hasHistory && answer.fraction > 0)
    #expect(lines.first?.hasPrefix("task 0 usually takes ") == true)
  }

  @Test func `A value that waits is suspended`() throws {
    var progress = SimulatedProgress()
    try progress.setUp(steps: 3)
    try progress.start(expecting: .seconds(2), at: .zero)
    let states = progress.advance(to: .seconds(60))  // the first step should have ended long ago
    let isWaiting = states.last == .suspended  // true
    #expect(isWaiting)
  }

  @Test func `Steps must be set up before the start`() throws {
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    var progress = SimulatedProgress()
    do throws(SimulatedProgressError) {
      try progress.finishStep(at: .zero)
    } catch {
      show("\(error)")  // says in which state steps can be finished
    }
    #expect(lines.count == 1)
  }
}
