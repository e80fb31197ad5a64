// Releasing the pages that no timer needs, and allocating them again.
//
// A stale handle may name a node of a released page. So the page keeps its number, and the marks of unused nodes stand in
// its place: they match no handle. When it is allocated again, its nodes begin at a generation that none of the released
// ones had reached.

/// The marks of a page without nodes in use, in the place of all released pages of all slabs.
// Safe to share: it is never written, because no node of a released page is ever scheduled or freed.
@usableFromInline
nonisolated(unsafe) let unusedMarks: UnsafeMutableRawPointer = {
  let count = 1 << Int(NodeSlab<Never>.pageShift)
  let marks = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
  unsafe marks.initialize(repeating: 0, count: count)
  return UnsafeMutableRawPointer(marks)
}()

extension NodeSlab {
  /// Whether a page was released.
  @usableFromInline
  func isReleased(_ page: Int) -> Bool {
    unsafe !releasedPages.isEmpty && pages[page] == unusedMarks
  }

  /// Releases all pages without scheduled nodes; nothing but handles may refer to their nodes.
  ///
  /// A page stays if one of its nodes has spent half of its generations, because nodes that are added later would be
  /// retired too soon.
  ///
  /// - Complexity: O(pages), a thousand nodes each.
  @usableFromInline
  mutating func releasePages() {
    unstack()
    freePage = Self.noPage
    // Backwards, so that the pages with the lowest addresses are used first.
    for page in (0..<pageCount).reversed() where !isReleased(page) {
      let number = UInt32(truncatingIfNeeded: page)
      if let highest = highestStamp(ofUnused: page) {
        firstStamp = max(firstStamp, highest)
        unsafe pages[page].deallocate()
        unsafe pages[page] = unsafe unusedMarks
        releasedPages.append(number)
        // The rest of the last page counts as added.
        used = max(used, (number &+ 1) &<< Self.pageShift)
      } else if unsafe map(number).pointee.summary != 0 {
        unsafe map(number).pointee.next = freePage
        freePage = number
      }
    }
  }

  /// Returns the highest stamp of a page that can be released, nil if it has to stay.
  private func highestStamp(ofUnused page: Int) -> UInt32? {
    let first = UInt32(truncatingIfNeeded: page) &<< Self.pageShift
    // The last page of all has one number less.
    guard first <= .max - (2 &<< Self.pageShift) else { return nil }
    var highest: UInt32 = 0
    for id in first..<min(used, first + (1 &<< Self.pageShift)) {
      let stamp = unsafe node(id).stamp
      if stamp & Self.scheduled != 0 { return nil }
      highest = max(highest, stamp)
    }
    // A node that is retired has the last stamp.
    return highest < lastStamp && highest <= lastStamp / 2 ? highest : nil
  }

  /// Moves all nodes of the stack to the maps.
  private mutating func unstack() {
    while stacked > 0 {
      unsafe freeTop -= 1
      unsafe markFree(freeTop.pointee.id)
    }
  }

  /// Allocates a released page again, and pushes some of its nodes onto the empty stack; the maps are empty.
  @usableFromInline
  mutating func restore(_ page: UInt32) {
    let memory = unsafe Self.makePage()
    unsafe memory.initializeMemory(
      as: UInt64.self, repeating: UInt64(firstStamp), count: 1 << Int(Self.pageShift))
    unsafe pages[Int(page)] = unsafe memory
    let map = unsafe map(page)
    unsafe map.pointee.summary = .max
    for word in 0..<FreeMap.wordCount { unsafe FreeMap.words(map)[word] = .max }
    freePage = page
    refill()
  }
}
