extension String {
  /// The text as it is written for a shell between single quotes.
  package var insideSingleQuotes: String {
    split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
  }
}
