/// The columns of the live region, the same for the header and the tasks.
///
///     ▸ name        ━━━━━━━╸────────   12s  what else is to be said
///       |nameWidth| |  barWidth    | |   | |
package struct RegionColumns: Hashable, Sendable {
  /// The maximum number of columns of a row: one less than the terminal has, so that nothing wraps.
  package let width: Int
  /// The columns of names.
  package let nameWidth: Int
  /// The columns of bars, 0 if there is no room for them.
  package let barWidth: Int

  /// The columns of a time or a percentage.
  package static let timeWidth = 5
  /// The least `width` with bars.
  private static let narrowestWithBars = 48
  /// The least `width` with bars of more than `shortBar` columns.
  private static let narrowestWithWideBars = 72
  /// The columns of bars below that width.
  private static let shortBar = 8
  /// The maximum number of columns of a bar: longer bars are harder to read.
  private static let widestBar = 64

  /// Divides the columns of a terminal.
  package init(columns: Int, longestName: Int) {
    width = max(columns - 1, 1)
    let hasBars = width >= Self.narrowestWithBars
    let isWide = width >= Self.narrowestWithWideBars
    barWidth = hasBars ? (isWide ? min(width / 4, Self.widestBar) : Self.shortBar) : 0
    let room = hasBars ? width * 3 / 10 : width - 3 - Self.timeWidth
    nameWidth = max(min(longestName, room), 1)
  }

  /// The column in which the time or percentage ends.
  package var timeEnd: Int {
    2 + nameWidth + (barWidth > 0 ? 2 + barWidth : 0) + 1 + Self.timeWidth
  }
  /// The columns for other facts.
  package var noteWidth: Int { max(width - timeEnd - 2, 0) }
}
