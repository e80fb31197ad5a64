/// The indices of tasks by their names: an open table over the names themselves.
///
/// Names are compared byte by byte. Of several with one name the last one that was added is found. Not thread safe.
struct NameTable: Sendable {
  /// The places, -1 where there is none; a power of two of them, at least twice as many as names.
  private var slots: [Int32]
  /// The number of names.
  private var count = 0

  /// Creates a table with room for some names.
  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = Array(repeating: -1, count: size)
  }

  /// Adds a name.
  ///
  /// - Parameters:
  ///   - index: Where it stands in `names`.
  ///   - names: All names.
  /// - Returns: The place that the name had before, nil when it is new.
  /// - Complexity: O(length of the name), amortized.
  mutating func add(_ index: Int, in names: [String]) -> Int? {
    if count * 2 >= slots.count { grow(names) }
    let slot = slot(of: names[index], in: names)
    defer { slots[slot] = Int32(index) }
    if slots[slot] >= 0 { return Int(slots[slot]) }
    count += 1
    return nil
  }

  /// The index of a name, nil when there is none.
  func index(of name: String, in names: [String]) -> Int? {
    let index = slots[slot(of: name, in: names)]
    return index < 0 ? nil : Int(index)
  }

  /// Where a name is, or belongs.
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
