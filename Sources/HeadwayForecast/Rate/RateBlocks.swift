/// What was counted since the last lasting change of speed, in at most 32 stretches of similar length.
///
/// When all places are taken, neighbours are put together and stretches are twice as long from then on, so that the
/// memory stays the same however long a job takes. The stretches say two things that one number cannot: how much the
/// speed varies, and whether it has changed for good.
///
/// Whenever a stretch ends, every place is tried as a border: the speed after it differs from the one before it for
/// good when the difference is at least a fifth of the higher one and six times its own standard error, which comes
/// from how much the stretches on either side vary. That is the idea of adaptive windowing, a window that grows until
/// two of its parts differ (A. Bifet and R. Gavaldà, "Learning from time-changing data with adaptive windowing",
/// 2007), on few stretches of similar length and with the test of two means. The factor is high because a border is
/// chosen among many and because speeds of neighbouring stretches are alike in real jobs. A change after a time *t* is
/// found when two or three stretches have followed it, which are *t*/32 to *t*/16 each.
///
/// A value; adding takes O(1) time, at most 32 steps, and does not allocate.
struct RateBlocks: Sendable {
  /// A stretch of time, and what was counted in it.
  struct Block: Hashable, Sendable {
    /// How much was counted.
    var count = 0.0
    /// How long it took, in seconds of work.
    var seconds = 0.0

    /// Puts another stretch to this one.
    mutating func add(_ other: Block) {
      count += other.count
      seconds += other.seconds
    }

    /// The speed, in units a second.
    var rate: Double { count / seconds }

    /// The square of the count for each second, from which the variance is made.
    var square: Double { count * count / seconds }
  }

  /// How many stretches are kept; half as many have already a standard error that is good to a fifth.
  static let capacity = 32
  /// The fewest stretches that make a part.
  private static let fewest = 2
  /// The fewest stretches that can be divided; fewer are alike by chance too often.
  private static let fewestInAll = 7
  /// The least difference of two speeds that counts as lasting, as a part of the higher one.
  private static let leastDifference = 0.2
  /// How many standard errors the difference has to be.
  private static let leastErrors = 6.0
  /// The length of the first stretches, in seconds.
  private static let firstLength = 1.0

  /// The stretches, oldest first.
  private var blocks = [32 of Block](repeating: Block())
  /// How many of them are taken.
  private(set) var count = 0
  /// How long a stretch is before it ends, in seconds.
  private var length = firstLength
  /// The stretch that goes on.
  private var open = Block()
  /// The stretches that have ended, together.
  private(set) var whole = Block()
  /// The sum of their squares.
  private var square = 0.0

  /// The standard error of the mean speed as a part of it; 1 when fewer than two stretches have ended.
  var relativeError: Double {
    guard count > 1, whole.count > 0 else { return 1 }
    let spread = max(0, square - whole.square) / Double(count - 1)
    return (spread / whole.seconds).root / whole.rate
  }

  /// Adds what was counted, and looks for a lasting change when a stretch ends by it.
  ///
  /// - Parameter block: What was counted, and how long it took.
  /// - Returns: What was counted since the change, nil when there is none; what was before it is forgotten.
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

// MARK: - Stretches

extension RateBlocks {
  /// Puts a stretch behind the others.
  private mutating func append(_ block: Block) {
    blocks[count] = block
    count += 1
    whole.add(block)
    square += block.square
  }

  /// Puts neighbours together.
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

  /// Forgets all but the latest stretches, the shortest of which gives the length of further ones.
  private mutating func keepLast(_ kept: Int) {
    let (old, end) = (blocks, count)
    clear()
    length = .infinity
    for index in end - kept..<end {
      length = min(length, old[index].seconds)
      append(old[index])
    }
  }

  /// Forgets the stretches that have ended.
  private mutating func clear() {
    (count, whole, square) = (0, Block(), 0)
  }

  /// The number of latest stretches whose speed differs from that of the ones before for good, nil when none does.
  ///
  /// The stretch between the two parts belongs to neither, because the change happened in it.
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
      // Both means are taken from the stretches, and one of these is left out.
      let freedom = Double(count - 3)
      let pooled = (lateSpread + earlySpread) / freedom * (1 / late.seconds + 1 / early.seconds)
      // A late part that is not of one speed holds something of the time before the change.
      let alone = lateSpread / Double(size - 1) / late.seconds
      let variance = max(pooled, alone)
      // With few stretches the spread itself is not well known.
      let errors = Self.leastErrors * (1 + 6 / freedom)
      guard difference * difference > errors * errors * variance else { continue }
      // Where nothing varies, the border with the greatest difference is the true one.
      let score = difference * difference / (variance + 1e-12 * higher * higher)
      if score > best?.score ?? 0 { best = (size, score) }
    }
    return best?.size
  }
}

// MARK: - Hashable

extension RateBlocks: Hashable {
  /// Whether two collections hold the same.
  static func == (one: RateBlocks, other: RateBlocks) -> Bool {
    guard one.count == other.count, one.open == other.open, one.length == other.length else {
      return false
    }
    return (0..<one.count).allSatisfy { one.blocks[$0] == other.blocks[$0] }
  }

  /// Hashes the stretches that are taken.
  func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(blocks[index]) }
    hasher.combine(open)
  }
}

// MARK: - Square roots

extension Double {
  /// The square root of a number, zero when it is not above zero.
  ///
  /// The one of the standard library needs the mathematics library, which this module does not link. This is Heron's
  /// method from half the exponent: the first guess is off by at most 7 %, and each step squares that and halves it.
  var root: Double {
    guard self >= .leastNormalMagnitude, isFinite else { return self > 0 ? self : 0 }
    var root = Double(bitPattern: bitPattern / 2 + 0x1ff8_0000_0000_0000)
    for _ in 0..<4 { root = (root + self / root) / 2 }
    return root
  }
}
