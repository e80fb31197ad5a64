internal import HeadwayProgress

/// The published work that a person means by a word.
package enum WorkChoice: Sendable, Equatable {
  /// Nothing is called so.
  case none
  /// The one with this ID.
  case one(String)
  /// Several are called so; their IDs.
  case several([String])

  /// The least characters that stand for a longer name: fewer are too easily right by accident.
  package static let shortestBeginning = 4

  /// Finds out what is meant.
  ///
  /// An ID counts before a name, a name before the beginning of one, and that before a label.
  ///
  /// - Parameters:
  ///   - word: An ID, a name, the unique beginning of a name, or a label.
  ///   - works: The published work.
  /// - Complexity: O(works × length).
  package init(_ word: String, among works: [WatchedWork]) {
    if works.contains(where: { $0.id == word }) {
      self = .one(word)
      return
    }
    let named = works.filter { $0.name == word }
    if !named.isEmpty {
      self.init(named)
      return
    }
    let beginning =
      word.count >= Self.shortestBeginning
      ? works.filter { $0.name?.hasPrefix(word) == true } : []
    if beginning.count == 1 {
      self.init(beginning)
      return
    }
    let labelled = works.filter { !word.isEmpty && [$0.snapshot.label, $0.title].contains(word) }
    self.init(labelled.count == 1 || beginning.isEmpty ? labelled : beginning)
  }

  private init(_ works: [WatchedWork]) {
    let ids = works.map(\.id).sorted(by: WatchedWork.precedes)
    self = ids.count > 1 ? .several(ids) : ids.first.map { .one($0) } ?? .none
  }
}
