internal import HeadwayLock
internal import HeadwayTime

/// The time of a virtual clock, behind a lock, which resumes those who wait for it.
final class Timeline: Sendable {
  /// The last tick that can be reached: the one after it means never.
  static let last = UInt64.max - 1

  private let core = Guarded(TimelineCore())

  /// Creates a timeline at tick zero.
  init() {}

  /// The current tick.
  var now: UInt64 { core.withLock { $0.now } }

  /// The number of sleeping tasks.
  var sleeperCount: Int { core.withLock { $0.sleeperCount } }

  /// Sleeps until a tick; returns at once if it has passed.
  ///
  /// - Parameter tick: The tick.
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(until tick: UInt64) async throws(CancellationError) {
    let sleeper = Guarded<TimelineCore.Handle?>(nil)
    let end = await withTaskCancellationHandler {
      await withCheckedContinuation { task in
        guard let handle = core.withLock({ $0.addSleeper(task, until: tick) }) else {
          return task.resume(returning: .success(()))
        }
        sleeper.withLock { $0 = handle }
        // A cancellation before the handle was stored found nothing, so look again.
        if Task.isCancelled { cancel(handle) }
      }
    } onCancel: {
      if let handle = sleeper.withLock({ $0 }) { cancel(handle) }
    }
    try end.get()
  }

  /// Resumes a sleeper with `CancellationError`, unless it was resumed already.
  private func cancel(_ sleeper: TimelineCore.Handle) {
    core.withLock { $0.removeSleeper(sleeper) }?.resume(
      returning: .failure(CancellationError()))
  }

  /// Advances to a tick, at most to `last`, and resumes all who wait for it or an earlier one.
  func advance(to tick: UInt64) {
    let limit = min(tick, Self.last)
    while resume(core.withLock { $0.removeNext(upTo: limit, advancesToLimit: true) }) {}
  }

  /// Advances to the next tick that someone waits for, and returns whether there was one.
  func step() -> Bool {
    resume(core.withLock { $0.removeNext(upTo: Self.last, advancesToLimit: false) })
  }

  /// Resumes waiters and returns whether there were any.
  private func resume(_ waiters: [TimelineCore.Waiter]) -> Bool {
    for waiter in waiters {
      switch waiter {
      case .task(let task): task.resume(returning: .success(()))
      case .source(let source): wake(source)
      }
    }
    return !waiters.isEmpty
  }
}

// MARK: - Wake sources

extension Timeline {
  /// Adds a wake source and returns its number.
  func addSource() -> Int { core.withLock { $0.addSource() } }

  /// Sets the handler of a wake source.
  func start(_ handler: @escaping @Sendable () -> Void, of source: Int) {
    core.withLock { $0.start(handler, of: source) }
  }

  /// Requests a wake of a source.
  func requestWake(of source: Int, at tick: UInt64) {
    core.withLock { $0.requestWake(of: source, at: tick) }
  }

  /// Removes a wake source.
  func stop(_ source: Int) { core.withLock { $0.stop(source) } }

  /// Calls a handler, on one thread at a time: a call during a call makes the first one call again.
  private func wake(_ source: Int) {
    guard let handler = core.withLock({ $0.beginWake(of: source) }) else { return }
    repeat { handler() } while core.withLock { $0.endWake(of: source) }
  }
}

/// A wake source on virtual time, which calls its handler while the clock is advanced.
///
/// For a moment that has passed it calls the handler at the start of the next advance.
final class VirtualWakeSource: WakeSource {
  private let timeline: Timeline
  /// Its number in the timeline.
  private let number: Int

  init(on timeline: Timeline) {
    self.timeline = timeline
    number = timeline.addSource()
  }

  deinit { timeline.stop(number) }

  var now: UInt64 { timeline.now }

  func start(_ handler: @escaping @Sendable () -> Void) { timeline.start(handler, of: number) }

  func requestWake(at moment: UInt64) { timeline.requestWake(of: number, at: moment) }

  func stop() { timeline.stop(number) }
}
