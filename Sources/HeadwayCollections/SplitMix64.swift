/// A random number generator that gives the same numbers for the same seed.
///
/// SplitMix64 of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014). Not for secrets.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  /// What the next number is made from.
  @usableFromInline var state: UInt64

  /// Creates a generator.
  @inlinable package init(seed: UInt64) { state = seed }

  /// The next number.
  @inlinable package mutating func next() -> UInt64 {
    defer { state &+= Self.increment }
    return Self.mixed(state)
  }

  /// The next number from 0 to below 1.
  @inlinable package mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number that looks random for each given one: a hash.
  @inlinable package static func mixed(_ number: UInt64) -> UInt64 {
    var bits = number &+ increment
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// 2⁶⁴ divided by the golden ratio.
  @usableFromInline static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15
}
