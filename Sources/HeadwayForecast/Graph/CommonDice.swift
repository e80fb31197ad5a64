/// Random numbers that are the same in every forecast, so that an answer changes only when something has happened.
///
/// One table of 4,096 evenly spread quantiles in a random order, read at a place that depends on the task and the draw:
/// no memory for each task, and a task that is added changes nothing for the others.
enum CommonDice {
  /// The number of entries, a power of two.
  static let count = 4_096
  /// The logits of evenly spread parts, shuffled with a fixed seed.
  static let logits: ContiguousArray<Float> = {
    var table = ContiguousArray(
      (0..<count).map { place in
        Float(Logarithms.logit((Double(place) + 0.5) / Double(count)))
      })
    var seed: UInt64 = 0x9e37_79b9_7f4a_7c15
    for place in (1..<count).reversed() {
      seed = scrambled(seed)
      table.swapAt(place, Int(seed % UInt64(place + 1)))
    }
    return table
  }()

  /// Scrambles a number (the finisher of SplitMix64, by Steele, Lea and Flood).
  static func scrambled(_ number: UInt64) -> UInt64 {
    var value = number &+ 0x9e37_79b9_7f4a_7c15
    value = (value ^ (value &>> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value &>> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value &>> 31)
  }

  /// Where a task's numbers begin.
  @inline(__always)
  static func place(of task: Int) -> Int {
    Int(truncatingIfNeeded: scrambled(UInt64(truncatingIfNeeded: task)) & UInt64(count - 1))
  }

  /// The place of a task's number in a draw; draws come in pairs that mirror each other.
  @inline(__always)
  static func place(_ begin: Int, draw: Int) -> Int {
    (begin &+ (draw &>> 1) &* 1_237) & (count - 1)
  }
}
