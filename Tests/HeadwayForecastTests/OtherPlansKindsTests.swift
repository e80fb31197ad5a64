import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What the first run of a plan takes from other plans that have tasks of the same kinds.
struct OtherPlansKindsTests {
  /// Ten compilations, and a test that waits for them.
  private let graph = ForecastInput(
    tasks: (0..<10).map { ForecastInput.Task(name: "compile \($0)", kind: "cc") }
      + [ForecastInput.Task(name: "test", kind: "ctest")],
    edges: (0..<10).map { TaskGraph.Edge(before: $0, after: 10) })

  private func kind(_ name: String, _ seconds: Double, spread: Double = 0.5, count: Int = 50)
    -> DurationHistory.Kind
  {
    DurationHistory.Kind(name: name, typical: .seconds(seconds), spread: spread, count: count)
  }

  private func remaining(_ known: DurationHistory) throws -> RemainingTime {
    var forecast = GraphForecast(graph, workers: 1, history: known)
    let answer = forecast.forecast(at: .zero)
    return try #require(answer.remaining)
  }

  /// How far two durations are apart, as the logarithm of their ratio.
  private func distance(_ one: Duration, _ other: Duration) -> Double {
    abs(Logarithms.log(one / other))
  }

  @Test func `With the kinds of other plans there is an estimate before the first task`() throws {
    var alone = GraphForecast(graph, workers: 1)
    #expect(alone.forecast(at: .zero).remaining == nil)
    let known = DurationHistory(kinds: [kind("cc", 2), kind("ctest", 30)])
    let range = try remaining(known)
    #expect(distance(range.median, .seconds(50)) < 0.4, "\(range)")
    // It is a guess: the range says so.
    #expect(range.high > range.low * 2)
    let forecast = GraphForecast(graph, workers: 1, history: known)
    #expect(distance(try #require(forecast.expected(0)), .seconds(2)) < 0.01)
    #expect(distance(try #require(forecast.expected(10)), .seconds(30)) < 0.01)
    // No task of this plan has a usual time yet, and none is overdue.
    #expect(forecast.usual(0) == nil)
  }

  @Test func `During the first run, the forecast is nearer with the kinds of other plans`() throws {
    /// The greatest distance of the forecast from the truth after some of the compilations.
    func error(_ known: DurationHistory) throws -> Double {
      var forecast = GraphForecast(graph, workers: 1, history: known)
      var worst = 0.0
      for task in 0..<10 {
        // A little slower here than in the other plans.
        forecast.start(task, at: .seconds(3 * task))
        forecast.end(task, .succeeded, at: .seconds(3 * task + 3))
        let now = Duration.seconds(3 * task + 3)
        let left = try #require(forecast.forecast(at: now).remaining).median
        worst = max(worst, distance(left, .seconds(70) - now))
      }
      return worst
    }
    let known = try error(DurationHistory(kinds: [kind("cc", 2), kind("ctest", 40)]))
    let unknown = try error(DurationHistory())
    #expect(known < 0.5 && known < unknown / 2, "\(known), \(unknown)")
  }

  @Test func `Runs of the plan itself are preferred to other plans, kind by kind`() throws {
    let own = history(of: graph, runs: 3) { $0 < 10 ? 5 : 20 }
    var both = own
    both.kinds = [kind("cc", 900), kind("ctest", 900)]
    #expect(try remaining(both) == remaining(own))
    // A new task of a kind that only other plans know.
    var larger = graph
    larger.tasks.append(ForecastInput.Task(name: "docs", kind: "doxygen"))
    both.kinds.append(kind("doxygen", 40))
    let forecast = GraphForecast(larger, workers: 1, history: both)
    #expect(distance(try #require(forecast.expected(11)), .seconds(40)) < 0.01)
    #expect(GraphForecast(larger, workers: 1, history: own).expected(11) == nil)
  }

  @Test func `A hint of the user counts more than other plans`() throws {
    var hinted = graph
    hinted.tasks[10].hint = .seconds(7)
    let forecast = GraphForecast(
      hinted, workers: 1, history: DurationHistory(kinds: [kind("ctest", 900)]))
    #expect(distance(try #require(forecast.expected(10)), .seconds(7)) < 0.01)
  }

  @Test func `A kind of which little is known, or that differs a lot, has a wider range`() throws {
    func width(_ one: DurationHistory.Kind) throws -> Double {
      let range = try remaining(DurationHistory(kinds: [one, kind("ctest", 0.01)]))
      return range.high / range.low
    }
    let steady = try width(kind("cc", 2, spread: 0.1, count: 1_000))
    let wild = try width(kind("cc", 2, spread: 2, count: 1_000))
    let single = DurationHistory(kinds: [kind("cc", 2, spread: 0, count: 1)])
    let many = DurationHistory(kinds: [kind("cc", 2, spread: 0.1, count: 1_000)])
    #expect(steady < wild, "\(steady), \(wild)")
    let spread = { (known: DurationHistory) in
      GraphForecast(self.graph, workers: 1, history: known).tasks.spreads[0]
    }
    #expect(spread(single) > 2 * spread(many), "\(spread(single)), \(spread(many))")
  }

  @Test func `Where the plan differs from the others, its own tasks soon count more`() throws {
    var forecast = GraphForecast(
      graph, workers: 1, history: DurationHistory(kinds: [kind("cc", 2), kind("ctest", 2)]))
    for task in 0..<8 {
      forecast.start(task, at: .seconds(20 * task))
      forecast.end(task, .succeeded, at: .seconds(20 * task + 20))
    }
    forecast.start(8, at: .seconds(160))
    let left = forecast.remaining(of: 8, at: .seconds(160))
    #expect(try #require(left).median > .seconds(8), "\(String(describing: left))")
  }

  @Test(arguments: [
    (Duration.zero, 0.0, 0), (.seconds(-1), 0, -5), (.seconds(1e11), 50, .max),
    (.milliseconds(1), .infinity, 1),
  ])
  func `Odd summaries leave finite answers in order`(
    typical: Duration, spread: Double, count: Int
  ) throws {
    let odd = DurationHistory.Kind(name: "cc", typical: typical, spread: spread, count: count)
    for kinds in [[odd], [odd, odd], [odd, kind("ctest", 2)]] {
      let range = try remaining(DurationHistory(kinds: kinds))
      #expect(.zero <= range.low && range.low <= range.median && range.median <= range.high)
      #expect(range.high <= .seconds(1e12))
    }
  }
}
