/// What a value is called, in English words for a voice and in short for the eye.
///
/// Text is UTF-8 bytes, as Embedded Swift has it without tables of characters. Surfaces that speak another language
/// set their own text.
public struct BarWords: Sendable {
  /// Creates the words.
  public init() {}

  /// Appends a time in words: "1 minute 5 seconds".
  ///
  /// - Parameters:
  ///   - seconds: The time, rounded down to whole seconds; what is negative or no number counts as 0, and nothing is said
  ///     beyond a hundred thousand hours.
  ///   - text: The text that it is appended to.
  public func append(time seconds: Double, to text: inout [UInt8]) {
    let all = whole(seconds)
    let (hours, minutes, rest) = (all / 3600, all / 60 % 60, all % 60)
    if hours > 0 { append(hours, "hour", to: &text) }
    if minutes > 0 {
      if hours > 0 { text.append(space) }
      append(minutes, "minute", to: &text)
    }
    guard rest > 0 || all == 0 else { return }
    if all > rest { text.append(space) }
    append(rest, "second", to: &text)
  }

  /// Appends a time of a whole in words: "1 minute 5 seconds of 4 minutes".
  ///
  /// - Parameters:
  ///   - seconds: The time.
  ///   - total: The whole.
  ///   - text: The text that it is appended to.
  public func append(time seconds: Double, of total: Double, to text: inout [UInt8]) {
    append(time: seconds, to: &text)
    append(" of ", to: &text)
    append(time: total, to: &text)
  }

  /// Appends a time in short: "1:05", "1:01:05".
  ///
  /// - Parameters:
  ///   - seconds: The time, as in words.
  ///   - text: The text that it is appended to.
  public func append(clock seconds: Double, to text: inout [UInt8]) {
    let all = whole(seconds)
    let (hours, minutes, rest) = (all / 3600, all / 60 % 60, all % 60)
    if hours > 0 {
      append(hours, digits: 1, to: &text)
      append(":", to: &text)
    }
    append(minutes, digits: hours > 0 ? 2 : 1, to: &text)
    append(":", to: &text)
    append(rest, digits: 2, to: &text)
  }

  /// Appends a part in words: "46 percent".
  ///
  /// - Parameters:
  ///   - fraction: The part from 0 to 1, rounded down, so that only the whole is 100 percent.
  ///   - text: The text that it is appended to.
  public func append(percent fraction: Double, to text: inout [UInt8]) {
    append(Int(fraction.or(0).limited(to: 0...1) * 100), digits: 1, to: &text)
    append(" percent", to: &text)
  }

  // MARK: Parts

  /// The longest time that is said, in seconds.
  private static let longest = 360_000_000.0
  /// A space.
  private var space: UInt8 { 0x20 }

  /// The whole seconds of a time.
  private func whole(_ seconds: Double) -> Int { Int(seconds.or(0).limited(to: 0...Self.longest)) }

  /// Appends a number of things.
  private func append(_ number: Int, _ thing: StaticString, to text: inout [UInt8]) {
    append(number, digits: 1, to: &text)
    text.append(space)
    append(thing, to: &text)
    if number != 1 { append("s", to: &text) }
  }

  /// Appends a number with at least so many digits.
  private func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
    var power = 10
    var count = 1
    while number >= power || count < digits {
      power *= 10
      count += 1
    }
    while power > 1 {
      power /= 10
      text.append(0x30 + UInt8(number / power % 10))
    }
  }

  /// Appends a constant.
  private func append(_ constant: StaticString, to text: inout [UInt8]) {
    for index in 0..<constant.utf8CodeUnitCount {
      text.append(unsafe constant.utf8Start[index])
    }
  }
}
