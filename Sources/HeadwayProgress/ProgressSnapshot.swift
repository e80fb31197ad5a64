/// A tree of progress, or the part of it that fits, as it was at one moment: the only view of a live tree.
public struct ProgressSnapshot: Sendable, Equatable, Identifiable {
  /// The number of the node, which differs between the nodes of one tree and stays until that is added to another.
  public let id: UInt32
  /// The words that name the work, empty for none.
  public let label: String
  /// Words about what was being done, in place of those that the counts give; nil for none.
  public let detail: String?
  /// What sort of work it is.
  public let kind: WorkKind
  /// The completed units, those of finished children among them; it may be more than `total`.
  public let completed: Int
  /// The units of the work, nil while not known.
  public let total: Int?
  /// The part of the work that is done, from 0 to 1; 0 while the total is not known, 1 only when finished.
  public let fraction: Double
  /// The largest fraction that was seen: it never goes back.
  public let shownFraction: Double
  /// Whether the work has ended.
  public let isFinished: Bool
  /// Whether the work was told to end early.
  public let isCancelled: Bool
  /// Whether the work is paused, here or above.
  public let isPaused: Bool
  /// Whether a cancel reaches the node.
  public let isCancellable: Bool
  /// Whether a pause reaches the node.
  public let isPausable: Bool
  /// The children that had not finished, in the order in which they were made.
  public internal(set) var children: [ProgressSnapshot] = []
  /// Whether there were more children than `children` has.
  public internal(set) var omitsChildren = false
  /// The typed values of the node alone.
  private let information: InformationTable
  /// The typed values of the node and all below.
  var sums: InformationSums

  /// Whether the total is not known, so that the fraction says nothing.
  public var isIndeterminate: Bool { total == nil && !isFinished }

  /// The typed value of the node alone, nil for none.
  ///
  /// - Parameter key: What kind of value.
  public subscript<Key: ProgressKey>(key: Key.Type) -> Key.Value? { information[key] }

  /// The typed values of the node and all below it as one, those that are omitted among them.
  ///
  /// - Parameter key: What kind of value.
  /// - Returns: The sum, nil when no node has such a value.
  public func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? { sums.sum(of: key) }

  /// Copies one node, under the lock of its tree.
  init(of node: NodeReference) {
    let extras = node.existingExtras
    id = node.id
    label = extras?.label ?? ""
    detail = extras?.detail
    kind = extras?.kind ?? .work
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
    information = extras?.information.values ?? InformationTable()
    sums = InformationSums(of: InformationRecord(of: node))
  }

  /// Whether two snapshots say the same.
  public static func == (left: ProgressSnapshot, right: ProgressSnapshot) -> Bool {
    left.id == right.id && left.label == right.label && left.detail == right.detail
      && left.kind == right.kind && left.completed == right.completed && left.total == right.total
      && left.fraction == right.fraction && left.shownFraction == right.shownFraction
      && left.isFinished == right.isFinished && left.isCancelled == right.isCancelled
      && left.isPaused == right.isPaused && left.isCancellable == right.isCancellable
      && left.isPausable == right.isPausable && left.omitsChildren == right.omitsChildren
      && left.information == right.information && left.sums.table == right.sums.table
      && left.children == right.children
  }
}

extension ProgressNode {
  /// Copies the node and what is below it, as far as it fits.
  ///
  /// Nodes near the top come first: all children of the root before the children of those.
  ///
  /// - Parameter limit: The most nodes to copy, this one among them: 1 to 1,000.
  /// - Returns: A value that stays as it is while the work goes on.
  /// - Complexity: O(`limit` + nodes that have changed since the last look + nodes that have typed values). The
  ///   copy itself is made in one hold of the lock.
  public func snapshot(limit: Int = 1_000) -> ProgressSnapshot { look(limit: limit).snapshot }

  /// Copies the node and what is below it, with the version that has certainly been seen.
  func look(limit: Int) -> (snapshot: ProgressSnapshot, version: UInt64) {
    let version = settleTree()
    let sums = subtreeSums()
    let copies = withTree { state, _ in
      state.look(at: reference)
      return SnapshotCopies(from: reference, limit: min(max(limit, 1), ProgressTree.nodesPerHold))
    }
    return (copies.assembled(sums), version)
  }

  /// The sums of typed values at and below each node that has some, by its number.
  private func subtreeSums() -> [UInt32: InformationSums] {
    var sums: [UInt32: InformationSums] = [:]
    var path: [(id: UInt32, sums: InformationSums)] = []
    // A subtree is complete when the walk goes on beside or above it.
    func leave(to depth: Int) {
      while path.count > depth, let last = path.popLast() {
        sums[last.id] = last.sums
        if !path.isEmpty { path[path.count - 1].sums.add(last.sums) }
      }
    }
    walkInformation { record, id, depth in
      leave(to: depth)
      path.append((id, InformationSums(of: record)))
    }
    leave(to: 0)
    return sums
  }
}

/// The nodes of a snapshot in the order in which they were copied, before the lock is left.
struct SnapshotCopies: Sendable {
  /// The copies, and where the children of each are among them.
  private var copies: [(snapshot: ProgressSnapshot, children: Range<Int>)] = []

  /// Copies nodes level by level, under the lock.
  ///
  /// - Parameters:
  ///   - top: The first node.
  ///   - limit: The most nodes to copy.
  init(from top: NodeReference, limit: Int) {
    var nodes = [top]
    var place = 0
    while place < nodes.count {
      let node = nodes[place]
      let first = nodes.count
      var snapshot = ProgressSnapshot(of: node)
      var next = node.isFinished ? nil : node.firstChild
      while let child = next {
        next = child.next
        if child.isFinished { continue }
        guard nodes.count < limit else {
          snapshot.omitsChildren = true
          break
        }
        nodes.append(child)
      }
      copies.append((snapshot, first..<nodes.count))
      place += 1
    }
  }

  /// Puts the copies together.
  ///
  /// - Parameter sums: The sums of typed values by the number of the node.
  /// - Returns: The snapshot of the first node.
  func assembled(_ sums: [UInt32: InformationSums]) -> ProgressSnapshot {
    var made: [ProgressSnapshot] = []
    // From the last to the first, so that children are complete before their parents.
    for (snapshot, children) in copies.reversed() {
      var snapshot = snapshot
      if let sums = sums[snapshot.id] { snapshot.sums = sums }
      // `made` holds the copies from the last on.
      snapshot.children = children.map { made[copies.count - 1 - $0] }
      made.append(snapshot)
    }
    guard let top = made.last else { preconditionFailure("a snapshot without a node") }
    return top
  }
}
