/// A hierarchical timing wheel: schedules, cancels and reschedules millions of timers in constant time.
///
/// A wheel counts integer ticks and has no clock. Its owner passes the current tick in and gets the expired timers:
///
/// ```swift
/// var wheel = TimingWheel<String>()
/// let fetch = wheel.schedule("fetch", at: 500)
/// wheel.schedule("ping", at: 90)
/// let next = wheel.nextExpiry  // 90
/// var expired: [String] = []
/// wheel.advance(to: 100) { wheel, timer in
///   expired.append(timer.payload)  // ping
///   wheel.schedule("ping", at: timer.deadline + 90)  // the closure may use the wheel
/// }
/// let first = wheel.cancel(fetch)  // "fetch"
/// let second = wheel.cancel(fetch)  // nil: the timer is gone
/// ```
///
/// **Contract.** A timer never expires before its deadline. It expires exactly once, in the first `advance` that
/// reaches its deadline, unless it is cancelled. Timers expire in the order of their deadlines. The order of timers
/// with the same deadline is unspecified, but it is the same for the same sequence of calls. Timers whose deadline had
/// passed when they were scheduled expire first in the next `advance`, in unspecified order. Time never goes back: an
/// earlier `now` counts as the current tick. Every tick up to `UInt64.max - 1` can be used. A deadline of `UInt64.max`
/// means never, and as `now` it counts as the tick before. A wheel is not thread safe: it has one owner at a time. A
/// ``TimerService`` shares wheels between threads.
///
/// **Design.** A hierarchical timing wheel (Varghese and Lauck, *Hashed and Hierarchical Timing Wheels*, 1987) of four
/// levels with 256 slots each. A timer fewer than 256 ticks away is on level 0, in the slot of the lowest byte of its
/// deadline; one fewer than 65,536 ticks away on level 1, in the slot of the second byte; and so on. When the wheel
/// reaches a slot of level 0, the timers in it expire; those in a slot of a higher level move to the levels below:
///
/// ```
///                        deadline 00 01 2C 07       now 00 01 29 F0: 535 ticks to go
///                                        │
///  level 3  16,777,216 ticks a slot      │
///  level 2      65,536                   │
///  level 1         256         · · · · · 2C · · ·   moved     at 00 01 2C 00, to slot 07 of level 0
///  level 0           1         · 07 · · · · · · ·   expires   at 00 01 2C 07
///  overflow 2³² ticks away and more, in a heap: no slot ever holds two rotations
/// ```
///
/// A slot is a list of chunks of packed 8-byte entries (`SlotChunks`) that refer to a slab of nodes (`NodeSlab`).
/// Cancelling frees the node and leaves its entry, which is dropped later. Moving a deadline to a later tick is a single
/// write: the timer is filed again when its old slot is due. Occupied slots are marked in a bit map, so a jump costs only
/// what the slots on the way hold, however far it goes. Decision 8 in `docs/dev/decisions` has the reasons.
///
/// | operation | cost | allocates |
/// |---|---|---|
/// | `schedule` | O(1) | once for each 1,000 timers beyond the largest number so far |
/// | `cancel`, `reschedule` | O(1) | never |
/// | `advance` | O(expired timers + occupied slots passed); each timer within 2³² ticks moves at most three times | never |
/// | `nextExpiry` | O(1) | never |
/// | timers at least 2³² ticks away | O(log n) of such timers | when the heap grows |
///
/// All costs are amortized: a call examines at most 62 entries for earlier cancellations. There is one exception. If
/// many timers are cancelled and scheduled again for the same tick, sweeping cannot tell their old and new entries
/// apart. With more than 2,048 entries plus four for each timer, one call goes through all of them.
@safe
public struct TimingWheel<Payload>: ~Copyable {
  /// A handle of a scheduled timer.
  ///
  /// The handle becomes stale when its timer expires or is cancelled. A stale handle has no effect, however long it is
  /// kept, because no generation of a node is used twice. A handle is valid only for the wheel that returned it.
  ///
  /// ```swift
  /// var wheel = TimingWheel<String>()
  /// var timeouts: [String: TimingWheel<String>.Handle] = [:]
  /// timeouts["host-1"] = wheel.schedule("host-1", at: 500)
  /// if let timeout = timeouts.removeValue(forKey: "host-1") { wheel.cancel(timeout) }
  /// ```
  public struct Handle: Hashable, Sendable {
    /// The number of the node.
    @usableFromInline let id: UInt32
    /// The stamp of the node while the timer is scheduled, without its `overflow` and `late` bits.
    @usableFromInline let stamp: UInt32

    /// A handle of no timer.
    package static var none: Handle { Handle(id: .max, stamp: 0) }

