package import HeadwayRun

/// A self-contained HTML page about a run: a timeline, the critical path, and the accuracy of the forecast.
///
/// ```swift
/// let page = RunReport(run, secondsFromUTC: 3600).page()
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
/// A pure value without clock, file or locale. The run may contain anything: cycles, times before the beginning or after
/// the end, NaN. Invalid values are left out or clamped, and the rest is shown.
///
/// The content security policy of the page forbids it to load anything. Its one script sorts the table, and the page works
/// without it. Names are escaped, and truncated to 160 characters.
///
/// For any number of tasks, the timeline draws at most about 2,000 bars and merges the others into a density, and the table
/// lists at most 1,000 tasks; the page says where it leaves something out. It is smaller than 8 MB, and smaller than 1 MB
/// with names of usual length.
package struct RunReport: Sendable {
  /// The run.
  let run: RunRecord
  /// Whether a run without an outcome is still running; nil if that is unknown.
  let isRunning: Bool?
  /// The time zone of the page, in seconds east of Greenwich.
  let secondsFromUTC: Int
  /// The facts about tasks that failed, by index, as far as they are known.
  let failures: [Int: TaskFailure]
  /// The other machines that carried out the tasks, by index.
  let hosts: [Int: String]
  /// The record of each task, by index; a task without one has no outcome.
  let records: [TaskRecord]

  /// The maximum number of failed tasks above the timeline.
  package static let maxFailures = 10

  /// The tasks, by index.
  var tasks: [TaskIdentity] { run.tasks }

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - isRunning: Whether a run without an outcome is still running; nil if that is unknown.
  ///   - secondsFromUTC: The time zone of the page, in seconds east of Greenwich.
  ///   - failures: The facts about tasks that failed, by index, as far as they are known.
  ///   - hosts: The other machines that carried out the tasks, by index.
  package init(
    _ run: RunRecord, isRunning: Bool? = nil, secondsFromUTC: Int = 0,
    failures: [Int: TaskFailure] = [:], hosts: [Int: String] = [:]
  ) {
    self.failures = failures
    self.hosts = hosts
    self.run = run
    self.isRunning = isRunning
    self.secondsFromUTC = secondsFromUTC
    var records = run.tasks.indices.map { TaskRecord(index: $0, outcome: nil, attempts: 0) }
    for record in run.records where records.indices.contains(record.index) {
      records[record.index] = record
    }
    self.records = records
  }

  /// Returns the page as an HTML document.
  ///
  /// - Complexity: O(n log n) for n tasks, dependencies and forecasts.
  package func page() -> String {
    var markup = Markup()
    ReportPage(self).write(into: &markup)
    return String(decoding: markup.bytes, as: UTF8.self)
  }
}
