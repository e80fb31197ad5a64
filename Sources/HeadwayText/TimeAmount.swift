/// A duration in one unit of time, or in two: `4 s`, `2 min`, `1 h 5 min`, `3 d 4 h`.
package struct TimeAmount: Hashable, Sendable {
  /// A unit of time, with its seconds.
  package enum Unit: Int, Sendable {
    case second = 1
    case minute = 60
    case hour = 3_600
    case day = 86_400

    /// The word in a sentence, or the letter behind a number.
    package func name(isShort: Bool) -> String {
      switch self {
      case .second: "s"
      case .minute: isShort ? "m" : "min"
      case .hour: "h"
      case .day: "d"
      }
    }

    /// The next smaller unit, nil if a second number is not precise.
    package var below: Unit? { self == .minute ? nil : smaller }

    /// The next smaller unit.
    var smaller: Unit? {
      switch self {
      case .second: nil
      case .minute: .second
      case .hour: .minute
      case .day: .hour
      }
    }

    /// The largest unit of a time.
    init(of seconds: Int) {
      switch seconds {
      case ..<60: self = .second
      case ..<3_600: self = .minute
      case ..<86_400: self = .hour
      default: self = .day
      }
    }
  }

  /// The larger unit.
  package let unit: Unit
  /// The number of that unit.
  package let first: Int
  /// The number of the next smaller unit, 0 if there is none.
  package let second: Int

  /// Rounds a time down to what is shown; a negative one is 0.
  package init(_ time: Duration) { self.init(seconds: Int(max(time.components.seconds, 0))) }

  /// Rounds a time up to what is shown, so that it never is too short.
  ///
  /// - Parameter time: The time; a negative one is 0.
  package init(roundingUp time: Duration) {
    let (whole, rest) = max(time, .zero).components
    let seconds = Int(whole) + (rest > 0 ? 1 : 0)
    let unit = Unit(of: seconds)
    let step = (unit.below ?? unit).rawValue
    self.init(seconds: (seconds + step - 1) / step * step)
  }

  private init(seconds: Int) {
    unit = Unit(of: seconds)
    first = seconds / unit.rawValue
    let rest = seconds % unit.rawValue
    second = unit.below.map { rest / $0.rawValue } ?? 0
  }

  /// The time as text: `1 h 5 min`, or `1h05m`.
  package func text(isShort: Bool) -> String {
    let space = isShort ? "" : " "
    let start = "\(first)\(space)\(unit.name(isShort: isShort))"
    guard let below = unit.below, second > 0 else { return start }
    let zero = isShort && second < 10 ? "0" : ""
    return "\(start)\(space)\(zero)\(second)\(space)\(below.name(isShort: isShort))"
  }
}
