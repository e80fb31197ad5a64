internal import HeadwayLaunch
internal import HeadwayRun
internal import HeadwayText

/// Says in words how tasks ended, in one place for every surface.
struct OutcomeText {
  /// The tasks that the words name.
  let graph: LaunchGraph

  /// The state in which a task ended.
  static func state(_ outcome: Outcome.Kind) -> String {
    switch outcome {
    case .succeeded: "succeeded"
    case .upToDate: "up to date"
    case .failed: "failed"
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    }
  }

  /// What is to be said beside the state, empty when it says everything.
  ///
  /// - Parameters:
  ///   - outcome: How a task ended.
  ///   - state: The run, to say why a task that this one needs did not succeed.
  /// - Returns: A few words.
  func detail(_ outcome: Outcome, in state: RunState) -> String {
    switch outcome {
    case .succeeded, .cancelled, .skipped(.upToDate): return ""
    case .failed(let failure): return Self.words(failure)
    case .timedOut(let limit): return "limit of \(DurationText.chosen(limit))"
    case .skipped(.needs(let task)):
      return "needs \(name(task)), which \(Self.past(state.outcome(of: task)?.kind))"
    case .skipped(.stopped(let task)): return "stopped when \(name(task)) failed"
    case .skipped(.removed): return "removed"
    }
  }

  /// What went wrong with an attempt, as part of a sentence: `failed with exit 7`.
  func mishap(_ outcome: Outcome) -> String {
    switch outcome {
    case .failed(let failure):
      switch failure.cause {
      case .exited(let code): "failed with exit \(code)"
      case .signalled: "failed on \(Self.words(failure))"
      case .notStarted(let reason): "could not be started: \(TaskOutputText.line(reason))"
      case .threw(let reason): "failed: \(TaskOutputText.line(reason))"
      }
    case .timedOut(let limit): "timed out after \(DurationText.chosen(limit))"
    case .succeeded, .cancelled, .skipped: Self.state(outcome.kind)
    }
  }

  /// The name of a task, safe to show.
  func name(_ task: TaskID) -> String {
    TaskOutputText.line(task.name.isEmpty ? graph.name(of: task) : task.name)
  }

  /// The mark for a failure that the run does not mind, empty for others.
  func optionalMark(_ task: TaskID, _ outcome: Outcome) -> String {
    graph.settings(of: task).isOptional && outcome.isFailure ? "(optional)" : ""
  }

  /// Why an attempt failed.
  static func words(_ failure: Failure) -> String {
    switch failure.cause {
    case .exited(let code): "exit \(code)"
    case .signalled(let number):
      "signal \(number)" + (signalName(number).map { " (\($0))" } ?? "")
    case .notStarted(let reason): "not started: \(TaskOutputText.line(reason))"
    case .threw(let reason): TaskOutputText.line(reason)
    }
  }

  /// How a task that did not succeed ended, as the end of a relative clause.
  private static func past(_ outcome: Outcome.Kind?) -> String {
    switch outcome {
    case .succeeded: "succeeded"
    case .upToDate: "was up to date"
    case .failed: "failed"
    case .timedOut: "timed out"
    case .cancelled: "was cancelled"
    case .skipped: "was skipped"
    case nil: "did not end"
    }
  }

  /// The name of a signal by its number on Linux, nil for the rare ones.
  private static func signalName(_ number: Int) -> String? {
    let names = [
      1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS",
      8: "SIGFPE", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE",
      14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
    ]
    return names[number]
  }
}
