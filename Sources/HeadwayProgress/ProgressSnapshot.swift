/// A copy of a node and its descendants at one moment; a live tree cannot be read in any other way.
///
/// ```swift
/// func line(of snapshot: ProgressSnapshot) -> String {
///   let parts = snapshot.children.map(\.label).joined(separator: ", ")
///   return "\(snapshot.label): \(Int(snapshot.shownFraction * 100)) % (\(parts))"
/// }
/// ```
public struct ProgressSnapshot: Sendable, Equatable, Identifiable {
  /// A number that no other node of the tree has.
  public let id: UInt32
  /// The name of the work, empty for none.
  public let label: String
  /// A description of the current step, to be shown in place of the counts; nil for none.
  public let detail: String?
  /// The kind of work.
  public let kind: WorkKind
  /// The completed units, including those of finished children; may exceed `total`.
  public let completed: Int
  /// The units of the work, nil while unknown.
  public let total: Int?
  /// The completed part of the work, from 0 to 1; 0 while the total is unknown, 1 only if finished.
  public let fraction: Double
  /// The largest fraction that was ever read; it never goes back.
  public let shownFraction: Double
  /// Whether the work has ended.
  public let isFinished: Bool
  /// Whether the work was cancelled.
  public let isCancelled: Bool
  /// Whether the node or one of its ancestors is paused.
  public let isPaused: Bool
  /// Whether the node can be cancelled.
  public let isCancellable: Bool
  /// Whether the node can be paused.
  public let isPausable: Bool
  /// The children that have not finished, in the order in which they were made.
  public internal(set) var children: [ProgressSnapshot] = []
  /// The completed units that took no work, with those of finished children; not encoded.
  package private(set) var skipped = 0.0
  /// Whether some children were left out because of the limit.
  public internal(set) var omitsChildren = false
  /// The units of the parent that the node stands for; 0 below ``ProgressNode/maximumDepth``.
  package internal(set) var units: Int
  /// The typed values of the node, and the sums of its finished children.
  package let values: ValueTable
  /// The completed part and the sums, if they do not follow from the copied nodes; nil if they do.
  package internal(set) var summary: ProgressSummary?
  /// The typed values of the node and all its descendants.
  private(set) var sums: ValueSums

  /// Whether the total is unknown and the node has not finished.
  public var isIndeterminate: Bool { total == nil && !isFinished }

  /// The typed value of the node alone, nil for none.
  ///
  /// - Parameter key: The key of the value.
  public subscript<Key: ProgressKey>(key: Key.Type) -> Key.Value? { values[key] }

  /// The sum of the typed values of the node and all its descendants, including those that were left out.
  ///
  /// - Parameter key: The key of the values.
  /// - Returns: The sum, nil if no node has a value.
  public func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? { sums.sum(of: key) }

  /// Copies one node, under the lock of its tree.
  init(of node: NodeReference) {
    let extras = node.existingExtras
    id = node.id
    label = extras?.label ?? ""
    detail = extras?.detail
    kind = extras?.kind ?? .work
    skipped = extras?.skipped ?? 0
    isFinished = node.isFinished
    completed = node.isFinished ? node.finalCount : node.count
    total = node.total
    fraction = node.fraction
    shownFraction = node.shownFraction
    let state = node.state
    isCancelled = state & NodeState.cancelled != 0
    isPaused = state & NodeState.paused != 0 && !node.isFinished
    isCancellable = state & NodeState.uncancellable == 0
    isPausable = state & NodeState.unpausable == 0
    units = Int(node.level) > ProgressNode.maximumDepth ? 0 : node.share
    values = extras?.values ?? ValueTable()
    sums = ValueSums(of: NodeValues(of: node))
    omitsChildren = extras?.omitsChildren ?? false
    // The children of a finished node are not copied, but their typed values count.
    if node.has(LinkFlags.overflowed | LinkFlags.summarized)
      || node.isFinished && node.firstChild != nil
    {
      summarize(node)
    }
  }

