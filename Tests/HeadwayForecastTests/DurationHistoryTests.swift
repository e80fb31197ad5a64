import Testing

@testable import HeadwayForecast

/// What a forecast takes from the parts of a history.
struct DurationHistoryTests {
  @Test func `Runs in which every task was up to date change no duration and no range`() {
    let graph = chains(3, of: 2)
    var idle = DurationHistory.Run(samples: [])
    idle.upToDate = graph.tasks.map { DurationHistory.Task(name: $0.name, kind: $0.kind) }
    for runs in 1...3 {
      var known = history(of: graph, runs: runs) { Double($0 + 1) }
      // Runs of different speed.
      for index in known.runs[0].samples.indices { known.runs[0].samples[index].duration *= 2 }
      var plain = GraphForecast(graph, workers: 2, history: known)
      known.runs = known.runs.flatMap { [idle, $0, idle] }
      var other = GraphForecast(graph, workers: 2, history: known)
      #expect(other.forecast(at: .zero) == plain.forecast(at: .zero))
      #expect(other.model.runCount == runs)
      #expect(other.model.speedSpread == plain.model.speedSpread)
    }
  }

  @Test func `The durations of a kind have a geometric mean and a spread`() throws {
    let kind = try #require(
      DurationHistory.Kind(name: "cc", durations: [.seconds(1), .seconds(10), .seconds(100)]))
    #expect(kind.name == "cc" && kind.count == 3)
    #expect(abs(kind.typical / .seconds(10) - 1) < 1e-6)
    #expect(abs(kind.spread - 2.302_585) < 1e-5)
  }

  @Test func `A kind without durations is nothing, and one of no length is very short`() throws {
    #expect(DurationHistory.Kind(name: "cc", durations: []) == nil)
    let kind = try #require(DurationHistory.Kind(name: "cc", durations: [.zero, .seconds(-5)]))
    #expect(kind.typical > .zero && kind.typical < .milliseconds(10))
    #expect(kind.spread == 0)
  }
}
