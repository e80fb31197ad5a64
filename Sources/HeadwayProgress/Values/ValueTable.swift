/// Typed values under their keys, and the sums of finished children.
///
/// The entries are a list, as there are only a few.
package struct ValueTable: Sendable, Equatable {
  private struct Entry: Sendable {
    let key: any ProgressKey.Type
    /// The value of the node, of the key's type.
    var value: (any Sendable)?
    /// The sum over finished children, of the key's type.
    var finishedSum: (any Sendable)?
  }

  /// The entries, at most one per key.
  private var entries: [Entry] = []

  var keys: [any ProgressKey.Type] { entries.map(\.key) }

  /// Creates an empty table.
  package init() {}

  /// The value under a key.
  package subscript<Key: ProgressKey>(key: Key.Type) -> Key.Value? {
    get { entry(key)?.value as? Key.Value }
    set { change(key) { $0.value = newValue } }
  }

  /// The sum of finished children under a key.
  package func finishedSum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? {
    entry(key)?.finishedSum as? Key.Sum
  }

  /// Sets the sum of finished children under a key; nil removes it.
  package mutating func setFinishedSum<Key: ProgressKey>(_ sum: Key.Sum?, of key: Key.Type) {
    change(key) { $0.finishedSum = sum }
  }

  /// Adds to the sum of finished children.
  mutating func addFinished<Key: ProgressKey>(_ sum: Key.Sum, for key: Key.Type) {
    change(key) { entry in
      // Taken out first, so that it can be changed in place.
      let before = entry.finishedSum.take() as? Key.Sum
      entry.finishedSum = before.map { Key.combined($0, sum) } ?? sum
    }
  }

  private func entry(_ key: any ProgressKey.Type) -> Entry? { entries.first { $0.key == key } }

  /// Changes the entry of a key, inserting it before and removing an empty one after.
  private mutating func change(_ key: any ProgressKey.Type, _ change: (inout Entry) -> Void) {
    let index = entries.firstIndex { $0.key == key } ?? entries.endIndex
    if index == entries.endIndex { entries.append(Entry(key: key)) }
    change(&entries[index])
    if entries[index].value == nil, entries[index].finishedSum == nil { entries.remove(at: index) }
  }

  package static func == (left: ValueTable, right: ValueTable) -> Bool {
    left.entries.count == right.entries.count
      && left.keys.allSatisfy { left.isEqual(to: right, under: $0) }
  }

  private func isEqual<Key: ProgressKey>(to other: ValueTable, under key: Key.Type) -> Bool {
    self[key] == other[key] && finishedSum(of: key) == other.finishedSum(of: key)
  }
}

/// What a node and its finished children contribute to the sums of a subtree.
struct NodeValues: Sendable {
  private let table: ValueTable
  /// The sums of a mirrored node below which nodes were left out: they stand for the subtree.
  private var summary: ValueTable?
  /// The counts of a node whose units are bytes, including those of live children.
  private(set) var bytes: (completed: Int, total: Int?)?
  /// Whether these counts stand for the subtree: a node with a total has given shares of it to its children.
  private var bytesCoverChildren = false

  /// Reads a node, under the lock.
  init(of node: NodeReference) {
    let extras = node.existingExtras
    table = extras?.values ?? ValueTable()
    if let summary = extras?.summary {
      self.summary = summary.sums
      return
    }
    guard let extras, extras.kind.countsBytes else { return }
    // Without a total, the units of the node need not be bytes once children do a part of the work.
    bytesCoverChildren = node.total != nil
    if !bytesCoverChildren {
      let hasFinishedChildren = table.finishedSum(of: ProgressKeys.CompletedByteCount.self) != nil
      if hasFinishedChildren || node.hasLiveChild { return }
    }
    let completed = node.isFinished ? node.finalCount : node.countWithChildren
    bytes = (completed, node.total ?? (node.isFinished ? completed : nil))
  }

  /// Makes the completed bytes the total of a node that finishes without one.
  mutating func settleTotal() {
    if let bytes { self.bytes = (bytes.completed, bytes.total ?? bytes.completed) }
  }

  /// The keys under which the node may have a value.
  var keys: [any ProgressKey.Type] {
    guard bytes != nil || summary != nil else { return table.keys }
    var keys = table.keys
    let counted: [any ProgressKey.Type] = [
      ProgressKeys.TotalByteCount.self, ProgressKeys.CompletedByteCount.self,
    ]
    for key in summary?.keys ?? counted where !keys.contains(where: { $0 == key }) {
      keys.append(key)
    }
    return keys
  }

  /// Whether the value under a key stands for the whole subtree.
  func covers<Key: ProgressKey>(_ key: Key.Type) -> Bool {
    if summary?.finishedSum(of: key) != nil { return true }
    if table[key] != nil { return Key.coversSubtree }
    return bytesCoverChildren && byteCount(key) != nil
  }

  /// The sum of the node and its finished children under a key.
  func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? {
    if let sum = summary?.finishedSum(of: key) { return sum }
    let own = (table[key] ?? byteCount(key)).map(Key.sum(of:))
    if covers(key) { return own }
    switch (own, table.finishedSum(of: key)) {
    case (let own?, let finished?): return Key.combined(finished, own)
    case (let own?, nil): return own
    case (nil, let finished): return finished
    }
  }

  /// The count of bytes that stands for a value that is not set.
  private func byteCount<Key: ProgressKey>(_ key: Key.Type) -> Key.Value? {
    if key == ProgressKeys.TotalByteCount.self { return bytes?.total as? Key.Value }
    if key == ProgressKeys.CompletedByteCount.self { return bytes?.completed as? Key.Value }
    return nil
  }
}

extension NodeReference {
  /// Whether a child has not finished; finished ones stay linked only for their own children.
  ///
  /// - Complexity: O(finished children that are still linked).
  fileprivate var hasLiveChild: Bool {
    var next = firstChild
    while let child = next {
      if !child.isFinished { return true }
      next = child.next
    }
    return false
  }
}
