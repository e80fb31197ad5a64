internal import HeadwayCollections

/// Random numbers that are the same in every forecast, so that an answer changes only when something has happened.
///
/// The numbers are read from one table of 4,096 evenly spread quantiles in a random order, at an index that depends on
/// the task and the simulation. No memory is needed for each task, and a new task changes nothing for the others.
enum CommonRandomNumbers {
  /// The number of entries, a power of two.
  static let count = 4_096
  /// The logits of evenly spread probabilities, shuffled with a fixed seed.
  static let logits: ContiguousArray<Float> = {
    var table = ContiguousArray(
      (0..<count).map { index in
        Float(Logarithms.logit((Double(index) + 0.5) / Double(count)))
      })
    var seed: UInt64 = 0x9e37_79b9_7f4a_7c15
    for index in (1..<count).reversed() {
      seed = SplitMix64.mixed(seed)
      table.swapAt(index, Int(seed % UInt64(index + 1)))
    }
    return table
  }()

  /// The index of a task's number in the first simulation.
  @inline(__always)
  static func start(of task: Int) -> Int {
    Int(
      truncatingIfNeeded: SplitMix64.mixed(UInt64(truncatingIfNeeded: task)) & UInt64(count - 1))
  }

  /// The index of a task's number in a simulation; simulations come in pairs that mirror each other.
  @inline(__always)
  static func index(_ start: Int, simulation: Int) -> Int {
    (start &+ (simulation &>> 1) &* 1_237) & (count - 1)
  }

  /// A number from 0 to 1 for a simulation; the second one of a pair mirrors the first one.
  @inline(__always)
  static func unit(_ start: Int, simulation: Int) -> Double {
    let logit = Double(logits[index(start, simulation: simulation)])
    return Logarithms.survival(simulation % 2 == 0 ? logit : -logit)
  }
}
