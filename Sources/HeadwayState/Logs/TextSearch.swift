/// Looks for a text in bytes that come in pieces of any size, without keeping them.
///
/// The text may begin in one piece and end in a later one. A pure value.
package struct TextSearch {
  private let wanted: [UInt8]
  /// The last bytes before the next piece, fewer than the text has.
  private var rest: [UInt8] = []
  /// Whether the text has come.
  package private(set) var isFound: Bool

  /// Creates a search that has seen nothing; an empty text is found at once.
  package init(for text: String) {
    wanted = Array(text.utf8)
    isFound = wanted.isEmpty
  }

  /// Looks on.
  ///
  /// - Complexity: O(bytes), mostly.
  mutating func append(_ bytes: some Collection<UInt8>) {
    guard !isFound else { return }
    rest += bytes
    isFound = rest.contains(wanted)
    rest = isFound ? [] : Array(rest.suffix(wanted.count - 1))
  }
}
