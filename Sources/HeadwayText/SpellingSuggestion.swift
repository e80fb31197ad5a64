/// Finds the known name that a misspelled one probably means.
///
/// The distance is that of Damerau and Levenshtein, in the restricted form (optimal string alignment).
package struct SpellingSuggestion {
  /// The comparisons that may still be made, so that many wrong names do not take long.
  private var budget: Int
  /// The number of characters of a name that are compared.
  private static let characters = 200

  /// Creates a search.
  ///
  /// - Parameter budget: The number of names that may be compared, over all calls.
  package init(budget: Int = 100_000) { self.budget = budget }

  /// Returns the known name closest to a wrong one, nil if none is close.
  ///
  /// - Complexity: O(*n* · *m*²) for *n* names and *m* characters, within the budget.
  package mutating func name(for wrong: String, in known: some Sequence<String>) -> String? {
    let letters = Array(wrong.unicodeScalars.prefix(Self.characters))
    var best: String?
    // At most a third of the letters may differ: a farther suggestion does not help.
    var least = max(1, letters.count / 3) + 1
    for candidate in known {
      guard budget > 0 else { break }
      budget -= 1
      let size = candidate.utf8.count
      guard size <= Self.characters * 4, size + least > letters.count else { continue }
      // A prefix is as close as one wrong letter, however long the name is.
      let isBeginning = letters.count >= 3 && candidate.hasPrefix(wrong) && candidate != wrong
      let distance =
        isBeginning
        ? min(1, least) : Self.distance(letters, Array(candidate.unicodeScalars), below: least)
      if distance < least {
        least = distance
        best = candidate
      }
    }
    return best
  }

  /// The number of letters to insert, remove, replace or swap between two names, or `limit` if it is larger.
  private static func distance(
    _ first: [Unicode.Scalar], _ second: [Unicode.Scalar], below limit: Int
  ) -> Int {
    guard abs(first.count - second.count) < limit else { return limit }
    var older = [Int](repeating: 0, count: second.count + 1)
    var old = Array(0...second.count)
    for row in first.indices {
      var new = [row + 1] + old.dropFirst()
      for column in second.indices {
        let isSame = lowered(first[row]) == lowered(second[column])
        new[column + 1] = min(old[column + 1] + 1, new[column] + 1, old[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          new[column + 1] = min(new[column + 1], older[column - 1] + 1)
        }
      }
      if (new.min() ?? 0) >= limit { return limit }
      older = old
      old = new
    }
    // Names that differ in case only are different.
    return max(old[second.count], first == second ? 0 : 1)
  }

  private static func lowered(_ letter: Unicode.Scalar) -> UInt32 {
    (65...90).contains(letter.value) ? letter.value + 32 : letter.value
  }
}
