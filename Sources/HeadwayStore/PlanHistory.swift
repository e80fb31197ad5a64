/// What is known of the last runs of a plan: a value, read once and then used without the file.
package struct PlanHistory: Hashable, Sendable {
  /// The name of the plan.
  package let plan: String
  /// The tasks that the runs speak of, each once.
  package internal(set) var tasks: [TaskIdentity] = []
  /// The runs, the newest first.
  package internal(set) var runs: [Run] = []

  /// Creates a history without runs.
  package init(plan: String) { self.plan = plan }

  /// A run of the plan.
  package struct Run: Hashable, Sendable {
    /// When it began, in milliseconds since 1970.
    package let began: Int64
    /// The number of tasks that could run at once.
    package let workers: Int
    /// The machine.
    package let machine: MachineIdentity
    /// How long it took, nil for one that goes on or was killed.
    package let total: Duration?
    /// How it ended, nil for one that goes on or was killed.
    package let outcome: RunOutcome?
    /// The tasks that are over, in the order of their ends.
    package internal(set) var records: [Record] = []
    /// The forecasts that were made, in the order of their times.
    package internal(set) var forecasts: [ForecastRecord] = []

    /// How wrong its forecasts were; empty for a run that was not carried out to its end.
    package var forecastErrors: [ForecastError] {
      guard let total, outcome == .succeeded || outcome == .failed else { return [] }
      return forecasts.filter { $0.at <= total }.map { ForecastError($0, total: total) }
    }
  }

  /// How a task of a run ended.
  package struct Record: Hashable, Sendable {
    /// The place of the task in `tasks`.
    package let task: Int
    /// How it ended.
    package let outcome: RecordedOutcome
    /// How long it ran.
    package let ran: Duration
    /// The number of attempts.
    package let attempts: Int

    /// What it says about how long the task takes.
    package var evidence: Evidence { outcome.evidence(attempts: attempts) }
  }
}

/// How wrong a forecast of a run was.
package struct ForecastError: Hashable, Sendable {
  /// When it was made, since the run began.
  package let at: Duration
  /// The time that was left in truth.
  package let remaining: Duration
  /// What its median was too long; negative where it was too short.
  package let excess: Duration
  /// Whether the truth lay in the interval of 80 %.
  package let isInside: Bool

  /// Compares a forecast with the truth.
  ///
  /// - Parameters:
  ///   - forecast: The forecast.
  ///   - total: How long the run took in the end.
  init(_ forecast: ForecastRecord, total: Duration) {
    at = forecast.at
    remaining = total - forecast.at
    excess = forecast.median - remaining
    isInside = forecast.low <= remaining && remaining <= forecast.high
  }
}

/// What a history holds, for people.
package struct HistorySummary: Hashable, Sendable {
  /// The bytes of the file.
  package internal(set) var bytes: Int64 = 0
  /// The plans, by name.
  package internal(set) var plans: [Plan] = []

  /// What is kept of a plan.
  package struct Plan: Hashable, Sendable {
    /// The name of the plan.
    package let name: String
    /// The number of its runs.
    package let runs: Int
    /// The number of its tasks.
    package let tasks: Int
    /// The number of records of tasks.
    package let records: Int
    /// When the newest run began, in milliseconds since 1970.
    package let last: Int64
  }
}
