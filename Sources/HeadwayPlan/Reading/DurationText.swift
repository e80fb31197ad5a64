/// Durations as people write them: `90s`, `5m`, `1h30m`, `1.5s`, `250ms`, `2d`.
enum DurationText {
  /// What a text turned out to be.
  enum Reading: Equatable {
    /// A duration.
    case duration(Duration)
    /// No duration, with the words that say why and what to write.
    case mistake(String)
  }

  /// The forms that a message offers.
  static let forms = "250ms, 90s, 5m, 1h30m or 2d"

  /// A unit with the nanoseconds that it stands for, largest first, and other words that people use for it.
  private static let units: [(name: String, nanoseconds: Int64, words: [String])] = [
    ("d", 86_400_000_000_000, ["day", "days"]),
    ("h", 3_600_000_000_000, ["hr", "hrs", "hour", "hours"]),
    ("m", 60_000_000_000, ["min", "mins", "minute", "minutes"]),
    ("s", 1_000_000_000, ["sec", "secs", "second", "seconds"]),
    ("ms", 1_000_000, ["msec", "millisecond", "milliseconds"]),
  ]

  /// Reads a duration.
  static func read(_ text: String) -> Reading {
    var rest = Substring(text)
    var total: Int64 = 0
    var lastUnit = -1
    while !rest.isEmpty {
      if lastUnit >= 0, rest.first == " " { rest.removeFirst() }
      guard let number = takeNumber(&rest) else { return .mistake(unreadable(text)) }
      let word = rest.prefix { $0.isASCII && $0.isLetter }
      guard let unit = units.firstIndex(where: { $0.name == word }), unit > lastUnit else {
        return .mistake(explain(text, number: number.text, unit: String(word)))
      }
      rest.removeFirst(word.count)
      lastUnit = unit
      let (part, isTooLong) = units[unit].nanoseconds.multipliedReportingOverflow(by: number.whole)
      let (sum, isTooMuch) = total.addingReportingOverflow(
        part &+ units[unit].nanoseconds / 1_000_000 * number.millionths)
      total = sum
      if isTooLong || isTooMuch || total < 0
        || total > units[0].nanoseconds * Int64(PlanLimits.days)
      {
        return .mistake("\(quoted(text)) is longer than \(PlanLimits.days)d, the longest duration")
      }
    }
    return lastUnit < 0 ? .mistake(unreadable(text)) : .duration(.nanoseconds(total))
  }

  /// A number before a unit.
  private struct Number {
    /// The part before the point.
    var whole: Int64
    /// The part after the point.
    var millionths: Int64
    /// The number as it stands.
    var text: String
  }

  /// Takes a number such as `90` or `1.5` from the front of a text.
  private static func takeNumber(_ rest: inout Substring) -> Number? {
    let whole = rest.prefix(while: isDigit)
    guard !whole.isEmpty else { return nil }
    var text = String(whole)
    rest.removeFirst(whole.count)
    var millionths: Int64 = 0
    if rest.first == "." {
      let digits = rest.dropFirst().prefix(while: isDigit)
      guard !digits.isEmpty else { return nil }
      // Six places are kept: a millionth of a millisecond is a nanosecond, the least that counts.
      let kept = digits.prefix(6)
      millionths = Int64(kept + String(repeating: "0", count: 6 - kept.count)) ?? 0
      text += "." + digits
      rest.removeFirst(digits.count + 1)
    }
    // A number that no integer holds is too long with any unit.
    return Number(whole: Int64(whole) ?? .max, millionths: millionths, text: text)
  }

  /// Tells whether a character is one of the ten digits.
  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  /// Says that a text is no duration.
  private static func unreadable(_ text: String) -> String {
    "\(quoted(text)) is not a duration; write \(forms)"
  }

  /// Says what is wrong with a unit, with the text that was probably meant.
  private static func explain(_ text: String, number: String, unit: String) -> String {
    if unit.isEmpty, number == text {
      return "\(text) has no unit; write \"\(text)s\" for seconds, or \(forms)"
    }
    let trimmed = text.filter { $0 != " " }
    let word = trimmed.dropFirst(number.count).lowercased()
    if let known = units.first(where: { $0.name == word || $0.words.contains(word) }),
      trimmed.hasPrefix(number)
    {
      return "\(quoted(text)) is not a duration; write \"\(number)\(known.name)\""
    }
    if units.contains(where: { $0.name == unit }) {
      return "\(quoted(text)) does not go from large units to small ones; write it like 1h30m"
    }
    return unreadable(text)
  }
}
