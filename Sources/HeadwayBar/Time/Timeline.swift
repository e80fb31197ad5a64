/// The time of a bar, which stands still during a pause and continues from there.
///
/// ```swift
/// var video = Timeline()
/// video.pause(at: 2.01)
/// video.resume(at: 10)
/// video.localTime(at: 10.25)  // 2.26
/// ```
///
/// All times are finite and in seconds.
package struct Timeline: Hashable, Sendable {
  /// How far this timeline is behind the clock, because of earlier pauses.
  private var delay = 0.0
  /// The time at which the timeline was paused, `nil` while it runs.
  private var pausedTime: Double?

  /// Creates a timeline that runs with the clock.
  package init() {}

  /// Whether it stands still.
  package var isPaused: Bool { pausedTime != nil }

  /// The time of this timeline at a time of the clock.
  @inline(__always) package func localTime(at time: Double) -> Double {
    pausedTime ?? time - delay
  }

  /// The time of the clock at a time of this timeline, `nil` during a pause.
  package func clockTime(at localTime: Double) -> Double? {
    isPaused ? nil : localTime + delay
  }

  /// Stops the timeline where it is; does nothing during a pause.
  package mutating func pause(at time: Double) { pausedTime = localTime(at: time) }

  /// Continues from where the timeline stands; does nothing unless it is paused.
  package mutating func resume(at time: Double) {
    guard let pausedTime = pausedTime.take() else { return }
    delay = time - pausedTime
  }
}

extension Double {
  /// The number itself, or another one if it is not finite.
  func finite(or other: Double) -> Double { isFinite ? self : other }

  /// The number rounded down, without the math library.
  var roundedDown: Double {
    #if hasFeature(Embedded)
      // This is an instruction of WebAssembly.
      rounded(.down)
    #else
      // From 2⁵² on, all numbers are integers.
      guard magnitude < 4_503_599_627_370_496 else { return self }
      let whole = Double(Int64(self))
      return whole > self ? whole - 1 : whole
    #endif
  }

  /// The remainder with the sign of the length: 7 and −3 wrapped to a length of 5 are both 2.
  ///
  /// - Parameter length: Above zero and finite.
  /// - Returns: A number from zero to just below the length.
  func wrapped(to length: Double) -> Double {
    let rest = self - length * (self / length).roundedDown
    // Rounding may give a number slightly beyond either end.
    return rest < 0 || rest >= length ? 0 : rest
  }

  /// The number clamped to a range.
  @inline(never) func clamped(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
