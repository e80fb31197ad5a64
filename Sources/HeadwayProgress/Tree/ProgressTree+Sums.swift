extension ProgressTree.State {
  /// Gives what a node and those below it have in typed values to its parent.
  ///
  /// - Parameters:
  ///   - node: A node that is about to finish.
  ///   - parent: The node above.
  func foldSums(of node: NodeReference, into parent: NodeReference) {
    var record = InformationRecord(of: node)
    // Bytes of an unknown total have turned out to be those completed.
    if let bytes = record.bytes { record.bytes = (bytes.completed, bytes.total ?? bytes.completed) }
    sums(of: record, at: node).keep(in: parent.extras)
    markInformed(parent)
  }

  /// The sums of a node and of its live children.
  func sums(of record: InformationRecord, at node: NodeReference) -> InformationSums {
    var sums = InformationSums(of: record)
    var next = node.firstChild
    while let child = next {
      next = child.next
      guard child.has(LinkFlags.informed), !child.isFinished else { continue }
      sums.add(self.sums(of: InformationRecord(of: child), at: child))
    }
    return sums
  }

  /// Notes that a node has typed values, for those who look for them from above.
  func markInformed(_ node: NodeReference) {
    var next: NodeReference? = node
    while let node = next, !node.has(LinkFlags.informed) {
      node.set(LinkFlags.informed, true)
      next = node.parent
    }
  }
}

/// Sums of typed values under several keys.
struct InformationSums: Sendable {
  /// The sums, as if finished children had left them.
  private(set) var table = InformationTable()
  /// The keys under which the node speaks for all that is below it.
  private var covered: [any ProgressKey.Type] = []

  /// The sums of one node.
  init(of record: InformationRecord) {
    for key in record.keys { add(record, under: key) }
  }

  /// Adds the sums of a child, but for those that the node speaks for.
  mutating func add(_ child: InformationSums) {
    for key in child.table.keys where !covered.contains(where: { $0 == key }) {
      add(child, under: key)
    }
  }

  /// The sum under a key, nil when there is nothing.
  func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? { table.kept(key) }

  /// Gives a parent what stays of the sums.
  func keep(in extras: NodeExtras) {
    for key in table.keys { keep(in: extras, under: key) }
  }

  /// Adds what a node has under a key.
  private mutating func add<Key: ProgressKey>(_ record: InformationRecord, under key: Key.Type) {
    if let sum = record.sum(of: key) { table.keep(sum, for: key) }
    if record.covers(key) { covered.append(key) }
  }

  /// Adds the sum of a child under a key.
  private mutating func add<Key: ProgressKey>(_ child: InformationSums, under key: Key.Type) {
    if let sum = child.sum(of: key) { table.keep(sum, for: key) }
  }

  /// Gives a parent what stays of the sum under a key.
  private func keep<Key: ProgressKey>(in extras: NodeExtras, under key: Key.Type) {
    if let kept = sum(of: key).flatMap(Key.kept) { extras.information.keep(kept, for: key) }
  }
}
