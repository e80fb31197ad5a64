/// Timers by the million, on plain integer ticks: schedule, cancel and reschedule in constant time.
///
/// A wheel knows no clock. Whoever holds it says what time it is, and is told which timers have expired:
///
/// ```swift
/// var wheel = TimingWheel<String>()
/// let fetch = wheel.schedule("fetch", at: 500)
/// wheel.schedule("ping", at: 90)
/// wheel.nextExpiry                                  // 90
/// wheel.advance(to: 100) { wheel, timer in
///   print(timer.payload)                            // ping
///   wheel.schedule("ping", at: timer.deadline + 90)  // the wheel may be used in here
/// }
/// wheel.cancel(fetch)                               // "fetch"
/// wheel.cancel(fetch)                               // nil: it is gone, and nothing happens
/// ```
///
/// **Contract.** A timer expires never before its deadline, in the first `advance` to it or past it, exactly
/// once, unless it is cancelled. Timers expire in the order of their deadlines; those of one tick in no
/// promised order, though always the same for the same calls. Those whose deadline had come when they were
/// armed expire first in the next `advance`, in no promised order either. Time never goes back: an earlier
/// `now` counts as the present one. All ticks up to `UInt64.max - 1` are right; `UInt64.max` is never: no
/// timer expires then, and as `now` it counts as the tick before. Not thread safe: one owner at a time; a
/// `TimerService` shares wheels.
///
/// **Design.** A hierarchical timing wheel (Varghese and Lauck, *Hashed and Hierarchical Timing Wheels*,
/// 1987) of four levels with 256 slots each. A timer whose deadline is fewer than 256 ticks away stands on
/// level 0, in the slot of the deadline's lowest byte; one that is fewer than 65,536 away on level 1, in the
/// slot of its second byte; and so on. When the time comes to a slot of level 0, its timers expire; a slot of
/// a higher level is dealt out to the levels below:
///
/// ```
///                        deadline 00 01 2C 07       now 00 01 29 F0: 535 ticks to go
///                                        │
///  level 3  16,777,216 ticks a slot      │
///  level 2      65,536                   │
///  level 1         256         · · · · · 2C · · ·   dealt out at 00 01 2C 00, to slot 07 of level 0
///  level 0           1         · 07 · · · · · · ·   expires   at 00 01 2C 07
///  far      2³² ticks away and more, in a heap: no slot ever stands for two times
/// ```
///
/// A slot is a list of chunks of packed 8-byte entries (`SlotChunks`) over a slab of nodes (`NodeSlab`). To cancel is
/// to free the node; the entry that is left behind finds that out when its slot comes due or is swept. When
/// there are more than three entries for each armed timer, and 1,024, a call sweeps one chunk of 31. To move
/// a deadline to a later one is a single write: the timer is filed anew when its old slot comes due. Occupied
/// slots are bits, so a jump costs what the slots on the way hold, however far it goes.
///
/// | operation | cost | allocates |
/// |---|---|---|
/// | `schedule` | O(1) | once in about 1,000 timers more than ever before |
/// | `cancel`, `reschedule` | O(1) | never |
/// | `advance` | O(expired + occupied slots passed), each timer within 2³² ticks is moved three times at most | never |
/// | `nextExpiry` | O(1) | never |
/// | beyond 2³² ticks | O(log n) of those beyond | the heap grows |
///
/// All are amortized: a call pays at most 31 looks for earlier cancellations. Only where many timers are
/// cancelled and armed again for the very same tick do entries pile up that sweeping cannot tell apart; with
/// more than four for each timer, and 2,048, one call goes through them all.
@safe
public struct TimingWheel<Payload>: ~Copyable {
  /// Names one armed timer.
  ///
  /// A handle whose timer has expired or was cancelled is stale: it does nothing and says so, for as long as
  /// it is kept, because no generation of a node is used twice. It belongs to the wheel that made it.
  public struct Handle: Hashable, Sendable {
    /// The node.
    @usableFromInline let id: UInt32
    /// The stamp of the node while the timer is armed, but for its `far` and `late` bits.
    @usableFromInline let stamp: UInt32

    /// A handle that names no timer of any wheel.
    package static var none: Handle { Handle(id: .max, stamp: 0) }

    /// Creates a handle.
    @inlinable
    init(id: UInt32, stamp: UInt32) {
      self.id = id
      self.stamp = stamp
    }
  }

