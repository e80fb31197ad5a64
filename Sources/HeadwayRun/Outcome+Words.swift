extension Outcome.Kind {
  /// The outcome in the words of people: `timed out`.
  package var words: String {
    switch self {
    case .succeeded: "succeeded"
    case .upToDate: "up to date"
    case .failed: "failed"
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    }
  }
}
