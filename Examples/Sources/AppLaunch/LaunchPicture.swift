import Console
import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import HeadwayTerminal

/// The content of a launch screen: lines that stay, and the text beside the bar.
///
/// A pure value that folds the events of a run and the snapshots of its progress.
struct LaunchPicture: Sendable {
  /// The optional tasks.
  private let optional: Set<String>
  /// Whether characters beyond ASCII can be shown.
  private let isUnicode: Bool
  /// Whether running tasks are shown as lines, because there is no bar.
  private let isPlain: Bool
  private var status = RunState(taskCount: StartStep.allCases.count)
  /// The progress of the run.
  private var snapshot: ProgressSnapshot?

  /// Creates the content for a run that has not begun.
  ///
  /// - Parameters:
  ///   - row: The row of the bar.
  ///   - optional: The optional tasks.
  init(on row: StatusRow, optional: Set<String>) {
    self.optional = optional
    isUnicode = row.style.unicode
    isPlain = !row.isLive
  }

  /// Whether the run has ended.
  var isOver: Bool { status.total != nil }

  /// The part of the run that is done.
  var fraction: Double { snapshot?.shownFraction ?? 0 }

  /// The running tasks, and their progress.
  var words: String {
    guard let task = status.active.first else { return "" }
    let node = snapshot?.children.first { $0.label == task.name }
    return "\(task.name) \(node?.deepest.megabytes ?? "")"
  }

  /// Receives the progress of the run.
  mutating func receive(_ snapshot: ProgressSnapshot) { self.snapshot = snapshot }

  /// Receives the next event of the run.
  ///
  /// - Parameter event: The event.
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
    case .missed(let count, _): return ["  \(count) events were missed"]
    // Whatever else happens is seen in the picture, or cannot happen to an app that starts.
    default: return []
    }
  }

  /// The line of a task that has ended.
  private func line(_ task: TaskID, _ outcome: Outcome, _ ran: Duration) -> String {
    switch outcome {
    case .succeeded: return mark("✓", "+", task, milliseconds(ran))
    case .failed, .timedOut:
      let rest = optional.contains(task.name) ? "; the app starts without it" : ""
      return mark("✗", "x", task, reason(outcome) + rest)
    case .cancelled, .skipped, .lost: return mark("○", "o", task, reason(outcome))
    @unknown default: return mark("○", "o", task, reason(outcome))
    }
  }

  /// Why a task did not succeed.
  private func reason(_ outcome: Outcome) -> String {
    switch outcome {
    case .failed(let failure): failure.description
    case .timedOut(let limit): "timed out after \(limit)"
    case .cancelled: "cancelled"
    case .skipped: "not started"
    case .lost: "its end is unknown"
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
  /// The current step: the first unfinished child, and of its children.
  fileprivate var deepest: ProgressSnapshot { children.first?.deepest ?? self }

  /// The step with its bytes as text; empty if it does not count bytes.
  fileprivate var megabytes: String {
    guard kind.countsBytes, let total, total >= 1_000_000 else { return "" }
    return "(\(label) \(completed / 1_000_000) of \(total / 1_000_000) MB)"
  }
}
