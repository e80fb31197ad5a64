/// The levels of a wheel.
@usableFromInline
package struct WheelShape: Sendable {
  /// Each level has two to this power slots; 1 to 8.
  @usableFromInline let bits: Int
  /// The number of levels.
  @usableFromInline let levels: Int
  /// How often a node may be used; a node that is used up is retired.
  @usableFromInline let generations: UInt32
  /// A multiplier that divides a number below 64 by `bits` with a shift by eight.
  @usableFromInline let inverse: Int
  /// The bits of a tick that choose a slot of a level.
  @usableFromInline let digit: Int
  /// The most ticks ahead that a level can hold.
  @usableFromInline let reach: UInt64
  /// The number of slots of all levels.
  @usableFromInline let slotCount: Int
  /// The words of occupancy of each level, two to this power.
  @usableFromInline let wordShift: Int

  /// The shape of every wheel that is not under test: four levels of 256 slots.
  @inlinable
  package static var full: WheelShape { WheelShape(bits: 8, levels: 4) }

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - bits: Each level has two to this power slots; 1 to 8.
  ///   - levels: The number of levels; all together span at most 32 bits.
  ///   - generations: How often a node may be used, 1 to 2²⁹ − 1.
  @inlinable
  package init(bits: Int, levels: Int, generations: UInt32 = .max >> 3) {
    precondition((1...8).contains(bits), "a level has 1 to 8 bits, not \(bits)")
    precondition((1...32).contains(levels * bits), "\(levels) levels of \(bits) bits are no shape")
    precondition(
      (1...UInt32.max >> 3).contains(generations), "a node cannot be used \(generations) times")
    self.bits = bits
    self.levels = levels
    self.generations = generations
    inverse = (256 + bits - 1) / bits
    digit = (1 << bits) - 1
    reach = (1 << UInt64(levels * bits)) - 1
    slotCount = levels << bits
    wordShift = max(0, bits - 6)
  }

  /// The words of occupancy of all levels.
  @inlinable var words: Int { levels << wordShift }
}
