/// A line of time inside another one: begun later, run faster, held, repeated, or run backwards.
///
/// The model is that of `CAMediaTiming`, which animations of Apple's systems share. A time of the parent becomes a time
/// of this line in two steps:
///
/// ```
///                 begin, speed, offset                       duration, repeats, reverses
///   parent time ────────────────────────▶ active local time ──────────────────────────────▶ basic local time
/// ```
///
/// A line nests in a line, and their speeds multiply: in a line of speed 2 inside a line of speed 2 an animation of
/// eight seconds takes two. ``TimeLines`` holds such a nest.
///
/// ```swift
/// var film = TimeLine()
/// film.pause(at: 2.01)  // speed 0, offset 2.01
/// film.resume(at: 10)  // the next quarter of a second goes on where it stood
/// film.localTime(at: 10.25)  // 2.26
/// ```
///
/// All times are in seconds. A value that is no number, or infinite where only a number helps, counts as the default of
/// that property, and a negative duration as zero, so nothing here traps. A pure value; all operations are O(1), without
/// allocation.
public struct TimeLine: Hashable, Sendable {
  /// What a line of time answers before its beginning and after its end.
  public enum FillMode: UInt8, Sendable {
    /// Nothing before and nothing after.
    case removed
    /// Its last moment after the end.
    case forwards
    /// Its first moment before the beginning.
    case backwards
    /// Both.
    case both
  }

  /// When this line begins, in seconds of the parent.
  public var beginTime: Double = 0
  /// How long one run takes, in seconds of this line; infinite for a line without an end, such as that of a layer.
  public var duration: Double = .infinity
  /// How many seconds of this line pass in a second of the parent: 0 stands still, negative runs backwards.
  public var speed: Double = 1
  /// What is added to the time of this line; a run of an animation begins so far inside it and wraps round.
  public var timeOffset: Double = 0
  /// How many times a run is repeated, fractions too; 0 means once, infinity for ever.
  public var repeatCount: Double = 0
  /// For how many seconds of this line runs are repeated; 0 leaves it to the count, and it wins over the count.
  public var repeatDuration: Double = 0
  /// Whether each run is followed by one backwards, which belongs to it.
  public var autoreverses: Bool = false
  /// What it answers outside of its runs.
  public var fillMode: FillMode = .removed
  /// The offset that it had before it was paused by `pause(at:)`: in a pause `timeOffset` is the time at which it stands.
  private var runOffset: Double?
  /// Whether it ran backwards before that.
  private var wasBackwards = false

  /// Creates a line that runs like its parent, for ever.
  public init() {}

  /// Creates a line of one run.
  ///
  /// - Parameters:
  ///   - beginTime: When it begins, in seconds of the parent.
  ///   - duration: How long a run takes, in seconds of this line.
  ///   - speed: How many seconds of this line pass in a second of the parent.
  public init(beginTime: Double = 0, duration: Double, speed: Double = 1) {
    self.beginTime = beginTime
    self.duration = duration
    self.speed = speed
  }

  // MARK: Active local time

  /// The active local time: `(time − beginTime) · speed + timeOffset`.
  ///
  /// - Parameter time: A time of the parent.
  /// - Returns: The time of this line, whether it has begun or not.
  public func localTime(at time: Double) -> Double {
    (time.or(0) - beginTime.or(0)) * speed.or(1) + timeOffset.or(0)
  }

  /// The time of the parent at which this line has a time.
  ///
  /// - Parameter localTime: A time of this line.
  /// - Returns: The time of the parent; nil where this line stands still and there is not one.
  public func parentTime(at localTime: Double) -> Double? {
    let speed = speed.or(1)
    guard speed != 0 else { return nil }
    return (localTime.or(0) - timeOffset.or(0)) / speed + beginTime.or(0)
  }

  // MARK: Basic local time

  /// How long all runs take together, in seconds of this line: zero or more, perhaps infinite.
  public var activeDuration: Double {
    if repeatDuration > 0 { return repeatDuration }
    let count = repeatCount > 0 ? repeatCount : 1
    let cycle = autoreverses ? 2 * run : run
    return cycle == 0 ? 0 : cycle * count
  }

  /// When the last run ends, in seconds of the parent; infinite for a line that never ends or stands still.
  public var endTime: Double {
    let pace = abs(speed.or(1))
    return pace == 0 ? .infinity : beginTime.or(0) + activeDuration / pace
  }

