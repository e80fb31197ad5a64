internal import Foundation
internal import HeadwayText

/// Formats numbers for a locale.
struct ProgressNumbers {
  let locale: Locale

  func number(_ number: Int) -> String { number.formatted(.number.locale(locale)) }

  func percent(_ percent: Int) -> String { percent.formatted(.percent.locale(locale)) }

  /// A size in decimal units, from "0 bytes" to "9.2 EB".
  func bytes(_ count: Int) -> String {
    let count = max(count, 0)
    // By default the style rounds 999 bytes to "1 kB".
    let units: ByteCountFormatStyle.Units = count < 1_000 ? .bytes : .default
    return Int64(count).formatted(
      .byteCount(style: .file, allowedUnits: units, spellsOutZero: false).locale(locale))
  }

  /// The percentage of a fraction, rounded down; 100 only for finished work.
  static func wholePercent(of fraction: Double, isFinished: Bool) -> Int {
    isFinished ? 100 : min(PercentText.wholeNumber(fraction), 99)
  }
}

/// A duration in one or two units, rounded up to seconds, such as "2 minutes, 5 seconds".
struct TimeSpan: Equatable {
  enum Unit: Int, CaseIterable {
    case day = 86_400
    case hour = 3_600
    case minute = 60
    case second = 1
  }

  struct Part: Equatable {
    var count: Int
    var unit: Unit
  }

  /// The largest unit with a count above 0, and the next smaller one unless its count is 0.
  let parts: [Part]

  /// Splits a duration into units; nil unless it is above zero.
  init?(_ duration: Duration) {
    guard duration > .zero else { return nil }
    let (seconds, attoseconds) = duration.components
    let isWhole = attoseconds == 0 || seconds == .max
    var remaining = Int(seconds) + (isWhole ? 0 : 1)
    var parts: [Part] = []
    for unit in Unit.allCases {
      let count = remaining / unit.rawValue
      remaining %= unit.rawValue
      if count > 0 { parts.append(Part(count: count, unit: unit)) }
      // Only the next smaller unit can follow the largest one.
      if !parts.isEmpty, unit != parts[0].unit { break }
    }
    self.parts = parts
  }
}
