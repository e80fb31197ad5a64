/// A repeatable sequence of random numbers: SplitMix64 of Steele, Lea and Flood (OOPSLA 2014).
struct Randoms: RandomNumberGenerator {
  /// The state.
  private var state: UInt64

  /// Starts the sequence that belongs to some words, the same on every machine.
  init(_ words: String...) {
    // FNV-1a.
    state = words.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The next number, from 0 to 1.
  mutating func part() -> Double { Double.random(in: 0..<1, using: &self) }
}
