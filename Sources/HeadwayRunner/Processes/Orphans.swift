internal import CSpawn
internal import Glibc
internal import HeadwayLaunch
internal import HeadwayRun

/// Finds processes that lost their parent, and the task that each belongs to.
///
/// The runner is a sub-reaper, so such processes become its children. They are known by `HEADWAY_TASK` in the
/// environment they were started with, or else by their process group. A process with neither is a stray; it
/// is ended when the run ends. Not thread safe.
struct Orphans {
  /// What a process belongs to.
  enum Owner: Hashable {
    /// A task of this run.
    case task(TaskID)
    /// None that can be told.
    case nobody
  }

  /// The most processes that one look takes in; more are met again at the next look.
  private static let mostChildren = 16_384
  /// The most bytes of a process's environment that are searched.
  private static let mostEnvironment = 1 << 20

  /// The beginning of `HEADWAY_TASK` for tasks of this run, up to the task's number.
  private let prefix: [UInt8]
  /// What is known already, by process number.
  private var known: [pid_t: Owner] = [:]
  /// The processes that were seen below a task while they still had a parent there.
  private var claims: [pid_t: TaskID] = [:]

  /// Creates the register of a run.
  ///
  /// - Parameter identity: What `HEADWAY_TASK` begins with in this run.
  init(identity: String) {
    prefix = Array("HEADWAY_TASK=\(identity).".utf8)
  }

  /// Takes note that processes belong to a task, whatever they do with their environment and group.
  mutating func claim(_ processes: Set<pid_t>, for id: TaskID) {
    for pid in processes { claims[pid] = id }
  }

  /// Forgets what was noted for a task, because nothing of it is left.
  mutating func release(_ id: TaskID) {
    if !claims.isEmpty { claims = claims.filter { $0.value != id } }
  }

  /// Looks for orphans.
  ///
  /// - Parameters:
  ///   - leaders: The processes that the run itself started and has not reaped.
  ///   - groupOwner: The task whose process group has a number.
  /// - Returns: The orphans that are alive, each with its owner.
  /// - Complexity: O(children).
  mutating func find(
    besides leaders: [pid_t: TaskID], groupOwner: (pid_t) -> TaskID?
  ) -> [(pid: pid_t, owner: Owner)] {
    let orphans = Self.adopted().filter { leaders[$0] == nil }
    guard !orphans.isEmpty else {
      known.removeAll(keepingCapacity: true)
      return []
    }
    var stillKnown: [pid_t: Owner] = [:]
    let found = orphans.map { pid in
      let owner =
        claims[pid].map { .task($0) } ?? known[pid] ?? owner(of: pid, groupOwner: groupOwner)
      stillKnown[pid] = owner
      return (pid: pid, owner: owner)
    }
    known = stillKnown
    return found
  }

  /// The processes that were given to this one when they lost their parent.
  private static func adopted() -> [pid_t] {
    unsafe [pid_t](unsafeUninitializedCapacity: mostChildren) { room, count in
      count = unsafe min(hw_adopted(room.baseAddress, mostChildren), mostChildren)
    }
  }

  /// The owner of a process that was not seen before.
  private func owner(of pid: pid_t, groupOwner: (pid_t) -> TaskID?) -> Owner {
    if let id = taskNamed(inEnvironmentOf: pid) { return .task(id) }
    if let id = groupOwner(getpgid(pid)) { return .task(id) }
    return .nobody
  }

  /// The task that a process's environment names, nil when it names none of this run.
  private func taskNamed(inEnvironmentOf pid: pid_t) -> TaskID? {
    let bytes = readFile("/proc/\(pid)/environ", most: Self.mostEnvironment)
    for entry in bytes.split(separator: 0) where entry.starts(with: prefix) {
      // A task of a run inside this task has more parts behind a slash.
      let digits = entry.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: "/") }
      return Int(String(decoding: digits, as: UTF8.self)).map { TaskID($0) }
    }
    return nil
  }
}
