/// The way in which bars are shown.
public enum BarsInterface: UInt8, Hashable, Sendable {
  /// Drawn again and again at the bottom of a terminal.
  case live
  /// In lines: one for each tenth of the way, five seconds apart at least, and one a minute while there is nothing else
  /// to say, so that a service that watches for output does not take long work for dead.
  case lines
  /// In few lines for a screen reader, which reads each: one for each quarter, fifteen seconds apart at least.
  case sparseLines

  /// Finds the way that fits.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the output is a terminal.
  ///   - variable: Reads a variable of the environment, nil where it is not set.
  /// - Returns: Lines in a pipe, in CI and with `TERM=dumb`, sparse ones with `ACCESSIBLE`, live bars otherwise.
  public static func fitting(
    isTerminal: Bool, environment variable: (String) -> String?
  ) -> BarsInterface {
    if !(variable("ACCESSIBLE") ?? "").isEmpty { return .sparseLines }
    let isDumb = ["", "dumb"].contains(variable("TERM") ?? "")
    return isTerminal && !isDumb && (variable("CI") ?? "").isEmpty ? .live : .lines
  }

  /// The parts of the way after which there is a line.
  fileprivate var steps: Double { self == .sparseLines ? 4 : 10 }
  /// The least time between two lines of a bar.
  fileprivate var gap: Duration { self == .sparseLines ? .seconds(15) : .seconds(5) }
}

/// What lines have told of a bar.
struct ToldBar: Hashable, Sendable {
  /// The steps of the way that were told.
  private var steps = 0
  /// When the last line was printed, or the bar was added.
  private var time: Duration
  /// Whether there was a line.
  private var isFirst = true

  /// The silence after which there is a line in any case, always the same.
  private static let silence = Duration.seconds(60)

  /// Creates a bar that nothing was told of.
  init(start: Duration) { time = start }

  /// When the next line is due.
  ///
  /// - Parameters:
  ///   - fraction: How far the bar is, nil where nobody knows.
  ///   - interface: The way in which bars are shown.
  /// - Returns: The time; in the past where it is due already.
  func due(_ fraction: Double?, _ interface: BarsInterface) -> Duration {
    if let fraction, Int(fraction * interface.steps) > steps {
      return isFirst ? time : time + interface.gap
    }
    return time + Self.silence
  }

  /// Notes that a line was printed.
  mutating func note(_ fraction: Double?, _ interface: BarsInterface, at now: Duration) {
    if let fraction { steps = max(steps, Int(fraction * interface.steps)) }
    (time, isFirst) = (now, false)
  }
}
