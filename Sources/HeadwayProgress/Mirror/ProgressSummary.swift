/// The completed part and the sums of a node, where they do not follow from the nodes of a snapshot.
///
/// That is so if nodes were left out because of the limit, if a node has finished before its children, and after the
/// shares of children have overflowed.
package struct ProgressSummary: Sendable, Equatable {
  /// The completed part that the parent counts, from 0 to 1; 1 also for work that has not finished.
  package var part: Double
  /// The typed values of the node and all its descendants, as sums of finished children.
  package var sums: ValueTable

  /// Creates a summary.
  package init(part: Double, sums: ValueTable) {
    self.part = part
    self.sums = sums
  }
}
