internal import Glibc

/// The machine that a run was made on, as far as durations depend on it; it holds no name.
package struct MachineIdentity: Hashable, Sendable {
  /// The number of cores that the run could use.
  package let cores: Int
  /// A hash of the host's name, which tells machines apart.
  package let host: UInt64

  /// Creates an identity.
  package init(cores: Int, host: UInt64) {
    self.cores = cores
    self.host = host
  }

  /// Creates the identity of this machine.
  ///
  /// - Parameter cores: The number of cores that the run may use.
  package init(cores: Int) {
    // One byte more than is offered, so that the name ends in a zero even when it was cut.
    var name = [CChar](repeating: 0, count: 257)
    unsafe gethostname(&name, 256)
    let bytes = name.prefix { $0 != 0 }
    self.init(cores: cores, host: fingerprint(of: bytes.lazy.map { UInt8(bitPattern: $0) }))
  }
}

/// A 64-bit number that tells texts apart (FNV-1a); not for texts that somebody chose to collide.
func fingerprint(of bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
}

/// What is known of a run when it begins.
package struct RunRecord: Hashable, Sendable {
  /// The name of the plan.
  package var plan: String
  /// When it began, in milliseconds since 1970.
  package var began: Int64
  /// The number of tasks that could run at once.
  package var workers: Int
  /// The machine.
  package var machine: MachineIdentity

  /// Creates a record.
  package init(plan: String, began: Int64, workers: Int, machine: MachineIdentity) {
    self.plan = plan
    self.began = began
    self.workers = workers
    self.machine = machine
  }
}

/// How a run ended.
package enum RunOutcome: Int, CaseIterable, Sendable {
  /// Every task that it needed succeeded.
  case succeeded = 0
  /// A task that it needed failed.
  case failed = 1
  /// Somebody ended it.
  case cancelled = 2
}

/// How a task ended, as it is kept; the numbers stand in files and never change their meaning.
package enum RecordedOutcome: Int, CaseIterable, Sendable {
  /// It ran and reported success.
  case succeeded = 0
  /// It was not run: what it makes was there already.
  case upToDate = 1
  /// It failed.
  case failed = 2
  /// It was ended because it ran longer than allowed.
  case timedOut = 3
  /// It was ended with the run.
  case cancelled = 4
  /// It was never started.
  case skipped = 5
}

/// What a record says about how long a task takes.
package enum Evidence: Hashable, Sendable {
  /// The task took exactly as long as it ran: a sample.
  case exact
  /// The task would have taken at least as long as it ran: a censored sample.
  case atLeast
  /// Nothing.
  case nothing
}

extension RecordedOutcome {
  /// What a task that ended so says about how long it takes.
  ///
  /// - Parameter attempts: The attempts that were made; without one nothing is said.
  /// - Returns: What it says.
  func evidence(attempts: Int) -> Evidence {
    switch self {
    case .succeeded: attempts > 0 ? .exact : .nothing
    case .failed, .timedOut, .cancelled: attempts > 0 ? .atLeast : .nothing
    case .upToDate, .skipped: .nothing
    }
  }
}

/// What a task is known by from run to run; it holds no command, environment or output.
package struct TaskIdentity: Hashable, Sendable {
  /// The name of the task.
  package var name: String
  /// The kind of the task, a name that tasks of one sort have in common; may be empty.
  package var kind: String
  /// A number made from the command, by which a renamed task is found again.
  package var fingerprint: UInt64

  /// Creates an identity.
  package init(name: String, kind: String, fingerprint: UInt64) {
    self.name = name
    self.kind = kind
    self.fingerprint = fingerprint
  }
}

/// A task that is over, as it is kept.
package struct TaskRecord: Hashable, Sendable {
  /// What the task is known by.
  package var task: TaskIdentity
  /// How it ended.
  package var outcome: RecordedOutcome
  /// How long it ran, from its first attempt to its end.
  package var ran: Duration
  /// The number of attempts.
  package var attempts: Int

  /// Creates a record.
  package init(task: TaskIdentity, outcome: RecordedOutcome, ran: Duration, attempts: Int) {
    self.task = task
    self.outcome = outcome
    self.ran = ran
    self.attempts = attempts
  }

  /// What it says about how long the task takes.
  package var evidence: Evidence { outcome.evidence(attempts: attempts) }
}

/// A forecast that was made during a run.
package struct ForecastRecord: Hashable, Sendable {
  /// When it was made, since the run began.
  package var at: Duration
  /// The remaining time that the run was to fall below with a chance of 10 %.
  package var low: Duration
  /// The remaining time that the run was as likely to exceed as not.
  package var median: Duration
  /// The remaining time that the run was to fall below with a chance of 90 %.
  package var high: Duration

  /// Creates a record.
  package init(at: Duration, low: Duration, median: Duration, high: Duration) {
    self.at = at
    self.low = low
    self.median = median
    self.high = high
  }
}

extension Duration {
  /// The time in whole nanoseconds; what is negative counts as none, what is beyond 292 years as 292 years.
  var kept: Int64 {
    if self <= .zero { return 0 }
    let (seconds, attoseconds) = components
    let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isBeyond { return .max }
    let (sum, isPast) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isPast ? .max : sum
  }
}