  /// The time inside a run, with repeats and reversals taken off.
  ///
  /// With a negative speed the runs are gone through from their end to their beginning.
  ///
  /// - Parameter time: A time of the parent.
  /// - Returns: From zero to `duration`; nil before the beginning and after the end, unless `fillMode` holds the
  ///   first or the last moment.
  public func basicTime(at time: Double) -> Double? {
    let isBackwards = isBackwards
    // A line without an end that runs backwards has no beginning either.
    guard run.isFinite || !isBackwards else { return localTime(at: time) }
    let length = activeDuration
    // Without the offset, and negative on the way backwards.
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

  /// The offset of its runs.
  private var offset: Double { (isPaused ? runOffset : nil) ?? timeOffset.or(0) }

  /// Whether its runs are gone through from their end.
  private var isBackwards: Bool { isPaused ? wasBackwards : speed < 0 }

  /// The length of one run: zero or more.
  private var run: Double { duration.isNaN ? .infinity : max(duration, 0) }

  /// Folds the time since the beginning into one run.
  ///
  /// - Parameters:
  ///   - elapsed: The time since the beginning, in seconds of this line.
  ///   - isLast: Whether it is the very end, which belongs to the run before it and not to one that never begins.
  /// - Returns: From zero to the length of a run.
  private func folded(_ elapsed: Double, isLast: Bool) -> Double {
    let run = run
    guard run > 0 else { return 0 }
    guard run.isFinite else { return elapsed + offset }
    let cycle = autoreverses ? 2 * run : run
    var place = (elapsed + offset.wrapped(to: run)).wrapped(to: cycle)
    if isLast, place == 0, elapsed != 0 { place = cycle }
    return place > run ? cycle - place : place
  }

  // MARK: Holding and running

  /// Whether it stands still.
  public var isPaused: Bool { speed == 0 }

  /// Stops the line where it is: its speed becomes zero and its offset the time at which it stands.
  ///
  /// It keeps how much of its runs is over, and its offset comes back with `resume(at:speed:)`. A line that stands already
  /// is left alone.
  ///
  /// - Parameter time: The time of the parent.
  public mutating func pause(at time: Double) {
    guard !isPaused else { return }
    setSpeed(0, at: time)
  }

  /// Lets the line go on from where it stands; one that runs is left alone.
  ///
  /// - Parameters:
  ///   - time: The time of the parent.
  ///   - newSpeed: The speed from now on.
  public mutating func resume(at time: Double, speed newSpeed: Double = 1) {
    guard isPaused else { return }
    setSpeed(newSpeed, at: time)
  }

  /// Changes the speed and leaves the time of this line where it is.
  ///
  /// - Parameters:
  ///   - newSpeed: Seconds of this line in a second of the parent.
  ///   - time: The time of the parent.
  public mutating func setSpeed(_ newSpeed: Double, at time: Double) {
    // One that was stopped by hand, without `pause(at:)`, goes on from its offset and has none then.
    let (here, offset) = (localTime(at: time), isPaused ? runOffset ?? 0 : timeOffset.or(0))
    let isBackwards = isBackwards
    speed = newSpeed.or(1)
    if speed == 0 {
      (beginTime, timeOffset, runOffset, wasBackwards) = (0, here, offset, isBackwards)
    } else {
      (beginTime, timeOffset) = (time.or(0) - (here - offset) / speed, offset)
      (runOffset, wasBackwards) = (nil, false)
    }
  }
}

extension Double {
  /// The value itself, or another one where it is no finite number.
  func or(_ other: Double) -> Double { isFinite ? self : other }

  /// The whole part, rounded down; without the mathematics library, which Embedded Swift does not have.
  var flooredWhole: Double {
    // From 2⁵² on all numbers are whole.
    guard magnitude < 4_503_599_627_370_496 else { return self }
    let whole = Double(Int64(self))
    return whole > self ? whole - 1 : whole
  }

  /// The remainder that has the sign of the length: 7 in lengths of 5 is 2, and so is −3.
  ///
  /// - Parameter length: Above zero and finite.
  /// - Returns: From zero to just below the length.
  func wrapped(to length: Double) -> Double {
    let rest = self - length * (self / length).flooredWhole
    // Rounding may leave a hair beyond either end.
    return rest < 0 || rest >= length ? 0 : rest
  }

  /// The value itself, or the end of the range that is nearer.
  @inline(never) func limited(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
