extension TimingWheel {
  /// What is wrong with the wheel's inner order, for tests.
  ///
  /// - Returns: A sentence for each broken rule; nothing in a sound wheel.
  /// - Complexity: O(entries + slots).
  package func brokenInvariants() -> [String] {
    var broken: [String] = []
    var stored = 0
    var found: [UInt32: Int] = [:]
    for slot in 0..<slots.slotCount {
      let entries = self.entries(of: slot)
      stored += entries.count
      for entry in entries
      where unsafe isLive(
        entry, nodes.node(UInt32(truncatingIfNeeded: entry)), flags: flags(of: slot))
      {
        found[UInt32(truncatingIfNeeded: entry), default: 0] += 1
      }
      guard slot < shape.slotCount else { continue }
      let level = slot >> shape.bits
      let digit = slot & shape.digit
      let bit = unsafe occupied[(level << shape.wordShift) + (digit >> 6)] >> UInt64(digit & 63) & 1
      if (bit == 1) == slots.isEmpty(slot) { broken.append("the bit of slot \(slot) is \(bit)") }
      for entry in entries {
        let tick = self.tick(of: UInt32(truncatingIfNeeded: entry >> 32))
        if Int(truncatingIfNeeded: tick >> UInt64(level * shape.bits)) & shape.digit != digit {
          broken.append("slot \(slot) of level \(level) holds an entry for tick \(tick)")
        }
      }
    }
    for level in 0..<shape.levels where unsafe turns[level] != nextTurn(of: level) {
      broken.append("level \(level) says \(unsafe turns[level]), its bits \(nextTurn(of: level))")
    }
    if stored != slots.stored { broken.append("\(slots.stored) entries counted, \(stored) found") }
    return broken + brokenNodes(found)
  }

  /// What is wrong with the nodes.
  ///
  /// - Parameter found: How many live entries each node has in the slots.
  /// - Returns: A sentence for each broken rule.
  private func brokenNodes(_ found: [UInt32: Int]) -> [String] {
    var broken: [String] = []
    var armed = 0
    var farArmed = 0
    let farFound = Set(far.heap.filter { isLive($0) }.map(\.id))
    for id in 0..<nodes.used {
      let stamp = unsafe nodes.node(id).pointee.stamp
      guard stamp & NodeSlab<Payload>.armed != 0 else { continue }
      armed += 1
      let isFar = stamp & NodeSlab<Payload>.far != 0
      if isFar { farArmed += 1 }
      if !(isFar ? farFound.contains(id) : found[id] != nil) {
        broken.append("timer \(id) is armed and stands nowhere")
      }
    }
    if armed != self.armed { broken.append("\(self.armed) timers counted, \(armed) found") }
    if farArmed != farCount { broken.append("\(farCount) far timers counted, \(farArmed) found") }
    return broken
  }

  /// The entries of a slot that have not been handed or dealt out.
  private func entries(of slot: Int) -> [UInt64] {
    var entries: [UInt64] = []
    var next = unsafe slots.lists[slot].head
    for place in unsafe 0..<slots.lists[slot].chunks {
      guard let chunk = unsafe next else { break }
      let isLast = unsafe place == slots.lists[slot].chunks - 1
      let count =
        unsafe isLast
        ? SlotChunks.entries(before: slots.cursors[slot]) : SlotChunks.chunkEntries
      for entry in 0..<count { unsafe entries.append(chunk[entry]) }
      if !isLast { unsafe next = unsafe SlotChunks.link(of: chunk) }
    }
    if slot == self.slot(.current) { return Array(entries.dropFirst(drained)) }
    if slot == self.slot(.dealing) { return Array(entries.dropFirst(dealt)) }
    return entries
  }

  /// The entries that the slots and the far store hold, dead ones among them, for tests of what is bounded.
  package var storedEntries: Int { slots.stored + far.count }
}
