/// Timelines one inside another, from the outermost to the innermost.
///
/// Level 0 is the time outside, such as the seconds of a clock; timeline `n` leads from level `n` to level `n + 1`. A time
/// can be converted between any two levels, as `convertTime(_:fromLayer:)` does for layers.
///
/// ```swift
/// let nested = NestedTimelines([
///   Timeline(duration: .infinity, speed: 2), Timeline(duration: 8, speed: 2),
/// ])
/// nested.speed  // 4: eight seconds inside take two outside
/// nested.convert(8, from: 2, to: 0)  // 2
/// ```
package struct NestedTimelines: Hashable, Sendable {
  /// The timelines, the outermost first.
  package var timelines: [Timeline]

  package init(_ timelines: [Timeline]) { self.timelines = timelines }

  /// The product of all speeds.
  package var speed: Double { timelines.reduce(1) { $0 * $1.speed.finite(or: 1) } }

  /// Converts a time from one level to another.
  ///
  /// - Parameters:
  ///   - time: A time in seconds of the level `from`.
  ///   - from: The level of that time, from 0 to the number of timelines.
  ///   - to: The level to convert to, from 0 to the number of timelines.
  /// - Returns: The time at the level `to`, or nil if there is no such level or a timeline on the way out is paused.
  package func convert(_ time: Double, from: Int, to: Int) -> Double? {
    let levels = 0...timelines.count
    guard levels.contains(from), levels.contains(to) else { return nil }
    var time = time
    if from <= to {
      for timeline in timelines[from..<to] { time = timeline.localTime(at: time) }
      return time
    }
    for timeline in timelines[to..<from].reversed() {
      guard let outer = timeline.parentTime(at: time) else { return nil }
      time = outer
    }
    return time
  }

  /// The time inside a run of the innermost timeline, or nil outside the runs of a timeline that does not fill it.
  package func basicTime(at time: Double) -> Double? {
    var inner: Double? = time
    for timeline in timelines { inner = inner.flatMap { timeline.basicTime(at: $0) } }
    return inner
  }
}
