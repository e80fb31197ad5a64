/// The speed of a job, from counts and the gaps between them, without a clock or a total.
///
/// Counts and seconds are summed with weights that decrease with age, *N ← N·w + n* and *T ← T·w + d* with *w = h / (h
/// + d)*; the speed is *N / T*. Because both sums have the same weights, a constant speed is exact from the first count
/// on, and an item that takes long counts for as long as it took. The horizon *h* grows with the job, so that noise
/// decreases, and restarts when the speed changes for good (``RateBlocks``).
///
/// A gap much longer than usual for this job is a standstill, not a speed. The first one since the last lasting change
/// is ignored. If the next count also comes after such a gap, and both gaps are a large part of the job, the job has
/// become slow: the estimate restarts with them. Any other such gap counts for at most the time worked so far. So
/// regular standstills are learned, and a computer that sleeps for hours does not distort the estimate.
///
/// Before the first count, work often only waits: for a connection, or for a cache to be filled. If the first gap is much longer
/// than the next ones, the estimate restarts with the counts that followed it, and there is none until they are enough.
struct RateSpeed: Hashable, Sendable {
  /// The minimum horizon, in seconds: short enough to forget the beginning, long enough to smooth the speed.
  private static let leastHorizon = 15.0
  /// The horizon as a part of the time worked since the last lasting change.
  private static let horizonShare = 0.5
  /// The minimum number of counts after which usual gaps are known.
  private static let fewCounts = 8
  /// The factor over the longest gap from which a gap is a standstill.
  private static let graceFactor = 4.0
  /// The factor over the longest of the next gaps from which the first gap does not count.
  private static let firstFactor = 1.25
  /// The factor from which that is known after fewer of the next gaps, and from which the first gap is no speed until then.
  private static let certainFactor = 2.5
  /// The number of next gaps after which it is known whether the first one counts.
  private static let nextGaps = 4
  /// The minimum length of a standstill, in seconds.
  private static let leastGrace = 1.0
  /// The part of the time worked that two standstills must have for the job to count as slow.
  private static let slowShare = 0.25
  /// The minimum time worked before there is an estimate, in seconds.
  private static let leastSeconds = 1.0

  /// The weighted count and its seconds.
  private var sum = RateBlocks.Block()
  /// The seconds worked since the last lasting change, not weighted.
  private var age = 0.0
  /// The longest recent gap, in seconds.
  private(set) var longestGap = 0.0
  /// The number of counts that came after a gap.
  private var counts = 0
  /// The counts after the first one, until it is known whether the first gap counts.
  private var laterCounts = RateBlocks.Block()
  /// The longest gap between them, in seconds.
  private var laterGap = 0.0
  /// Whether a standstill was ignored since the last lasting change.
  private var hasExcused = false
  /// Whether it is known that the first gap counts, or does not.
  private var isFirstSettled = false
  /// Whether the first gap was ignored.
  private(set) var hasExcusedFirst = false
  /// The count after the previous gap, if that was a standstill.
  private var afterStanding: RateBlocks.Block?
  /// The blocks since the last lasting change.
  private(set) var blocks = RateBlocks()
  /// The number of lasting changes of speed.
  private(set) var changes = 0

  /// The length from which a gap is a standstill, in seconds; infinite until the usual gaps are known.
  var grace: Double { counts < Self.fewCounts ? .infinity : longGap ?? .infinity }

  /// The length from which a gap is longer than several of those so far, in seconds; nil before the first count.
  var longGap: Double? {
    counts > 0 ? max(Self.leastGrace, Self.graceFactor * longestGap) : nil
  }

  /// The seconds for each unit, nil if too little is known.
  ///
  /// - Parameter gap: The seconds since the last count. Until the usual gaps are known, the part beyond twice the
  ///   longest one counts as work that takes longer.
  /// - Returns: The seconds, above zero.
  /// - Complexity: O(1).
  func secondsPerUnit(after gap: Double) -> Double? {
    guard sum.seconds >= Self.leastSeconds, sum.count > 0, !isFirstUnusual(by: Self.certainFactor)
    else { return nil }
    let late = counts < Self.fewCounts ? max(0, gap - 2 * longestGap) : 0
    return (sum.seconds + late) / sum.count
  }

  /// Adds a count.
  ///
  /// - Parameters:
  ///   - count: The count, above zero.
  ///   - gap: The seconds of work since the previous count or the start, at least zero.
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

  /// Adds a count to the sums, and restarts them if the speed has changed for good.
  private mutating func weigh(_ block: RateBlocks.Block) {
    age += block.seconds
    let horizon = max(Self.leastHorizon, age * Self.horizonShare)
    let weight = horizon / (horizon + block.seconds)
    sum.count = sum.count * weight + block.count
    sum.seconds = sum.seconds * weight + block.seconds
    // Gaps are remembered twice as long, because they only limit what is usual.
    longestGap = max(
      longestGap * (2 * horizon / (2 * horizon + block.seconds)), block.seconds)
    // Several counts at one moment are one.
    if counts < Self.fewCounts, block.seconds > 0 { counts += 1 }
    if counts > 1, !isFirstSettled {
      laterCounts.add(block)
      laterGap = max(laterGap, block.seconds)
      if settleFirst() { return }
    }
    if let kept = blocks.add(block) {
      (sum, age, hasExcused) = (kept, kept.seconds, false)
      changes += 1
    }
  }

  /// Whether the first gap is much longer than the next ones, and counts nevertheless.
  private func isFirstUnusual(by factor: Double) -> Bool {
    // Nothing is known about the first gap after a lasting change: it is not that of the beginning.
    guard changes == 0, !hasExcused, !isFirstSettled, counts > 1 else { return false }
    return age - laterCounts.seconds > factor * laterGap
  }

  /// Restarts without the first gap if it is unusual, once the counts after it are enough for a speed.
  ///
  /// - Returns: Whether it has done so.
  private mutating func settleFirst() -> Bool {
    guard laterCounts.seconds >= Self.leastSeconds,
      counts > Self.nextGaps || isFirstUnusual(by: Self.certainFactor)
    else { return false }
    let isUnusual = isFirstUnusual(by: Self.firstFactor)
    isFirstSettled = true
    guard isUnusual else { return false }
    (sum, age, longestGap) = (laterCounts, laterCounts.seconds, laterGap)
    blocks = RateBlocks()
    _ = blocks.add(laterCounts)
    (hasExcused, hasExcusedFirst) = (true, true)
    return true
  }
}
