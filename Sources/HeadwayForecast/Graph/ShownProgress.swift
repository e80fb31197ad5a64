/// The value that a bar shows: it never decreases, always moves while work goes on, and reaches 1 only at the end.
///
/// It follows the forecast at the speed that brings it to its end in time, faster when it is behind and slower when it
/// is ahead, within limits, and changes that speed smoothly. Ahead of the forecast it is slower than would bring it to
/// its end in time, by as much as that is slower than usual, so that it does not wait there. Long steps are taken in
/// short ones, so that what is shown hardly depends on how often it is drawn.
///
/// A pure value; the time is an argument, and one before the latest counts as that.
public struct ShownProgress: Hashable, Sendable {
  /// The parameters, each with its reason.
  struct Parameters: Hashable, Sendable {
    /// How far ahead or behind the value has to be for its speed to change by its usual one.
    var reach = 0.03
    /// The least speed, as part of the usual one: visible, and soon caught up with.
    var slowest = 0.15
    /// The least speed far ahead near the end, where being there too early is worse than being slow.
    var slowestAtEnd = 0.03
    /// The part before the end in which the value gets ever less faster than usual: an end is approached, not hit.
    var lastPart = 0.06
    /// The highest speed, as a multiple of the usual one: a jump is eased in.
    var fastest = 3.0
    /// The part of the run in which the speed follows a change.
    var easing = 0.0175
    /// The part of the run that is one short step.
    var shortStep = 0.001
    /// The most short steps that are taken at once.
    var maximumSteps = 256
    /// The part before the end that is drawn ever closer together.
    var bend = 0.025
    /// The part that it would fill after infinite time: so little that the value stays below 0.99.
    var bentTo = 0.015
  }

  /// The shown value, from 0 to 1.
  ///
  /// The last hundredth is kept for the end: the parts before it are drawn ever closer together, so that a bar which has
  /// used up its forecast still moves when the run takes longer, and is not parked at 99 %.
  public var fraction: Double {
    if isFinished { return 1 }
    let bent = position - (1 - parameters.bend)
    guard bent > 0 else { return position }
    return 1 - parameters.bend + parameters.bentTo * (1 - Logarithms.exp(-bent / parameters.bentTo))
  }

  /// Whether the run is over.
  private var isFinished = false
  /// Where the value would be without the bend before the end.
  private var position = 0.0
  private let parameters: Parameters
  /// The latest time that was seen, in seconds.
  private var latest = 0.0
  /// The present speed as a multiple of the usual one, nil before the first.
  private var pace: Double?

  /// Creates the value of a run that has not begun.
  public init() { parameters = Parameters() }

  init(parameters: Parameters) { self.parameters = parameters }

  /// Moves on to a time.
  ///
  /// - Parameters:
  ///   - now: The time since the run began, without pauses.
  ///   - target: The raw fraction that is forecast.
  ///   - remaining: The time that is forecast to remain, nil while nothing is known.
  /// - Returns: The shown value.
  /// - Complexity: O(1), at most 256 short steps of a thousandth of the run.
  @discardableResult
  public mutating func advance(
    to now: Duration, target: Double, remaining: Duration?
  ) -> Double {
    let time = max(latest, now.nonnegativeSeconds)
    let passed = time - latest
    latest = time
    // NaN is ignored.
    let target = target >= 0 ? min(target, 1) : position
    let rest = target > 0 ? time * (1 - target) / target : remaining?.nonnegativeSeconds
    // Nothing has begun and nothing is known: the value waits, and has not waited in vain when it goes on.
    guard let rest, passed > 0, !isFinished else { return fraction }
    let whole = time + rest
    let part = min(passed / whole, 1)
    let steps = max(1, min(Int(part / parameters.shortStep + 0.5), parameters.maximumSteps))
    let step = part / Double(steps)
    let kept = Logarithms.exp(-step / parameters.easing)
    for left in (0..<steps).reversed() {
      // The target is that of the end; before, it moved at the usual speed.
      move(by: step, kept: kept, target: target - Double(left) * step)
    }
    return fraction
  }

  /// Moves on by a short step, a part of the run.
  private mutating func move(by step: Double, kept: Double, target: Double) {
    // The target is that of the end of the step, so the gap is what the usual speed would leave of it.
    let gap = target - (position + step)
    var wanted = min(parameters.fastest, max(parameters.slowest, 1 + gap / parameters.reach))
    if gap < 0, target < 1 {
      let pursuit = max(0, 1 - position) / (1 - target)
      wanted = min(wanted, max(parameters.slowestAtEnd, pursuit * pursuit))
    }
    wanted = min(wanted, max(1, (1 - position) / parameters.lastPart))
    let pace = pace.map { wanted + ($0 - wanted) * kept } ?? wanted
    self.pace = pace
    position += max(0, step * pace)
  }

  /// Shows the end of the run.
  public mutating func finish() { isFinished = true }
}
