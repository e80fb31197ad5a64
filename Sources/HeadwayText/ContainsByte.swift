extension String {
  /// Returns whether a byte of the text fulfils a condition; several times faster than `utf8.contains(where:)`.
  ///
  /// - Complexity: O(length).
  @inlinable package func containsByte(where condition: (UInt8) -> Bool) -> Bool {
    let bytes = utf8Span.span
    for index in bytes.indices where condition(bytes[index]) { return true }
    return false
  }
}
