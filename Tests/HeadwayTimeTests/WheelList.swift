import HeadwayTime

/// A model of a wheel: a list that is searched from end to end.
final class WheelList {
  /// A timer whose deadline had passed when it got it.
  struct Lateness {
    /// The number of that advance, 0 outside of any.
    var advance: Int
    /// The tick at which that was.
    var tick: UInt64
    /// Whether it may be expiring in the running advance.
    var isDue: Bool
  }

  struct Timer {
    /// The deadline.
    var deadline: UInt64
    /// The wheel's handle.
    var handle: TimingWheel<UInt32>.Handle
    /// The payload.
    var number: UInt32
    /// How the timer was late when it got its deadline, nil if it was not.
    var late: Lateness?
  }

  /// The scheduled timers, unordered.
  private(set) var timers: [Timer] = []
  /// The index of each number in `timers`, -1 if it is not scheduled.
  private var places: [Int] = []
  /// Stale handles.
  private var stale: [TimingWheel<UInt32>.Handle] = []
  private var random: WheelRandom
  private(set) var now: UInt64
  /// The target of the advance.
  private var target: UInt64 = 0
  /// The number of the current or last advance.
  private var advances = 0
  /// Whether a limit stopped the last advance.
  private(set) var isCut = false
  /// The first tick.
  private let start: UInt64
  /// The number of bits of all levels.
  private let span: Int
  /// A description of the first difference.
  private(set) var firstDifference: String?

  /// Creates an empty list for a wheel of a shape.
  init(_ shape: TimingWheelModelTests.Case, seed: UInt64) {
    start = shape.start
    now = start
    span = shape.bits * shape.levels
    random = WheelRandom(seed: seed)
  }

  /// Starts again with another wheel.
  func begin() {
    timers.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    stale.removeAll(keepingCapacity: true)
    now = start
    isCut = false
  }

  // MARK: - Queries

  /// The number of the next timer.
  var nextNumber: UInt32 { UInt32(places.count) }

  /// The earliest deadline.
  var earliest: UInt64? {
    var earliest: UInt64?
    for timer in timers where timer.deadline <= earliest ?? .max { earliest = timer.deadline }
    return earliest.map { max($0, now) }
  }

  /// Returns the index of a random timer.
  func somewhere() -> Int? { timers.isEmpty ? nil : randomNumber(timers.count) }

  /// Returns a random stale handle.
  func anyStale() -> TimingWheel<UInt32>.Handle? {
    stale.isEmpty ? nil : stale[randomNumber(stale.count)]
  }

  /// Returns a random deadline: near a boundary of the levels, anywhere, in the past, or near the last tick.
  func anyDeadline() -> UInt64 {
    switch randomNumber(32) {
    case 0: 0
    case 1: now
    case 2: .max - UInt64(randomNumber(3))
    case 3: now &- UInt64(randomNumber(100))
    default: laterTick()
    }
  }

  /// Returns a random later tick, a near one more often.
  func laterTick() -> UInt64 {
    let bits =
      randomNumber(8) == 0 ? randomNumber(min(span + 4, 60)) : randomNumber(max(span * 2 / 3, 2))
    let distance =
      (1 << UInt64(bits)) &+ UInt64(randomNumber(5)) &- 2
      &+ UInt64(randomNumber(max(1, 1 << min(bits, 20))))
    return distance > .max - now ? now : now + distance
  }

  /// Returns a random number below a bound.
  func randomNumber(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: random.next() >> 33) % bound
  }

  /// Records the first difference.
  func demand(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds, firstDifference == nil { firstDifference = "at \(now): \(text())" }
  }

  // MARK: - Changes

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - handle: Its handle.
  ///   - deadline: The deadline.
  ///   - isInside: Whether it is scheduled in a callback.
  func arm(
    _ handle: TimingWheel<UInt32>.Handle, at deadline: UInt64, isInside: Bool
  ) {
    let late = deadline <= now ? lateness(isInside, isDue: false) : nil
    places.append(timers.count)
    timers.append(Timer(deadline: deadline, handle: handle, number: nextNumber - 1, late: late))
  }

  /// Moves a timer.
  ///
  /// - Parameters:
  ///   - place: The index.
  ///   - deadline: The new deadline.
  ///   - isInside: Whether it is moved in a callback.
  func move(_ place: Int, to deadline: UInt64, isInside: Bool) {
    let before = timers[place].deadline
    timers[place].deadline = deadline
    if deadline > now {
      timers[place].late = nil
    } else if before > now {
      timers[place].late = lateness(isInside, isDue: false)
    } else if timers[place].late == nil, before != deadline {
      timers[place].late = lateness(isInside, isDue: true)
    }
  }

  /// The kind of lateness of a timer that is scheduled now.
  private func lateness(_ isInside: Bool, isDue: Bool) -> Lateness {
    Lateness(advance: isInside ? advances : 0, tick: now, isDue: isDue)
  }

  /// Removes a timer and keeps its handle as a stale one.
  func remove(at place: Int) -> Timer {
    let timer = timers[place]
    places[Int(timer.number)] = -1
    let last = timers.removeLast()
    if last.number != timer.number {
      timers[place] = last
      places[Int(last.number)] = place
    }
    if stale.count < 64 {
      stale.append(timer.handle)
    } else {
      stale[randomNumber(64)] = timer.handle
    }
    return timer
  }

  // MARK: - Advancing

  /// Records that an advance begins.
  func beginAdvance(to target: UInt64) {
    self.target = max(now, min(target, .max - 1))
    advances += 1
  }

  /// Removes a timer that has expired in the wheel, if it may expire now.
  ///
  /// - Parameters:
  ///   - report: The expired timer.
  ///   - tick: The tick of the wheel.
  func expire(_ report: ExpiredTimer<UInt32>, at tick: UInt64) {
    let place = Int(report.payload) < places.count ? places[Int(report.payload)] : -1
    guard place >= 0 else { return demand(false, "\(report) expired, and is not armed") }
    let timer = remove(at: place)
    demand(report.deadline == timer.deadline, "\(report) expired and not \(timer)")
    demand(tick >= now && tick <= target, "it is \(tick) on the way to \(target)")
    now = tick
    demand(timer.deadline <= tick, "\(timer) expired early")
    if let late = timer.late {
      let mayCome = late.isDue || late.advance != advances || tick > late.tick
      demand(mayCome, "\(timer) did not wait until the time went on")
    } else {
      demand(timer.deadline == tick, "\(timer) expired late")
    }
    // A timer that was skipped would be noticed later anyway; checking now shows where it happened.
    guard randomNumber(16) == 0 else { return }
    for other in timers {
      // The late timers expire before those of a later tick.
      if let late = other.late {
        demand(timer.late != nil || late.tick >= tick, "\(timer) expired before \(other)")
      } else {
        demand(other.deadline >= tick, "\(timer) expired before \(other)")
      }
    }
  }

  /// Records that an advance has ended.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - tick: The tick of the wheel.
  func endAdvance(_ result: AdvanceResult, at tick: UInt64) {
    now = tick
    isCut = result == .limitReached
    demand(tick <= target, "the wheel went to \(tick) and not to \(target)")
    guard !isCut else { return }
    demand(tick == target, "the wheel is at \(tick) and not at \(target)")
    for timer in timers where timer.deadline <= tick {
      let hasToWait = timer.late.map { $0.advance == advances && $0.tick == tick } ?? false
      demand(hasToWait, "\(timer) is left behind")
    }
  }
}
