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
///
/// Bars with their nested bars share the minimum time between lines, so that they can be read: of many bars that move at the
/// same time, one prints a line, and the line of each end says the rest.
struct PrintedBar: Hashable, Sendable {
  /// The number of steps that were printed.
  private var steps = 0
  /// When the last line was printed or the bar was added.
  private(set) var time: Duration
  /// Whether no line was printed.
  private var isFirst = true
  /// When the bar or one that is nested in it last printed a line of its progress, nil for never.
  private var treeLine: Duration?
  /// When the bar or one that is nested in it last printed any line, or the bar was added.
  private var treeOutput: Duration

  /// The silence after which a line is printed in any case.
  private static let silence = Duration.seconds(60)

  init(start: Duration) { (time, treeOutput) = (start, start) }

  /// When the next line is due.
  ///
  /// - Parameters:
  ///   - fraction: The progress, nil if unknown.
  ///   - interface: The way to show bars.
  ///   - tree: The lines of the outermost bar around it, or its own.
  ///   - isNested: Whether it is nested in another bar.
  /// - Returns: The time, which may have passed.
  func due(
    _ fraction: Double?, _ interface: BarsInterface, in tree: PrintedBar, isNested: Bool
  ) -> Duration {
    if let fraction, Int(fraction * interface.steps) > steps {
      // A nested bar that ends soon prints the line of its end only.
      return isFirst && !isNested
        ? time : max(time + interface.gap, tree.earliest(interface))
    }
    return max(time, tree.treeOutput) + Self.silence
  }

  /// When the next line of the bar or one that is nested in it is possible.
  func earliest(_ interface: BarsInterface) -> Duration {
    treeLine.map { $0 + interface.gap } ?? .zero
  }

  /// Records that a line of the bar was printed.
  mutating func note(_ fraction: Double?, _ interface: BarsInterface, at now: Duration) {
    if let fraction { steps = max(steps, Int(fraction * interface.steps)) }
    (time, isFirst) = (now, false)
  }

  /// Records that the bar or one that is nested in it printed a line of its progress.
  mutating func noteLine(at now: Duration) { (treeLine, treeOutput) = (now, now) }

  /// Records that the bar or one that is nested in it printed the line of its end.
  mutating func noteOutput(at now: Duration) { treeOutput = now }
}
