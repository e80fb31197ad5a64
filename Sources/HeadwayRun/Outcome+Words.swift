internal import HeadwayText

extension Outcome.Kind {
  /// The outcome in the words of people: `timed out`.
  package var words: String { words(ofService: false) }

  /// The outcome in the words of people: `timed out`, or `not ready` for a service.
  ///
  /// - Parameter isService: Whether the task is a service. Its time limit is that for getting ready.
  /// - Returns: The words.
  package func words(ofService isService: Bool) -> String {
    switch self {
    case .succeeded: "succeeded"
    case .upToDate: "up to date"
    case .failed: "failed"
    case .timedOut: isService ? "not ready" : "timed out"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    case .lost: "lost"
    case .doneEarlier: "done earlier"
    }
  }
}

extension RunState.Counts {
  /// How many tasks ended how, in the words of people: `12 succeeded, 1 failed`; empty if none has ended.
  package var words: String {
    Outcome.Kind.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.words)" }
      .joined(separator: ", ")
  }
}

extension Outcome {
  /// The outcome with the exit code, the signal or the time limit: `exit 7`, `timed out after 2s`, `not ready after 5s`.
  ///
  /// - Parameter isService: Whether the task is a service.
  /// - Returns: The words.
  package func details(ofService isService: Bool) -> String {
    switch self {
    case .failed(let failure): failure.words
    case .timedOut(let limit):
      "\(kind.words(ofService: isService)) after \(DurationText.chosen(limit))"
    case .succeeded, .cancelled, .skipped, .lost: kind.words
    }
  }
}

extension Outcome: CustomStringConvertible {
  /// How the task ended, in the words of people: `succeeded`, `failed: no connection`, `timed out after 5s`,
  /// `skipped because 'build' did not succeed`.
  public var description: String {
    switch self {
    case .failed(let failure):
      switch failure.cause {
      case .exited(let code): "failed with exit \(code)"
      case .signalled: "failed on \(failure.words)"
      case .notStarted(let reason): "could not be started: \(reason)"
      case .threw(let reason): "failed: \(reason)"
      }
    case .skipped(.needs(let task)): "skipped because \(Self.name(task)) did not succeed"
    case .skipped(.stopped(let task)): "skipped because \(Self.name(task)) failed"
    case .skipped(.removed): "skipped because it was removed"
    case .skipped(.condition): "skipped because its condition is false"
    case .succeeded, .timedOut, .cancelled, .lost, .skipped(.upToDate), .skipped(.doneEarlier):
      details(ofService: false)
    }
  }

  /// A task in a sentence.
  private static func name(_ task: TaskID) -> String {
    task.name.isEmpty ? "task \(task.index)" : "'\(task.name)'"
  }
}

extension Failure {
  /// Why an attempt failed, in a few words: `exit 7`, `signal 9 (SIGKILL)`.
  package var words: String {
    switch cause {
    case .exited(let code): "exit \(code)"
    case .signalled(let number):
      "signal \(number)" + (Self.signalName(number).map { " (\($0))" } ?? "")
    case .notStarted(let reason): "not started: \(reason)"
    case .threw(let reason): reason
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
