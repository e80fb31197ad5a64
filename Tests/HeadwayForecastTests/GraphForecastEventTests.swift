import HeadwayCollections
import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What the forecast makes of events in whatever order they come.
struct GraphForecastEventTests {
  /// A sequence of numbers that is the same every time.
  private struct SeededRandom {
    /// The latest number.
    var latest: UInt64

    /// A number below a bound.
    mutating func roll(_ bound: Int) -> Int {
      latest = SplitMix64.mixed(latest)
      return Int(latest % UInt64(bound))
    }
  }

  /// Tells a forecast something odd or usual.
  private static func tell(
    _ forecast: inout GraphForecast, _ generator: inout SeededRandom, at now: Duration
  ) {
    let task = generator.roll(forecast.taskCount + 2) - 1
    switch generator.roll(14) {
    case 0...3: forecast.start(task, at: now)
    case 4...6: forecast.end(task, [.succeeded, .skipped, .failed][generator.roll(3)], at: now)
    case 7: forecast.retry(task, after: .seconds(generator.roll(20) - 5), at: now)
    case 8: forecast.report(task, part: Double(generator.roll(14) - 2) / 10, at: now)
    case 9: forecast.remove(task, at: now)
    case 10: forecast.setWorkers(generator.roll(9) - 1, at: now)
    case 11, 12: forecast.place(task, on: "h\(generator.roll(4))", at: now)
    default:
      let number = generator.roll(1_000)
      forecast.add(
        ForecastInput.Task(
          name: "t\(number)", kind: "\(number % 5)", pool: number % 4, priority: number % 3,
          hint: number % 2 == 0 ? .seconds(number - 500) : nil),
        after: [task, generator.roll(forecast.taskCount)], at: now)
    }
  }

  @Test(arguments: 0..<6)
  func `Whatever is told in whatever order, answers are finite and in order`(_ seed: Int) {
    var generator = SeededRandom(latest: UInt64(seed))
    var graph = chains(4, of: 4)
    graph.poolLimits = [1, 3]
    graph.edges.append(TaskGraph.Edge(before: 15, after: 14))
    graph.edges.append(TaskGraph.Edge(before: 14, after: 15))
    let known =
      seed % 3 == 0 ? DurationHistory() : history(of: graph, runs: seed % 3) { Double($0) }
    var forecast = GraphForecast(
      graph, workers: 3, history: known, order: seed % 2 == 0 ? .firstReady : .longestPath)
    for step in 0..<200 {
      // Now and then the clock goes back, or stands still.
      let now = Duration.seconds(step - (generator.roll(10) == 0 ? 30 : 0))
      Self.tell(&forecast, &generator, at: now)
      let answer = forecast.forecast(at: now)
      #expect((0...1).contains(answer.fraction))
      if let remaining = answer.remaining {
        #expect(.zero <= remaining.low && remaining.low <= remaining.median)
        #expect(remaining.median <= remaining.high && remaining.high <= .seconds(1e12))
      }
      let task = generator.roll(forecast.taskCount)
      if let own = forecast.remaining(of: task, at: now) {
        #expect(.zero <= own.low && own.low <= own.median && own.median <= own.high)
      }
      _ = forecast.overdue(at: now)
      let path = forecast.criticalPath(at: now)
      #expect(Set(path).count == path.count)
      let left = forecast.tasks.states.count { $0 != .ended }
      #expect(forecast.progress.unfinishedCount == left)
    }
  }

  @Test func `What is over is over: a second end, a start and a retry change nothing`() {
    let graph = chains(1, of: 4)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    forecast.start(0, at: .zero)
    forecast.end(0, .succeeded, at: .seconds(10))
    let once = forecast.forecast(at: .seconds(10))
    forecast.end(0, .failed, at: .seconds(10))
    forecast.end(0, .skipped, at: .seconds(10))
    forecast.start(0, at: .seconds(10))
    forecast.retry(0, after: .seconds(5), at: .seconds(10))
    let again = forecast.forecast(at: .seconds(10))
    #expect(again == once)
  }

  @Test func `A task that is added after one that has ended can start at once`() {
    let graph = chains(1, of: 1)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    forecast.start(0, at: .zero)
    forecast.end(0, .succeeded, at: .seconds(10))
    let added = forecast.add(
      ForecastInput.Task(name: "t0", kind: "work"), after: [0], at: .seconds(10))
    let rest = forecast.forecast(at: .seconds(10)).remaining?.median ?? .zero
    #expect(abs(rest / .seconds(10) - 1) < 0.2, "\(rest)")
    #expect(forecast.criticalPath(at: .seconds(10)) == [added])
  }

  @Test func `A retry counts from its own start`() {
    let graph = chains(2, of: 1)
    var forecast = GraphForecast(graph, workers: 2, history: history(of: graph) { _ in 100 })
    forecast.start(0, at: .zero)
    forecast.retry(0, after: .seconds(30), at: .seconds(90))
    let waiting = forecast.remaining(of: 0, at: .seconds(90))?.median ?? .zero
    #expect(abs(waiting / .seconds(130) - 1) < 0.1, "\(waiting)")
    forecast.start(0, at: .seconds(120))
    let running = forecast.remaining(of: 0, at: .seconds(160))?.median ?? .zero
    #expect(abs(running / .seconds(60) - 1) < 0.1, "\(running)")
  }

  @Test func `A task that only gathers others ends without a start and teaches nothing`() {
    let graph = chains(1, of: 4)
    let known = history(of: graph) { $0 == 0 ? 0 : 10 }
    var forecast = GraphForecast(graph, workers: 1, history: known)
    forecast.end(0, .succeeded, at: .zero)
    let rest = forecast.forecast(at: .zero).remaining?.median ?? .zero
    #expect(abs(rest / .seconds(30) - 1) < 0.1, "\(rest)")
    #expect(forecast.observations.count == 0)
  }

  @Test(arguments: [0.1, 3_600])
  func `A failed task says nothing of the speed, whether it fails at once or hangs`(_ took: Double)
  {
    let graph = chains(1, of: 4)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    forecast.start(0, at: .zero)
    forecast.end(0, .failed, at: .seconds(took))
    let rest = forecast.forecast(at: .seconds(took)).remaining?.median ?? .zero
    #expect(abs(rest / .seconds(30) - 1) < 0.1, "\(rest)")
  }

  @Test func `A paused run, in which the time stands still, is foretold the same`() {
    let graph = chains(1, of: 4)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    forecast.start(0, at: .zero)
    let before = forecast.forecast(at: .seconds(5))
    var shown = ShownProgress()
    shown.advance(to: .seconds(5), target: before.fraction, remaining: before.remaining?.median)
    let value = shown.fraction
    for _ in 0..<10 {
      let paused = forecast.forecast(at: .seconds(5))
      #expect(paused == before)
      shown.advance(to: .seconds(5), target: paused.fraction, remaining: paused.remaining?.median)
    }
    #expect(shown.fraction == value)
    #expect(forecast.cost.forecasts == 1)
  }
}
