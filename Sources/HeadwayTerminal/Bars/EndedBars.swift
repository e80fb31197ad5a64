internal import HeadwayBar

/// The bars that ended last, so that they can be reset.
///
/// A bar that is never reset must not occupy memory for as long as the program runs; so only the last ones are kept.
///
/// A pure value; not thread safe.
struct EndedBars: Sendable {
  /// What a bar needs to begin again.
  struct Bar: Sendable {
    let id: BarBoard.ID
    let parent: BarBoard.ID?
    let label: String
    let bar: ProgressBar
    let work: CountedWork?
    /// Whether it failed.
    let hasFailed: Bool
  }

  /// The minimum number of bars that are kept: more than a program has in view, and less than a megabyte.
  static let limit = 256

  /// The bars, the latest last; at most twice the limit, so that the oldest ones are removed together.
  private var bars: [Bar] = []

  /// Adds a bar that ends.
  ///
  /// - Complexity: O(1), amortized.
  mutating func add(_ entry: BarBoard.Entry, hasFailed: Bool) {
    if bars.count == 2 * Self.limit { bars.removeFirst(Self.limit) }
    bars.append(
      Bar(
        id: entry.id, parent: entry.parent, label: entry.label, bar: entry.bar, work: entry.work,
        hasFailed: hasFailed))
  }

  /// Removes a bar.
  ///
  /// - Parameter id: The bar.
  /// - Returns: The bar, nil if it has not ended or too many have ended since.
  /// - Complexity: O(`limit`).
  mutating func take(_ id: BarBoard.ID) -> Bar? {
    guard let index = bars.lastIndex(where: { $0.id == id }) else { return nil }
    return bars.remove(at: index)
  }
}
