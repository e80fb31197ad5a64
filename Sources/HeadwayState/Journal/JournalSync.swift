internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem

/// Has the disk store what a journal has written, on a thread of its own, so that the run never waits for it.
///
/// The thread stores what was written 100 ms after the first line that is not stored; while nothing is written, it sleeps without a
/// time-out. There is none until something is written. Safe from any thread.
final class JournalSync: Sendable {
  /// How long the thread waits for further lines.
  static let interval = Duration.milliseconds(100)

  /// What the thread does.
  private enum Phase: Sendable {
    /// It was not started: nothing was written yet.
    case new
    /// It sleeps, or has the disk store all that was written.
    case idle
    /// It stores soon what was written.
    case due
    /// It ends.
    case stopped
  }

  private struct State: Sendable {
    var phase = Phase.new
    /// The error of the disk, 0 if there is none.
    var failure: Int32 = 0
  }

  private let interval: Duration
  private let state = Guarded(State())
  private let wake = Semaphore()
  private let store: @Sendable () -> Int32

  /// Creates what stores a journal.
  ///
  /// - Parameters:
  ///   - interval: How long to wait for further lines, less than a second.
  ///   - store: Waits until the disk has stored what was written, and returns 0 or an errno; called on the thread.
  init(interval: Duration = JournalSync.interval, store: @escaping @Sendable () -> Int32) {
    self.interval = interval
    self.store = store
  }

  /// The error of the disk, 0 if there is none.
  var failure: Int32 { state.withLock { $0.failure } }

  /// Notes that something was written.
  ///
  /// - Complexity: O(1); a system call only if the thread sleeps.
  func request() {
    let phase = state.withLock { state in
      let phase = state.phase
      if phase == .idle || phase == .new { state.phase = .due }
      return phase
    }
    switch phase {
    case .idle: wake.post()
    case .new:
      // Without a thread, the journal is stored at the end of the run, and before that when the system likes to.
      _ = SystemThread.start(named: "headway-journal", blocksSignals: true) { self.work() }
    case .due, .stopped: break
    }
  }

  /// Ends the thread, without waiting for it.
  func stop() {
    let phase = state.withLock { state in
      let phase = state.phase
      state.phase = .stopped
      return phase
    }
    if phase == .idle { wake.post() }
  }

  // MARK: The thread

  private func work() {
    while true {
      rest()
      guard takeRequest() else { return }
      let error = store()
      if error != 0 { state.withLock { $0.failure = error } }
      wake.wait()
    }
  }

  /// Sleeps for the interval; it has no signals that could wake it earlier.
  private func rest() {
    var time = timespec(tv_sec: 0, tv_nsec: Int(interval / .nanoseconds(1)))
    unsafe nanosleep(&time, nil)
  }

  /// Whether there is something to store; what is written from now on is stored the next time.
  private func takeRequest() -> Bool {
    state.withLock { state in
      guard state.phase == .due else { return false }
      state.phase = .idle
      return true
    }
  }
}
