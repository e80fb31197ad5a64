/// The indices of tasks by name: a hash table with open addressing.
///
/// Names are compared byte by byte. If several tasks have one name, the last one is found. Not thread safe.
struct NameTable: Sendable {
  /// The indices, or -1 for an empty slot; their number is a power of two and at least twice the number of names.
  private var slots: [Int32]
  private var count = 0

  /// Creates a table for a number of names.
  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = Array(repeating: -1, count: size)
  }

  /// Adds a name.
  ///
  /// - Parameters:
  ///   - index: The index of the name in `names`.
  ///   - names: All names.
  /// - Returns: The index that the name had before, nil if it is new.
  /// - Complexity: O(length of the name), amortized.
  mutating func add(_ index: Int, in names: [String]) -> Int? {
    if count * 2 >= slots.count { grow(names) }
    let slot = slot(of: names[index], in: names)
    defer { slots[slot] = Int32(index) }
    if slots[slot] >= 0 { return Int(slots[slot]) }
    count += 1
    return nil
  }

  /// The index of a name, nil if there is none.
  func index(of name: String, in names: [String]) -> Int? {
    let index = slots[slot(of: name, in: names)]
    return index < 0 ? nil : Int(index)
  }

  /// The slot of a name, or the one where it belongs.
  private func slot(of name: String, in names: [String]) -> Int {
    var slot = Int(truncatingIfNeeded: Self.hash(name)) & (slots.count - 1)
    while slots[slot] >= 0, names[Int(slots[slot])] != name {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  /// Doubles the table.
  private mutating func grow(_ names: [String]) {
    let old = slots
    slots = Array(repeating: -1, count: slots.count * 2)
    for index in old where index >= 0 { slots[slot(of: names[Int(index)], in: names)] = index }
  }

  /// Mixes the bytes of a name.
  private static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash ^ (hash >> 29)
  }
}
