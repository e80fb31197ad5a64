internal import HeadwayRun

/// The numbers of a run that stand in its heading.
struct RunFacts {
  /// The times.
  let times: RunTimes
  /// The critical path.
  let path: RunPath
  /// What was told.
  let course: ForecastCourse
  /// How many tasks ended in which way, in the order of `OutcomeStyle.order`, without those of which there are none.
  let counts: [(style: OutcomeStyle, count: Int)]
  /// The work of all tasks together, in seconds.
  let work: Double
  /// The number of workers, at least 1.
  let workers: Int

  /// Reckons the numbers of a report.
  ///
  /// - Complexity: O(n log n) in tasks, needs and forecasts.
  init(_ report: RunReport) {
    times = RunTimes(report)
    path = RunPath(times, needs: report.needs)
    course = ForecastCourse(report.forecasts)
    workers = max(1, report.workers)
    work = times.work
    var byOutcome: [Outcome.Kind?: Int] = [:]
    for task in report.tasks { byOutcome[task.outcome, default: 0] += 1 }
    counts = OutcomeStyle.order.compactMap { outcome in
      byOutcome[outcome].map { (OutcomeStyle(outcome), $0) }
    }
  }

  /// How many workers were busy on average; nil when the run took no time.
  var busyWorkers: Double? { times.end > 0 ? work / times.end : nil }

  /// The part of what the workers could have done that was done; nil when the run took no time.
  var parallelism: Double? { busyWorkers.map { $0 / Double(workers) } }

  /// How far the shown fraction was from the truth; nil when that cannot be said.
  var meanError: Double? { times.total.flatMap { course.meanError(total: $0) } }

  /// The part of the time in which the told range held the end; nil when that cannot be said.
  var partInside: Double? { times.total.flatMap { course.partInside(total: $0) } }
}
