internal import HeadwayLaunch
internal import HeadwayProgress
internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// What the running tasks of a launcher report themselves: their counts in words, and what follows for the forecast.
///
/// A value of the console's inbox; not thread safe.
struct ReportedTasks: Sendable {
  /// The work of an attempt.
  private struct Work: Sendable {
    let attempt: Int
    var counted: CountedWork
    /// When the work was first seen.
    let begin: Duration
    /// When its fraction changed.
    var changed: Duration
    /// The fraction that was last reported to the forecaster, and when.
    var told = (fraction: 0.0, at: Duration.zero)

    /// Whether the fraction has not changed for unusually long: a quarter of the time that the work took to get there.
    func isStale(at now: Duration) -> Bool {
      now - changed > max((changed - begin) / 4, ReportedTasks.interval)
    }
  }

  /// The maximum number of tasks: more than fit on a screen.
  private static let limit = RunSnapshot.maximumActive
  private static let words = BoardWords(language: .english)
  /// The time between two reports of a fraction that has not changed.
  private static let interval = Duration.seconds(1)

  private let launcher: Launcher
  private var works: [Int: Work] = [:]
  /// The latest reports.
  private var latest: [(task: TaskID, snapshot: ProgressSnapshot, detail: String?)] = []

  /// Creates a reader for the tasks of a launcher.
  init(_ launcher: Launcher) { self.launcher = launcher }

  /// Reads the reports, and passes on what they mean for the remaining time.
  ///
  /// - Parameters:
  ///   - forecaster: The forecaster of the run.
  ///   - now: The time since the run began.
  /// - Returns: Whether the forecaster has learned something.
  mutating func read(for forecaster: inout RunForecaster?, at now: Duration) -> Bool {
    let active = forecaster?.state.active.prefix(Self.limit) ?? []
    let reports = launcher.reports(of: active)
    if reports.isEmpty, works.isEmpty { return false }
    var hasNews = false
    var next: [Int: Work] = [:]
    latest = []
    for (task, attempt, snapshot) in reports {
      var work =
        works[task.index].flatMap {
          $0.attempt == attempt && $0.counted.kind == snapshot.kind ? $0 : nil
        }
        ?? Work(
          attempt: attempt,
          counted: CountedWork(
            snapshot.kind, total: snapshot.total.map { Double($0) }, completed: 0, at: now),
          begin: now, changed: now)
      work.counted.setTotal(snapshot.total.map { Double($0) })
      work.counted.setPaused(snapshot.isPaused, at: now)
      work.counted.setRemaining(snapshot[ProgressKeys.RemainingTime.self])
      work.counted.report(Double(snapshot.completed), at: now)
      _ = work.counted.update(at: now, Self.words)
      let fraction = snapshot.shownFraction
      if fraction != work.told.fraction { work.changed = now }
      // Without a new report, the estimate would count down as if all went on.
      let isDue = work.isStale(at: now) && now - work.told.at >= Self.interval && fraction > 0
      if snapshot.total != nil, work.changed == now || isDue {
        work.told = (fraction, now)
        forecaster?.report(task, part: fraction, at: now)
        hasNews = true
      }
      let facts = work.counted.facts(Self.words, detail: snapshot.detail)
      latest.append((task, snapshot, facts.isEmpty ? nil : facts.joined(separator: ", ")))
      next[task.index] = work
    }
    works = next
    return hasNews
  }

  /// Adds the latest reports to a forecast.
  func add(to forecast: inout RunForecast?) {
    guard forecast != nil else { return }
    for (task, snapshot, detail) in latest {
      forecast?.add(snapshot, of: task, detail: detail)
      // The detail says it, as far as it follows from the counts.
      if snapshot.kind.hasCounts, let index = forecast?.tasks.firstIndex(where: { $0.id == task }) {
        forecast?.tasks[index].remaining = nil
      }
    }
  }
}
