internal import Glibc
internal import HeadwayForecast
package import HeadwayRun

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
  /// The name of the run, as its folder of logs has it; the caller gives each run of a file another one.
  package var name: String
  /// When it began, in milliseconds since 1970.
  package var began: Int64
  /// The number of tasks that could run at once.
  package var workers: Int
  /// The machine.
  package var machine: MachineIdentity

  /// What waits for what; an empty graph is not kept.
  package var graph: GraphRecord

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - name: The name of the run.
  ///   - began: When it began, in milliseconds since 1970.
  ///   - workers: The number of tasks that could run at once.
  ///   - machine: The machine.
  ///   - graph: What waits for what.
  package init(
    plan: String, name: String, began: Int64, workers: Int, machine: MachineIdentity,
    graph: GraphRecord = GraphRecord()
  ) {
    self.plan = plan
    self.name = name
    self.began = began
    self.workers = workers
    self.machine = machine
    self.graph = graph
  }
}

extension Outcome.Kind {
  /// The number of the outcome of a task in the file, which never changes its meaning.
  var taskCode: Int {
    switch self {
    case .succeeded: 0
    case .upToDate: 1
    case .failed: 2
    case .timedOut: 3
    case .cancelled: 4
    case .skipped: 5
    }
  }

  /// The number of the outcome of a run in the file, which never changes its meaning.
  var runCode: Int {
    switch self {
    case .succeeded, .upToDate: 0
    case .failed, .timedOut: 1
    case .cancelled, .skipped: 2
    }
  }

  /// Reads the number of a task's outcome, nil if there is none with it.
  init?(taskCode: Int) {
    guard let kind = Self.allCases.first(where: { $0.taskCode == taskCode }) else { return nil }
    self = kind
  }

  /// Reads the number of a run's outcome, nil if there is none with it.
  init?(runCode: Int) {
    let kinds: [Outcome.Kind] = [.succeeded, .failed, .cancelled]
    guard kinds.indices.contains(runCode) else { return nil }
    self = kinds[runCode]
  }
}

/// What a record says about how long a task takes.
package enum Evidence: Hashable, Sendable {
  /// The task took exactly as long as its last attempt: a sample.
  case exact
  /// The task would have taken at least as long as its last attempt: a censored sample.
  case atLeast
  /// Nothing.
  case nothing
}

extension Outcome.Kind {
  /// What a task that ended so says about how long it takes.
  ///
  /// - Parameter took: How long its last attempt ran; without an attempt nothing is said, nor where it is not known.
  /// - Returns: What it says.
  func evidence(took: Duration?) -> Evidence {
    switch self {
    case .succeeded: took == nil ? .nothing : .exact
    case .failed, .timedOut, .cancelled: took == nil ? .nothing : .atLeast
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
  /// A number made from the command, by which a renamed task is found again; 0 for a task without one.
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
  /// The place of the task in the graph of its run.
  package var place: Int
  /// How it ended.
  package var outcome: Outcome.Kind
  /// When its first attempt began, since the run began; nil when it never did.
  package var began: Duration?
  /// How long it ran, from its first attempt to its end: failed attempts and the pauses between attempts included.
  package var ran: Duration
  /// How long its last attempt ran, which is what a forecast learns from; nil when that is not known.
  package var took: Duration?
  /// The number of attempts.
  package var attempts: Int
  /// How long it was expected to take before the run began; nil when nothing was known.
  package var expected: Duration?

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - task: What the task is known by.
  ///   - place: The place of the task in the graph of its run.
  ///   - outcome: How it ended.
  ///   - began: When its first attempt began, since the run began.
  ///   - ran: How long it ran, from its first attempt to its end.
  ///   - took: How long its last attempt ran; of one attempt that is `ran`.
  ///   - attempts: The number of attempts.
  ///   - expected: How long it was expected to take before the run began.
  package init(
    task: TaskIdentity, place: Int, outcome: Outcome.Kind, began: Duration? = nil,
    ran: Duration, took: Duration? = nil, attempts: Int, expected: Duration? = nil
  ) {
    self.task = task
    self.place = place
    self.outcome = outcome
    self.began = began
    self.ran = ran
    self.took = took ?? (attempts == 1 ? ran : nil)
    self.attempts = attempts
    self.expected = expected
  }
}

/// What a run showed at a moment.
package struct ForecastRecord: Hashable, Sendable {
  /// When that was, since the run began.
  package let at: Duration
  /// The shown fraction, from 0 to 1.
  package let fraction: Double
  /// The remaining time that was told; nil where it was told that there is no estimate.
  package let remaining: RemainingTime?

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - at: When it was shown, since the run began.
  ///   - fraction: The shown fraction; what is outside 0...1 is brought there, NaN counts as 0.
  ///   - remaining: The remaining time that was told.
  package init(at: Duration, fraction: Double, remaining: RemainingTime?) {
    self.at = at
    self.fraction = fraction > 0 ? min(fraction, 1) : 0
    self.remaining = remaining
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
