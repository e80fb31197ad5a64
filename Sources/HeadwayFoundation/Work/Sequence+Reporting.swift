public import HeadwayProgress

extension Sequence {
  /// Counts the elements of a loop as units of a node.
  ///
  /// ```swift
  /// for row in rows.reporting(to: node, addingTotal: true) { blur(row) }
  /// ```
  ///
  /// The node does not finish with the loop. A cancel of the node does not end the loop either: call
  /// `try node.blockingCheckpoint()` in its body.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - addingTotal: Whether to add the number of elements to the node's total when an iteration begins: the
  ///     `underestimatedCount`, which may be too small.
  /// - Returns: A sequence of the same elements.
  /// - Complexity: O(1), plus that of `underestimatedCount` if the total is added.
  public func reporting(
    to node: ProgressNode, addingTotal: Bool = false
  ) -> some Sequence<Element> {
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
  /// The child is created when an iteration begins and finishes when it ends, also if the loop is left early.
  /// Its total is `underestimatedCount`, or unknown if that is 0.
  ///
  /// - Parameters:
  ///   - label: A short name of the work; empty for none.
  ///   - units: The units of the current node to take, nil for all that remain.
  /// - Returns: A sequence of the same elements.
  public func reportingToCurrent(_ label: String = "", units: Int? = nil)
    -> some Sequence<Element>
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
  /// The node does not finish with the loop. A cancel of the node does not end the loop either: call
  /// `try node.blockingCheckpoint()` in its body.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - addingTotal: Whether to add `count` to the node's total when an iteration begins.
  /// - Returns: A sequence of the same elements.
  /// - Complexity: O(1), plus that of `count` if the total is added.
  public func reporting(
    to node: ProgressNode, addingTotal: Bool = false
  ) -> some Sequence<Element> {
    ReportingSequence(
      base: self,
      target: ReportTarget(source: .given(node), count: addingTotal ? count : nil))
  }

  /// Counts the elements of a loop as units of a child of the current node, whose total is `count`.
  ///
  /// The child is created when an iteration begins and finishes when it ends, also if the loop is left early.
  ///
  /// - Parameters:
  ///   - label: A short name of the work; empty for none.
  ///   - units: The units of the current node to take, nil for all that remain.
  /// - Returns: A sequence of the same elements.
  /// - Complexity: That of `count`.
  public func reportingToCurrent(_ label: String = "", units: Int? = nil)
    -> some Sequence<Element>
  {
    ReportingSequence(
      base: self,
      target: ReportTarget(source: .current(label: label, units: units), count: count))
  }
}

extension AsyncSequence {
  /// Counts the elements of a loop as units of a node, and stops if the node is paused or cancelled.
  ///
  /// ```swift
  /// for try await line in lines.reporting(to: node) { parse(line) }
  /// ```
  ///
  /// The node does not finish with the loop.
  ///
  /// - Parameter node: The node.
  /// - Returns: A sequence of the same elements that throws `CancellationError` if the node is cancelled.
  public func reporting(to node: ProgressNode) -> some AsyncSequence<Element, any Error> {
    AsyncReportingSequence(base: self, target: ReportTarget(source: .given(node), count: nil))
  }

  /// Counts the elements of a loop as units of a child of the current node, and stops if it is paused or cancelled.
  ///
  /// The child is created when an iteration begins and finishes when it ends, also if the loop is left early.
  ///
  /// - Parameters:
  ///   - label: A short name of the work; empty for none.
  ///   - units: The units of the current node to take, nil for all that remain.
  ///   - total: The number of elements, nil if unknown.
  /// - Returns: A sequence of the same elements that throws `CancellationError` if the node is cancelled.
  public func reportingToCurrent(_ label: String = "", units: Int? = nil, total: Int? = nil)
    -> some AsyncSequence<Element, any Error>
  {
    AsyncReportingSequence(
      base: self,
      target: ReportTarget(source: .current(label: label, units: units), count: total))
  }
}
