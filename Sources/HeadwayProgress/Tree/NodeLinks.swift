/// The place of a node in its tree, guarded by the tree's lock.
///
/// Fractions are fixed-point numbers, whole multiples of 2⁻⁶², so that their sums are exact.
struct NodeLinks {
  /// The units of the work, -1 while unknown.
  var total: Int
  /// The units of the parent that the node stands for.
  var share = 0
  /// The completed part at the last update, which the parent's sum contains; after the end, the final count.
  var fixedFraction = 0
  /// The low half of the sum of share × fraction over the live children.
  var sumLow: UInt64 = 0
  /// The high half of that sum.
  var sumHigh: Int64 = 0
  var firstChild: NodeReference?
  /// The next sibling, nil after the last.
  var next: NodeReference?
  /// The previous sibling; for the first child, the last one.
  var previous: NodeReference?
  /// The next node on the list of pending updates.
  var nextPending: NodeReference?
  /// The previous node on the list of pending updates.
  var previousPending: NodeReference?
  /// The state that few nodes have, allocated at its first use.
  var extras: NodeExtras?
  /// The number of the node in its tree.
  var id: UInt32 = 0
  /// The number of nodes from the root to this one; one more than `maximumDepth` for all that are deeper.
  var level: UInt8
  /// The bits of `LinkFlags`.
  var flags: UInt8 = 0

  init(total: Int?, level: UInt8) {
    self.total = total.map { max($0, -1) } ?? -1
    self.level = level
  }
}

/// The bits of a node's links.
enum LinkFlags {
  /// The node is on the list of pending updates of its level.
  static let pending: UInt8 = 1
  /// The clean bit is set, or the node is on the stack of dirty nodes or about to be pushed.
  static let tracked: UInt8 = 2
  /// The sum of the children has overflowed 128 bits: the node reads as complete.
  static let overflowed: UInt8 = 4
  /// The node or a descendant has typed values.
  static let hasValues: UInt8 = 8
  /// The node has a refresher.
  static let hasRefresher: UInt8 = 16
  /// The completed part and the sums of the node are those of its summary.
  static let summarized: UInt8 = 32
  /// The node belongs to a mirror.
  static let mirrored: UInt8 = 64
}
