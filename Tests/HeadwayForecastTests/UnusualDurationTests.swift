import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What the forecast makes of durations that are far from the usual ones, in earlier runs and in this one.
struct UnusualDurationTests {
  /// Twenty tasks of one kind that wait for nothing and of which each takes ten seconds.
  private let graph = chains(20, of: 1)

  /// A history in which all tasks took ten seconds, but the first one what it took in each run.
  private func history(_ first: [Double]) -> DurationHistory {
    var known = HeadwayForecastTests.history(of: graph, runs: first.count) { _ in 10 }
    for (run, seconds) in first.enumerated() {
      known.runs[run].samples[0].duration = .seconds(seconds)
    }
    return known
  }

  /// The forecast of a run on as many workers as there are tasks, in which the first task runs alone after ten seconds.
  private func alone(_ first: [Double]) -> GraphForecast {
    var forecast = GraphForecast(graph, workers: 20, history: history(first))
    for task in 0..<20 { forecast.start(task, at: .zero) }
    for task in 1..<20 { forecast.end(task, .succeeded, at: .seconds(10)) }
    return forecast
  }

  private func seconds(_ time: RemainingTime?) throws -> Double {
    try #require(time).median / .seconds(1)
  }

  private let usual = [Double](repeating: 10, count: 10)

  // MARK: Late tasks

  @Test func `The later a task is, the longer it is expected to take, and it never ends soon`()
    throws
  {
    var forecast = alone(usual)
    var last = 0.0
    for elapsed in [20.0, 50, 200, 1_000, 10_000, 100_000] {
      let now = Duration.seconds(elapsed)
      let answer = forecast.forecast(at: now)
      let run = try seconds(answer.remaining)
      let task = try seconds(forecast.remaining(of: 0, at: now))
      #expect(run > last, "after \(elapsed) s: \(run)")
      for left in [run, task] {
        #expect(left > 0.1 * elapsed && left < 10 * elapsed, "after \(elapsed) s: \(left)")
      }
      let range = try #require(answer.remaining)
      #expect(range.high > .seconds(elapsed / 2))
      last = run
    }
  }

  @Test func `While a task is on time, that it may hang hardly matters`() throws {
    var forecast = GraphForecast(graph, workers: 20, history: history(usual))
    for task in 0..<20 { forecast.start(task, at: .zero) }
    let remaining = forecast.remaining(of: 0, at: .seconds(5))
    let range = try #require(remaining)
    #expect(abs(range.median / .seconds(5) - 1) < 0.1, "\(range)")
    #expect(range.high < .seconds(9), "\(range)")
    for task in 1..<20 { forecast.end(task, .succeeded, at: .seconds(10)) }
    let last = try seconds(forecast.forecast(at: .seconds(10)).remaining)
    #expect(last < 2, "\(last)")
  }

  @Test func `The bar goes on while a task is late, and is never full`() {
    var forecast = alone(usual)
    var last = 0.0
    for elapsed in [9.0, 20, 50, 200, 1_000, 10_000] {
      let fraction = forecast.forecast(at: .seconds(elapsed)).fraction
      #expect(fraction > 0.25 && fraction < 1, "after \(elapsed) s: \(fraction)")
      if elapsed == 9 { last = fraction }
    }
    #expect(last > 0.8)
  }

  @Test func `A task of a few milliseconds that runs for months is expected to run for months`()
    throws
  {
    let short = HeadwayForecastTests.history(of: graph, runs: 10) { _ in 0.001 }
    var forecast = GraphForecast(graph, workers: 1, history: short)
    forecast.start(0, at: .zero)
    for days in [1, 30, 100, 1_000] {
      let elapsed = Duration.seconds(days * 86_400)
      for range in [
        forecast.forecast(at: elapsed).remaining, forecast.remaining(of: 0, at: elapsed),
      ] {
        let left = try #require(range).median
        #expect(left > elapsed * 0.1 && left < elapsed * 10, "after \(days) days: \(left)")
      }
    }
  }

  @Test func `Where another task hung before, a late one is given more time`() throws {
    var hanging = history(usual)
    hanging.runs[4].samples[7].duration = .seconds(100)
    /// The remaining time of a task that is a little late.
    func remaining(_ known: DurationHistory) throws -> RemainingTime {
      var forecast = GraphForecast(graph, workers: 20, history: known)
      forecast.start(0, at: .zero)
      let remaining = forecast.remaining(of: 0, at: .seconds(14))
      return try #require(remaining)
    }
    let (never, once) = (try remaining(history(usual)), try remaining(hanging))
    #expect(once.high > never.high && once.median > never.median, "\(once), \(never)")
  }

