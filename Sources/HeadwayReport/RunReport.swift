internal import HeadwayForecast
package import HeadwayRun

/// A run as one page of HTML that needs nothing beside itself: what ran when, what the run waited for, and how
/// well it was foreseen.
///
/// ```swift
/// let report = RunReport(
///   plan: "release", run: "20261121-195848", began: 1_795_291_128_000, workers: 2,
///   total: .seconds(44), outcome: .succeeded, tasks: tasks, needs: needs, forecasts: forecasts)
/// let page = report.page()
/// ```
///
/// ```
///   RunReport ──▶ RunTimes ──▶ RunPath ─────────▶ GanttLayout ──▶ GanttPicture ──┐
///                    │                                                           │
///                    ├───────▶ ForecastCourse ──▶ ForecastPictures ──────────────┼──▶ page
///                    │                                                           │
///                    └───────▶ RunFacts ────────▶ heading, TaskTable ────────────┘
/// ```
///
/// A pure value: no clock, no file, no locale. What it is given may be odd: places out of range, cycles, times before
/// the beginning or after the end, numbers that are none. Such things are left out or moved to the nearest that makes
/// sense, and the rest is shown.
///
/// The page forbids itself to load anything, from anywhere. Its one script sorts the table, and the page works
/// without it. Names are escaped, and shortened at 160 characters.
///
/// Whatever the number of tasks, the picture draws at most some 2,000 bars and merges the others into a density, and
/// the table lists at most 1,000 tasks; the page says where it leaves something out. It stays below 8 MB, at names of
/// usual length below 1 MB.
package struct RunReport: Sendable {
  /// A task of the run.
  package struct Task: Hashable, Sendable {
    /// The name.
    package var name: String
    /// A name that tasks of one sort have in common; may be empty.
    package var kind: String
    /// When its first attempt began, since the run began; nil when it never did, or nobody knows.
    package var began: Duration?
    /// How long it ran, from its first attempt to its end.
    package var ran: Duration
    /// The number of attempts.
    package var attempts: Int
    /// How it ended; nil when no end is known: it was running, or waiting, at the last known moment.
    package var outcome: Outcome.Kind?
    /// How long it was expected to take before the run; nil when nothing was known.
    package var expected: Duration?

    /// Creates a task.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - kind: A name that tasks of one sort have in common; may be empty.
    ///   - began: When its first attempt began, since the run began; nil when it never did, or nobody knows.
    ///   - ran: How long it ran, from its first attempt to its end.
    ///   - attempts: The number of attempts.
    ///   - outcome: How it ended; nil when no end is known.
    ///   - expected: How long it was expected to take before the run; nil when nothing was known.
    package init(
      name: String, kind: String = "", began: Duration? = nil, ran: Duration = .zero,
      attempts: Int = 1, outcome: Outcome.Kind? = .succeeded, expected: Duration? = nil
    ) {
      self.name = name
      self.kind = kind
      self.began = began
      self.ran = ran
      self.attempts = attempts
      self.outcome = outcome
      self.expected = expected
    }
  }

  /// What was told at a moment of the run.
  package struct Forecast: Hashable, Sendable {
    /// The moment, since the run began.
    package var at: Duration
    /// The fraction that was shown; outside 0 to 1 it is moved there, and left out when it is not a number.
    package var fraction: Double
    /// The time that was forecast to remain; nil when nothing was.
    package var remaining: RemainingTime?

    /// Creates a forecast.
    ///
    /// - Parameters:
    ///   - at: The moment, since the run began.
    ///   - fraction: The fraction that was shown.
    ///   - remaining: The time that was forecast to remain; nil when nothing was.
    package init(at: Duration, fraction: Double, remaining: RemainingTime?) {
      self.at = at
      self.fraction = fraction
      self.remaining = remaining
    }
  }

  /// The name of the plan.
  package var plan: String
  /// What the run is known by.
  package var run: String
  /// When it began, in milliseconds since 1970.
  package var began: Int64
  /// The zone in which that is shown, as seconds east of Greenwich; 0 shows UTC.
  package var secondsFromUTC: Int
  /// The number of tasks that could run at once.
  package var workers: Int
  /// How long it took, without pauses; nil when no end is known: it goes on, or was killed.
  package var total: Duration?
  /// How it ended; nil when no end is known.
  package var outcome: Outcome.Kind?
  /// The tasks, in the order of the plan.
  package var tasks: [Task]
  /// Which task waits for which, by their places: `task` starts after `before` has ended.
  package var needs: [(task: Int, before: Int)]
  /// What was told during the run.
  package var forecasts: [Forecast]

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - run: What the run is known by.
  ///   - began: When it began, in milliseconds since 1970.
  ///   - secondsFromUTC: The zone in which that is shown, as seconds east of Greenwich.
  ///   - workers: The number of tasks that could run at once.
  ///   - total: How long it took, without pauses; nil when no end is known.
  ///   - outcome: How it ended; nil when no end is known.
  ///   - tasks: The tasks, in the order of the plan.
  ///   - needs: Which task waits for which, by their places.
  ///   - forecasts: What was told during the run.
  package init(
    plan: String, run: String, began: Int64, secondsFromUTC: Int = 0, workers: Int,
    total: Duration?, outcome: Outcome.Kind?, tasks: [Task], needs: [(task: Int, before: Int)] = [],
    forecasts: [Forecast] = []
  ) {
    self.plan = plan
    self.run = run
    self.began = began
    self.secondsFromUTC = secondsFromUTC
    self.workers = workers
    self.total = total
    self.outcome = outcome
    self.tasks = tasks
    self.needs = needs
    self.forecasts = forecasts
  }

  /// The page.
  ///
  /// - Returns: A document of HTML in UTF-8.
  /// - Complexity: O(n log n) in tasks, needs and forecasts.
  package func page() -> String {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the page to bytes.
  ///
  /// - Parameter bytes: What the document of HTML in UTF-8 is appended to.
  /// - Complexity: O(n log n) in tasks, needs and forecasts.
  package func write(into bytes: inout [UInt8]) {
    var markup = Markup()
    swap(&markup.bytes, &bytes)
    ReportPage(self).write(into: &markup)
    swap(&markup.bytes, &bytes)
  }
}
