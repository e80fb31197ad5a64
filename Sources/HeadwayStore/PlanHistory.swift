internal import HeadwayForecast
package import HeadwayRun

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
    /// The name of the run.
    package let name: String
    /// When it began, in milliseconds since 1970.
    package let began: Int64
    /// The number of tasks that could run at once.
    package let workers: Int
    /// The machine.
    package let machine: MachineIdentity
    /// How long it took, nil for one that goes on or was killed.
    package let total: Duration?
    /// How it ended, nil for one that goes on or was killed.
    package let outcome: Outcome.Kind?
    /// The tasks that are over, in the order of their ends.
    package internal(set) var records: [Record] = []
    /// The forecasts that were made, in the order of their times.
    package internal(set) var forecasts: [ForecastRecord] = []
    /// What waited for what; nil where it was too large to be kept, or was not read: only a run by its name is read with it.
    ///
    /// Where there is one, every record's place is in it.
    package internal(set) var graph: GraphRecord?

    /// Whether it did all that it was to do: a run that was cut short proves no forecast wrong.
    ///
    /// One that failed counts where each of its tasks was tried all the same.
    package var isCarriedOut: Bool {
      switch outcome {
      case .succeeded, .upToDate: true
      case .failed, .timedOut:
        records.allSatisfy { $0.outcome != .skipped && $0.outcome != .cancelled }
      case .cancelled, .skipped, nil: false
      }
    }

    /// How wrong its forecasts were; empty for a run that was not carried out to its end, or in which tasks were up to date.
    ///
    /// What is up to date is not known before the run has looked, so what was told before proves nothing.
    package var forecastErrors: [ForecastError] {
      guard let total, isCarriedOut, !records.contains(where: { $0.outcome == .upToDate })
      else { return [] }
      return forecasts.filter { $0.at <= total }.compactMap { ForecastError($0, total: total) }
    }
  }

  /// How a task of a run ended.
  package struct Record: Hashable, Sendable {
    /// The place of the task in the `tasks` that were read with it.
    package internal(set) var task: Int
    /// The place of the task in the graph of its run.
    package let place: Int
    /// How it ended.
    package let outcome: Outcome.Kind
    /// When its first attempt began, since the run began; nil when it never did.
    package let began: Duration?
    /// How long it ran, from its first attempt to its end.
    package let ran: Duration
    /// How long its last attempt ran; nil when that is not known.
    package let took: Duration?
    /// The number of attempts.
    package let attempts: Int
    /// How long it took as a whole, as far as it says how long the task takes; nil when that is not known.
    package var duration: Duration? { attempts > 1 && took != nil ? ran : took }
    /// How long it was expected to take before the run began; nil when nothing was known.
    package let expected: Duration?

    /// What it says about how long the task takes.
    package var evidence: Evidence { outcome.evidence(took: took) }
  }
}

/// A run that was found by its name, with its graph and the tasks of its records.
package struct KeptRun: Hashable, Sendable {
  /// The name of its plan.
  package let plan: String
  /// The tasks that its records speak of, each once.
  package let tasks: [TaskIdentity]
  /// The run.
  package let run: PlanHistory.Run
}

/// How wrong a forecast of a run was.
package struct ForecastError: Hashable, Sendable {
  /// When it was made, since the run began.
  package let at: Duration
  /// The time that was told to be left.
  package let told: RemainingTime
  /// The time that was left in truth.
  package let remaining: Duration
  /// What its median was too long; negative where it was too short.
  package let excess: Duration
  /// Whether the truth lay in the interval of 80 %.
  package let isInside: Bool

  /// Compares a forecast with the truth; nil where there was no estimate.
  ///
  /// - Parameters:
  ///   - forecast: The forecast.
  ///   - total: How long the run took in the end.
  init?(_ forecast: ForecastRecord, total: Duration) {
    guard let told = forecast.remaining else { return nil }
    at = forecast.at
    self.told = told
    remaining = total - forecast.at
    excess = told.median - remaining
    isInside = told.low <= remaining && remaining <= told.high
  }
}

/// What a list of runs tells of one.
package struct RunSummary: Hashable, Sendable {
  /// The name of the run.
  package let name: String
  /// The name of its plan.
  package let plan: String
  /// When it began, in milliseconds since 1970.
  package let began: Int64
  /// How long it took, nil for one that goes on or was killed.
  package let total: Duration?
  /// How it ended, nil for one that goes on or was killed.
  package let outcome: Outcome.Kind?
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