  // MARK: Odd durations of earlier runs

  @Test(arguments: [1.0, 3, 5, 8]) func `One odd duration among many moves no level`(_ run: Double)
    throws
  {
    for odd in [0.2, 60, 5_000] {
      var first = usual
      first[Int(run)] = odd
      let forecast = GraphForecast(graph, workers: 20, history: history(first))
      let expected = try #require(forecast.expected(0)) / .seconds(1)
      #expect(abs(expected - 10) < 0.5, "\(odd) s in run \(run): \(expected)")
      let shown = try #require(forecast.usual(0)) / .seconds(1)
      #expect(abs(shown - 10) < 1e-3)
      // Nor those of the others in the run.
      let other = try #require(forecast.expected(7)) / .seconds(1)
      #expect(abs(other - 10) < 0.3, "\(odd) s in run \(run): \(other)")
      var steady = GraphForecast(graph, workers: 20, history: history(usual))
      var oddly = forecast
      let one = try seconds(steady.forecast(at: .zero).remaining)
      let two = try seconds(oddly.forecast(at: .zero).remaining)
      #expect(abs(two - one) < 1, "\(odd) s in run \(run): \(one), \(two)")
    }
  }

  @Test func `A task that was late the last time may be late in the same way`() throws {
    var late = alone(usual.dropLast() + [100])
    var before = alone(usual.dropLast(2) + [100, 10])
    // Its usual time has just passed.
    let again = try seconds(late.forecast(at: .seconds(20)).remaining)
    let once = try seconds(before.forecast(at: .seconds(20)).remaining)
    #expect(abs(again - 80) < 30, "\(again)")
    #expect(once < again / 2, "\(once)")
    let task = try seconds(late.remaining(of: 0, at: .seconds(20)))
    #expect(abs(task - 80) < 30, "\(task)")
    // Beyond the second level too, it is late without an end in sight.
    let later = try seconds(late.forecast(at: .seconds(300)).remaining)
    #expect(later > 30, "\(later)")
  }

  @Test func `Two late runs in a row make a third one expected, and a usual one ends that`() throws
  {
    /// The remaining time before the start.
    func remaining(_ last: [Double]) throws -> Double {
      var forecast = GraphForecast(graph, workers: 20, history: history(usual + last))
      return try seconds(forecast.forecast(at: .zero).remaining)
    }
    #expect(try remaining([]) < 15)
    #expect(try remaining([100, 100]) > 60)
    #expect(try remaining([100, 100, 10]) < 15)
    // Once most runs are that long, that is usual.
    let long = GraphForecast(
      graph, workers: 20, history: history([10, 10, 10] + [Double](repeating: 100, count: 8)))
    let expected = try #require(long.expected(0))
    #expect(expected > .seconds(80), "\(expected)")
    #expect(try #require(long.usual(0)) > .seconds(95))
  }

  @Test func `More late runs in a row make the next one likelier`() throws {
    var last = 0.0
    for count in 1...4 {
      let first = usual + [Double](repeating: 100, count: count)
      let forecast = GraphForecast(graph, workers: 20, history: history(first))
      let level = try #require(forecast.tasks.secondLevels[0])
      #expect(level.weight > last && level.weight <= 1)
      #expect(abs(Logarithms.exp(level.distance) - 10) < 1)
      last = level.weight
    }
    // Where late runs are never repeated, one of them means less.
    var seldom = history(usual + [100])
    for task in 1..<10 { seldom.runs[task].samples[task].duration = .seconds(100) }
    let once = GraphForecast(graph, workers: 20, history: seldom).tasks.secondLevels[0]
    let often = GraphForecast(graph, workers: 20, history: history(usual + [100]))
      .tasks.secondLevels[0]
    #expect(try #require(once).weight < #require(often).weight)
  }

  @Test func `A task that reports its progress is believed, whatever it took the last time`() throws
  {
    var late = alone(usual.dropLast() + [100])
    late.report(0, part: 0.9, at: .seconds(18))
    let left = try seconds(late.forecast(at: .seconds(18)).remaining)
    #expect(left < 8, "\(left)")
  }

