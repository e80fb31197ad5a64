package import HeadwayRun

/// How the output of tasks is shown.
package struct OutputOptions: Sendable {
  /// A service whose logs have parts that fold.
  package enum Service: Sendable {
    case github
    case gitlab

    /// The service that runs this program, nil for none that is known.
    package init?(environment: (String) -> String?) {
      if environment("GITHUB_ACTIONS") == "true" {
        self = .github
      } else if environment("GITLAB_CI") == "true" {
        self = .gitlab
      } else {
        return nil
      }
    }
  }

  /// What is shown.
  package var mode = OutputMode.failed
  /// Whether streamed lines have the name of their task.
  package var showsNames = true
  /// The number of lines that are shown of a failure, nil for the usual limits.
  package var tail: Int?
  /// The time that is printed before lines, nil for none.
  package var timestamp: (@Sendable () -> String)?
  /// The service that shows the log, nil for none.
  package var service: Service?
  /// The descriptor for the output of tasks, nil for the one of the run's own words.
  package var output: Int32?
  /// Whether the table at the end has what each task used of its machine.
  package var showsUsage = false
  /// Whether a terminal shows the output of tasks.
  package var isTerminal = false

  /// Creates the options that hold where nothing else is said.
  package init() {}
}
