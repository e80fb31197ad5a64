extension ProgressTree.State {
  /// Gives what a node and those below it have in typed values to its parent.
  ///
  /// - Parameters:
  ///   - node: A node that is about to finish.
  ///   - parent: The node above.
  func foldSums(of node: NodeReference, into parent: NodeReference) {
    var sums = InformationSums()
    sums.add(recordAtEnd(of: node))
    addLiveChildren(of: node, to: &sums)
    sums.keep(in: parent.extras)
    markInformed(parent)
  }

  /// Reads a node that is about to finish: bytes of an unknown total have turned out to be those completed.
  private func recordAtEnd(of node: NodeReference) -> InformationRecord {
    var record = InformationRecord(of: node)
    if let bytes = record.bytes { record.bytes = (bytes.completed, bytes.total ?? bytes.completed) }
    return record
  }

  /// Adds what live children of a node have, which it leaves behind.
  private func addLiveChildren(of node: NodeReference, to sums: inout InformationSums) {
    var next = node.firstChild
    while let child = next {
      next = child.next
      guard child.has(LinkFlags.informed), !child.isFinished else { continue }
      sums.add(InformationRecord(of: child))
      addLiveChildren(of: child, to: &sums)
    }
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

  /// Creates sums of nothing.
  init() {}

  /// Adds what a node has.
  mutating func add(_ record: InformationRecord) {
    for key in record.keys { add(record, under: key) }
  }

  /// Adds other sums.
  mutating func add(_ other: InformationSums) {
    for key in other.table.keys { add(other, under: key) }
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
  }

  /// Adds the sum under a key.
  private mutating func add<Key: ProgressKey>(_ other: InformationSums, under key: Key.Type) {
    if let sum = other.sum(of: key) { table.keep(sum, for: key) }
  }

  /// Gives a parent what stays of the sum under a key.
  private func keep<Key: ProgressKey>(in extras: NodeExtras, under key: Key.Type) {
    if let kept = sum(of: key).flatMap(Key.kept) { extras.information.keep(kept, for: key) }
  }
}
