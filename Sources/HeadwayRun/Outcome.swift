/// Why an attempt at a task failed.
public enum Failure: Hashable, Sendable {
  /// It ended by itself with an exit code other than 0.
  case exited(code: Int)
  /// A signal ended it.
  case signalled(number: Int)
  /// It could not be started at all; the text says why.
  case notStarted(reason: String)
  /// Its function threw an error, which is told in words.
  case threw(String)
}

/// Why a task was never started.
public enum SkipReason: Hashable, Sendable {
  /// The named task did not succeed, and this one needs it, directly or through others.
  case needs(TaskID)
  /// The run stopped starting tasks when the named task failed.
  case stopped(by: TaskID)
  /// Somebody removed the task from the run.
  case removed
}

/// How a task ended: exactly one for each task of a run.
public enum Outcome: Hashable, Sendable {
  /// It ran and reported success.
  case succeeded
  /// It was not run: what it makes is already there, from the same contents.
  case upToDate
  /// Its last attempt failed.
  case failed(Failure)
  /// Its last attempt was ended because it ran longer than allowed.
  case timedOut(limit: Duration)
  /// It was removed while it ran, or the run was cancelled or out of time before it could end.
  case cancelled
  /// It was never started.
  case skipped(SkipReason)

  /// Whether tasks that need this one may start.
  public var isSuccess: Bool {
    switch self {
    case .succeeded, .upToDate: true
    case .failed, .timedOut, .cancelled, .skipped: false
    }
  }

  /// Whether the task itself went wrong, not the run around it.
  public var isFailure: Bool {
    switch self {
    case .failed, .timedOut: true
    case .succeeded, .upToDate, .cancelled, .skipped: false
    }
  }
}
