/// How a task ended; each task of a run has exactly one outcome.
///
/// ```swift
/// func symbol(of outcome: Outcome) -> String {
///   switch outcome.kind {
///   case .succeeded, .upToDate, .doneEarlier: "✓"
///   case .skipped: "–"
///   default: "✗"
///   }
/// }
/// ```
@nonexhaustive
public enum Outcome: Hashable, Sendable {
  /// The task ran and reported success.
  case succeeded
  /// The last attempt failed.
  case failed(Failure)
  /// The last attempt exceeded its time limit and was ended.
  case timedOut(limit: Duration)
  /// The task was removed while it ran, or the run was cancelled or exceeded its deadline first.
  case cancelled
  /// The task was never started.
  case skipped(SkipReason)
  /// The task was under way when its run died, so that nobody knows how it ended.
  case lost

  /// An outcome without its details: what is counted, stored and styled.
  ///
  /// The raw values are the names of the event format.
  @nonexhaustive
  public enum Kind: String, CaseIterable, Sendable, Codable {
    /// The task ran and reported success.
    case succeeded
    /// The task was not run because its outputs are up to date; counts as a success.
    case upToDate = "up_to_date"
    /// The last attempt failed.
    case failed
    /// The last attempt exceeded its time limit.
    case timedOut = "timed_out"
    /// The end of the run, or its removal, ended the task.
    case cancelled
    /// The task was never started.
    case skipped
    /// The task was under way when its run died, so that its end is unknown.
    case lost
    /// The task succeeded in an earlier run that this one goes on with; counts as a success.
    case doneEarlier = "done_earlier"

    /// The number that the history stores, which must never change; also the position in `allCases`.
    package var number: Int {
      switch self {
      case .succeeded: 0
      case .upToDate: 1
      case .failed: 2
      case .timedOut: 3
      case .cancelled: 4
      case .skipped: 5
      case .lost: 6
      case .doneEarlier: 7
      }
    }

    /// Whether the task ran and succeeded, here or in an earlier run, or is up to date.
    package var isSuccess: Bool {
      switch self {
      case .succeeded, .upToDate, .doneEarlier: true
      case .failed, .timedOut, .cancelled, .skipped, .lost: false
      }
    }

    /// Whether the task itself failed, not the run around it.
    package var isFailure: Bool {
      switch self {
      case .failed, .timedOut: true
      case .succeeded, .upToDate, .cancelled, .skipped, .lost, .doneEarlier: false
      }
    }
  }

  /// The outcome without its details.
  public var kind: Kind {
    switch self {
    case .succeeded: .succeeded
    case .failed: .failed
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .skipped(.upToDate): .upToDate
    case .skipped(.doneEarlier): .doneEarlier
    case .skipped: .skipped
    case .lost: .lost
    }
  }

  /// Whether the task ran and succeeded, here or in an earlier run, or is up to date.
  ///
  /// Tasks that depend on it may start; they also may after the failure of an optional task.
  public var isSuccess: Bool { kind.isSuccess }

  /// Whether the task itself failed, not the run around it.
  public var isFailure: Bool { kind.isFailure }

  /// Whether the last attempt could not be started.
  package var isStartFailure: Bool {
    if case .failed(let failure) = self { failure.isStartFailure } else { false }
  }
}

/// Why an attempt at a task failed.
///
/// ```swift
/// let failure: Failure = .threw("no connection")
/// show("\(Outcome.failed(failure).isFailure), because: \(failure)")
/// ```
public struct Failure: Hashable, Sendable, CustomStringConvertible {
  /// The ways to fail; only attempts that run commands exit or are ended by signals.
  package enum Cause: Hashable, Sendable {
    /// The process exited with a code other than 0.
    case exited(code: Int)
    /// A signal ended the process.
    case signalled(number: Int)
    /// The attempt could not be started.
    case notStarted(reason: String)
    /// The function threw an error.
    case threw(String)
  }

  /// The way in which the attempt failed.
  package let cause: Cause

  package init(_ cause: Cause) { self.cause = cause }

  package static func exited(code: Int) -> Failure { Failure(.exited(code: code)) }
  package static func signalled(number: Int) -> Failure { Failure(.signalled(number: number)) }

  /// An attempt that could not be started.
  ///
  /// - Parameter reason: The reason, for people.
  /// - Returns: The failure.
  package static func notStarted(reason: String) -> Failure { Failure(.notStarted(reason: reason)) }

  /// An attempt whose function threw an error.
  ///
  /// - Parameter description: The error, for people.
  /// - Returns: The failure.
  public static func threw(_ description: String) -> Failure { Failure(.threw(description)) }

  /// Whether the attempt could not be started.
  public var isStartFailure: Bool {
    if case .notStarted = cause { true } else { false }
  }

  /// The reason, for people: the description of the error that was thrown, or why the attempt was not started.
  public var description: String {
    switch cause {
    case .exited(let code): "exit code \(code)"
    case .signalled(let number): "signal \(number)"
    case .notStarted(let reason), .threw(let reason): reason
    }
  }
}

/// Why a task was never started.
///
/// ```swift
/// if case .skipped(.needs(let task)) = outcome { show("\(task.name) did not succeed") }
/// ```
@nonexhaustive
public enum SkipReason: Hashable, Sendable {
  /// The task depends on the given one, directly or through others, and that one did not succeed.
  case needs(TaskID)
  /// The run stopped starting tasks when the given task failed.
  case stopped(by: TaskID)
  /// The task was removed from the run.
  case removed
  /// The outputs of the task are up to date; only `headway run` skips a task for this.
  case upToDate
  /// The condition of the task is false, which does not stop those that depend on it; only `headway run` knows conditions.
  case condition
  /// The task succeeded in an earlier run that this one goes on with; only `headway resume` skips a task for this.
  case doneEarlier
}
