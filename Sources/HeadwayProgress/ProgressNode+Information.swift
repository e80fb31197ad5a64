internal import HeadwayLock

extension ProgressNode {
  /// The words that name the work, empty for none.
  ///
  /// - Complexity: O(1): one lock.
  public var label: String {
    get { withTree { _, _ in reference.existingExtras?.label ?? "" } }
    set { changeExtras { $0.label = newValue } }
  }

  /// Words about what is being done at the moment, in place of those that the counts give; nil for none.
  ///
  /// - Complexity: O(1): one lock.
  public var detail: String? {
    get { withTree { _, _ in reference.existingExtras?.detail } }
    set { changeExtras { $0.detail = newValue } }
  }

  /// What sort of work it is; things, not files, unless something else is said.
  ///
  /// - Complexity: O(1): one lock.
  public var kind: WorkKind {
    get { withTree { _, _ in reference.existingExtras?.kind ?? .work } }
    set { changeInformation { $0.kind = newValue } }
  }

  /// The typed value of this node alone, nil for none; setting nil removes it.
  ///
  /// - Parameter key: What kind of value.
  /// - Complexity: O(values of the node): one lock.
  public subscript<Key: ProgressKey>(key: Key.Type) -> Key.Value? {
    get { withTree { _, _ in reference.existingExtras?.information[key] } }
    set { changeInformation { $0.information[key] = newValue } }
  }

  /// Changes a typed value of this node in one step, so that of two changes at a time none is lost.
  ///
  /// - Parameters:
  ///   - key: What kind of value.
  ///   - change: Changes the value; called under the lock of the tree, so it must not touch any node.
  /// - Complexity: O(values of the node): one lock.
  public func update<Key: ProgressKey>(_ key: Key.Type, _ change: (inout Key.Value?) -> Void) {
    changeInformation { change(&$0.information[key]) }
  }

  /// The typed values of this node and all below it as one; finished nodes have left what is kept of theirs.
  ///
  /// Under most of the ``ProgressKeys`` the value of a node stands for all that is below it; see
  /// ``ProgressKey/coversSubtree``. Where the units of a node are bytes, its counts stand for the byte counts that it
  /// does not set. With a total they stand for those of all that is below it, too, which does a share of its bytes;
  /// without one they do so only as long as the node has no children.
  ///
  /// - Parameter key: What kind of value.
  /// - Returns: The sum, nil when no node has such a value.
  /// - Complexity: O(nodes below that have typed values + nodes of the tree that have changed since the last look),
  ///   in holds of the lock of 1,000 nodes.
  public func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? {
    settleTree()
    var sum: Key.Sum?
    var covered = Int.max
    walkInformation { record, _, depth in
      if depth > covered { return }
      // Such a node speaks for all that is below it.
      covered = record.covers(key) ? depth : .max
      guard let more = record.sum(of: key) else { return }
      if let before = sum.take() { sum = Key.combined(before, more) } else { sum = more }
    }
    return sum
  }

  /// Visits all typed values at and below this node, parents first.
  ///
  /// - Parameter visit: Is given what a node has, its number and its depth, outside the lock.
  func walkInformation(_ visit: (InformationRecord, UInt32, Int) -> Void) {
    var records: [(InformationRecord, UInt32, Int)] = []
    walk { node, depth in
      guard node.has(LinkFlags.informed), depth == 0 || !node.isFinished else { return false }
      records.append((InformationRecord(of: node), node.id, depth))
      return true
    }
    for record in records { visit(record.0, record.1, record.2) }
  }

  /// Changes the extras of a node that has not finished, and tells those who watch.
  func changeExtras(_ change: (NodeExtras) -> Void) {
    withTreeChanging { _, _ in
      if !isFinished { change(reference.extras) }
    }
  }

  /// Changes what goes into the sums.
  private func changeInformation(_ change: (NodeExtras) -> Void) {
    // The values that are replaced are let go outside the lock.
    _ = withTreeChanging { state, _ -> InformationTable? in
      guard !isFinished else { return nil }
      let extras = reference.extras
      let before = extras.information
      change(extras)
      state.markInformed(reference)
      return before
    }
  }
}

extension ProgressNode {
  /// The number of files of the work, nil for none.
  public var totalFileCount: Int? {
    get { self[ProgressKeys.TotalFileCount.self] }
    set { self[ProgressKeys.TotalFileCount.self] = newValue }
  }

  /// The number of files that are done, nil for none.
  public var completedFileCount: Int? {
    get { self[ProgressKeys.CompletedFileCount.self] }
    set { self[ProgressKeys.CompletedFileCount.self] = newValue }
  }

  /// Units a second, as the worker has measured it, nil for none.
  public var throughput: Double? {
    get { self[ProgressKeys.Throughput.self] }
    set { self[ProgressKeys.Throughput.self] = newValue }
  }

  /// The time that the work still takes, as the worker sees it, nil for none.
  public var remainingTime: Duration? {
    get { self[ProgressKeys.RemainingTime.self] }
    set { self[ProgressKeys.RemainingTime.self] = newValue }
  }

  /// The path of the file that the work is about, nil for none.
  public var filePath: String? {
    get { self[ProgressKeys.FilePath.self] }
    set { self[ProgressKeys.FilePath.self] = newValue }
  }
}
