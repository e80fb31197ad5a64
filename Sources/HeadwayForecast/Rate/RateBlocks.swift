/// The counts since the last lasting change of speed, in at most 32 blocks of similar length.
///
/// When all blocks are used, neighbours are merged and blocks are twice as long from then on, so the memory stays
/// constant. The blocks show two things that a single sum cannot: how much the speed varies, and whether it has changed
/// for good.
///
/// Whenever a block ends, each boundary between blocks is tested: the speed has changed for good there if the speeds
/// before and after it differ by at least a fifth of the higher one, and by six times the standard error of the
/// difference, which follows from the variation of the blocks on both sides. This is the idea of adaptive windowing, a
/// window that grows until two of its parts differ (A. Bifet and R. Gavaldà, "Learning from time-changing data with
/// adaptive windowing", 2007), with few blocks of similar length and a test of two means. The factor is high because
/// one of many boundaries is chosen, and because the speeds of neighbouring blocks are correlated in real jobs. A
/// change at a time *t* is found when two or three blocks have followed it, each of which is *t*/32 to *t*/16 long.
///
/// A value; adding takes O(1) time, at most 32 steps, and does not allocate.
struct RateBlocks: Sendable {
  /// A period of time, and the count in it.
  struct Block: Hashable, Sendable {
    /// The count.
    var count = 0.0
    /// The duration, in seconds of work.
    var seconds = 0.0

    /// Merges another block into this one.
    mutating func add(_ other: Block) {
      count += other.count
      seconds += other.seconds
    }

    /// The speed, in units per second.
    var rate: Double { count / seconds }

    /// The squared count over the seconds, from which the variance is computed.
    var square: Double { count * count / seconds }
  }

  /// The maximum number of blocks; the standard error of half as many is already accurate to a fifth.
  static let capacity = ThirtyTwoBlocks.count
  /// The minimum number of blocks on each side of a change.
  private static let fewest = 2
  /// The minimum number of blocks to search; fewer are too often similar by chance.
  private static let fewestInAll = 7
  /// The minimum difference of two speeds for a lasting change, as a part of the higher one.
  private static let leastDifference = 0.2
  /// The minimum difference of two speeds, in standard errors.
  private static let leastErrors = 6.0
  /// The length of the first blocks, in seconds.
  private static let firstLength = 1.0

  /// The blocks, oldest first.
  private var blocks = ThirtyTwoBlocks()
  /// The number of blocks in use.
  private(set) var count = 0
  /// The length after which a block ends, in seconds.
  private var length = firstLength
  /// The current block.
  private var open = Block()
  /// The sum of the blocks that have ended.
  private(set) var whole = Block()
  /// The sum of their `square`.
  private var square = 0.0

  /// The relative standard error of the mean speed; 1 if fewer than two blocks have ended.
  var relativeError: Double {
    guard count > 1, whole.count > 0 else { return 1 }
    let spread = max(0, square - whole.square) / Double(count - 1)
    return (spread / whole.seconds).root / whole.rate
  }

  /// Adds a count, and searches for a lasting change if a block ends.
  ///
  /// - Parameter block: The count and its duration.
  /// - Returns: The sum since the change, nil if there is none; everything before the change is discarded.
  /// - Complexity: O(1), without allocation.
  mutating func add(_ block: Block) -> Block? {
    open.add(block)
    // Lengths are sums of rounded numbers.
    guard open.seconds >= length * (1 - 1e-9) else { return nil }
    if count == Self.capacity { halve() }
    append(open)
    open = Block()
    guard let kept = latestPart() else { return nil }
    keepLast(kept)
    return whole
  }
}

// MARK: - Blocks

extension RateBlocks {
  /// Adds a block at the end.
  private mutating func append(_ block: Block) {
    blocks[count] = block
    count += 1
    whole.add(block)
    square += block.square
  }

  /// Merges neighbouring blocks.
  private mutating func halve() {
    let old = blocks
    clear()
    length *= 2
    for index in stride(from: 0, to: Self.capacity, by: 2) {
      var pair = old[index]
      pair.add(old[index + 1])
      append(pair)
    }
  }

  /// Discards all but the latest blocks; the shortest of them gives the length of further ones.
  private mutating func keepLast(_ kept: Int) {
    let (old, end) = (blocks, count)
    clear()
    length = .infinity
    for index in end - kept..<end {
      length = min(length, old[index].seconds)
      append(old[index])
    }
  }

  /// Discards the blocks that have ended.
  private mutating func clear() {
    (count, whole, square) = (0, Block(), 0)
  }

  /// The number of latest blocks after a lasting change of speed, nil if there is none.
  ///
  /// The block between the two parts belongs to neither, because the change happened in it.
  private func latestPart() -> Int? {
    guard count >= Self.fewestInAll else { return nil }
    var late = Block()
    var lateSquare = 0.0
    var best: (size: Int, score: Double)?
    for size in 1..<(count - Self.fewest) {
      let block = blocks[count - size]
      late.add(block)
      lateSquare += block.square
      let between = blocks[count - size - 1]
      let early = Block(
        count: whole.count - late.count - between.count,
        seconds: whole.seconds - late.seconds - between.seconds)
      guard size >= Self.fewest, early.seconds > 0 else { continue }
      let difference = abs(late.rate - early.rate)
      let higher = max(late.rate, early.rate)
      guard difference > Self.leastDifference * higher else { continue }
      let lateSpread = max(0, lateSquare - late.square)
      let earlySpread = max(0, square - lateSquare - between.square - early.square)
      // Both means are computed from the blocks, and one block is left out.
      let freedom = Double(count - 3)
      let pooled = (lateSpread + earlySpread) / freedom * (1 / late.seconds + 1 / early.seconds)
      // If the speed of the late part is not constant, it includes something from before the change.
      let alone = lateSpread / Double(size - 1) / late.seconds
      let variance = max(pooled, alone)
      // With few blocks the spread itself is uncertain.
      let errors = Self.leastErrors * (1 + 6 / freedom)
      guard difference * difference > errors * errors * variance else { continue }
      // If nothing varies, the boundary with the greatest difference is the right one.
      let score = difference * difference / (variance + 1e-12 * higher * higher)
      if score > best?.score ?? 0 { best = (size, score) }
    }
    return best?.size
  }
}

// MARK: - Hashable

extension RateBlocks: Hashable {
  /// Whether two collections have the same blocks.
  static func == (one: RateBlocks, other: RateBlocks) -> Bool {
    guard one.count == other.count, one.open == other.open, one.length == other.length else {
      return false
    }
    return (0..<one.count).allSatisfy { one.blocks[$0] == other.blocks[$0] }
  }

  /// Hashes the blocks in use.
  func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(blocks[index]) }
    hasher.combine(open)
  }
}

// MARK: - Square roots

extension Double {
  /// The square root of a number, zero unless it is positive.
  ///
  /// The standard library's function needs the mathematics library, which this module does not link. This is Heron's
  /// method, starting with half the exponent: the first guess is off by at most 7 %, and each step squares and halves
  /// that.
  var root: Double {
    guard self >= .leastNormalMagnitude, isFinite else { return self > 0 ? self : 0 }
    var root = Double(bitPattern: bitPattern / 2 + 0x1ff8_0000_0000_0000)
    for _ in 0..<4 { root = (root + self / root) / 2 }
    return root
  }
}
