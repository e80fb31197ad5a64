import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What the forecast says of single tasks.
struct GraphForecastTaskTests {
  @Test func `A task is expected by its name, its hint or its kind, in this order, or not at all`()
  {
    var graph = chains(1, of: 2)
    let known = history(of: graph) { _ in 10 }
    graph.tasks += [
      ForecastInput.Task(name: "t0", kind: "work", hint: .seconds(99)),
      ForecastInput.Task(name: "hinted", kind: "work", hint: .seconds(99)),
      ForecastInput.Task(name: "resembling", kind: "work"),
      ForecastInput.Task(name: "strange", kind: "strange"),
    ]
    let forecast = GraphForecast(graph, workers: 1, history: known)
    let seconds = (0..<6).map { index in
      forecast.expected(index).map { ($0 / .seconds(1)).rounded() }
    }
    #expect(seconds == [10, 10, 10, 99, 10, nil])
  }

  @Test func `A running task has what is left of its usual time, and the longer the later it is`()
    throws
  {
    let graph = chains(2, of: 1)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 100 })
    let waiting = forecast.remaining(of: 0, at: .zero)
    #expect(waiting == nil)
    forecast.start(0, at: .zero)
    let halfRange = forecast.remaining(of: 0, at: .seconds(50))
    let half = try #require(halfRange)
    #expect(half.low <= half.median && half.median <= half.high)
    #expect(abs(half.median / .seconds(1) - 50) < 5)
    let lateRange = forecast.remaining(of: 0, at: .seconds(200))
    let late = try #require(lateRange)
    let laterRange = forecast.remaining(of: 0, at: .seconds(2_000))
    let later = try #require(laterRange)
    #expect(late.median > .zero && later.median > late.median)
    #expect(late.low <= late.median && late.median <= late.high)
    forecast.end(0, .succeeded, at: .seconds(2_000))
    let over = forecast.remaining(of: 0, at: .seconds(2_000))
    #expect(over == nil)
  }

  @Test func `A running task of which nothing is known has no remaining time until it tells`()
    throws
  {
    var forecast = GraphForecast(chains(2, of: 1), workers: 2)
    forecast.start(0, at: .zero)
    let unknown = forecast.remaining(of: 0, at: .seconds(5))
    #expect(unknown == nil)
    forecast.report(0, part: 0.5, at: .seconds(5))
    let toldRange = forecast.remaining(of: 0, at: .seconds(5))
    let told = try #require(toldRange)
    #expect(told.median > .seconds(1) && told.median < .seconds(10))
    #expect(told.high > told.low)
    for task in [-1, 2, .max] {
      let nothing = forecast.remaining(of: task, at: .seconds(5))
      #expect(nothing == nil)
      #expect(forecast.expected(task) == nil)
    }
  }

  @Test func `A task that is tried again in every run is expected to be`() {
    let sample = DurationHistory.Sample(
      name: "flaky", kind: "", duration: .seconds(35), lastAttempt: .seconds(10))
    let history = DurationHistory(
      runs: Array(repeating: DurationHistory.Run(samples: [sample]), count: 5))
    var forecast = GraphForecast(
      ForecastInput(tasks: [ForecastInput.Task(name: "flaky")]), workers: 1, history: history)
    #expect(forecast.usual(0).map { abs($0 / .seconds(35) - 1) < 1e-3 } == true)
    forecast.start(0, at: .zero)
    let first = forecast.forecast(at: .seconds(5)).remaining?.median ?? .zero
    #expect(first > .seconds(25) && first < .seconds(35), "\(first)")
    // The failed attempts are behind it now: what is left is the last one, and its pause.
    forecast.retry(0, after: .seconds(5), at: .seconds(20))
    let second = forecast.forecast(at: .seconds(20)).remaining?.median ?? .zero
    #expect(second > .seconds(12) && second < .seconds(19), "\(second)")
  }

  @Test func `A task that was never seen is never called late`() {
    let sample = DurationHistory.Sample(name: "old", kind: "", duration: .milliseconds(50))
    let history = DurationHistory(
      runs: Array(repeating: DurationHistory.Run(samples: [sample]), count: 3))
    var forecast = GraphForecast(
      ForecastInput(
        tasks: [ForecastInput.Task(name: "old"), ForecastInput.Task(name: "new")]), workers: 2,
      history: history)
    forecast.start(0, at: .zero)
    forecast.start(1, at: .zero)
    #expect(forecast.overdue(at: .seconds(10))?.task == 0)
    forecast.end(0, .succeeded, at: .seconds(10))
    #expect(forecast.overdue(at: .seconds(20)) == nil)
  }

  @Test func `What a task that never did its work usually takes is not known`() {
    let sample = DurationHistory.Sample(
      name: "broken", kind: "", duration: .seconds(2), isCensored: true)
    let history = DurationHistory(runs: [DurationHistory.Run(samples: [sample])])
    let forecast = GraphForecast(
      ForecastInput(tasks: [ForecastInput.Task(name: "broken")]), workers: 1, history: history)
    #expect(forecast.usual(0) == nil && forecast.usual(1) == nil)
  }

  @Test func `A task without a kind says nothing about another one`() throws {
    let list = DurationHistory.Sample(name: "list", kind: "", duration: .milliseconds(4))
    let run = DurationHistory.Run(samples: [list])
    let names = ["clippy", "edit"].map { ForecastInput.Task(name: $0) }
    var forecast = GraphForecast(
      ForecastInput(tasks: names), workers: 2, history: DurationHistory(runs: [run, run]))
    #expect(forecast.forecast(at: .zero).remaining == nil && forecast.expected(0) == nil)
    forecast.start(0, at: .zero)
    forecast.start(1, at: .zero)
    #expect(!forecast.forecast(at: .seconds(1)).hasHistory)
    #expect(forecast.remaining(of: 0, at: .seconds(1)) == nil)
    // Nor does one of the same run that has ended.
    forecast.end(0, .succeeded, at: .seconds(2))
    #expect(forecast.remaining(of: 1, at: .seconds(2)) == nil)
  }

  @Test func `The usual time of a task with two earlier runs lies between them`() throws {
    let runs = [10, 40].map { seconds in
      let sample = DurationHistory.Sample(name: "t", kind: "", duration: .seconds(seconds))
      return DurationHistory.Run(samples: [sample])
    }
    let forecast = GraphForecast(
      ForecastInput(tasks: [ForecastInput.Task(name: "t")]), workers: 1,
      history: DurationHistory(runs: runs))
    let usual = try #require(forecast.usual(0))
    // The middle of logarithms: twice the shorter, half the longer.
    #expect(abs(usual / .seconds(20) - 1) < 1e-3, "\(usual)")
  }

  @Test func `Slow tasks of one kind say little about those of another`() throws {
    let tasks =
      (0..<21).map { ForecastInput.Task(name: "compile \($0)", kind: "compile") }
      + [ForecastInput.Task(name: "test", kind: "test")]
    let graph = ForecastInput(tasks: tasks)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    for task in 0..<20 {
      forecast.start(task, at: .seconds(task * 20))
      forecast.end(task, .succeeded, at: .seconds(task * 20 + 20))
    }
    forecast.start(20, at: .seconds(400))
    forecast.start(21, at: .seconds(400))
    let compilation = forecast.remaining(of: 20, at: .seconds(400))?.median ?? .zero
    let test = forecast.remaining(of: 21, at: .seconds(400))?.median
    #expect(compilation > .seconds(16), "\(compilation)")
    #expect(try #require(test) < .seconds(11.5))
  }

  @Test func `What is told between two looks at one time counts`() {
    let tasks = (0..<6).map { ForecastInput.Task(name: "task \($0)") }
    let samples = tasks.map {
      DurationHistory.Sample(name: $0.name, kind: "", duration: .seconds(10))
    }
    let history = DurationHistory(
      runs: Array(repeating: DurationHistory.Run(samples: samples), count: 3))
    var forecast = GraphForecast(
      ForecastInput(tasks: tasks), workers: 6, history: history)
    for index in 0..<6 { forecast.start(index, at: .zero) }
    let before = forecast.remaining(of: 5, at: .seconds(20))
    #expect(forecast.remaining(of: 5, at: .seconds(20)) == before)
    // Four of six took twice as long as usual: so will the last ones, about.
    for index in 0..<4 { forecast.end(index, .succeeded, at: .seconds(20)) }
    let after = forecast.remaining(of: 5, at: .seconds(20))
    #expect(after != before)
    var fresh = GraphForecast(ForecastInput(tasks: tasks), workers: 6, history: history)
    for index in 0..<6 { fresh.start(index, at: .zero) }
    for index in 0..<4 { fresh.end(index, .succeeded, at: .seconds(20)) }
    #expect(fresh.remaining(of: 5, at: .seconds(20)) == after)
  }
}
