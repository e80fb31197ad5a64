internal import HeadwayRun

/// How the end of a task is shown: a word, a mark that needs no colour, and a name for its look.
struct OutcomeStyle: Equatable {
  /// The class of its look.
  let name: String
  /// What it is called.
  let words: String
  /// A mark that stands for it.
  let mark: String?

  /// The style of an outcome, nil for a task of which no end is known.
  init(_ outcome: Outcome.Kind?) {
    (name, words, mark) =
      switch outcome {
      case .succeeded: ("succeeded", "succeeded", "✓")
      case .upToDate: ("fresh", "up to date", "=")
      case .failed: ("failed", "failed", "✕")
      case .timedOut: ("late", "timed out", "!")
      case .cancelled: ("cancelled", "cancelled", "–")
      case .skipped: ("skipped", "skipped", "·")
      case nil: ("open", "no end known", "?")
      }
  }

  /// The outcomes in the order in which they are counted and explained.
  static let order: [Outcome.Kind?] = [
    .succeeded, .upToDate, .failed, .timedOut, .cancelled, .skipped, nil,
  ]
}
