internal import Glibc
internal import HeadwayLock
internal import HeadwaySystem

/// Has the disk store what a journal has written, on a thread of its own, so that the run never waits for it.
///
/// After a power failure, at most the last 100 ms and what the disk was busy with are missing. While nothing is written,
/// the thread sleeps without a time-out. It has the file open for itself, for reading, so that its end may be later than
/// that of the run without keeping the lock of the journal. Safe from any thread.
final class JournalSync: Sendable {
  /// How long the thread waits for further lines after the first one that is not stored.
  static let interval = Duration.milliseconds(100)

  /// What the thread does.
  private enum Phase: Sendable {
    /// It was not started: nothing was written yet.
    case new
    /// It sleeps: all that was written is stored, or being stored.
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

  private let folder: PrivateDirectory
  private let state = Guarded(State())
  private let wake = Semaphore()

  /// Creates what stores the files of a run; there is no thread until something is written.
  ///
  /// - Parameter folder: The folder of the run.
  init(_ folder: PrivateDirectory) { self.folder = folder }

  /// The error of the disk, 0 if there is none.
  var failure: Int32 { state.withLock { $0.failure } }

  /// Notes that something was written.
  ///
  /// - Complexity: O(1); a system call only if the thread sleeps.
  func request() {
    let phase = state.withLock { state in
      defer { if state.phase == .idle || state.phase == .new { state.phase = .due } }
      return state.phase
    }
    switch phase {
    case .idle: wake.post()
    case .new:
      // Without a thread, the journal is stored at the end of the run, and by the system at some time before.
      _ = SystemThread.start(named: "headway-journal", blocksSignals: true) { self.work() }
    case .due, .stopped: break
    }
  }

  /// Ends the thread, without waiting for it.
  func stop() {
    let phase = state.withLock { state in
      defer { state.phase = .stopped }
      return state.phase
    }
    if phase == .idle { wake.post() }
  }

  // MARK: The thread

  private func work() {
    let journal = folder.openForReading(Journal.fileName)
    defer { if journal >= 0 { close(journal) } }
    var hasHeader = false
    while true {
      Self.rest()
      guard isStillDue() else { return }
      if !hasHeader {
        // Without its header a journal is worth nothing. One that is too short for this has no task that took long.
        hasHeader = true
        note(folder.sync(RunHeader.fileName))
        note(folder.sync())
      }
      if journal >= 0 { note(waitForDisk(journal)) }
      wake.wait()
    }
  }

  /// Sleeps for the interval.
  private static func rest() {
    var time = timespec(tv_sec: 0, tv_nsec: Int(interval / .nanoseconds(1)))
    // The thread has no signals that could wake it earlier, and that would do no harm.
    unsafe nanosleep(&time, nil)
  }

  /// Whether there is something to store; from now on, what is written is stored the next time.
  private func isStillDue() -> Bool {
    state.withLock { state in
      guard state.phase == .due else { return false }
      state.phase = .idle
      return true
    }
  }

  private func note(_ error: Int32) {
    if error != 0 { state.withLock { $0.failure = $0.failure == 0 ? error : $0.failure } }
  }
}
