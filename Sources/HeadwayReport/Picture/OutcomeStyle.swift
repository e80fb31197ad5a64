internal import HeadwayRun

/// How an outcome is shown: a CSS class, words, and a mark that needs no color.
struct OutcomeStyle: Equatable {
  /// The CSS class.
  let name: String
  let words: String
  let mark: String?

  /// Creates the style of an outcome, nil if it is unknown.
  init(_ outcome: Outcome.Kind?) {
    words = outcome?.words ?? "not ended"
    (name, mark) =
      switch outcome {
      case .succeeded: ("succeeded", "✓")
      case .upToDate, .doneEarlier: ("fresh", "=")
      case .failed: ("failed", "✕")
      case .timedOut: ("late", "!")
      case .cancelled: ("cancelled", "–")
      case .skipped: ("skipped", "·")
      case .lost: ("lost", "?")
      case nil: ("open", "…")
      }
  }

  /// Creates the style of what became of a task.
  init(_ record: TaskRecord) {
    let style = Self(record.outcome)
    (name, mark) = (style.name, style.mark)
    words =
      record.isUnneeded
      ? "not needed" : record.outcome?.words(ofService: record.role == .service) ?? style.words
  }

  /// The outcomes in the order of counts and legends.
  static let order: [Outcome.Kind?] = Outcome.Kind.allCases + [nil]
}
