extension ProgressTree.State {
  /// Adds the typed values of a node that finishes, and of its descendants, to its parent.
  func foldSums(of node: NodeReference, into parent: NodeReference) {
    var values = NodeValues(of: node)
    values.settleTotal()
    sums(of: values, at: node).addFinished(to: parent.extras)
    markHasValues(parent)
  }

  /// The sums of a node and its live descendants.
  func sums(of values: NodeValues, at node: NodeReference) -> ValueSums {
    var sums = ValueSums(of: values)
    var next = node.firstChild
    while let child = next {
      next = child.next
      guard child.has(LinkFlags.hasValues), !child.isFinished else { continue }
      sums.add(self.sums(of: NodeValues(of: child), at: child))
    }
    return sums
  }

  /// Marks a node and its ancestors as having typed values at or below them.
  func markHasValues(_ node: NodeReference) {
    var next: NodeReference? = node
    while let node = next, !node.has(LinkFlags.hasValues) {
      node.set(LinkFlags.hasValues, true)
      next = node.parent
    }
  }
}

/// Sums of typed values under several keys.
struct ValueSums: Sendable, Equatable {
  /// The sums, stored as those of finished children.
  private(set) var table = ValueTable()
  /// The keys under which the value of the node stands for the whole subtree.
  private var coveredKeys: [any ProgressKey.Type] = []

  static func == (left: ValueSums, right: ValueSums) -> Bool { left.table == right.table }

  /// The sums of one node.
  init(of values: NodeValues) {
    for key in values.keys { add(values, under: key) }
  }

  /// Adds the sums of a child, except under covered keys.
  mutating func add(_ child: ValueSums) {
    for key in child.table.keys where !coveredKeys.contains(where: { $0 == key }) {
      add(child, under: key)
    }
  }

  /// The sum under a key, nil for none.
  func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? { table.finishedSum(of: key) }

  /// Adds the final sums to a parent.
  func addFinished(to extras: NodeExtras) {
    for key in table.keys { addFinished(to: extras, under: key) }
  }

  private mutating func add<Key: ProgressKey>(_ values: NodeValues, under key: Key.Type) {
    if let sum = values.sum(of: key) { table.addFinished(sum, for: key) }
    if values.covers(key) { coveredKeys.append(key) }
  }

  private mutating func add<Key: ProgressKey>(_ child: ValueSums, under key: Key.Type) {
    if let sum = child.sum(of: key) { table.addFinished(sum, for: key) }
  }

  private func addFinished<Key: ProgressKey>(to extras: NodeExtras, under key: Key.Type) {
    if let final = sum(of: key).flatMap(Key.finalSum) {
      extras.values.addFinished(final, for: key)
    }
  }
}
