internal import Foundation

/// Writes the numbers of progress as a locale has them.
struct ProgressNumbers {
  /// The locale.
  let locale: Locale

  /// A whole number, with the separators of the locale.
  func number(_ number: Int) -> String { number.formatted(.number.locale(locale)) }

  /// A whole percentage.
  func percent(_ percent: Int) -> String { percent.formatted(.percent.locale(locale)) }

  /// A size in decimal units, "0 bytes" to "9.2 EB"; a negative one counts as 0.
  func bytes(_ count: Int) -> String {
    let count = max(count, 0)
    // Left to itself the style rounds 999 bytes to "1 kB".
    let units: ByteCountFormatStyle.Units = count < 1_000 ? .bytes : .default
    return Int64(count).formatted(
      .byteCount(style: .file, allowedUnits: units, spellsOutZero: false).locale(locale))
  }

  /// The percentage of a fraction that was seen, rounded down; 100 only for work that has finished.
  ///
  /// - Parameters:
  ///   - fraction: From 0 to 1; a shown fraction is a multiple of 2⁻⁵⁰ at or below the exact one.
  ///   - isFinished: Whether the work has ended.
  /// - Returns: 0 to 100.
  static func wholePercent(of fraction: Double, isFinished: Bool) -> Int {
    if isFinished { return 100 }
    // So that 29 of 100, whose fraction is a little less than 0.29, reads as 29.
    return min(max(Int(fraction * 100 + 1e-9), 0), 99)
  }
}

/// A time span in one or two units, rounded up to seconds, as "2 minutes, 5 seconds" has it.
struct SpanOfTime: Equatable {
  /// A unit of time in which people count.
  enum Unit: Int, CaseIterable {
    /// 86,400 seconds.
    case day = 86_400
    /// 3,600 seconds.
    case hour = 3_600
    /// 60 seconds.
    case minute = 60
    /// One second.
    case second = 1
  }

  /// A number of units.
  struct Part: Equatable {
    /// How many.
    var count: Int
    /// Of what.
    var unit: Unit
  }

  /// The largest unit of which there is at least one, and the next smaller one unless there is none of it.
  let parts: [Part]

  /// Takes a time apart.
  ///
  /// - Parameter duration: The time; nothing is left of one that is not above zero.
  init?(_ duration: Duration) {
    guard duration > .zero else { return nil }
    let (seconds, attoseconds) = duration.components
    let isWhole = attoseconds == 0 || seconds == .max
    var rest = Int(seconds) + (isWhole ? 0 : 1)
    var parts: [Part] = []
    for unit in Unit.allCases {
      let count = rest / unit.rawValue
      rest %= unit.rawValue
      if count > 0 { parts.append(Part(count: count, unit: unit)) }
      // Behind the largest unit comes the next smaller one or nothing.
      if !parts.isEmpty, unit != parts[0].unit { break }
    }
    self.parts = parts
  }
}
