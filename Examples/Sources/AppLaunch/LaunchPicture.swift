import Console
import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import HeadwayTerminal

/// What a launch screen shows: lines that stay, and words for the row that moves.
///
/// A pure value that folds the events of a run and the snapshots of its progress.
struct LaunchPicture: Sendable {
  /// The tasks without which the app starts too.
  private let optional: Set<String>
  /// Whether there are signs beyond ASCII.
  private let isUnicode: Bool
  /// Whether what runs is told in lines, because there is no row that moves.
  private let isPlain: Bool
  /// The state of the run.
  private var status = RunState(taskCount: StartStep.allCases.count)
  /// How far the run is.
  private var snapshot: ProgressSnapshot?

  /// Creates the picture of a run that has not begun.
  ///
  /// - Parameters:
  ///   - row: Where it is shown.
  ///   - optional: The tasks without which the app starts too.
  init(on row: StatusRow, optional: Set<String>) {
    self.optional = optional
    isUnicode = row.style.unicode
    isPlain = !row.isLive
  }

  /// Whether the run has ended.
  var isOver: Bool { status.total != nil }

  /// The part of the run that is done.
  var fraction: Double { snapshot?.shownFraction ?? 0 }

  /// What is being done, and how far that is.
  var words: String {
    guard let task = status.active.first else { return "" }
    let node = snapshot?.children.first { $0.label == task.name }
    return "\(task.name) \(node?.deepest.megabytes ?? "")"
  }

  /// Takes in how far the run is.
  mutating func receive(_ snapshot: ProgressSnapshot) { self.snapshot = snapshot }

  /// Takes the next event of the run in.
  ///
  /// - Parameter event: What happened.
  /// - Returns: The lines that tell it.
  mutating func receive(_ event: RunEvent) -> [String] {
    status.apply(event)
    switch event.kind {
    case .taskStarted(let task, let attempt):
      return isPlain ? [mark("•", "*", task, attempt > 1 ? "attempt \(attempt)" : "started")] : []
    case .taskRetrying(let task, let attempt, let delay, let cause):
      let next = "attempt \(attempt) in \(milliseconds(delay))"
      return [mark("↻", "~", task, "\(reason(cause)); \(next)")]
    case .taskEnded(let task, let outcome, _, let ran):
      return [line(task, outcome, ran)]
    case .runProceeding: return ["  the app starts without it"]
    case .runEnding(.failure): return ["  the app cannot start without it"]
    case .runEnding(.deadline(let limit)):
      return ["  the start takes more than \(limit)"]
    case .missed(let count, _): return ["  \(count) events were not seen"]
    case .runStarted, .taskOverdue, .taskAdded, .taskExtended, .taskReportedAgain, .runPaused,
      .runResumed, .runHeld, .queueEmptied, .forecast, .runEnding, .runEnded:
      return []
    }
  }

  /// The line of a task that has ended.
  private func line(_ task: TaskID, _ outcome: Outcome, _ ran: Duration) -> String {
    switch outcome {
    case .succeeded: return mark("✓", "+", task, milliseconds(ran))
    case .failed, .timedOut:
      let rest = optional.contains(task.name) ? "; the app starts without it" : ""
      return mark("✗", "x", task, reason(outcome) + rest)
    case .cancelled, .skipped: return mark("○", "o", task, reason(outcome))
    @unknown default: return mark("○", "o", task, reason(outcome))
    }
  }

  /// Why a task did not succeed.
  private func reason(_ outcome: Outcome) -> String {
    switch outcome {
    case .failed(let failure): failure.description
    case .timedOut(let limit): "not done within \(limit)"
    case .cancelled: "cancelled"
    case .skipped: "not begun"
    case .succeeded: "done"
    @unknown default: "\(outcome)"
    }
  }

  /// A line about a task.
  private func mark(_ sign: String, _ plain: String, _ task: TaskID, _ words: String) -> String {
    let width = StartStep.allCases.map(\.rawValue.count).max() ?? 0
    let gap = String(repeating: " ", count: max(width - task.name.count, 0) + 2)
    return "\(isUnicode ? sign : plain) \(task.name)\(gap)\(words)"
  }
}

extension ProgressSnapshot {
  /// The step at work: the first of the children that have not finished, and of theirs.
  fileprivate var deepest: ProgressSnapshot { children.first?.deepest ?? self }

  /// The step and its bytes in words; empty for what does not count bytes.
  fileprivate var megabytes: String {
    guard kind.countsBytes, let total, total >= 1_000_000 else { return "" }
    return "(\(label) \(completed / 1_000_000) of \(total / 1_000_000) MB)"
  }
}
