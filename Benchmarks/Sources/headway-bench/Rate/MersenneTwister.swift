import Foundation

/// The random numbers of Python's `random.Random(seed)`, so that the jobs are those of the published table.
///
/// The generator is the MT19937 of M. Matsumoto and T. Nishimura (1998) with its set-up by an array, the numbers from 0
/// to 1 have 53 bits, and the normal ones are made in pairs by the transform of Box and Muller.
struct MersenneTwister: Sendable {
  /// The number of words of the state.
  private static let size = 624
  /// How far away the word is that each one is mixed with.
  private static let distance = 397

  /// The state.
  private var words = [UInt32](repeating: 0, count: size)
  /// The next word to give out.
  private var place = size
  /// The second number of a pair of normal ones.
  private var spare: Double?

  /// Creates a generator.
  ///
  /// - Parameter seed: The number that Python is given.
  init(seed: UInt32) {
    words[0] = 19_650_218
    for place in 1..<Self.size {
      words[place] = 1_812_433_253 &* folded(place - 1) &+ UInt32(place)
    }
    var place = 1
    func step() -> Int { place == Self.size - 1 ? 1 : place + 1 }
    for round in 0..<2 * Self.size - 1 {
      let isFirst = round < Self.size
      let factor: UInt32 = isFirst ? 1_664_525 : 1_566_083_941
      let mixed = words[place] ^ (folded(place - 1) &* factor)
      words[place] = isFirst ? mixed &+ seed : mixed &- UInt32(place)
      if place == Self.size - 1 { words[0] = words[place] }
      place = step()
    }
    words[0] = 0x8000_0000
  }

  /// A number from 0 up to and without 1.
  mutating func unit() -> Double {
    let (high, low) = (next() >> 5, next() >> 6)
    return (Double(high) * 67_108_864 + Double(low)) / 9_007_199_254_740_992
  }

  /// A number of a range, each as likely.
  mutating func uniform(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * unit()
  }

  /// A normal number.
  mutating func normal(_ mean: Double, _ deviation: Double) -> Double {
    if let number = spare {
      spare = nil
      return mean + number * deviation
    }
    let angle = unit() * 2 * .pi
    let radius = (-2 * log(1 - unit())).squareRoot()
    spare = sin(angle) * radius
    return mean + cos(angle) * radius * deviation
  }

  /// A number above zero, memoryless, with the mean 1.
  mutating func exponential() -> Double { -log(1 - unit()) }

  /// A word with its highest two bits laid over its lowest.
  private func folded(_ place: Int) -> UInt32 { words[place] ^ (words[place] >> 30) }

  /// The next word.
  private mutating func next() -> UInt32 {
    if place == Self.size { renew() }
    var word = words[place]
    place += 1
    word ^= word >> 11
    word ^= (word << 7) & 0x9d2c_5680
    word ^= (word << 15) & 0xefc6_0000
    return word ^ (word >> 18)
  }

  /// Makes the words of the next round.
  private mutating func renew() {
    for place in 0..<Self.size {
      let pair =
        (words[place] & 0x8000_0000) | (words[(place + 1) % Self.size] & 0x7fff_ffff)
      let far = words[(place + Self.distance) % Self.size]
      words[place] = far ^ (pair >> 1) ^ (pair & 1 == 0 ? 0 : 0x9908_b0df)
    }
    place = 0
  }
}
