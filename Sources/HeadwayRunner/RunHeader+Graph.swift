internal import HeadwayForecast
package import HeadwayLaunch
internal import HeadwayRun
package import HeadwayState

/// A run as its header tells, for those who show it while it goes on.
extension RunHeader {
  /// The tasks with what a display needs of their settings; pools, retries and grace periods are not among it.
  package var launchGraph: LaunchGraph {
    var graph = LaunchGraph()
    graph.reserveCapacity(tasks: tasks.count, edges: tasks.reduce(0) { $0 + $1.after.count })
    for task in tasks {
      var settings = TaskSettings(
        timeout: task.timeout, isOptional: task.isOptional, alwaysRuns: task.isAlways,
        kind: task.kind)
      if task.isService {
        settings.role = .service
      } else if task.command.isEmpty {
        settings.role = .group
      }
      _ = graph.add(task.name, settings: settings)
    }
    for (index, task) in tasks.enumerated() {
      for earlier in task.after { graph.addDependency(of: TaskID(index), on: TaskID(earlier)) }
    }
    return graph
  }

  /// A forecaster of the run that has received no events and knows what the run knew at its beginning.
  ///
  /// - Parameter stateFolder: The path of the state folder, whose history is read.
  /// - Returns: The forecaster; without a history, it expects the usual durations of the header.
  package func forecaster(stateFolder: String) -> RunForecaster {
    let past = try? openHistory(stateFolder: stateFolder).past(
      of: plan, tasks: record.tasks, on: machine)
    return RunForecaster(
      launchGraph, workers: workers, history: past?.history ?? DurationHistory(),
      expected: tasks.map(\.usual))
  }
}
