/// The search for the name that someone may have meant.
struct SpellingSuggestion {
  /// The comparisons that may still be made; a file full of wrong names must not take long to refuse.
  private var budget = PlanLimits.comparisons

  /// Creates a search with the whole budget.
  init() {}

  /// Gives the known name that is nearest to a wrong one, nil when none is near.
  ///
  /// - Complexity: O(*n* · *m*²) for *n* names and *m* characters, within the budget.
  mutating func name(for wrong: String, in known: some Sequence<String>) -> String? {
    let letters = Array(wrong.unicodeScalars.prefix(PlanLimits.nameBytes))
    var best: String?
    // A third of the letters may differ; beyond that a suggestion puzzles more than it helps.
    var least = max(1, letters.count / 3) + 1
    for candidate in known {
      guard budget > 0 else { break }
      budget -= 1
      let size = candidate.utf8.count
      guard size <= PlanLimits.nameBytes * 4, size + least > letters.count else { continue }
      // The beginning of a name is as near as a slip, however long the name is.
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

  /// Gives the end of a message that offers the nearest name; empty when none is near.
  mutating func hint(for wrong: String, in known: some Sequence<String>) -> String? {
    name(for: wrong, in: known).map { "did you mean \(quoted($0))?" }
  }

  /// Counts the letters to insert, remove, replace or swap between two names; at least `limit` when it is far.
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
    // A difference in case alone is a difference.
    return max(old[second.count], first == second ? 0 : 1)
  }

  /// Gives a letter of the alphabet in lower case and any other as it is.
  private static func lowered(_ letter: Unicode.Scalar) -> UInt32 {
    (65...90).contains(letter.value) ? letter.value + 32 : letter.value
  }
}
