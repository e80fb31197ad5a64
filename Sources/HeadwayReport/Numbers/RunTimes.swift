internal import HeadwayRun

/// The times of a run in seconds, with what makes no sense moved to the nearest that does.
struct RunTimes {
  /// The most seconds that are reckoned with, some three thousand years; more counts as that.
  static let most = 1e11

  /// When each task began; 0 for one whose time is not known.
  private(set) var begins: [Double]
  /// When each task ended; 0 for one whose time is not known.
  private(set) var ends: [Double]
  /// Whether it is known when a task ran.
  private(set) var isTimed: [Bool]
  /// How long the run took; nil when no end is known.
  let total: Double?
  /// The end of the run, or the last moment that something is known of.
  let end: Double
  /// The time that pictures show: to the end, or to the last task where one ended later.
  let span: Double

  /// Reads the times of a report.
  ///
  /// - Complexity: O(tasks + forecasts).
  init(_ report: RunReport) {
    let tasks = report.tasks
    isTimed = tasks.map { $0.began != nil && $0.outcome != .skipped }
    begins = tasks.map { $0.outcome == .skipped ? 0 : $0.began?.reportSeconds ?? 0 }
    ends = []
    ends.reserveCapacity(tasks.count)
    for (place, task) in tasks.enumerated() {
      let end = isTimed[place] ? begins[place] + task.ran.reportSeconds : 0
      ends.append(min(end, Self.most))
    }
    let last = ends.max() ?? 0
    total = report.total?.reportSeconds
    end = total ?? report.forecasts.reduce(last) { max($0, $1.at.reportSeconds) }
    // A task without an end was running when the last was heard of it.
    for place in tasks.indices where isTimed[place] && tasks[place].outcome == nil {
      ends[place] = max(ends[place], end)
    }
    span = max(end, last)
  }

  /// How long a task ran.
  func ran(_ task: Int) -> Double { ends[task] - begins[task] }

  /// The work of all tasks together.
  var work: Double { ends.indices.reduce(0) { $0 + ran($1) } }
}

extension Duration {
  /// The seconds, at least zero and at most what a report reckons with.
  var reportSeconds: Double {
    let (seconds, attoseconds) = components
    return min(max(0, Double(seconds) + Double(attoseconds) * 1e-18), RunTimes.most)
  }
}
