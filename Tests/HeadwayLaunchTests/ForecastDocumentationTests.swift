import DocumentedPages
import Foundation
import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import Testing

/// The examples of the page on forecasts, as printed there.
struct ForecastDocumentationTests {
  /// The data of a run that later forecasts use, in a form that can be stored.
  struct StoredRun: Codable {
    let workers: Int
    let samples: [StoredSample]

    struct StoredSample: Codable {
      let name: String
      let kind: String
      let took: Duration
      let isCensored: Bool
    }

    init(_ result: LaunchResult, of graph: LaunchGraph, workers: Int) {
      self.workers = workers
      samples = result.tasks.compactMap { task in
        guard let began = task.began, task.outcome.kind != .upToDate else { return nil }
        return StoredSample(
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

  /// The forecasts of a run, for the code that draws them.
  actor Outlook {
    private var forecaster: RunForecaster
    private let began = SuspendingClock.now

    init(_ forecaster: RunForecaster) { self.forecaster = forecaster }

    func receive(_ event: RunEvent) { forecaster.receive(event) }

    func look() -> RunForecast { forecaster.forecast(at: began.duration(to: .now)) }
  }

  /// A run that took ten minutes for each of two tasks, as it was stored.
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

  @Test func `A run is forecast from stored ones, and stored for the next`() async throws {
    let graph = Self.graph()
    let storedRuns = [try JSONDecoder().decode(StoredRun.self, from: Data(Self.minutes.utf8))]
    let history = DurationHistory(runs: storedRuns.map(\.run))  // the oldest first
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
    let stored = StoredRun(result, of: graph, workers: 4)  // for the next run
    #expect(forecast.fraction >= 0 && forecast.shown != .late)
    #expect(await outlook.look().fraction == 1)
    #expect(result.isSuccess)
    #expect(stored.samples.map(\.name) == ["load", "try", "miss", "sort"])
    #expect(stored.samples.map(\.isCensored) == [false, false, true, false])
    let data = try JSONEncoder().encode(stored)
    #expect(try JSONDecoder().decode(StoredRun.self, from: data).run == stored.run)
  }

  @Test func `Stored durations are known before the next run has events`() async throws {
    let stored = try JSONDecoder().decode(StoredRun.self, from: Data(Self.minutes.utf8))
    let graph = LaunchGraph {
      PlannedTask("load") { _ in }
      PlannedTask("sort") { _ in }.after("load")
    }
    let outlook = Outlook(
      RunForecaster(graph, workers: 4, history: DurationHistory(runs: [stored.run])))
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
