/// A set of places that knows its least: a tree of bits, 64 to a word.
///
/// ```
///   level 1    [1 · 1 ·]                 a bit for each word below that is not empty
///   level 0    [· 1 1 ·] [· · · ·] [1 · · ·]
/// ```
///
/// To insert, to remove and to find the least from a place on cost O(log₆₄ of the size): three words for 262,144
/// places. Not thread safe.
struct PlaceSet: Sendable {
  /// The words of all levels, the leaves first.
  private var words: [UInt64]
  /// Where the words of each level begin.
  private let starts: [Int]

  /// Creates an empty set.
  ///
  /// - Parameter size: The number of places; each member is less.
  init(size: Int) {
    var starts: [Int] = []
    var count = 0
    var level = size
    repeat {
      level = (level + 63) / 64
      starts.append(count)
      count += level
    } while level > 1
    self.starts = starts
    words = Array(repeating: 0, count: count)
  }

  /// Adds a place.
  mutating func insert(_ place: Int) {
    var place = place
    for start in starts {
      let word = start + place / 64
      let before = words[word]
      words[word] = before | 1 << UInt64(place % 64)
      // The levels above know of the word already.
      if before != 0 { return }
      place /= 64
    }
  }

  /// Takes a place out.
  mutating func remove(_ place: Int) {
    var place = place
    for start in starts {
      let word = start + place / 64
      words[word] &= ~(1 << UInt64(place % 64))
      if words[word] != 0 { return }
      place /= 64
    }
  }

  /// The least member that is not less than a place, nil when there is none.
  func least(from place: Int) -> Int? {
    var place = place
    var level = 0
    while level < starts.count {
      let word = place / 64
      let end = level + 1 < starts.count ? starts[level + 1] : words.count
      guard starts[level] + word < end else { return nil }
      let bits = words[starts[level] + word] & (~0 << UInt64(place % 64))
      if bits != 0 {
        place = word * 64 + bits.trailingZeroBitCount
        // Down again, to the first member below.
        while level > 0 {
          level -= 1
          place = place * 64 + words[starts[level] + place].trailingZeroBitCount
        }
        return place
      }
      place = word + 1
      level += 1
    }
    return nil
  }
}
