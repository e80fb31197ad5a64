/// A timeline inside another one, which may begin later, run faster or backwards, pause or repeat.
///
/// The model is that of `CAMediaTiming` in Core Animation. A time of the parent is converted in two steps:
///
/// ```
///                 begin, speed, offset                       duration, repeats, reverses
///   parent time ────────────────────────▶ active local time ──────────────────────────────▶ basic local time
/// ```
///
/// Timelines nest, and their speeds multiply: at speed 2 inside speed 2, an animation of eight seconds takes two.
/// `NestedTimelines` holds such a nest.
///
/// ```swift
/// var video = Timeline()
/// video.pause(at: 2.01)  // speed 0, offset 2.01
/// video.resume(at: 10)
/// video.localTime(at: 10.25)  // 2.26
/// ```
///
/// All times are in seconds. NaN, or infinity where it makes no sense, counts as the default of the property, and a
/// negative duration as zero, so nothing traps. A pure value; all operations are O(1), without allocation.
package struct Timeline: Hashable, Sendable {
  /// Which times a timeline has before its beginning and after its end.
  package enum FillMode: UInt8, Sendable {
    /// None.
    case removed
    /// The last one after the end.
    case forwards
    /// The first one before the beginning.
    case backwards
    /// Both.
    case both
  }

  /// When the timeline begins, in seconds of the parent.
  package var beginTime: Double = 0
  /// The length of one run, in seconds of this timeline, or infinity.
  package var duration: Double = .infinity
  /// Seconds of this timeline per second of the parent: 0 pauses it, a negative speed runs it backwards.
  package var speed: Double = 1
  /// An offset that is added to the time of this timeline; a run begins that far inside and wraps around.
  package var timeOffset: Double = 0
  /// The number of runs, which may be fractional or infinite; 0 means one run.
  package var repeatCount: Double = 0
  /// The seconds of this timeline for which runs repeat; 0 leaves it to `repeatCount`, which it otherwise overrides.
  package var repeatDuration: Double = 0
  /// Whether each run is followed by one backwards, which counts as part of it.
  package var autoreverses: Bool = false
  /// Which times it has outside of its runs.
  package var fillMode: FillMode = .removed
  /// The offset before `pause(at:)`: during a pause, `timeOffset` is the time at which the timeline stands.
  private var runOffset: Double?
  /// Whether it ran backwards before the pause.
  private var wasBackwards = false

  /// Creates a timeline that runs like its parent, without end.
  package init() {}

  /// Creates a timeline of one run.
  package init(beginTime: Double = 0, duration: Double, speed: Double = 1) {
    self.beginTime = beginTime
    self.duration = duration
    self.speed = speed
  }

  // MARK: Active local time

  /// The active local time, whether the timeline has begun or not: `(time − beginTime) · speed + timeOffset`.
  package func localTime(at time: Double) -> Double {
    (time.finite(or: 0) - beginTime.finite(or: 0)) * speed.finite(or: 1) + timeOffset.finite(or: 0)
  }

  /// The active local time without checks, if the time and all properties are finite.
  @inline(__always) func localTime(atFinite time: Double) -> Double {
    (time - beginTime) * speed + timeOffset
  }

  /// The parent's time for an active local time, or nil if the timeline is paused.
  package func parentTime(at localTime: Double) -> Double? {
    let speed = speed.finite(or: 1)
    guard speed != 0 else { return nil }
    return (localTime.finite(or: 0) - timeOffset.finite(or: 0)) / speed + beginTime.finite(or: 0)
  }

  // MARK: Basic local time

  /// The length of all runs together, in seconds of this timeline: zero or more, or infinity.
  package var activeDuration: Double {
    if repeatDuration > 0 { return repeatDuration }
    let count = repeatCount > 0 ? repeatCount : 1
    let cycle = autoreverses ? 2 * run : run
    return cycle == 0 ? 0 : cycle * count
  }

  /// When the last run ends, in seconds of the parent; infinity if the timeline never ends or is paused.
  package var endTime: Double {
    let pace = abs(speed.finite(or: 1))
    return pace == 0 ? .infinity : beginTime.finite(or: 0) + activeDuration / pace
  }

  /// The time inside a run, after repeats and reversals.
  ///
  /// With a negative speed the runs are traversed from their end to their beginning.
  ///
  /// - Parameter time: A time of the parent.
  /// - Returns: A time from zero to `duration`, or nil before the beginning and after the end unless `fillMode` covers it.
  package func basicTime(at time: Double) -> Double? {
    let isBackwards = isBackwards
    // An endless timeline that runs backwards has no beginning either.
    guard run.isFinite || !isBackwards else { return localTime(at: time) }
    let length = activeDuration
    // Without the offset; negative while it runs backwards.
    let position = isPaused && runOffset == nil ? 0 : localTime(at: time) - offset
    var elapsed = isBackwards ? -position : position
    if elapsed < 0 {
      guard fillMode == .backwards || fillMode == .both else { return nil }
      elapsed = 0
    }
    if elapsed >= length {
      guard fillMode == .forwards || fillMode == .both else { return nil }
      elapsed = length
    }
    if isBackwards { elapsed = length.isFinite ? length - elapsed : -elapsed }
    return folded(elapsed, isLast: elapsed == length)
  }

  private var offset: Double { (isPaused ? runOffset : nil) ?? timeOffset.finite(or: 0) }

  /// Whether its runs are traversed from their end.
  private var isBackwards: Bool { isPaused ? wasBackwards : speed < 0 }

  /// The length of one run: zero or more.
  private var run: Double { duration.isNaN ? .infinity : max(duration, 0) }

  /// Folds the time since the beginning into one run.
  ///
  /// - Parameters:
  ///   - elapsed: The time since the beginning, in seconds of this timeline.
  ///   - isLast: Whether it is the end of the last run, which belongs to that run and not to one after it.
  /// - Returns: A time from zero to the length of a run.
  private func folded(_ elapsed: Double, isLast: Bool) -> Double {
    let run = run
    guard run > 0 else { return 0 }
    guard run.isFinite else { return elapsed + offset }
    let cycle = autoreverses ? 2 * run : run
    var position = (elapsed + offset.wrapped(to: run)).wrapped(to: cycle)
    if isLast, position == 0, elapsed != 0 { position = cycle }
    return position > run ? cycle - position : position
  }

  // MARK: Pausing and running

  package var isPaused: Bool { speed == 0 }

  /// Pauses the timeline: its speed becomes zero and its offset the time at which it stands.
  ///
  /// `resume(at:speed:)` restores the offset. Pausing a paused timeline changes nothing.
  package mutating func pause(at time: Double) {
    guard !isPaused else { return }
    setSpeed(0, at: time)
  }

  /// Continues a paused timeline from where it stands.
  package mutating func resume(at time: Double, speed newSpeed: Double = 1) {
    guard isPaused else { return }
    setSpeed(newSpeed, at: time)
  }

  /// Changes the speed and keeps the current time.
  package mutating func setSpeed(_ newSpeed: Double, at time: Double) {
    // A timeline whose speed was set to 0 without `pause(at:)` continues from its offset and then has none.
    let (here, offset) = (localTime(at: time), isPaused ? runOffset ?? 0 : timeOffset.finite(or: 0))
    let isBackwards = isBackwards
    speed = newSpeed.finite(or: 1)
    if speed == 0 {
      (beginTime, timeOffset, runOffset, wasBackwards) = (0, here, offset, isBackwards)
    } else {
      (beginTime, timeOffset) = (time.finite(or: 0) - (here - offset) / speed, offset)
      (runOffset, wasBackwards) = (nil, false)
    }
  }
}

extension Double {
  /// The number itself, or another one if it is not finite.
  func finite(or other: Double) -> Double { isFinite ? self : other }

  /// The number rounded down, without the math library, which Embedded Swift does not have.
  var roundedDown: Double {
    // From 2⁵² on, all numbers are integers.
    guard magnitude < 4_503_599_627_370_496 else { return self }
    let whole = Double(Int64(self))
    return whole > self ? whole - 1 : whole
  }

  /// The remainder with the sign of the length: 7 and −3 in lengths of 5 are both 2.
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
