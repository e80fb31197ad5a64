/// A set of small integers that finds its least member quickly: a hierarchical bitmap, 64 bits to a word.
///
/// ```
///   level 1    [1 · 1 ·]                 a bit for each word below that is not empty
///   level 0    [· 1 1 ·] [· · · ·] [1 · · ·]
/// ```
///
/// Inserting, removing and finding the least member from an index on are O(log₆₄ capacity): three words for 262,144
/// indices. Not thread safe.
package struct BitSet: Sendable {
  /// The words of all levels, the leaves first.
  @usableFromInline var words: [UInt64]
  /// Where the words of each level begin.
  @usableFromInline let starts: [Int]

  /// Creates an empty set.
  ///
  /// - Parameter capacity: The number of possible members, which are from 0 to below it.
  @inlinable package init(capacity: Int) {
    var starts: [Int] = []
    var count = 0
    var level = capacity
    repeat {
      level = (level + 63) / 64
      starts.append(count)
      count += level
    } while level > 1
    self.starts = starts
    words = Array(repeating: 0, count: count)
  }

  @inlinable package mutating func insert(_ index: Int) {
    var index = index
    for start in starts {
      let word = start + index / 64
      let before = words[word]
      words[word] = before | 1 << UInt64(index % 64)
      // The levels above already have a bit for this word.
      if before != 0 { return }
      index /= 64
    }
  }

  @inlinable package mutating func remove(_ index: Int) {
    var index = index
    for start in starts {
      let word = start + index / 64
      words[word] &= ~(1 << UInt64(index % 64))
      if words[word] != 0 { return }
      index /= 64
    }
  }

  /// The least member that is at least an index, nil if there is none.
  @inlinable package func first(from index: Int) -> Int? {
    var index = index
    var level = 0
    while level < starts.count {
      let word = index / 64
      let end = level + 1 < starts.count ? starts[level + 1] : words.count
      guard starts[level] + word < end else { return nil }
      let bits = words[starts[level] + word] & (~0 << UInt64(index % 64))
      if bits != 0 {
        index = word * 64 + bits.trailingZeroBitCount
        // Down again, to the first member below.
        while level > 0 {
          level -= 1
          index = index * 64 + words[starts[level] + index].trailingZeroBitCount
        }
        return index
      }
      index = word + 1
      level += 1
    }
    return nil
  }
}
