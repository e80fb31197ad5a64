extension TimingWheel {
  /// Releases the memory that the scheduled timers do not need.
  ///
  /// A wheel keeps the memory of timers that have expired or were cancelled, for later ones. Call this method after an
  /// unusually large number of timers. It moves no timer, so a block of 1,024 timers is released when none of them is
  /// scheduled. All handles stay valid, and stale ones stale. Inside the closure of `advance` it does nothing.
  ///
  /// ```swift
  /// var wheel = TimingWheel<Int>()
  /// let handles = (0..<100_000).map { wheel.schedule($0, at: 500) }
  /// for handle in handles.dropFirst() { wheel.cancel(handle) }
  /// wheel.shrinkToFit()  // 3 MB less
  /// let left = wheel.cancel(handles[0])  // 0
  /// ```
  ///
  /// - Complexity: O(n), where n is the largest number of timers since the last call.
  public mutating func shrinkToFit() {
    guard !isAdvancing else { return }
    compactSlots()
    // Afterwards no entry refers to a node that is not scheduled.
    compactOverflow()
    nodes.releasePages()
  }

  /// Moves the live entries of all slots to new memory.
  private mutating func compactSlots() {
    var compact = SlotChunks(slotCount: slots.slotCount)
    for slot in 0..<slots.slotCount where !slots.isEmpty(slot) {
      let flags = flags(of: slot)
      // The processed entries of a slot that an advance has left unfinished.
      var skipped =
        slot == self.slot(.current) ? drained : slot == self.slot(.cascading) ? cascaded : 0
      while let (chunk, count) = unsafe slots.takeHead(of: slot) {
        for index in skipped..<count {
          let entry = unsafe chunk[index]
          let node = unsafe nodes.node(UInt32(truncatingIfNeeded: entry))
          if unsafe isLive(entry, node, flags: flags) {
            _ = compact.append(entry, to: slot)
          } else {
            room += 1
          }
        }
        skipped = 0
      }
      if compact.isEmpty(slot) && slot < shape.slotCount { setEmpty(slot) }
    }
    slots = compact
    drained = 0
    cascaded = 0
    sweepLeft = 0
  }
}
