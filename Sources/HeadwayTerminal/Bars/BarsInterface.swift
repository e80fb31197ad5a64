/// The ways to show bars.
public enum BarsInterface: UInt8, Hashable, Sendable {
  /// Rows at the bottom of a terminal that are redrawn.
  case live
  /// Lines: one for each tenth of the work, at least five seconds apart, and one a minute during silences.
  ///
  /// So a service that watches the output does not assume that long work hangs.
  case lines
  /// Few lines, for a screen reader that reads each one: one for each quarter, at least fifteen seconds apart.
  case sparseLines
  /// Nothing but what is printed above the bars.
  case hidden

  /// The way that fits an output.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the output is a terminal.
  ///   - variable: Returns the value of an environment variable, nil if it is not set.
  /// - Returns: Lines in a pipe, in CI and with `TERM=dumb`, sparse ones with `ACCESSIBLE`, live bars otherwise.
  package static func fitting(
    isTerminal: Bool, environment variable: (String) -> String?
  ) -> BarsInterface {
    if !(variable("ACCESSIBLE") ?? "").isEmpty { return .sparseLines }
    let isDumb = ["", "dumb"].contains(variable("TERM") ?? "")
    return isTerminal && !isDumb && (variable("CI") ?? "").isEmpty ? .live : .lines
  }

  /// The number of lines of a whole bar.
  fileprivate var steps: Double { self == .sparseLines ? 4 : 10 }
  /// The minimum time between two lines of a bar.
  fileprivate var gap: Duration { self == .sparseLines ? .seconds(15) : .seconds(5) }
}

/// The lines that were printed of a bar.
struct PrintedBar: Hashable, Sendable {
  /// The number of steps that were printed.
  private var steps = 0
  /// When the last line was printed or the bar was added.
  private var time: Duration
  /// Whether no line was printed.
  private var isFirst = true

  /// The silence after which a line is printed in any case.
  private static let silence = Duration.seconds(60)

  init(start: Duration) { time = start }

  /// When the next line is due.
  ///
  /// - Parameters:
  ///   - fraction: The progress, nil if unknown.
  ///   - interface: The way to show bars.
  /// - Returns: The time, which may have passed.
  func due(_ fraction: Double?, _ interface: BarsInterface) -> Duration {
    if let fraction, Int(fraction * interface.steps) > steps {
      return isFirst ? time : time + interface.gap
    }
    return time + Self.silence
  }

  /// Records that a line was printed.
  mutating func note(_ fraction: Double?, _ interface: BarsInterface, at now: Duration) {
    if let fraction { steps = max(steps, Int(fraction * interface.steps)) }
    (time, isFirst) = (now, false)
  }
}
