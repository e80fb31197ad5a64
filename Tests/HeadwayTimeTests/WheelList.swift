import HeadwayTime

/// What a wheel must know and do, as a list that is looked through from end to end.
final class WheelList {
  /// A timer whose deadline had come when it got it.
  struct Lateness {
    /// The advance in which that was, 0 outside of any.
    var advance: Int
    /// The tick at which that was.
    var tick: UInt64
    /// Whether it may be among those that are just being handed out.
    var isDue: Bool
  }

  /// A timer.
  struct Timer {
    /// When it expires.
    var deadline: UInt64
    /// The wheel's handle.
    var handle: TimingWheel<UInt32>.Handle
    /// What it carries.
    var number: UInt32
    /// How it was late when it got its deadline, nil when it was not.
    var late: Lateness?
  }

  /// The armed timers, in no order.
  private(set) var timers: [Timer] = []
  /// Where each number stands in `timers`, -1 when it is not armed.
  private var places: [Int] = []
  /// Handles that are stale.
  private var stale: [TimingWheel<UInt32>.Handle] = []
  /// The random numbers.
  private var random: WheelRandom
  /// The present tick.
  private(set) var now: UInt64
  /// The tick that the advance goes to.
  private var target: UInt64 = 0
  /// The number of the advance, or of the last one.
  private var advances = 0
  /// Whether the last advance was cut short.
  private(set) var isCut = false
  /// The first tick.
  private let start: UInt64
  /// The bits that all levels cover.
  private let span: Int
  /// The first difference, in words.
  private(set) var mistake: String?

  /// Creates an empty list for a wheel of a shape.
  init(_ shape: TimingWheelModelTests.Case, seed: UInt64) {
    start = shape.start
    now = start
    span = shape.bits * shape.levels
    random = WheelRandom(seed: seed)
  }

  /// Begins anew, with another wheel.
  func begin() {
    timers.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    stale.removeAll(keepingCapacity: true)
    now = start
    isCut = false
  }

  // MARK: - Questions

  /// The number that the next timer gets.
  var nextNumber: UInt32 { UInt32(places.count) }

  /// The earliest tick at which something expires.
  var earliest: UInt64? {
    var earliest: UInt64?
    for timer in timers where timer.deadline <= earliest ?? .max { earliest = timer.deadline }
    return earliest.map { max($0, now) }
  }

  /// The place of a random timer.
  func somewhere() -> Int? { timers.isEmpty ? nil : dice(timers.count) }

  /// A random handle that is stale.
  func anyStale() -> TimingWheel<UInt32>.Handle? {
    stale.isEmpty ? nil : stale[dice(stale.count)]
  }

  /// A random deadline: around a power of the levels, anywhere, past, or at the end of time.
  func anyDeadline() -> UInt64 {
    switch dice(32) {
    case 0: 0
    case 1: now
    case 2: .max - UInt64(dice(3))
    case 3: now &- UInt64(dice(100))
    default: laterTick()
    }
  }

  /// A random tick after the present, a near one more often.
  func laterTick() -> UInt64 {
    let bits = dice(8) == 0 ? dice(min(span + 4, 60)) : dice(max(span * 2 / 3, 2))
    let distance =
      (1 << UInt64(bits)) &+ UInt64(dice(5)) &- 2 &+ UInt64(dice(max(1, 1 << min(bits, 20))))
    return distance > .max - now ? now : now + distance
  }

  /// A random number below a bound.
  func dice(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: random.next() >> 33) % bound
  }

  /// Notes a difference unless there is one already.
  func demand(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds, mistake == nil { mistake = "at \(now): \(text())" }
  }

  // MARK: - Changes

  /// Adds a timer.
  ///
  /// - Parameters:
  ///   - handle: Its handle.
  ///   - deadline: When it expires.
  ///   - isInside: Whether it is armed in a callback.
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
  ///   - place: Where it stands.
  ///   - deadline: When it expires from now on.
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

  /// How a timer is late that is armed now.
  private func lateness(_ isInside: Bool, isDue: Bool) -> Lateness {
    Lateness(advance: isInside ? advances : 0, tick: now, isDue: isDue)
  }

  /// Takes a timer out, and keeps its handle as a stale one.
  func remove(at place: Int) -> Timer {
    let timer = timers[place]
    places[Int(timer.number)] = -1
    let last = timers.removeLast()
    if last.number != timer.number {
      timers[place] = last
      places[Int(last.number)] = place
    }
    if stale.count < 64 { stale.append(timer.handle) } else { stale[dice(64)] = timer.handle }
    return timer
  }

  // MARK: - Advancing

  /// Notes that an advance begins.
  func beginAdvance(to target: UInt64) {
    self.target = max(now, min(target, .max - 1))
    advances += 1
  }

  /// Takes out a timer that the wheel has handed out, if it may come now.
  ///
  /// - Parameters:
  ///   - report: What was handed out.
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
    // That none was passed over shows when its turn comes; to look for it at once finds the place.
    guard dice(16) == 0 else { return }
    for other in timers {
      // The late ones come before those of a later tick.
      if let late = other.late {
        demand(timer.late != nil || late.tick >= tick, "\(timer) expired before \(other)")
      } else {
        demand(other.deadline >= tick, "\(timer) expired before \(other)")
      }
    }
  }

  /// Notes that an advance has ended.
  ///
  /// - Parameters:
  ///   - result: What it returned.
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
