internal import HeadwayRun

/// The numbers in the heading of the page.
struct RunFacts {
  let times: RunTimes
  /// The critical path.
  let path: RunPath
  let course: ForecastCourse
  /// The number of tasks with each outcome that occurs, in the order of `OutcomeStyle.order`.
  let counts: [(style: OutcomeStyle, count: Int)]
  /// The sum of the durations of all tasks, in seconds.
  let work: Double
  /// The number of workers, at least 1.
  let workers: Int

  /// - Complexity: O(n log n) for n tasks, dependencies and forecasts.
  init(_ report: RunReport) {
    times = RunTimes(report)
    path = RunPath(times, report.run.graph)
    course = ForecastCourse(report.run.forecasts)
    workers = max(1, report.run.workers)
    work = times.work
    var byOutcome: [Outcome.Kind?: Int] = [:]
    for record in report.records where !record.isUnneeded {
      byOutcome[record.outcome, default: 0] += 1
    }
    counts = OutcomeStyle.order.compactMap { outcome in
      byOutcome[outcome].map { (OutcomeStyle(outcome), $0) }
    }
  }

  /// The mean number of busy workers; nil if the run took no time.
  var busyWorkers: Double? { times.end > 0 ? work / times.end : nil }

  /// The fraction of the workers that was busy on average; nil if the run took no time.
  var utilization: Double? { busyWorkers.map { $0 / Double(workers) } }

  /// The mean error of the shown fraction; nil if it is unknown.
  var meanError: Double? { times.total.flatMap { course.meanError(total: $0) } }

  /// The fraction of the time in which the actual end was inside the predicted range; nil if it is unknown.
  var coverage: Double? { times.total.flatMap { course.coverage(total: $0) } }
}
