internal import HeadwayLock

extension ProgressNode {
  /// The name of the work, empty for none.
  ///
  /// - Complexity: O(1): one lock.
  public var label: String {
    get { withTree { _, _ in reference.existingExtras?.label ?? "" } }
    set { changeExtras { $0.label = newValue } }
  }

  /// A description of the current step, to be shown in place of the counts; nil for none.
  ///
  /// - Complexity: O(1): one lock.
  public var detail: String? {
    get { withTree { _, _ in reference.existingExtras?.detail } }
    set { changeExtras { $0.detail = newValue } }
  }

  /// The kind of work, ``WorkKind/work`` by default.
  ///
  /// - Complexity: O(1): one lock.
  public var kind: WorkKind {
    get { withTree { _, _ in reference.existingExtras?.kind ?? .work } }
    set { changeValues { $0.kind = newValue } }
  }

  /// The typed value of this node alone, nil for none; setting nil removes it.
  ///
  /// - Parameter key: The key of the value.
  /// - Complexity: O(values of the node): one lock.
  public subscript<Key: ProgressKey>(key: Key.Type) -> Key.Value? {
    get { withTree { _, _ in reference.existingExtras?.values[key] } }
    set { changeValues { $0.values[key] = newValue } }
  }

  /// Changes a typed value of this node atomically.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - change: Changes the value; called under the lock of the tree, so it must not use any node.
  /// - Complexity: O(values of the node): one lock.
  public func update<Key: ProgressKey>(_ key: Key.Type, _ change: (inout Key.Value?) -> Void) {
    changeValues { change(&$0.values[key]) }
  }

  /// The sum of the typed values of this node and all its descendants, including finished ones.
  ///
  /// Under most of the ``ProgressKeys``, the value of a node stands for its whole subtree; see
  /// ``ProgressKey/coversSubtree``. If the units of a node are bytes, its counts stand for the byte counts that it
  /// does not set: with a total for the whole subtree, without one only while the node has no children.
  ///
  /// - Parameter key: The key of the values.
  /// - Returns: The sum, nil if no node has a value.
  /// - Complexity: O(descendants with typed values + nodes of the tree that have changed since the last read),
  ///   in holds of the lock of at most 1,000 nodes.
  public func sum<Key: ProgressKey>(of key: Key.Type) -> Key.Sum? {
    updateTree()
    var sum: Key.Sum?
    var coveringDepth = Int.max
    walkValues { values, _, depth in
      if depth > coveringDepth { return }
      coveringDepth = values.covers(key) ? depth : .max
      guard let more = values.sum(of: key) else { return }
      if let before = sum.take() { sum = Key.combined(before, more) } else { sum = more }
    }
    return sum
  }

  /// Visits the typed values of this node and its descendants, parents first.
  ///
  /// - Parameter visit: Takes the values of a node, its number and its depth; called outside of the lock.
  func walkValues(_ visit: (NodeValues, UInt32, Int) -> Void) {
    var found: [(NodeValues, UInt32, Int)] = []
    walk { node, depth in
      guard node.has(LinkFlags.hasValues), depth == 0 || !node.isFinished else { return false }
      found.append((NodeValues(of: node), node.id, depth))
      return true
    }
    for values in found { visit(values.0, values.1, values.2) }
  }

  /// Changes the extras of a node that has not finished.
  func changeExtras(_ change: (NodeExtras) -> Void) {
    withTreeChanging { _, _ in
      if !isFinished { change(reference.extras) }
    }
  }

  /// Changes what the sums contain.
  private func changeValues(_ change: (NodeExtras) -> Void) {
    // Replaced values are dropped outside of the lock.
    _ = withTreeChanging { state, _ -> ValueTable? in
      guard !isFinished else { return nil }
      let extras = reference.extras
      let before = extras.values
      change(extras)
      state.markHasValues(reference)
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

  /// The number of completed files, nil for none.
  public var completedFileCount: Int? {
    get { self[ProgressKeys.CompletedFileCount.self] }
    set { self[ProgressKeys.CompletedFileCount.self] = newValue }
  }

  /// The units per second that the worker has measured, nil for none.
  public var throughput: Double? {
    get { self[ProgressKeys.Throughput.self] }
    set { self[ProgressKeys.Throughput.self] = newValue }
  }

  /// The remaining time that the worker expects, nil for none.
  public var remainingTime: Duration? {
    get { self[ProgressKeys.RemainingTime.self] }
    set { self[ProgressKeys.RemainingTime.self] = newValue }
  }

  /// The path of the file that is being processed, nil for none.
  public var filePath: String? {
    get { self[ProgressKeys.FilePath.self] }
    set { self[ProgressKeys.FilePath.self] = newValue }
  }
}