  /// Notes the completed part, which does not follow from the copied nodes, under the lock.
  mutating func summarize(_ node: NodeReference) {
    let part = isFinished ? 1 : node.completedPart(count: completed)
    summary = ProgressSummary(part: part, sums: sums.table)
  }

  /// Sets the sums of the node and all its descendants.
  mutating func settle(_ sums: ValueSums) {
    self.sums = sums
    summary?.sums = sums.table
  }
}

extension ProgressNode {
  /// Copies the node and its descendants, up to a limit.
  ///
  /// The copy is made level by level: all children of the node come before their children.
  ///
  /// - Parameter limit: The most nodes to copy, this one included: 1 to 1,000.
  /// - Returns: A value that does not change while the work goes on.
  /// - Complexity: O(`limit` + nodes that have changed since the last read + nodes with typed values). The
  ///   copy is made in one hold of the lock.
  public func snapshot(limit: Int = 1_000) -> ProgressSnapshot {
    versionedSnapshot(limit: limit).snapshot
  }

  /// Copies the node and its descendants, with the version of the tree that the copy includes at least.
  func versionedSnapshot(limit: Int) -> (snapshot: ProgressSnapshot, version: UInt64) {
    let version = updateTree()
    let sums = subtreeSums()
    let copies = withTree { state, _ in
      state.update(reference)
      return SnapshotCopies(from: reference, limit: min(max(limit, 1), ProgressTree.nodesPerHold))
    }
    return (copies.assembled(sums), version)
  }

  /// The sums of typed values of each node and its descendants, by the number of the node.
  private func subtreeSums() -> [UInt32: ValueSums] {
    var sums: [UInt32: ValueSums] = [:]
    var path: [(id: UInt32, sums: ValueSums)] = []
    // A subtree is complete when the walk continues beside or above it.
    func leave(to depth: Int) {
      while path.count > depth, let last = path.popLast() {
        sums[last.id] = last.sums
        if !path.isEmpty { path[path.count - 1].sums.add(last.sums) }
      }
    }
    walkValues { values, id, depth in
      leave(to: depth)
      path.append((id, ValueSums(of: values)))
    }
    leave(to: 0)
    return sums
  }
}

/// The nodes of a snapshot, copied under the lock and assembled after it is released.
struct SnapshotCopies: Sendable {
  /// The copies, level by level, with the indices of their children.
  private var copies: [(snapshot: ProgressSnapshot, children: Range<Int>)] = []

  /// Copies nodes under the lock.
  ///
  /// - Parameters:
  ///   - top: The first node.
  ///   - limit: The most nodes to copy.
  init(from top: NodeReference, limit: Int) {
    var nodes = [top]
    var index = 0
    while index < nodes.count {
      let node = nodes[index]
      let first = nodes.count
      var snapshot = ProgressSnapshot(of: node)
      var next = node.isFinished ? nil : node.firstChild
      while let child = next {
        next = child.next
        if child.isFinished { continue }
        guard nodes.count < limit else {
          snapshot.omitsChildren = true
          snapshot.summarize(node)
          break
        }
        nodes.append(child)
      }
      copies.append((snapshot, first..<nodes.count))
      index += 1
    }
  }

  /// Assembles the snapshot of the first node from the copies and the sums of typed values by the number of the node.
  func assembled(_ sums: [UInt32: ValueSums]) -> ProgressSnapshot {
    var assembled: [ProgressSnapshot] = []
    // In reverse, so that children are complete before their parents.
    for (snapshot, children) in copies.reversed() {
      var snapshot = snapshot
      if let sums = sums[snapshot.id] { snapshot.settle(sums) }
      snapshot.children = children.map { assembled[copies.count - 1 - $0] }
      assembled.append(snapshot)
    }
    guard let top = assembled.last else { preconditionFailure("a snapshot without a node") }
    return top
  }
}
