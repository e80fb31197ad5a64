/// The number and size of the levels of a wheel.
@usableFromInline
package struct WheelShape: Sendable {
  /// The base-2 logarithm of the number of slots in a level, from 1 to 8.
  @usableFromInline let bits: Int
  @usableFromInline let levels: Int
  /// The number of uses after which a node is retired.
  @usableFromInline let generations: UInt32
  /// The mask that selects the index of a slot in its level.
  @usableFromInline let digit: Int
  /// The largest distance of a deadline that the levels can hold.
  @usableFromInline let reach: UInt64
  /// The number of slots on all levels.
  @usableFromInline let slotCount: Int
  /// The base-2 logarithm of the number of bit map words of a level.
  @usableFromInline let wordShift: Int

  /// The shape of every wheel outside of tests: four levels of 256 slots.
  @inlinable
  package static var full: WheelShape { WheelShape(bits: 8, levels: 4) }

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - bits: The base-2 logarithm of the number of slots in a level, from 1 to 8.
  ///   - levels: The number of levels, which together must span at most 32 bits.
  ///   - generations: The number of uses of a node, from 1 to 2²⁹ − 1.
  @inlinable
  package init(bits: Int, levels: Int, generations: UInt32 = .max >> 3) {
    precondition((1...8).contains(bits), "A level has 1 to 8 bits, not \(bits).")
    precondition(
      (1...32).contains(levels * bits),
      "A wheel spans 1 to 32 bits, not \(levels) levels of \(bits) bits.")
    precondition(
      (1...UInt32.max >> 3).contains(generations),
      "A node can be used 1 to 2²⁹ − 1 times, not \(generations).")
    self.bits = bits
    self.levels = levels
    self.generations = generations
    digit = (1 << bits) - 1
    reach = (1 << UInt64(levels * bits)) - 1
    slotCount = levels << bits
    wordShift = max(0, bits - 6)
  }

  /// The number of bit map words of all levels.
  @inlinable var words: Int { levels << wordShift }
}
