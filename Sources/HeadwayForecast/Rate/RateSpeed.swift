/// How fast a job is, from how much was counted after which gaps, with no clock and no total.
///
/// Counts and seconds are summed with weights that fall with age, *N ← N·w + n* and *T ← T·w + d* with
/// *w = h / (h + d)*; the speed is *N / T*. Because both sums have the same weights, a constant speed is exact from
/// the first count on, and an item that takes long weighs as much as it took. The horizon *h* grows with the job, so
/// that noise falls as more is known, and starts anew where the speed changes for good (``RateBlocks``).
///
/// A gap far longer than this job's usual ones is no speed but standing still. The first one since a lasting change is
/// left out. When the next count comes after such a gap too, and both are a good part of the job, it has become slow:
/// the estimate starts anew with them. Any other one counts, but for no more than what was worked so far. So a job that
/// stands still now and then is known to, and a computer that sleeps for hours does not spoil the rest.
struct RateSpeed: Hashable, Sendable {
  /// The least horizon, in seconds: short enough to forget a beginning, long enough for an even picture.
  private static let leastHorizon = 15.0
  /// The horizon as a part of the time worked since the last lasting change.
  private static let horizonShare = 0.5
  /// The fewest counts that say which gaps are usual.
  private static let fewCounts = 8
  /// How many times the longest gap one has to be to count as standing still.
  private static let graceFactor = 4.0
  /// The shortest gap that can count as standing still, in seconds.
  private static let leastGrace = 1.0
  /// The part of the time worked that two gaps of standing still have to be to say that the job has become slow.
  private static let slowShare = 0.25
  /// The least time worked before there is an estimate, in seconds.
  private static let leastSeconds = 1.0

  /// What was counted, with weights, and the seconds that it took.
  private var sum = RateBlocks.Block()
  /// The seconds worked since the last lasting change, without weights.
  private var age = 0.0
  /// The longest gap of late, in seconds.
  private(set) var longestGap = 0.0
  /// How many counts came after a gap.
  private var counts = 0
  /// Whether standing still was left out once since the last lasting change.
  private var hasExcused = false
  /// What was counted after the gap before, if it was one of standing still.
  private var afterStanding: RateBlocks.Block?
  /// The stretches since the last lasting change.
  private(set) var blocks = RateBlocks()
  /// How often the speed has changed for good.
  private(set) var changes = 0

  /// The length from which a gap is standing still, in seconds; infinite as long as the usual gaps are not known.
  var grace: Double {
    counts < Self.fewCounts
      ? .infinity : max(Self.leastGrace, Self.graceFactor * longestGap)
  }

  /// The seconds that a unit takes, nil when too little is known.
  ///
  /// - Parameter gap: The seconds since the last count. As long as the usual gaps are not known, what goes beyond
  ///   twice the longest one counts as work that takes longer.
  /// - Returns: The seconds, above zero.
  /// - Complexity: O(1).
  func secondsPerUnit(after gap: Double) -> Double? {
    guard sum.seconds >= Self.leastSeconds, sum.count > 0 else { return nil }
    let late = counts < Self.fewCounts ? max(0, gap - 2 * longestGap) : 0
    return (sum.seconds + late) / sum.count
  }

  /// Takes note of a count.
  ///
  /// - Parameters:
  ///   - count: How much was counted, above zero.
  ///   - gap: The seconds of work since the count before, or since the start; at least zero.
  /// - Complexity: O(1), without allocation.
  mutating func add(_ count: Double, after gap: Double) {
    let block = RateBlocks.Block(count: count, seconds: gap)
    guard gap > grace else {
      afterStanding = nil
      return weigh(block)
    }
    let before = afterStanding
    afterStanding = block
    if let before, before.seconds + gap > age * Self.slowShare {
      let changes = changes + 1
      self = RateSpeed()
      self.changes = changes
      weigh(before)
      weigh(block)
    } else if hasExcused {
      weigh(.init(count: count, seconds: min(gap, age)))
    } else {
      hasExcused = true
      weigh(.init(count: count, seconds: min(gap, longestGap)))
    }
  }

  /// Adds a count to the sums, and starts them anew when the speed has changed for good.
  private mutating func weigh(_ block: RateBlocks.Block) {
    age += block.seconds
    let horizon = max(Self.leastHorizon, age * Self.horizonShare)
    let weight = horizon / (horizon + block.seconds)
    sum.count = sum.count * weight + block.count
    sum.seconds = sum.seconds * weight + block.seconds
    // Gaps are remembered twice as long, since they say only what may be.
    longestGap = max(
      longestGap * (2 * horizon / (2 * horizon + block.seconds)), block.seconds)
    // Many counts at one moment are one.
    if block.seconds > 0 { counts = min(counts + 1, Self.fewCounts) }
    if let kept = blocks.add(block) {
      (sum, age, hasExcused) = (kept, kept.seconds, false)
      changes += 1
    }
  }
}
