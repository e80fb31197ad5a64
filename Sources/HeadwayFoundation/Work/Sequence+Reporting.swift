public import HeadwayProgress

extension Sequence {
  /// Counts the elements of a loop as units of a node.
  ///
  /// ```swift
  /// for row in rows.reporting(to: node, addingTotal: true) { blur(row) }
  /// ```
  ///
  /// The node is not finished at the end: more may be reported to it. A cancel of the node does not end the
  /// loop: ask in its body, as `try node.blockingCheckpoint()` does.
  ///
  /// - Parameters:
  ///   - node: What to report to.
  ///   - addingTotal: Whether to add the number of elements to the node's total when an iteration begins: for
  ///     a collection its `count`, otherwise `underestimatedCount`, which may be too small.
  /// - Returns: A sequence of the same elements.
  /// - Complexity: O(1), and that of counting where the total is added.
  public func reporting(to node: ProgressNode, addingTotal: Bool = false) -> ReportingSequence<Self>
  {
    ReportingSequence(
      base: self,
      target: ReportTarget(source: .given(node), count: addingTotal ? underestimatedCount : nil))
  }

  /// Counts the elements of a loop as units of a child of the current node.
  ///
  /// ```swift
  /// for file in files.reportingToCurrent("Checking") { check(file) }
  /// ```
  ///
  /// The child is made when an iteration begins, and finishes when it ends, also when the loop is left early.
  /// Its total is `underestimatedCount`, and for a collection `count`; not known where that is 0 for what is
  /// no collection.
  ///
  /// - Parameters:
  ///   - label: The words that name the work; none by default.
  ///   - units: The units of the current node to take, nil for all that are left.
  /// - Returns: A sequence of the same elements.
  public func reportingToCurrent(_ label: String = "", units: Int? = nil)
    -> ReportingSequence<Self>
  {
    let count = underestimatedCount
    return ReportingSequence(
      base: self,
      target: ReportTarget(
        source: .current(label: label, units: units), count: count > 0 ? count : nil))
  }
}

extension Collection {
  /// Counts the elements of a loop as units of a node.
  ///
  /// The node is not finished at the end: more may be reported to it. A cancel of the node does not end the
  /// loop: ask in its body, as `try node.blockingCheckpoint()` does.
  ///
  /// - Parameters:
  ///   - node: What to report to.
  ///   - addingTotal: Whether to add `count` to the node's total when an iteration begins.
  /// - Returns: A sequence of the same elements.
  /// - Complexity: O(1), and that of `count` where the total is added.
  public func reporting(to node: ProgressNode, addingTotal: Bool = false) -> ReportingSequence<Self>
  {
    ReportingSequence(
      base: self,
      target: ReportTarget(source: .given(node), count: addingTotal ? count : nil))
  }

  /// Counts the elements of a loop as units of a child of the current node, whose total is `count`.
  ///
  /// The child is made when an iteration begins, and finishes when it ends, also when the loop is left early.
  ///
  /// - Parameters:
  ///   - label: The words that name the work; none by default.
  ///   - units: The units of the current node to take, nil for all that are left.
  /// - Returns: A sequence of the same elements.
  /// - Complexity: That of `count`.
  public func reportingToCurrent(_ label: String = "", units: Int? = nil)
    -> ReportingSequence<Self>
  {
    ReportingSequence(
      base: self,
      target: ReportTarget(source: .current(label: label, units: units), count: count))
  }
}

extension AsyncSequence {
  /// Counts the elements of a loop as units of a node, and stops where the node is paused or cancelled.
  ///
  /// ```swift
  /// for try await line in lines.reporting(to: node) { parse(line) }
  /// ```
  ///
  /// The node is not finished at the end: more may be reported to it.
  ///
  /// - Parameter node: What to report to.
  /// - Returns: A sequence of the same elements, which throws `CancellationError` when the node is cancelled.
  public func reporting(to node: ProgressNode) -> AsyncReportingSequence<Self> {
    AsyncReportingSequence(base: self, target: ReportTarget(source: .given(node), count: nil))
  }

  /// Counts the elements of a loop as units of a child of the current node, and stops where that is paused or
  /// cancelled.
  ///
  /// The child is made when an iteration begins, and finishes when it ends, also when the loop is left early.
  ///
  /// - Parameters:
  ///   - label: The words that name the work; none by default.
  ///   - units: The units of the current node to take, nil for all that are left.
  ///   - total: The number of elements, nil while it is not known.
  /// - Returns: A sequence of the same elements, which throws `CancellationError` when the node is cancelled.
  public func reportingToCurrent(_ label: String = "", units: Int? = nil, total: Int? = nil)
    -> AsyncReportingSequence<Self>
  {
    AsyncReportingSequence(
      base: self,
      target: ReportTarget(source: .current(label: label, units: units), count: total))
  }
}
