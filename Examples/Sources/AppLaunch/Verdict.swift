import HeadwayLaunch
import HeadwayRun

/// Compares the result of a launch with the requested one.
struct Verdict {
  /// The requested launch.
  private let arguments: Arguments
  /// The servers.
  private let surroundings: Surroundings
  /// The findings of the tasks.
  private let findings: Findings

  /// Creates a comparison.
  init(_ arguments: Arguments, _ surroundings: Surroundings, _ findings: Findings) {
    self.arguments = arguments
    self.surroundings = surroundings
    self.findings = findings
  }

  /// The first difference.
  ///
  /// - Parameter result: The result of the launch.
  /// - Returns: The first difference as text, nil if there is none.
  func difference(in result: LaunchResult) -> String? {
    for step in StartStep.allCases {
      guard let task = result[step.rawValue] else { return "'\(step.rawValue)' is missing" }
      if !isExpected(task, step) {
        return "'\(step.rawValue)' had an unexpected outcome: \(task.outcome)"
      }
    }
    let failing = arguments.failing
    let (path, data, newest) = (findings.path?.name, findings.data, findings.newest)
    if failing.contains(.choosePath) != (path == nil) || path == "silent" || path == "closed" {
      return "the chosen path is \(path ?? "none")"
    }
    let isLoaded = failing.isDisjoint(with: [.choosePath, .loadData])
    if data.count != (isLoaded ? arguments.megabytes * 1_000_000 : 0) {
      return "\(data.count) bytes were loaded"
    }
    if newest != (failing.contains(.checkVersion) ? nil : Version(Surroundings.newest)) {
      return "the newest version is \(newest?.description ?? "unknown")"
    }
    return nil
  }

  /// Whether a task ended as requested.
  private func isExpected(_ task: LaunchResult.Task, _ step: StartStep) -> Bool {
    if arguments.failing.contains(.choosePath), step == .loadData { return task.attempts == 0 }
    guard arguments.failing.contains(step) else { return task.outcome.isSuccess }
    guard task.outcome.isFailure else { return false }
    return step != .loadData || task.attempts == AppStart.retries.limit + 1
  }
}
