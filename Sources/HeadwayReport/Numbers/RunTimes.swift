internal import HeadwayRun

/// The times of a run in seconds, clamped to what is valid.
struct RunTimes {
  /// The maximum time in seconds, about three thousand years; longer times are clamped.
  static let maxSeconds = 1e11

  /// When each task began, 0 if that is unknown.
  private(set) var begins: [Double]
  /// When each task ended, 0 if that is unknown.
  private(set) var ends: [Double]
  /// Whether the times of each task are known.
  private(set) var isTimed: [Bool]
  /// How long the run took; nil if it is running or was killed.
  let total: Double?
  /// The end of the run, or the last moment of which something is known.
  let end: Double
  /// The end of the timeline: of the run, or of the last task if that ended later.
  let span: Double

  /// - Complexity: O(tasks + forecasts).
  init(_ report: RunReport) {
    let tasks = report.records
    isTimed = tasks.map { $0.began != nil && $0.outcome != .skipped }
    begins = tasks.map { $0.outcome == .skipped ? 0 : $0.began?.reportSeconds ?? 0 }
    ends = []
    ends.reserveCapacity(tasks.count)
    for (index, task) in tasks.enumerated() {
      let end = isTimed[index] ? begins[index] + task.ran.reportSeconds : 0
      ends.append(min(end, Self.maxSeconds))
    }
    let last = ends.max() ?? 0
    total = report.run.total?.reportSeconds
    end = total ?? report.run.forecasts.reduce(last) { max($0, $1.at.reportSeconds) }
    // A task without an outcome was running at the last known moment.
    for index in tasks.indices where isTimed[index] && tasks[index].outcome == nil {
      ends[index] = max(ends[index], end)
    }
    span = max(end, last)
  }

  func ran(_ task: Int) -> Double { ends[task] - begins[task] }

  /// Returns tasks in the order of their durations, the longest first.
  func longestFirst(_ tasks: some Sequence<Int>) -> [Int] {
    tasks.sorted { (ran($1), $0) < (ran($0), $1) }
  }

  /// The sum of the durations of all tasks.
  var work: Double { ends.indices.reduce(0) { $0 + ran($1) } }
}

extension Duration {
  /// The seconds, clamped to the range of a report.
  var reportSeconds: Double { min(max(0, self / .seconds(1)), RunTimes.maxSeconds) }
}
