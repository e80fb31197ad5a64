/// Random numbers that are the same in every run (SplitMix64 of Steele, Lea and Flood).
struct SeededDice: RandomNumberGenerator {
  /// What the next number is made of.
  var state: UInt64

  /// The next number.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to below a limit.
  mutating func next(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