  @Test func `A task that was cut off while it hung is expected to hang at least as long`() throws {
    var cut = history(usual + [100])
    cut.runs[10].samples[0].isCensored = true
    var forecast = GraphForecast(graph, workers: 20, history: cut)
    forecast.start(0, at: .zero)
    let left = try seconds(forecast.remaining(of: 0, at: .seconds(30)))
    #expect(left > 70, "\(left)")
    // One that failed at once says nothing of how long it takes.
    var failed = history(usual + [0.1])
    failed.runs[10].samples[0].isCensored = true
    let other = GraphForecast(graph, workers: 20, history: failed)
    #expect(other.tasks.secondLevels.isEmpty)
    #expect(abs(try #require(other.expected(0)) / .seconds(10) - 1) < 0.03)
  }

  @Test func `A task whose first run failed at once takes what it took when it succeeded`() throws {
    for failures in 1...4 {
      var known = history([Double](repeating: 0.5, count: failures) + [10])
      for run in 0..<failures { known.runs[run].samples[0].isCensored = true }
      let forecast = GraphForecast(graph, workers: 20, history: known)
      let expected = try #require(forecast.expected(0)) / .seconds(1)
      #expect(abs(expected - 10) < 2, "after \(failures) failures: \(expected)")
      #expect(abs(try #require(forecast.usual(0)) / .seconds(10) - 1) < 1e-3)
    }
  }

  @Test func `Where durations always differ a lot, none of them is odd`() throws {
    // Every task takes one second or ten, by chance.
    var random = SeededNumbers(seed: 5)
    var wild = history(usual)
    for run in 0..<10 {
      for task in 0..<20 {
        wild.runs[run].samples[task].duration = .seconds(random.unit() < 0.5 ? 1 : 10)
      }
    }
    let forecast = GraphForecast(graph, workers: 20, history: wild)
    #expect(forecast.tasks.secondLevels.isEmpty)
    #expect(
      forecast.model.tailPart
        < GraphForecast(graph, workers: 20, history: history(usual + [100]))
        .model.tailPart)
  }

  // MARK: Odd durations in this run

  /// The expected seconds of the last task, after ten of the others have taken some time each on one worker.
  private func expected(after took: [Double]) throws -> Double {
    var forecast = GraphForecast(graph, workers: 1, history: history(usual))
    var now = 0.0
    for (task, seconds) in took.enumerated() {
      forecast.start(task, at: .seconds(now))
      now += seconds
      forecast.end(task, .succeeded, at: .seconds(now))
    }
    forecast.start(19, at: .seconds(now))
    return try seconds(forecast.remaining(of: 19, at: .seconds(now)))
  }

  @Test(arguments: [0.01, 100, 10_000])
  func `One odd task does not make the whole run slow or fast`(
    odd: Double
  ) throws {
    let steady = [Double](repeating: 10, count: 9)
    for place in [0, 4, 9] {
      var took = steady
      took.insert(odd, at: place)
      let left = try expected(after: took)
      // Far less than if it counted as it is: e raised to a tenth of the difference of logarithms.
      #expect(left > 8 && left < 13.5, "\(odd) s after \(place) tasks: \(left)")
    }
  }

  @Test func `A run in which all tasks take far longer is followed`() throws {
    let left = try expected(after: [Double](repeating: 60, count: 10))
    #expect(left > 20 && left < 66, "\(left)")
    let fast = try expected(after: [Double](repeating: 2, count: 10))
    #expect(fast > 1.8 && fast < 4, "\(fast)")
  }

  @Test func `Where a few tasks take far longer, the sum is not forecast too low`() throws {
    // Two hundred tasks, of which every tenth takes six times as long as ever.
    let large = chains(400, of: 1)
    let known = HeadwayForecastTests.history(of: large) { _ in 10 }
    var forecast = GraphForecast(large, workers: 1, history: known)
    var now = 0.0
    for task in 0..<200 {
      forecast.start(task, at: .seconds(now))
      now += task % 10 == 9 ? 60 : 10
      forecast.end(task, .succeeded, at: .seconds(now))
    }
    // The mean is 15 s, that of logarithms 12 s.
    let left = try seconds(forecast.forecast(at: .seconds(now)).remaining) / 200
    #expect(left > 12.8 && left < 16.5, "\(left)")
  }
}