  /// A timer that has expired, as `advance` hands it out.
  public typealias Expired = ExpiredTimer<Payload>

  /// The levels, and the limits that tests make small.
  @usableFromInline let shape: WheelShape
  /// The tick that the wheel has come to.
  @usableFromInline var present: UInt64
  /// The number of timers that are armed.
  @usableFromInline var armed: Int
  /// The timers.
  @usableFromInline var nodes: NodeSlab<Payload>
  /// The slots of all levels, then those of the `Lane`s.
  @usableFromInline var slots: SlotChunks
  /// The nodes of timers that are gone.
  @usableFromInline var free: FreeNodes
  /// A bit for each slot of a level that is not empty, level by level.
  @usableFromInline let occupied: UnsafeMutablePointer<UInt64>
  /// The next tick at which each level has a slot that is not empty, `UInt64.max` when it has none.
  @usableFromInline let turns: UnsafeMutablePointer<UInt64>
  /// The timers beyond the last level.
  @usableFromInline var far: FarDeadlines
  /// The armed timers among those.
  @usableFromInline var farCount: Int

  /// The entries of the first chunk of `Lane.current` that have been handed out.
  @usableFromInline var drained: Int
  /// The entries of the first chunk of `Lane.dealing` that have been dealt out.
  @usableFromInline var dealt: Int
  /// Whether the timers of `Lane.current` were late when they were armed.
  @usableFromInline var isCurrentLate: Bool
  /// Whether late timers have been taken up at the present tick, by an advance that was not finished.
  @usableFromInline var hasTakenLate: Bool
  /// Counts the advances and the ticks at which late timers were taken up.
  ///
  /// What is armed late carries it, so that what was armed before can be told from what was armed since.
  @usableFromInline var round: UInt32
  /// Whether an advance of this wheel is on its way.
  @usableFromInline let mark: AdvanceMark
  /// Which mark that is.
  ///
  /// It is read after each callback, where the mark itself would be retained and released.
  @usableFromInline let identity: ObjectIdentifier
  /// The slot that is swept.
  @usableFromInline var sweepSlot: Int
  /// The chunks of that slot that have not been looked at.
  @usableFromInline var sweepLeft: Int
  /// Whether an advance is on its way; it may stay so in a wheel that was moved away inside a callback, until
  /// its next advance.
  @usableFromInline var isAdvancing: Bool
  /// Keeps the reads that warm the nodes of a chunk from being optimized away.
  @usableFromInline var warmth: UInt32

  /// Creates a wheel without timers.
  ///
  /// - Parameter now: The present tick; `UInt64.max` counts as the one before.
  @inlinable
  public init(now: UInt64 = 0) { self.init(now: now, shape: .full) }

  /// Creates a wheel of another shape, for tests that have to meet every boundary.
  @inlinable
  package init(now: UInt64, shape: WheelShape) {
    self.shape = shape
    present = min(now, .max - 1)
    armed = 0
    nodes = NodeSlab(generations: shape.generations)
    slots = SlotChunks(slotCount: shape.slotCount + Lane.allCases.count)
    free = FreeNodes(&slots)
    unsafe occupied = .allocate(capacity: shape.words)
    unsafe occupied.initialize(repeating: 0, count: shape.words)
    unsafe turns = .allocate(capacity: shape.levels)
    unsafe turns.initialize(repeating: .max, count: shape.levels)
    far = FarDeadlines()
    farCount = 0
    drained = 0
    dealt = 0
    isCurrentLate = false
    hasTakenLate = false
    round = 0
    mark = AdvanceMark()
    identity = ObjectIdentifier(mark)
    sweepSlot = 0
    sweepLeft = 0
    warmth = 0
    isAdvancing = false
  }

  @inlinable
  deinit {
    unsafe occupied.deallocate()
    unsafe turns.deallocate()
  }
}

/// What the slots behind those of the levels are for.
@usableFromInline
enum Lane: Int, CaseIterable {
  /// Timers whose deadline had passed when they were armed.
  case late
  /// Timers that expire at the tick that the wheel has come to.
  case current
  /// Timers of a slot that is being dealt out to lower levels.
  case dealing
}

// A wheel has one owner, and payloads leave it only through its methods: sending it is sending them.
extension TimingWheel: @unchecked Sendable where Payload: Sendable {}
