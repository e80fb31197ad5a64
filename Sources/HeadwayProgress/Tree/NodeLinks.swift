internal import Synchronization

/// What a node knows about its place in the tree; the lock of the tree guards all of it.
///
/// Fractions are held as portions: whole multiples of 2⁻⁶², so that sums of them are integers.
struct NodeLinks {
  /// The units of the work, -1 while not known.
  var total: Int
  /// The units of the parent that the node stands for.
  var share = 0
  /// The fraction at the last look, which is what the parent's sum contains; after the end, the final count.
  var portion = 0
  /// The low half of the sum of share × portion over the live children.
  var sumLow: UInt64 = 0
  /// The high half of that sum.
  var sumHigh: Int64 = 0
  /// The first live child.
  var firstChild: NodeReference?
  /// The next sibling, nil after the last.
  var next: NodeReference?
  /// The sibling before; that of the first one is the last.
  var previous: NodeReference?
  /// The next node of the level that waits for a look.
  var nextWaiting: NodeReference?
  /// The node before on the level that waits for a look.
  var previousWaiting: NodeReference?
  /// Words, typed values, handlers and what else few nodes have.
  var extras: NodeExtras?
  /// The number of the node in its tree.
  var id: UInt32 = 0
  /// The distance from the root, which is 1; past the deepest that is added up, one more than that.
  var level: UInt8
  /// The bits of `LinkFlags` that hold.
  var flags: UInt8 = 0

  /// Creates the links of a node that stands alone.
  init(total: Int?, level: UInt8) {
    self.total = total.map { max($0, -1) } ?? -1
    self.level = level
  }
}

/// The bits of a node's links.
enum LinkFlags {
  /// The node waits for a look, on the list of its level.
  static let waiting: UInt8 = 1
  /// The wire is set, or an increment has taken it down and the node is in the inbox or on its way there.
  static let wired: UInt8 = 2
  /// The children's shares were more than 128 bits can sum up: the node reads as full.
  static let overfull: UInt8 = 4
  /// The node or one below has typed values.
  static let informed: UInt8 = 8
  /// The node mirrors something.
  static let mirrors: UInt8 = 16
}
