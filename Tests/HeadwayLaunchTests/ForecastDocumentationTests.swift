import DocumentedPages
import Foundation
import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import Testing

/// The examples of the page on forecasts, as they stand there.
struct ForecastDocumentationTests {
  /// What a run tells later ones, in a form that can be kept.
  struct KeptRun: Codable {
    let workers: Int
    let samples: [KeptSample]

    struct KeptSample: Codable {
      let name: String
      let kind: String
      let took: Duration
      let isCensored: Bool
    }

    init(_ result: LaunchResult, of graph: LaunchGraph, workers: Int) {
      self.workers = workers
      samples = result.tasks.compactMap { task in
        guard let began = task.began, task.outcome.kind != .upToDate else { return nil }
        return KeptSample(
          name: task.name, kind: graph.settings(of: task.id).kind, took: task.ended - began,
          isCensored: !task.outcome.isSuccess)
      }
    }

    var run: DurationHistory.Run {
      DurationHistory.Run(
        samples: samples.map {
          DurationHistory.Sample(
            name: $0.name, kind: $0.kind, duration: $0.took, isCensored: $0.isCensored)
        }, workers: workers)
    }
  }

  /// What is to be shown of a run, for whoever looks.
  actor Outlook {
    private var forecaster: RunForecaster
    private let began = SuspendingClock.now

    init(_ forecaster: RunForecaster) { self.forecaster = forecaster }

    func receive(_ event: RunEvent) { forecaster.receive(event) }

    func look() -> RunForecast { forecaster.forecast(at: began.duration(to: .now)) }
  }

  /// A run that took ten minutes for each of two tasks, as it was kept.
  private static let minutes = """
    {"workers": 4, "samples": [
      {"name": "load", "kind": "net", "took": [32, 9704189641294348288], "isCensored": false},
      {"name": "sort", "kind": "", "took": [32, 9704189641294348288], "isCensored": false}
    ]}
    """

  /// A graph of a task that fails at first, one that does not, and one that waits for both.
  private static func graph() -> LaunchGraph {
    let failures = Box(1)
    return LaunchGraph {
      PlannedTask("load") { _ in }
      PlannedTask("try") { _ in
        var fails = false
        failures.change {
          fails = $0 > 0
          $0 -= 1
        }
        if fails { throw Mishap(description: "not yet") }
      }
      .retries(1, backoff: .zero)
      PlannedTask("miss") { _ in throw Mishap(description: "never") }.optional()
      PlannedTask("sort") { _ in }.after("load", "try")
    }
  }

  @Test func `A run is forecast from those that were kept, and kept for the next`() async throws {
    let graph = Self.graph()
    let keptRuns = [try JSONDecoder().decode(KeptRun.self, from: Data(Self.minutes.utf8))]
    let history = DurationHistory(runs: keptRuns.map(\.run))  // the oldest first
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 4))
    let events = launcher.events()  // before the run begins, so that none is missed
    let outlook = Outlook(RunForecaster(graph, workers: 4, history: history))
    launcher.start()
    let listener = Task {
      for await event in events { await outlook.receive(event) }
    }
    let forecast = await outlook.look()  // as often as you draw
    let result = await launcher.result
    await listener.value
    let kept = KeptRun(result, of: graph, workers: 4)  // for the next run
    #expect(forecast.fraction >= 0 && forecast.shown != .late)
    #expect(await outlook.look().fraction == 1)
    #expect(result.isSuccess)
    #expect(kept.samples.map(\.name) == ["load", "try", "miss", "sort"])
    #expect(kept.samples.map(\.isCensored) == [false, false, true, false])
    let data = try JSONEncoder().encode(kept)
    #expect(try JSONDecoder().decode(KeptRun.self, from: data).run == kept.run)
  }

  @Test func `What was kept is known before the next run says anything`() async throws {
    let kept = try JSONDecoder().decode(KeptRun.self, from: Data(Self.minutes.utf8))
    let graph = LaunchGraph {
      PlannedTask("load") { _ in }
      PlannedTask("sort") { _ in }.after("load")
    }
    let outlook = Outlook(
      RunForecaster(graph, workers: 4, history: DurationHistory(runs: [kept.run])))
    let forecast = await outlook.look()
    let remaining = try #require(forecast.remaining)
    #expect(remaining.low < remaining.median && remaining.median < remaining.high)
    #expect(remaining.median > .seconds(600) && remaining.median < .seconds(2400))
  }

  @Test func `Every example of the page stands here`() throws {
    let missing = try DocumentedPages(of: "HeadwayLaunch")
      .examplesNotRun(of: "ForecastingYourOwnRun", in: "ForecastDocumentationTests")
    #expect(missing.isEmpty)
  }
}
