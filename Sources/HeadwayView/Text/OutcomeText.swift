internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// A text and how it looks.
typealias StyledText = (text: String, textStyle: TextStyle)

/// The words for outcomes, the same for all renderers.
struct OutcomeText {
  let description: RunDescription

  /// A few words beside the state, empty if the state says everything.
  ///
  /// - Parameters:
  ///   - outcome: How a task ended.
  ///   - needed: The outcome of the task that a skipped one needs.
  /// - Returns: The words.
  func detail(_ outcome: Outcome, needed: Outcome?) -> String {
    switch outcome {
    case .succeeded, .cancelled, .skipped(.upToDate), .skipped(.doneEarlier): return ""
    case .failed(let failure): return Self.words(failure)
    case .timedOut(let limit): return "limit of \(DurationText.chosen(limit))"
    case .skipped(.needs(let task)):
      return "needs \(name(task)), which \(past(needed?.kind, of: task))"
    case .skipped(.stopped(let task)): return "stopped when \(name(task)) failed"
    case .skipped(.removed): return "removed"
    case .skipped(.condition): return "its condition is false"
    case .lost: return "its end is unknown"
    }
  }

  /// What went wrong with an attempt, as part of a sentence: `failed with exit 7`.
  func mishap(_ outcome: Outcome, of task: TaskID) -> String {
    switch outcome {
    case .failed: TaskOutputText.line("\(outcome)")
    case .timedOut: outcome.details(ofService: description.services.contains(task))
    case .succeeded, .cancelled, .skipped, .lost: outcome.kind.words
    }
  }

  /// The name of a task, safe to print.
  func name(_ task: TaskID) -> String {
    TaskOutputText.line(description.name(of: task))
  }

  /// The mark of a failed optional task, empty for others.
  func optionalMark(_ task: TaskID, _ outcome: Outcome) -> String {
    description.isOptional(task) && outcome.isFailure ? "(optional)" : ""
  }

  /// Why an attempt failed, safe to print.
  static func words(_ failure: Failure) -> String { TaskOutputText.line(failure.words) }

  /// An outcome as the end of a relative clause.
  private func past(_ outcome: Outcome.Kind?, of task: TaskID) -> String {
    guard let outcome else { return "did not end" }
    switch outcome {
    case .timedOut where description.services.contains(task): return "was not ready in time"
    case .succeeded, .failed, .timedOut: return outcome.words
    case .upToDate, .doneEarlier, .cancelled, .skipped, .lost: return "was \(outcome.words)"
    }
  }
}
