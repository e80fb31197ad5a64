/// The value that a bar shows: it never decreases, always moves while work continues, and reaches 1 only at the end.
///
/// It follows the forecast at the speed that reaches the end on time, faster if it is behind and slower if it is ahead,
/// within limits, and changes its speed smoothly. Near the end it slows down more if it is ahead, so that it does not
/// have to wait there. Long time steps are divided into short ones, so the value hardly depends on how often it is
/// drawn.
///
/// A pure value with the time as an argument; a time before the latest one counts as the latest one.
public struct ShownProgress: Hashable, Sendable {
  /// The parameters, each with its reason.
  struct Parameters: Hashable, Sendable {
    /// The distance ahead or behind at which the speed differs by the usual speed.
    var reach = 0.03
    /// The minimum speed as a part of the usual one: visible, and soon caught up with.
    var slowest = 0.2
    /// The minimum speed far ahead near the end, where arriving too early is worse than being slow.
    var slowestAtEnd = 0.03
    /// The part before the end in which the maximum speed decreases to the usual one, so that the value approaches the
    /// end gradually.
    var lastPart = 0.02
    /// The maximum speed as a multiple of the usual one, so that a jump of the forecast becomes a glide.
    var fastest = 5.0
    /// The part of the run within which the speed follows a change.
    var easing = 0.02
    /// The part of the run that a short step takes.
    var shortStep = 0.001
    /// The maximum number of short steps in one call.
    var maximumSteps = 256
    /// The last part, which is compressed.
    var bend = 0.015
    /// The part that it would fill after infinite time: small enough that the value stays below 0.99.
    var bentTo = 0.005
  }

  /// The shown value, from 0 to 1.
  ///
  /// The last hundredth is reserved for the end. The part before it is compressed, so that a bar that has used up its
  /// forecast still moves if the run takes longer, and does not wait at 99 %.
  public var fraction: Double {
    if isFinished { return 1 }
    if let followed { return followed }
    let bent = position - (1 - parameters.bend)
    guard bent > 0 else { return position }
    return 1 - parameters.bend + parameters.bentTo * (1 - Logarithms.exp(-bent / parameters.bentTo))
  }

  /// Whether the run has ended.
  private var isFinished = false
  /// The value that is shown elsewhere, nil if it is not followed.
  private var followed: Double?
  /// The value before the last part is compressed.
  private var position = 0.0
  private let parameters: Parameters
  /// The latest time, in seconds.
  private var latest = 0.0
  /// Whether there was an estimate at the latest time.
  private var hasEstimate = true
  /// The current speed as a multiple of the usual one, nil at first.
  private var pace: Double?

  /// Creates the value for a run that has not begun.
  public init() { parameters = Parameters() }

  init(parameters: Parameters) { self.parameters = parameters }

  /// Shows the value that is shown elsewhere, from now on, where `advance(to:target:remaining:)` has smoothed it already.
  ///
  /// - Parameters:
  ///   - fraction: The value, which counts as far as it is below the end; NaN is ignored.
  ///   - isFirst: Whether nothing was shown here before, so that it may be less than the value here.
  /// - Returns: The shown value.
  @discardableResult
  package mutating func follow(_ fraction: Double, isFirst: Bool = false) -> Double {
    guard fraction >= 0, !isFinished else { return self.fraction }
    let limit = 1 - parameters.bend + parameters.bentTo
    followed = min(isFirst ? fraction : max(fraction, self.fraction), limit)
    return self.fraction
  }

  /// Advances to a time.
  ///
  /// - Parameters:
  ///   - now: The time since the run began, without pauses.
  ///   - target: The raw forecast fraction.
  ///   - remaining: The forecast remaining time, nil if there is none.
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
    // Nothing has begun and there is no estimate: the value waits, and does not catch up this time later, nor the time up to the
    // first estimate, which may have come long after the last call.
    let hadEstimate = hasEstimate
    hasEstimate = rest != nil
    guard let rest, hadEstimate, passed > 0, !isFinished else { return fraction }
    let whole = time + rest
    let part = min(passed / whole, 1)
    let steps = max(1, min(Int(part / parameters.shortStep + 0.5), parameters.maximumSteps))
    let step = part / Double(steps)
    let kept = Logarithms.exp(-step / parameters.easing)
    for left in (0..<steps).reversed() {
      // The target is the one at the end of the step; before, it moved at the usual speed.
      move(by: step, kept: kept, target: target - Double(left) * step)
    }
    return fraction
  }

  /// Advances by a short step, a part of the run.
  private mutating func move(by step: Double, kept: Double, target: Double) {
    // The target is the one at the end of the step, so the gap is what the usual speed would leave of it.
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

  /// Fills the bar at the end of the run.
  public mutating func finish() { isFinished = true }
}
