/// A text as the system sees it: it equals another one only if both have the same bytes.
///
/// Texts of Swift are equal if Unicode calls them equivalent, as `é` in one character and as `e` with an accent are. For names of
/// files, and for values that a program receives, these are two.
package struct ExactText: Hashable, Sendable {
  /// The text.
  package let text: Substring

  /// Creates an exact text.
  package init(_ text: some StringProtocol) { self.text = Substring(text) }

  package static func == (first: ExactText, second: ExactText) -> Bool {
    first.text.isExactly(second.text)
  }

  package func hash(into hasher: inout Hasher) {
    // That of Foundation may not be.
    var text = text
    text.makeContiguousUTF8()
    unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    // Follows no text, so that none continues another.
    hasher.combine(0xFF as UInt8)
  }
}

extension StringProtocol {
  /// Whether a text has the same bytes as another one.
  ///
  /// - Complexity: O(length).
  package func isExactly(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether the bytes of a text begin with those of another one.
  ///
  /// - Complexity: O(length of the beginning).
  package func startsExactly(with beginning: some StringProtocol) -> Bool {
    utf8.starts(with: beginning.utf8)
  }
}
