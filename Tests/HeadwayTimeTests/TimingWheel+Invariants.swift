@testable import HeadwayTime

extension TimingWheel {
  /// Checks the internal consistency of the wheel, for tests.
  ///
  /// - Returns: A sentence for each broken invariant.
  /// - Complexity: O(entries + slots).
  func brokenInvariants() -> [String] {
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
    for level in 0..<shape.levels where unsafe nextTicks[level] != nextTick(of: level) {
      broken.append(
        "level \(level) says \(unsafe nextTicks[level]), its bits \(nextTick(of: level))")
    }
    if stored != self.stored { broken.append("\(self.stored) entries counted, \(stored) found") }
    return broken + brokenNodes(found)
  }

  /// Checks the nodes.
  ///
  /// - Parameter found: The number of live entries in the slots for each node.
  /// - Returns: A sentence for each broken invariant.
  private func brokenNodes(_ found: [UInt32: Int]) -> [String] {
    var broken = brokenFreeNodes()
    var scheduled = 0
    var overflowFound = 0
    let liveOverflow = Set(overflow.heap.filter { isLive($0) }.map(\.id))
    for id in 0..<nodes.used {
      let stamp = unsafe nodes.node(id).stamp
      guard stamp & NodeSlab<Payload>.scheduled != 0 else { continue }
      scheduled += 1
      let isInOverflow = stamp & NodeSlab<Payload>.overflow != 0
      if isInOverflow { overflowFound += 1 }
      if !(isInOverflow ? liveOverflow.contains(id) : found[id] != nil) {
        broken.append("timer \(id) is scheduled but has no entry")
      }
    }
    if scheduled != scheduledCount {
      broken.append("\(scheduledCount) timers counted, \(scheduled) found")
    }
    if overflowFound != overflowCount {
      broken.append("\(overflowCount) overflow timers counted, \(overflowFound) found")
    }
    return broken
  }

  /// Checks the free nodes.
  ///
  /// - Returns: A sentence for each broken invariant.
  private func brokenFreeNodes() -> [String] {
    var broken: [String] = []
    var free: [UInt32] = []
    for index in 1..<(nodes.stacked + 1) {
      let element = unsafe (nodes.freeTop - index).pointee
      unsafe free.append(element.id)
      let stamp = unsafe nodes.node(element.id).stamp
      if unsafe element.stamp != stamp || element.page != nodes.node(element.id).page {
        broken.append("free node \(unsafe element.id) has the stamp \(stamp)")
      }
    }
    var page = nodes.freePage
    while page != NodeSlab<Payload>.noPage {
      let pointer = unsafe nodes.map(page)
      let map = unsafe pointer.pointee
      let words = unsafe NodeSlab<Payload>.FreeMap.words(pointer)
      if map.summary == 0 { broken.append("page \(page) is in the list without free nodes") }
      for word in 0..<32 {
        let bits = unsafe words[word]
        if (bits == 0) != (map.summary >> UInt32(word) & 1 == 0) {
          broken.append("the summary of page \(page) is wrong in word \(word)")
        }
        for bit in 0..<32 where bits >> UInt32(bit) & 1 == 1 {
          free.append(page << NodeSlab<Payload>.pageShift | UInt32(word * 32 + bit))
        }
      }
      page = map.next
    }
    let unscheduled = (0..<nodes.used).filter { id in
      unsafe nodes.node(id).stamp & NodeSlab<Payload>.scheduled == 0
        && !nodes.isReleased(Int(id >> NodeSlab<Payload>.pageShift))
        && nodes.node(id).stamp < nodes.lastStamp
    }
    // A node that is free at its last generation was added that way, or is retired.
    let known = Set(free)
    if known.count != free.count { broken.append("a node is free twice") }
    if !known.isSuperset(of: unscheduled) { broken.append("a free node is missing") }
    for id in known where unsafe nodes.node(id).stamp & NodeSlab<Payload>.scheduled != 0 {
      broken.append("timer \(id) is scheduled and its node is free")
    }
    return broken
  }

  /// Returns the entries of a slot that have not been processed.
  private func entries(of slot: Int) -> [UInt64] {
    var entries: [UInt64] = []
    var next = unsafe slots.lists[slot].head
    for index in unsafe 0..<slots.lists[slot].chunks {
      guard let chunk = unsafe next else { break }
      let isLast = unsafe index == slots.lists[slot].chunks - 1
      let count =
        unsafe isLast
        ? SlotChunks.entries(before: slots.cursors[slot]) : SlotChunks.chunkEntries
      for entry in 0..<count { unsafe entries.append(chunk[entry]) }
      if !isLast { unsafe next = unsafe SlotChunks.link(of: chunk) }
    }
    if slot == self.slot(.current) { return Array(entries.dropFirst(drained)) }
    if slot == self.slot(.cascading) { return Array(entries.dropFirst(cascaded)) }
    return entries
  }

  /// The number of entries in the slots and the overflow heap, including dead ones, for tests of memory bounds.
  var storedEntries: Int { stored + overflow.count }
}
