/// Typed values, and the sums that finished children have left; a few, so that a list is quickest.
struct InformationTable: Sendable, Equatable {
  /// What is known under one key.
  private struct Entry: Sendable {
    /// The key.
    let key: any ProgressKey.Type
    /// The value of the node, of the key's type.
    var value: (any Sendable)?
    /// The sum of what finished children have left, of the key's type.
    var kept: (any Sendable)?
  }

  /// The entries, one for a key.
  private var entries: [Entry] = []

  /// Creates an empty table.
  init() {}

  /// Whether there is nothing.
  var isEmpty: Bool { entries.isEmpty }

  /// The keys, of which some may have no value.
  var keys: [any ProgressKey.Type] { entries.map(\.key) }

  /// The same table without what finished children have left.
  var values: InformationTable {
    var values = self
    values.entries = entries.compactMap {
      $0.value == nil ? nil : Entry(key: $0.key, value: $0.value)
    }
    return values
  }

  /// The value under a key.
  subscript<Key: ProgressKey>(key: Key.Type) -> Key.Value? {
    get { entry(key)?.value as? Key.Value }
    set { change(key) { $0.value = newValue } }
  }

  /// The sum under a key that finished children have left.
  func kept<Key: ProgressKey>(_ key: Key.Type) -> Key.Sum? { entry(key)?.kept as? Key.Sum }

  /// Adds to the sum that finished children have left.
  mutating func keep<Key: ProgressKey>(_ sum: Key.Sum, for key: Key.Type) {
    change(key) { entry in
      // Taken out first, so that it can be changed in place.
      let kept = entry.kept.take() as? Key.Sum
      entry.kept = kept.map { Key.combined($0, sum) } ?? sum
    }
  }

  /// The entry of a key.
  private func entry(_ key: any ProgressKey.Type) -> Entry? { entries.first { $0.key == key } }

  /// Changes the entry of a key, which is made where there is none and removed where nothing is left.
  private mutating func change(_ key: any ProgressKey.Type, _ change: (inout Entry) -> Void) {
    let place = entries.firstIndex { $0.key == key } ?? entries.endIndex
    if place == entries.endIndex { entries.append(Entry(key: key)) }
    change(&entries[place])
    if entries[place].value == nil, entries[place].kept == nil { entries.remove(at: place) }
  }

  static func == (left: InformationTable, right: InformationTable) -> Bool {
    left.entries.count == right.entries.count
      && left.keys.allSatisfy { left.isEqual(to: right, under: $0) }
  }

  /// Whether two tables have the same under a key.
  private func isEqual<Key: ProgressKey>(to other: InformationTable, under key: Key.Type) -> Bool {
    self[key] == other[key] && kept(key) == other.kept(key)
  }
}

/// What a node and its finished children contribute to the sums of a subtree.
struct InformationRecord: Sendable {
  /// The values, and what finished children have left.
  var table: InformationTable
  /// The counts of a node whose units are bytes, with what live children have done of theirs.
  var bytes: (completed: Int, total: Int?)?
  /// Whether those counts stand for all that is below: a node with a total has given shares of it.
  private(set) var coversChildren = false

  /// Reads a node, under the lock.
  init(of node: NodeReference) {
    let extras = node.existingExtras
    table = extras?.information ?? InformationTable()
    guard let extras, extras.kind.countsBytes else { return }
    // The units of a node without a total may be anything once others do a part of them.
    coversChildren = node.total != nil
    if !coversChildren {
      let hasChildren = table.kept(ProgressKeys.CompletedByteCount.self) != nil
      if hasChildren || node.firstChild != nil { return }
    }
    let completed = node.isFinished ? node.finalCount : node.countWithChildren
    bytes = (completed, node.total ?? (node.isFinished ? completed : nil))
  }

  /// The keys under which there may be something.
  var keys: [any ProgressKey.Type] {
    guard bytes != nil else { return table.keys }
    var keys = table.keys
    let counted: [any ProgressKey.Type] = [
      ProgressKeys.TotalByteCount.self, ProgressKeys.CompletedByteCount.self,
    ]
    for key in counted where !keys.contains(where: { $0 == key }) { keys.append(key) }
    return keys
  }

  /// Whether what the node has under a key stands for all that is below, too.
  func covers<Key: ProgressKey>(_ key: Key.Type) -> Bool {
    if table[key] != nil { return Key.coversSubtree }
    return coversChildren && counted(key) != nil
  }

  /// The sum of the node and its finished children under a key.
  func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? {
    let own = (table[key] ?? counted(key)).map(Key.sum(of:))
    if covers(key) { return own }
    switch (own, table.kept(key)) {
    case (let own?, let kept?): return Key.combined(kept, own)
    case (let own?, nil): return own
    case (nil, let kept): return kept
    }
  }

  /// The value under a key that the counts of bytes stand for.
  private func counted<Key: ProgressKey>(_ key: Key.Type) -> Key.Value? {
    bytes.flatMap { Key.value(ofBytes: $0.completed, total: $0.total) }
  }
}
