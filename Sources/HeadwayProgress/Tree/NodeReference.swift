internal import Synchronization

/// A node that is not counted: what lists and walks under the lock of the tree are made of.
///
/// A node leaves all lists under the lock before its memory goes, so that whoever holds the lock may follow
/// references. All properties but `parent` may only be used under that lock.
@safe
struct NodeReference: Equatable, @unchecked Sendable {
  /// The node.
  private let object: Unmanaged<ProgressNode>

  /// Refers to a node.
  @inline(__always)
  init(_ node: ProgressNode) { unsafe object = Unmanaged.passUnretained(node) }

  /// Refers to the node at an address; nil is answered for 0.
  @inline(__always)
  init?(bits: UInt) {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
    unsafe object = Unmanaged.fromOpaque(pointer)
  }

  /// The address of the node.
  @inline(__always)
  var bits: UInt { unsafe UInt(bitPattern: object.toOpaque()) }

  @inline(__always)
  static func == (left: NodeReference, right: NodeReference) -> Bool { left.bits == right.bits }

  /// Uses the node without counting it.
  @inline(__always)
  func with<Result>(_ body: (ProgressNode) -> Result) -> Result {
    unsafe object._withUnsafeGuaranteedRef(body)
  }

  /// The address of the node, which is retained by hand.
  var retainedBits: UInt { unsafe UInt(bitPattern: object.retain().toOpaque()) }

  /// Lets go of a node that was retained by hand.
  func release() { unsafe object.release() }

  /// The node, counted.
  var strong: ProgressNode { unsafe object.takeUnretainedValue() }
}

// The fields of `NodeLinks`, one by one: to copy all of them for one would count references.
extension NodeReference {
  /// The units of the work, nil while not known.
  var total: Int? {
    @inline(__always)
    get {
      let total = with { unsafe $0.links.total }
      return total < 0 ? nil : total
    }
    nonmutating set {
      let total = newValue.map { max($0, -1) } ?? -1
      with { unsafe $0.links.total = total }
    }
  }

  /// The units of the parent that the node stands for.
  var share: Int {
    @inline(__always)
    get { with { unsafe $0.links.share } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.share = newValue } }
  }

  /// The fraction that the parent's sum contains, in portions.
  var portion: Int {
    @inline(__always)
    get { with { unsafe $0.links.portion } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.portion = newValue } }
  }

  /// The first live child.
  var firstChild: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.firstChild } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.firstChild = newValue } }
  }

  /// The next sibling, nil after the last.
  var next: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.next } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.next = newValue } }
  }

  /// The sibling before; that of the first one is the last.
  var previous: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.previous } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.previous = newValue } }
  }

  /// The next node of the level that waits for a look.
  var nextWaiting: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.nextWaiting } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.nextWaiting = newValue } }
  }

  /// The node before on the level that waits for a look.
  var previousWaiting: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.previousWaiting } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.previousWaiting = newValue } }
  }

  /// The number of the node in its tree.
  var id: UInt32 {
    @inline(__always)
    get { with { unsafe $0.links.id } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.id = newValue } }
  }

  /// The distance from the root, which is 1.
  var level: UInt8 {
    @inline(__always)
    get { with { unsafe $0.links.level } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.level = newValue } }
  }

  /// The bits of `LinkFlags` that hold.
  var flags: UInt8 {
    @inline(__always)
    get { with { unsafe $0.links.flags } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.flags = newValue } }
  }

  /// The sum of share × portion over the live children.
  var childSum: Int128 {
    @inline(__always)
    get {
      with { unsafe Int128($0.links.sumHigh) << 64 | Int128($0.links.sumLow) }
    }
    @inline(__always)
    nonmutating set {
      with {
        unsafe $0.links.sumHigh = Int64(truncatingIfNeeded: newValue >> 64)
        unsafe $0.links.sumLow = UInt64(truncatingIfNeeded: newValue)
      }
    }
  }

  /// The next node of the inbox; written by the one thread that put this node there, without the lock.
  var inboxNext: UInt {
    get { with { unsafe $0.inboxNext } }
    nonmutating set { with { unsafe $0.inboxNext = newValue } }
  }

  /// The count of a node at its end.
  var finalCount: Int { portion }

  /// What few nodes have; it is made with the first use.
  var extras: NodeExtras {
    if let extras = existingExtras { return extras }
    let made = NodeExtras()
    with { unsafe $0.links.extras = made }
    return made
  }

  /// What few nodes have, nil when there is nothing.
  var existingExtras: NodeExtras? {
    get { with { unsafe $0.links.extras } }
    nonmutating set { with { unsafe $0.links.extras = newValue } }
  }

  /// Whether a bit of `LinkFlags` holds.
  @inline(__always)
  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  /// Sets or clears a bit of `LinkFlags`.
  @inline(__always)
  func set(_ flag: UInt8, _ holds: Bool) { flags = holds ? flags | flag : flags & ~flag }
}

// The atomics of the node.
extension NodeReference {
  /// The parent, nil for a root; it may be asked without the lock while the node is held.
  @inline(__always)
  var parent: NodeReference? {
    // Acquires the parent as `add` made it.
    let bits = with { $0.up.load(ordering: .acquiring) }
    return bits & 1 == 0 ? NodeReference(bits: bits) : nil
  }

  /// The bits of `NodeState`.
  @inline(__always)
  var state: UInt8 { with { $0.state.load(ordering: .relaxed) } }

  /// Changes the bits of `NodeState`; only one thread does at a time, the one with the lock.
  func setState(_ bits: UInt8, _ holds: Bool) {
    with {
      let old = $0.state.load(ordering: .relaxed)
      // Releases what the thread has done to those who find the node finished or cancelled.
      $0.state.store(holds ? old | bits : old & ~bits, ordering: .releasing)
    }
  }

  /// Whether the node has finished.
  @inline(__always)
  var isFinished: Bool { state & NodeState.finished != 0 }

  /// The count, without that of live children.
  var count: Int { with { ProgressNode.count(of: $0.word.load(ordering: .acquiring)) } }
}
