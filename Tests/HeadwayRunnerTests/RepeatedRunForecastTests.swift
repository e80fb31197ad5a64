import HeadwayPlan
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// What the runs of a plan forecast, against what comes of it on virtual time.
struct RepeatedRunForecastTests {
  /// The durations of the tasks in a run at the usual speed, in milliseconds: one, four after it, and one after all.
  private static let durations = [6_000, 3_000, 4_000, 5_000, 6_000, 5_000]

  /// Runs the plan with two workers.
  ///
  /// - Parameters:
  ///   - folder: The state folder, which has the runs before.
  ///   - percent: How long each task takes, in percent of its usual duration.
  /// - Returns: The run, which is over.
  /// - Throws: An error if there is no state folder.
  private func run(in folder: Folder, percent: Int) throws -> LoopRun {
    let last = Self.durations.count - 1
    let tasks = Self.durations.indices.map { index in
      Plan.Task.make("task \(index)", after: index == 0 ? [] : index < last ? [0] : [1, 2, 3, 4])
    }
    let run = try LoopRun(tasks, statePath: folder.path, schedule: .events)
    for (index, milliseconds) in Self.durations.enumerated() {
      let duration = Duration.milliseconds(milliseconds * percent / 100)
      run.machine.scripts[TaskID(index)] = [.init(leader: .init(duration: duration))]
    }
    run.readPast()
    run.run(isStored: true)
    return run
  }

  @Test func `The forecasts of repeated runs are near to what comes of them`() throws {
    let folder = Folder()
    for (number, percent) in [100, 110, 95].enumerated() {
      let run = try run(in: folder, percent: percent)
      let total = try #require(run.events.last).time
      let forecasts = run.events.compactMap { event in
        if case .forecast(let forecast) = event.kind { (event.time, forecast) } else { nil }
      }
      let first = try #require(forecasts.first?.1)
      #expect(forecasts.count > 10 && first.fraction < 0.1)
      #expect((first.shown == .unknown) == (number == 0))
      guard number > 0 else { continue }
      let predicted = try #require(first.predicted)
      #expect(abs(predicted / total - 1) <= 0.25, "\(predicted), \(total)")
      let errors = forecasts.map { time, forecast in abs(forecast.fraction - time / total) }
      #expect(errors.reduce(0, +) / Double(errors.count) <= 0.1, "\(errors)")
    }
  }
}
