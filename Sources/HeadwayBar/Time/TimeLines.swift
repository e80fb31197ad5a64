/// Lines of time one inside another, from the outermost to the innermost.
///
/// Level 0 is the time of the world outside, such as the seconds of a clock; line `n` leads from level `n` to level
/// `n + 1`. A time can be taken from any level to any other, as `convertTime(_:fromLayer:)` does for layers.
///
/// ```swift
/// let lines = TimeLines([TimeLine(duration: .infinity, speed: 2), TimeLine(duration: 8, speed: 2)])
/// lines.speed  // 4: eight seconds inside take two outside
/// lines.convert(8, from: 2, to: 0)  // 2
/// ```
///
/// A pure value. Not thread safe.
public struct TimeLines: Hashable, Sendable {
  /// The lines, the outermost first.
  public var lines: [TimeLine]

  /// Creates a nest of lines.
  ///
  /// - Parameter lines: The lines, the outermost first.
  public init(_ lines: [TimeLine]) { self.lines = lines }

  /// The product of all speeds: how many seconds pass in the innermost line in a second outside.
  ///
  /// - Complexity: O(lines).
  public var speed: Double { lines.reduce(1) { $0 * $1.speed.or(1) } }

  /// Takes a time from one level to another.
  ///
  /// - Parameters:
  ///   - time: A time in seconds of the level `from`.
  ///   - from: The level of that time, from 0 to the number of lines.
  ///   - to: The level that it is taken to, from 0 to the number of lines.
  /// - Returns: The same moment at the level `to`; nil where a line between them stands still on the way out, or where
  ///   there is no such level.
  /// - Complexity: O(lines between the two levels).
  public func convert(_ time: Double, from: Int, to: Int) -> Double? {
    let levels = 0...lines.count
    guard levels.contains(from), levels.contains(to) else { return nil }
    var time = time
    if from <= to {
      for line in lines[from..<to] { time = line.localTime(at: time) }
      return time
    }
    for line in lines[to..<from].reversed() {
      guard let outer = line.parentTime(at: time) else { return nil }
      time = outer
    }
    return time
  }

  /// The time inside a run of the innermost line, with the repeats and reversals of all lines round it.
  ///
  /// - Parameter time: A time of the world outside, in seconds.
  /// - Returns: The time; nil where it is outside of the runs of a line that does not fill it.
  /// - Complexity: O(lines).
  public func basicTime(at time: Double) -> Double? {
    var inner: Double? = time
    for line in lines { inner = inner.flatMap { line.basicTime(at: $0) } }
    return inner
  }
}
