import Testing

@testable import HeadwayForecast

/// What the forecast says of single tasks.
struct GraphForecastTaskTests {
  @Test func `A task is expected by its name, its hint or its kind, in this order, or not at all`()
  {
    var graph = chains(1, of: 2)
    let known = history(of: graph) { _ in 10 }
    graph.tasks += [
      ForecastGraph.Task(name: "t0", kind: "work", hint: .seconds(99)),
      ForecastGraph.Task(name: "hinted", kind: "work", hint: .seconds(99)),
      ForecastGraph.Task(name: "resembling", kind: "work"),
      ForecastGraph.Task(name: "strange", kind: "strange"),
    ]
    let forecast = GraphForecast(graph, workers: 1, history: known)
    let seconds = (0..<6).map { place in
      forecast.expected(place).map { ($0 / .seconds(1)).rounded() }
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
    forecast.end(0, .done, at: .seconds(2_000))
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
}