    @inlinable
    init(id: UInt32, stamp: UInt32) {
      self.id = id
      self.stamp = stamp
    }
  }

  /// The number and size of the levels; tests use smaller ones.
  @usableFromInline let shape: WheelShape
  @usableFromInline var currentTick: UInt64
  @usableFromInline var scheduledCount: Int
  @usableFromInline var nodes: NodeSlab<Payload>
  /// The number of entries that can be added before sweeping begins: 1,024 and three for each timer in the slots, less
  /// the number of entries.
  ///
  /// Not next to `scheduledCount`: the compiler would change both with one vector operation, which has to wait until
  /// the scalar ones before it have reached the cache.
  @usableFromInline var room: Int
  /// The slots of all levels, then the `ExtraSlot`s.
  @usableFromInline var slots: SlotChunks
  /// A bit for each slot of each level: whether it is occupied.
  @usableFromInline let occupied: UnsafeMutablePointer<UInt64>
  /// The first tick of the next occupied slot of each level, `UInt64.max` if all are empty.
  @usableFromInline let nextTicks: UnsafeMutablePointer<UInt64>
  /// The timers beyond the highest level.
  @usableFromInline var overflow: OverflowHeap
  /// The number of scheduled timers in the overflow heap.
  @usableFromInline var overflowCount: Int

  /// The number of processed entries in the first chunk of `ExtraSlot.current`.
  @usableFromInline var drained: Int
  /// The number of processed entries in the first chunk of `ExtraSlot.cascading`.
  @usableFromInline var cascaded: Int
  /// Whether the timers of `ExtraSlot.current` were late when they were scheduled.
  @usableFromInline var isCurrentLate: Bool
  /// Whether an unfinished advance has already expired late timers at the current tick.
  @usableFromInline var hasTakenLate: Bool
  /// Counts the advances, and the ticks at which late timers began to expire.
  ///
  /// Each late timer stores the round in which it was scheduled, which distinguishes it from earlier ones.
  @usableFromInline var round: UInt32
  @usableFromInline let reentrancyGuard: ReentrancyGuard
  /// The identity of `reentrancyGuard`, read after each callback without retaining the object.
  @usableFromInline let identity: ObjectIdentifier
  /// The slot that is being swept.
  @usableFromInline var sweepSlot: Int
  /// The number of chunks of that slot that are still to be swept.
  @usableFromInline var sweepLeft: Int
  /// The number of times that a full slot sweeps the next chunk in turn instead of its own first chunk; -1 if its own
  /// had few dead entries the last time.
  @usableFromInline var recyclingPause: Int
  /// Whether an advance is running; in a wheel that a callback moved away it stays true until the next advance.
  @usableFromInline var isAdvancing: Bool
  /// Keeps the compiler from removing the reads of `prefetch`.
  @usableFromInline var prefetchSum: UInt64

  /// Creates an empty wheel.
  ///
  /// - Parameter now: The current tick; `UInt64.max` counts as the tick before.
  @inlinable
  public init(now: UInt64 = 0) { self.init(now: now, shape: .full) }

  /// Creates a wheel of another shape, so that tests can reach every boundary.
  @inlinable
  package init(now: UInt64, shape: WheelShape) {
    self.shape = shape
    currentTick = min(now, .max - 1)
    scheduledCount = 0
    nodes = NodeSlab(generations: shape.generations)
    room = 1024
    slots = SlotChunks(slotCount: shape.slotCount + ExtraSlot.allCases.count)
    unsafe occupied = .allocate(capacity: shape.words)
    unsafe occupied.initialize(repeating: 0, count: shape.words)
    unsafe nextTicks = .allocate(capacity: shape.levels)
    unsafe nextTicks.initialize(repeating: .max, count: shape.levels)
    overflow = OverflowHeap()
    overflowCount = 0
    drained = 0
    cascaded = 0
    isCurrentLate = false
    hasTakenLate = false
    round = 0
    reentrancyGuard = ReentrancyGuard()
    identity = ObjectIdentifier(reentrancyGuard)
    sweepSlot = 0
    sweepLeft = 0
    recyclingPause = 0
    prefetchSum = 0
    isAdvancing = false
  }

  @inlinable
  deinit {
    unsafe occupied.deallocate()
    unsafe nextTicks.deallocate()
  }
}

/// The slots after those of the levels.
@usableFromInline
enum ExtraSlot: Int, CaseIterable {
  /// Timers whose deadline had passed when they were scheduled.
  case late
  /// Timers that expire at the current tick.
  case current
  /// Timers of a slot that is moving to lower levels.
  case cascading
}

// Sound: a wheel has one owner, and payloads leave it only through its methods.
extension TimingWheel: @unchecked Sendable where Payload: Sendable {}
