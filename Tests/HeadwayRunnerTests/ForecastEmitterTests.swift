import HeadwayLaunch
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// When a run is forecast.
struct ForecastEmitterTests {
  /// The start of the run.
  private static let start = RunEvent(time: .zero, kind: .runStarted(tasks: 1, workers: 1))

  /// A run of one task.
  private func emitter(isWatched: Bool = false, cost: Duration = .zero) -> ForecastEmitter {
    var graph = LaunchGraph()
    _ = graph.add("build")
    var time = Duration.zero
    // Each look at the clock is as much later as a forecast costs.
    return ForecastEmitter(RunForecaster(graph, workers: 1), isWatched: isWatched) {
      time += cost
      return time
    }
  }

  @Test func `What forecasts cost is a fiftieth of the time at most`() {
    for isWatched in [false, true] {
      var emitter = emitter(isWatched: isWatched, cost: .milliseconds(400))
      emitter.receive(Self.start)
      #expect(emitter.forecast(at: .zero) != nil)
      #expect(emitter.next == .seconds(20))
      emitter.receive(RunEvent(time: .seconds(1), kind: .taskStarted(TaskID(0), attempt: 1)))
      #expect(emitter.forecast(at: .seconds(19)) == nil)
      #expect(emitter.forecast(at: .seconds(20)) != nil)
    }
  }

  @Test func `None before the run and none after it`() {
    var emitter = emitter(isWatched: true)
    #expect(emitter.next == nil && emitter.forecast(at: .seconds(9)) == nil)
    emitter.receive(Self.start)
    #expect(emitter.next == .zero)
    emitter.receive(RunEvent(time: .seconds(1), kind: .runEnded))
    #expect(emitter.next == nil && emitter.forecast(at: .seconds(9)) == nil)
  }

  @Test
  func `Events are a second apart at first, a hundredth of the run later, ten seconds at most`() {
    var emitter = emitter()
    emitter.receive(Self.start)
    var times: [Duration] = []
    for second in 0...10_000 {
      guard let due = emitter.forecast(at: .seconds(second)) else { continue }
      times.append(.seconds(second))
      #expect(due.isEvent && due.forecast.time == .seconds(second))
    }
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(times.first == .zero && gaps.first == .seconds(1))
    #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(gaps.last == .seconds(10))
    // A second apart up to 100 s, the next 900 s in steps that grow, and then every ten seconds.
    #expect(times.count { $0 <= .seconds(100) } == 101)
    #expect(times.count > 1_100 && times.count < 1_400, "\(times.count)")
  }

  @Test func `A watched run is forecast once a second, and events follow the same schedule`() {
    var watched = emitter(isWatched: true)
    var unwatched = emitter()
    watched.receive(Self.start)
    unwatched.receive(Self.start)
    var forecasts = 0
    for second in 0...1_000 {
      let expected = unwatched.forecast(at: .seconds(second))
      let due = watched.forecast(at: .seconds(second))
      forecasts += due == nil ? 0 : 1
      #expect((due?.isEvent ?? false) == (expected != nil))
    }
    #expect(forecasts == 1_001)
  }

  @Test func `Events that come close together share one forecast`() {
    var emitter = emitter(isWatched: true)
    emitter.receive(Self.start)
    #expect(emitter.forecast(at: .zero) != nil)
    for millisecond in [20, 40, 60] {
      let now = Duration.milliseconds(millisecond)
      emitter.receive(RunEvent(time: now, kind: .taskStarted(TaskID(0), attempt: 1)))
      #expect(emitter.forecast(at: now) == nil && emitter.next == .milliseconds(100))
    }
    #expect(emitter.forecast(at: .milliseconds(100))?.isEvent == false)
    // After a silence there is one at once.
    emitter.receive(RunEvent(time: .milliseconds(500), kind: .runPaused))
    #expect(emitter.next == .milliseconds(500))
    #expect(emitter.latest?.time == .milliseconds(100))
    #expect(emitter.state.isPaused)
  }
}
