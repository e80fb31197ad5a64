internal import HeadwayRun

/// How an outcome is shown: a CSS class, words, and a mark that needs no color.
struct OutcomeStyle: Equatable {
  /// The CSS class.
  let name: String
  let words: String
  let mark: String?

  /// Creates the style of an outcome, nil if it is unknown.
  init(_ outcome: Outcome.Kind?) {
    (name, words, mark) =
      switch outcome {
      case .succeeded: ("succeeded", "succeeded", "✓")
      case .upToDate: ("fresh", "up to date", "=")
      case .failed: ("failed", "failed", "✕")
      case .timedOut: ("late", "timed out", "!")
      case .cancelled: ("cancelled", "cancelled", "–")
      case .skipped: ("skipped", "skipped", "·")
      case nil: ("open", "not ended", "?")
      }
  }

  /// The outcomes in the order of counts and legends.
  static let order: [Outcome.Kind?] = [
    .succeeded, .upToDate, .failed, .timedOut, .cancelled, .skipped, nil,
  ]
}
