internal import CSpawn
internal import Glibc
internal import HeadwayLaunch
internal import HeadwayRun

/// An attempt at a task as a process: what was started, and what is known of it.
struct TaskProcess {
  /// How far the attempt is being ended.
  enum Ending: Hashable {
    /// It is not.
    case none
    /// It was asked to end.
    case asked
    /// It is ended by force since the given moment.
    case forced(since: Duration)
  }

  /// The task.
  let id: TaskID
  /// The process, and the process group with the same number.
  let pid: pid_t
  /// The read end of its output, -1 where it writes to its log itself.
  let output: Int32
  /// Whether what it leaves behind may live on.
  let isDetached: Bool
  /// Its log.
  var log: TaskLog
  /// How the process itself ended, nil while it runs.
  var result: Outcome?
  /// How far it is being ended.
  var ending = Ending.none
  /// Whether everybody who could write the output has closed it.
  private(set) var isAtEnd = false

  /// Creates what is known of an attempt that has just begun.
  init(id: TaskID, pid: pid_t, output: Int32, isDetached: Bool, log: TaskLog) {
    self.id = id
    self.pid = pid
    self.output = output
    self.isDetached = isDetached
    self.log = log
  }

  /// The bytes that one read takes; as much as a pipe holds.
  private static let readSize = 65_536

  /// Reads what the task has written into its log.
  ///
  /// - Parameter most: The number of reads after which others get their turn.
  mutating func drain(reads most: Int) {
    var turns = most
    while output >= 0, !isAtEnd, turns > 0 {
      var got = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.readSize) { room, count in
        got = unsafe read(output, room.baseAddress, Self.readSize)
        count = max(got, 0)
      }
      if got < 0 && errno == EINTR { continue }
      isAtEnd = got == 0
      guard got > 0 else { return }
      log.append(bytes)
      turns -= 1
    }
  }

  /// Whether any process of the group is left, also one that has ended and was not reaped.
  var hasGroup: Bool { Glibc.kill(-pid, 0) == 0 || errno == EPERM }

  /// Sends a signal to the group, and to what descends from the task outside of it.
  ///
  /// - Parameters:
  ///   - number: The signal.
  ///   - orphans: Processes of the task that lost their parent.
  /// - Returns: The processes outside of the group that were found.
  @discardableResult
  func signal(_ number: Int32, orphans: [pid_t]) -> Set<pid_t> {
    // Listed before the first is hit: what a process leaves behind is found by its parent as long as that
    // lives.
    let below = result == nil ? descendants(of: pid) : []
    let outside = Set(below + orphans + orphans.flatMap { descendants(of: $0) })
      .filter { getpgid($0) != pid }
    Glibc.kill(-pid, number)
    for other in outside { hw_signal_descendant(other, number) }
    return outside
  }
}

/// The processes below a process, as many as one listing holds.
func descendants(of pid: pid_t) -> [pid_t] {
  let most = 16_384
  return unsafe [pid_t](unsafeUninitializedCapacity: most) { room, count in
    count = unsafe min(hw_descendants(pid, room.baseAddress, most), most)
  }
}

/// The name of a process, "?" when it is gone.
func processName(_ pid: pid_t) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
    guard let start = room.baseAddress else { return "?" }
    unsafe hw_process_name(pid, start, room.count)
    return unsafe String(cString: start)
  }
}
