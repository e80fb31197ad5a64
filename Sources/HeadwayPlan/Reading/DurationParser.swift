internal import HeadwayRun

/// Parses durations such as `90s`, `5m`, `1h30m`, `1.5s`, `250ms` and `2d`.
enum DurationParser {
  /// The error for an invalid duration.
  struct ParseError: Error, Equatable {
    /// What is wrong and what to write instead.
    var message: String
  }

  /// Examples of durations, for messages.
  static let examples = "250ms, 90s, 5m, 1h30m or 2d"

  /// The units, largest first, with other words that people use for them.
  private static let units: [(name: String, nanoseconds: Int64, words: [String])] = [
    ("d", 86_400_000_000_000, ["day", "days"]),
    ("h", 3_600_000_000_000, ["hr", "hrs", "hour", "hours"]),
    ("m", 60_000_000_000, ["min", "mins", "minute", "minutes"]),
    ("s", 1_000_000_000, ["sec", "secs", "second", "seconds"]),
    ("ms", 1_000_000, ["msec", "millisecond", "milliseconds"]),
  ]

  /// Parses a duration.
  static func parse(_ text: String) throws(ParseError) -> Duration {
    var rest = Substring(text)
    var total: Int64 = 0
    var lastUnit = -1
    while !rest.isEmpty {
      if lastUnit >= 0, rest.first == " " { rest.removeFirst() }
      guard let number = takeNumber(&rest) else { throw invalid(text) }
      let word = rest.prefix { $0.isASCII && $0.isLetter }
      guard let unit = units.firstIndex(where: { $0.name == word }), unit > lastUnit else {
        throw invalid(text, number: number.text, unit: String(word))
      }
      rest.removeFirst(word.count)
      lastUnit = unit
      let (part, isTooLong) = units[unit].nanoseconds.multipliedReportingOverflow(by: number.whole)
      let (sum, isTooMuch) = total.addingReportingOverflow(
        part &+ units[unit].nanoseconds / 1_000_000 * number.millionths)
      total = sum
      if isTooLong || isTooMuch || total < 0
        || total > units[0].nanoseconds * Int64(RunLimits.days)
      {
        throw ParseError(
          message: "duration \(quoted(text)) is too long; the maximum is \(RunLimits.days)d")
      }
    }
    guard lastUnit >= 0 else { throw invalid(text) }
    return .nanoseconds(total)
  }

  /// A number before a unit.
  private struct Number {
    var whole: Int64
    /// The part after the decimal point.
    var millionths: Int64
    /// The number as written.
    var text: String
  }

  /// Removes a number such as `90` or `1.5` from the front of a text.
  private static func takeNumber(_ rest: inout Substring) -> Number? {
    let whole = rest.prefix(while: isDigit)
    guard !whole.isEmpty else { return nil }
    var text = String(whole)
    rest.removeFirst(whole.count)
    var millionths: Int64 = 0
    if rest.first == "." {
      let digits = rest.dropFirst().prefix(while: isDigit)
      guard !digits.isEmpty else { return nil }
      // Six digits are kept: a millionth of a millisecond is a nanosecond, the resolution.
      let kept = digits.prefix(6)
      millionths = Int64(kept + String(repeating: "0", count: 6 - kept.count)) ?? 0
      text += "." + digits
      rest.removeFirst(digits.count + 1)
    }
    // A number that does not fit is too long with any unit.
    return Number(whole: Int64(whole) ?? .max, millionths: millionths, text: text)
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  /// Returns the error for a text that is not a duration.
  private static func invalid(_ text: String) -> ParseError {
    ParseError(message: "invalid duration \(quoted(text)); write it like \(examples)")
  }

  /// Returns the error for a text with an invalid unit, with a correction if there is an obvious one.
  private static func invalid(_ text: String, number: String, unit: String) -> ParseError {
    if unit.isEmpty, number == text {
      return ParseError(
        message:
          "duration \(text) has no unit; write \"\(text)s\" for seconds, or use ms, m, h or d")
    }
    let trimmed = text.filter { $0 != " " }
    let word = trimmed.dropFirst(number.count).lowercased()
    if let known = units.first(where: { $0.name == word || $0.words.contains(word) }),
      trimmed.hasPrefix(number)
    {
      return ParseError(
        message: "invalid duration \(quoted(text)); write \"\(number)\(known.name)\"")
    }
    if units.contains(where: { $0.name == unit }) {
      return ParseError(
        message:
          "invalid duration \(quoted(text)); units must go from large to small, as in 1h30m")
    }
    return invalid(text)
  }
}

/// Reads a duration that a user gives outside of a plan.
///
/// - Parameter text: The duration, such as `90s` or `1h30m`.
/// - Returns: The duration.
/// - Throws: `UnreadableDuration` if it is none.
package func readDuration(_ text: String) throws(UnreadableDuration) -> Duration {
  do throws(DurationParser.ParseError) {
    return try DurationParser.parse(text)
  } catch {
    throw UnreadableDuration(reason: error.message)
  }
}

/// A text that is no duration.
package struct UnreadableDuration: Error {
  /// What is wrong and what to write instead.
  package let reason: String
}
