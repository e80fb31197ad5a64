/// The stored form of a run: its tasks, how they ended, and the forecasts.
///
/// The history writes and reads it, and the report shows it.
package struct RunRecord: Sendable {
  /// The name of the plan.
  package var plan: String
  /// The name of the run, unique in its history.
  package var name: String
  /// When it began, in milliseconds since 1970.
  package var began: Int64
  /// The number of tasks that could run at once.
  package var workers: Int
  /// The machine on which it ran.
  package var machine: MachineIdentity
  /// The tasks that `records` refer to by index; with a graph, these are the tasks of the graph.
  package var tasks: [TaskIdentity]
  /// The dependencies between `tasks`; nil if they are unknown.
  package var graph: TaskGraph?
  /// How long it took, without pauses; nil if it is running or was killed.
  package var total: Duration?
  /// How it ended; nil if it is running or was killed.
  package var outcome: Outcome.Kind?
  /// The tasks that have ended, in the order in which they ended.
  package var records: [TaskRecord]
  /// The forecasts that were shown, in order of time.
  package var forecasts: [ForecastRecord]

  package init(
    plan: String, name: String, began: Int64, workers: Int, machine: MachineIdentity,
    tasks: [TaskIdentity] = [], graph: TaskGraph? = nil, total: Duration? = nil,
    outcome: Outcome.Kind? = nil, records: [TaskRecord] = [], forecasts: [ForecastRecord] = []
  ) {
    self.plan = plan
    self.name = name
    self.began = began
    self.workers = workers
    self.machine = machine
    self.tasks = tasks
    self.graph = graph
    self.total = total
    self.outcome = outcome
    self.records = records
    self.forecasts = forecasts
  }

  /// Describes how the run ended, or what has become of it if it has no outcome.
  ///
  /// - Parameter isRunning: Whether a run without an outcome is still running; nil if that is unknown.
  /// - Returns: A word, or "running or killed".
  package func outcomeText(isRunning: Bool?) -> String {
    switch outcome {
    case .succeeded, .upToDate, .doneEarlier: "succeeded"
    case .failed, .timedOut: "failed"
    case .cancelled, .skipped: "cancelled"
    case .lost: "lost"
    case nil: isRunning.map { $0 ? "running" : "killed" } ?? "running or killed"
    }
  }
}

/// The properties of a machine on which durations depend; they contain no name.
package struct MachineIdentity: Hashable, Sendable {
  /// The number of cores that the run could use.
  package let cores: Int
  /// A hash of the host name.
  package let host: UInt64

  package init(cores: Int, host: UInt64) {
    self.cores = cores
    self.host = host
  }
}

/// What identifies a task across runs; it contains no command, environment or output.
package struct TaskIdentity: Hashable, Sendable {
  /// The name of the task.
  package var name: String
  /// The kind of the task, a name that similar tasks share; may be empty.
  package var kind: String
  /// A hash of the command, by which a renamed task is recognized; 0 for a task without a command.
  package var fingerprint: UInt64

  package init(name: String, kind: String, fingerprint: UInt64) {
    self.name = name
    self.kind = kind
    self.fingerprint = fingerprint
  }
}

/// How a task of a run ended, and how long it took.
package struct TaskRecord: Hashable, Sendable {
  /// What a task is to its run, as far as its record is read differently.
  package enum Role: Int, Hashable, Sendable {
    /// It runs and ends.
    case task = 0
    /// It stays until the run ends it; its times are those until it was ready.
    case service = 1
    /// It runs after a failure only; if it was skipped, nothing had failed.
    case failureHook = 2
  }

  /// The index of the task in the `tasks` of its run.
  package var index: Int
  /// How it ended; nil if that is unknown, because the run was killed or is running.
  package var outcome: Outcome.Kind?
  /// When its first attempt began, since the run began; nil if it never started.
  package var began: Duration?
  /// The time from its first attempt to its end, including failed attempts and delays.
  package var ran: Duration
  /// The duration of its last attempt, from which forecasts learn; nil if unknown.
  package var took: Duration?
  /// The number of attempts.
  package var attempts: Int
  /// The expected duration before the run began; nil if unknown.
  package var expected: Duration?
  /// What it is to its run.
  package var role = Role.task
  /// The name of the machine on which its last attempt ran, nil for that of the run.
  package var host: String?
  /// What its last attempt has used, nil if that is unknown.
  package var usage: ResourceUsage?

  /// Creates a record; of a single attempt, `took` is `ran` unless given.
  package init(
    index: Int, outcome: Outcome.Kind?, began: Duration? = nil, ran: Duration = .zero,
    took: Duration? = nil, attempts: Int, expected: Duration? = nil, role: Role = .task,
    host: String? = nil, usage: ResourceUsage? = nil
  ) {
    self.role = role
    self.host = host
    self.usage = usage
    self.index = index
    self.outcome = outcome
    self.began = began
    self.ran = ran
    self.took = took ?? (attempts == 1 ? ran : nil)
    self.attempts = attempts
    self.expected = expected
  }

  /// Whether it is a service that stayed, so that its duration is the time until it was ready.
  package var isReadyService: Bool { role == .service && outcome == .succeeded }

  /// Whether it counts as a success without having run: its outputs are up to date, or it was done in an earlier run.
  package var tookNothing: Bool { outcome == .upToDate || outcome == .doneEarlier }

  /// Whether it had nothing to do, because it runs after a failure only and nothing had failed.
  package var isUnneeded: Bool { role == .failureHook && outcome == .skipped }
}

/// A forecast that was shown during a run.
package struct ForecastRecord: Hashable, Sendable {
  /// The time since the run began.
  package var at: Duration
  /// The shown fraction, from 0 to 1.
  package var fraction: Double
  /// The shown remaining time; nil if there was no estimate.
  package var remaining: RemainingTime?

  package init(at: Duration, fraction: Double, remaining: RemainingTime?) {
    self.at = at
    self.fraction = fraction
    self.remaining = remaining
  }
}
