internal import Synchronization

/// An unretained reference to a node; lists and walks under the lock of the tree consist of these.
///
/// A node leaves all lists under the lock before it is deallocated, so a holder of the lock can follow references. All
/// properties except `parent` and the atomics must be used under that lock.
@safe
struct NodeReference: Equatable, @unchecked Sendable {
  private let object: Unmanaged<ProgressNode>

  @inline(__always)
  init(_ node: ProgressNode) { unsafe object = Unmanaged.passUnretained(node) }

  /// Creates a reference to the node at an address; nil for 0.
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

  /// Calls a function with the node, without retaining it.
  @inline(__always)
  func with<Result>(_ body: (ProgressNode) -> Result) -> Result {
    unsafe object._withUnsafeGuaranteedRef(body)
  }

  /// The address of the node, retained by hand.
  var retainedBits: UInt { unsafe UInt(bitPattern: object.retain().toOpaque()) }

  /// Releases a node that was retained by hand.
  func release() { unsafe object.release() }

  /// The node, retained.
  var strong: ProgressNode { unsafe object.takeUnretainedValue() }
}

// The fields of `NodeLinks`, one by one: copying the whole struct would retain references.
extension NodeReference {
  /// The units of the work, nil while unknown.
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

  var share: Int {
    @inline(__always)
    get { with { unsafe $0.links.share } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.share = newValue } }
  }

  var fixedFraction: Int {
    @inline(__always)
    get { with { unsafe $0.links.fixedFraction } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.fixedFraction = newValue } }
  }

  var firstChild: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.firstChild } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.firstChild = newValue } }
  }

  var next: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.next } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.next = newValue } }
  }

  var previous: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.previous } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.previous = newValue } }
  }

  var nextPending: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.nextPending } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.nextPending = newValue } }
  }

  var previousPending: NodeReference? {
    @inline(__always)
    get { with { unsafe $0.links.previousPending } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.previousPending = newValue } }
  }

  var id: UInt32 {
    @inline(__always)
    get { with { unsafe $0.links.id } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.id = newValue } }
  }

  var level: UInt8 {
    @inline(__always)
    get { with { unsafe $0.links.level } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.level = newValue } }
  }

  var flags: UInt8 {
    @inline(__always)
    get { with { unsafe $0.links.flags } }
    @inline(__always)
    nonmutating set { with { unsafe $0.links.flags = newValue } }
  }

  /// The sum of share × fraction over the live children, in fixed point.
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

  /// The next node on the stack of dirty nodes; written without the lock by the thread that pushes this node.
  var nextDirty: UInt {
    get { with { unsafe $0.nextDirty } }
    nonmutating set { with { unsafe $0.nextDirty = newValue } }
  }

  /// The count of a finished node.
  var finalCount: Int { fixedFraction }

  /// The extras, created if necessary.
  var extras: NodeExtras {
    if let extras = existingExtras { return extras }
    let made = NodeExtras()
    with { unsafe $0.links.extras = made }
    return made
  }

  var existingExtras: NodeExtras? {
    get { with { unsafe $0.links.extras } }
    nonmutating set { with { unsafe $0.links.extras = newValue } }
  }

  /// Whether a bit of `LinkFlags` is set.
  @inline(__always)
  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  @inline(__always)
  func set(_ flag: UInt8, _ isSet: Bool) { flags = isSet ? flags | flag : flags & ~flag }
}

// The atomics of the node.
extension NodeReference {
  /// The parent, nil for a root; can be used without the lock while the node is retained.
  @inline(__always)
  var parent: NodeReference? {
    // Acquires what `add` wrote.
    let bits = with { $0.up.load(ordering: .acquiring) }
    return bits & 1 == 0 ? NodeReference(bits: bits) : nil
  }

  @inline(__always)
  var state: UInt8 { with { $0.state.load(ordering: .relaxed) } }

  /// Sets or clears bits of `NodeState`, under the lock.
  func setState(_ bits: UInt8, _ isSet: Bool) {
    with {
      let old = $0.state.load(ordering: .relaxed)
      // Releases what this thread has done to those that find the node finished or cancelled.
      $0.state.store(isSet ? old | bits : old & ~bits, ordering: .releasing)
    }
  }

  @inline(__always)
  var isFinished: Bool { state & NodeState.finished != 0 }

  /// The completed units, without those of live children.
  var count: Int { with { ProgressNode.count(of: $0.counter.load(ordering: .acquiring)) } }
}
