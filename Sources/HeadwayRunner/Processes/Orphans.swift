internal import CSpawn
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem

/// Finds processes that lost their parent, and the task that each belongs to.
///
/// The runner is a subreaper, so such processes become its children; so does what a program makes as its own sibling. Their task is known by `HEADWAY_TASK_ID` in the
/// environment with which they were started, or else by their process group. A process with neither is a stray, which
/// is ended with the run. Not thread safe.
struct Orphans {
  /// The maximum number of processes of one search; a later one finds the others.
  private static let capacity = 16_384
  /// The maximum number of bytes of an environment that are searched.
  private static let environmentLimit = 1 << 20

  /// The beginning of the variable `HEADWAY_TASK_ID` in tasks of this run, up to the task's index.
  private let prefix: [UInt8]
  /// The number of tasks of this run.
  private let taskCount: Int
  /// The tasks of orphans that were seen before.
  private var known: [pid_t: TaskID?] = [:]
  /// The tasks of processes that were seen below a task while their parent lived.
  private var claims: [pid_t: TaskID] = [:]

  /// Creates the register of a run.
  ///
  /// - Parameters:
  ///   - identity: The beginning of the value of `HEADWAY_TASK_ID` in this run.
  ///   - taskCount: The number of its tasks.
  init(identity: String, taskCount: Int) {
    prefix = Array("\(RunWork.Variable.identity)=\(identity).".utf8)
    self.taskCount = taskCount
  }

  /// Records that processes belong to a task, even if they change their environment and process group.
  mutating func claim(_ processes: Set<pid_t>, for task: TaskID) {
    for pid in processes { claims[pid] = task }
  }

  /// Forgets the claims of a task, because nothing of it is left.
  mutating func release(_ task: TaskID) {
    if !claims.isEmpty { claims = claims.filter { $0.value != task } }
  }

  /// Searches for orphans.
  ///
  /// - Parameters:
  ///   - isOwn: Whether a process was started by the run itself and not reaped.
  ///   - groupTask: The task of a process group.
  /// - Returns: The orphans that are alive, each with its task, nil if that is not known.
  /// - Complexity: O(children).
  mutating func find(
    besides isOwn: (pid_t) -> Bool, groupTask: (pid_t) -> TaskID?
  ) -> [(pid: pid_t, task: TaskID?)] {
    let orphans = Self.adopted().filter { !isOwn($0) }
    guard !orphans.isEmpty else {
      if !known.isEmpty { known.removeAll(keepingCapacity: true) }
      return []
    }
    let found = orphans.map { pid in
      (pid: pid, task: claims[pid] ?? known[pid, default: task(of: pid, groupTask: groupTask)])
    }
    known = Dictionary(found.map { ($0.pid, $0.task) }) { first, _ in first }
    return found
  }

  /// The orphans that became children of this process.
  private static func adopted() -> [pid_t] {
    // Most often there are none, and an empty array is not allocated.
    unsafe withUnsafeTemporaryAllocation(of: pid_t.self, capacity: capacity) { buffer in
      unsafe Array(buffer.prefix(hw_adopted(buffer.baseAddress, capacity)))
    }
  }

  /// The task of a process that was not seen before.
  private func task(of pid: pid_t, groupTask: (pid_t) -> TaskID?) -> TaskID? {
    task(inEnvironment: readFile("/proc/\(pid)/environ", most: Self.environmentLimit))
      ?? groupTask(getpgid(pid))
  }

  /// Finds the task that an environment names, as the runner writes it: a number without a sign or leading zeros.
  ///
  /// - Parameter environment: Entries as `NAME=value`, each ended by NUL.
  /// - Returns: The task, nil if the environment names none of this run.
  func task(inEnvironment environment: [UInt8]) -> TaskID? {
    for entry in environment.split(separator: 0) where entry.starts(with: prefix) {
      // A run inside this task appends its own identity after a slash.
      let digits = entry.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "/") }
      let text = String(decoding: digits, as: UTF8.self)
      guard let index = Int(text), "\(index)" == text, (0..<taskCount).contains(index) else {
        return nil
      }
      return TaskID(index)
    }
    return nil
  }
}
