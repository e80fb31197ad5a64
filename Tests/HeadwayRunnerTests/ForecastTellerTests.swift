import HeadwayLaunch
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// When a run tells forecasts.
struct ForecastTellerTests {
  /// A run of one task.
  private func teller(cost: Duration = .zero) -> ForecastTeller {
    var graph = LaunchGraph()
    _ = graph.add("build")
    var time = Duration.zero
    // Each look at the clock is as much later as a forecast costs.
    return ForecastTeller(RunForecaster(graph, workers: 1)) {
      time += cost
      return time
    }
  }

  @Test func `What forecasts cost is a fiftieth of the time at most`() {
    var teller = teller(cost: .milliseconds(400))
    teller.receive(RunEvent(time: .zero, kind: .runStarted(tasks: 1, workers: 1)))
    #expect(teller.tell(at: .zero) != nil)
    #expect(teller.next == .seconds(20))
    #expect(teller.tell(at: .seconds(19)) == nil && teller.tell(at: .seconds(20)) != nil)
  }

  @Test func `None before the run and none after it`() {
    var teller = teller()
    #expect(teller.next == nil && teller.tell(at: .seconds(9)) == nil)
    teller.receive(RunEvent(time: .zero, kind: .runStarted(tasks: 1, workers: 1)))
    #expect(teller.next == .zero)
    teller.receive(RunEvent(time: .seconds(1), kind: .runEnded))
    #expect(teller.next == nil && teller.tell(at: .seconds(9)) == nil)
  }

  @Test func `A second apart at first, a hundredth of the run later, ten seconds at most`() {
    var teller = teller()
    teller.receive(RunEvent(time: .zero, kind: .runStarted(tasks: 1, workers: 1)))
    var times: [Duration] = []
    for second in 0...10_000 {
      guard let event = teller.tell(at: .seconds(second)) else { continue }
      times.append(event.time)
      guard case .forecast = event.kind else {
        Issue.record("\(event) is no forecast")
        return
      }
    }
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(times.first == .zero && gaps.first == .seconds(1))
    #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(gaps.last == .seconds(10))
    // A second apart up to 100 s, the next 900 s in steps that grow, and then every ten seconds.
    #expect(times.count { $0 <= .seconds(100) } == 101)
    #expect(times.count > 1_100 && times.count < 1_400, "\(times.count)")
  }
}
