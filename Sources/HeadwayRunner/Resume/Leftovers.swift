internal import CSpawn
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTime

/// What is alive of runs that are over, found by `HEADWAY_TASK_ID` in the environment of processes.
///
/// A process counts only if it was started since the run was, after the same boot of the machine, so that neither its number
/// nor the clock matters. What a task has left on purpose before it succeeded, with `detach: true`, stays.
struct Leftovers {
  /// How long processes have to end once they are killed.
  private static let killGrace = Duration.seconds(5)
  /// The pause between two looks, in microseconds.
  private static let pause: UInt32 = 10_000
  /// The maximum number of processes that a message names.
  private static let maxNames = 5
  /// The maximum number of bytes of an environment that are searched.
  private static let environmentLimit = 1 << 20

  /// A run that is over.
  private struct Run {
    let started: Int
    let marks: Orphans
    /// What is known of its tasks, nil if nothing is.
    let state: RunState?
  }

  private let runs: [Run]

  /// Creates the search for what is left of runs; those before the last boot have left nothing.
  init(of runs: [StoredRun]) {
    let boot = ProcessIdentity.currentBoot
    self.runs = runs.filter { $0.header.process.boot == boot }.flatMap { run in
      let identity = run.header.identity
      return [identity, RunWork.identityOfServices(in: identity)].map { identity in
        Run(
          started: run.header.process.started,
          marks: Orphans(identity: identity, taskCount: run.header.tasks.count),
          state: run.state)
      }
    }
  }

  /// Creates the search for what is left on another machine of runs that began elsewhere.
  ///
  /// - Parameter identities: The beginnings of `HEADWAY_TASK_ID` in these runs.
  init(ofRunsElsewhere identities: [String]) {
    runs = identities.map { identity in
      Run(started: 0, marks: Orphans(identity: identity, taskCount: Int.max), state: nil)
    }
  }

  /// The processes that are alive.
  ///
  /// - Complexity: O(processes of this machine).
  func find() -> [pid_t] {
    guard !runs.isEmpty else { return [] }
    let own = getpid()
    return FileSystem.names(in: Array("/proc".utf8)).compactMap { name in
      guard let pid = pid_t(String(decoding: name, as: UTF8.self)), pid > 1, pid != own,
        isLeft(pid)
      else { return nil }
      return pid
    }
  }

  /// Whether a process is one that is left.
  private func isLeft(_ pid: pid_t) -> Bool {
    // The environment of a process that has ended, or of another user, is empty.
    let environment = readFile("/proc/\(pid)/environ", most: Self.environmentLimit)
    guard !environment.isEmpty else { return false }
    return runs.contains { run in
      guard let task = run.marks.task(inEnvironment: environment),
        let start = ProcessIdentity.start(of: pid), start >= run.started
      else { return false }
      return run.state?.outcome(of: task)?.isSuccess != true
    }
  }

  /// Ends the processes: asks them to end, and kills those that are left after a while.
  ///
  /// - Parameters:
  ///   - run: The name of the run, for the error.
  ///   - grace: How long they may take to end.
  /// - Returns: The number of processes.
  /// - Throws: `StateError.notResumable` if some cannot be ended.
  func end(_ run: String, grace: Duration = TaskDefaults.grace) throws(StateError) -> Int {
    let environment = readFile("/proc/self/environ", most: Self.environmentLimit)
    guard !runs.contains(where: { $0.marks.task(inEnvironment: environment) != nil }) else {
      throw .notResumable(run, "this is a process of the run itself")
    }
    var found: Set<pid_t> = []
    let start = MonotonicTime.now
    var left = find()
    while !left.isEmpty {
      let waited = MonotonicTime.now - start
      if waited > grace + Self.killGrace {
        let names = left.prefix(Self.maxNames).map(describeProcess).joined(separator: ", ")
        throw .notResumable(run, "processes of it cannot be ended: \(names)")
      }
      for pid in left {
        if waited >= grace {
          signal(pid, SIGKILL)
        } else if found.insert(pid).inserted {
          signal(pid, SIGTERM)
          // One that is stopped ends only once it goes on.
          signal(pid, SIGCONT)
        }
      }
      found.formUnion(left)
      usleep(Self.pause)
      left = find()
    }
    return found.count
  }

  /// Signals a process, unless its number belongs to another one by now.
  private func signal(_ pid: pid_t, _ number: Int32) {
    let process = hw_process_open(pid)
    if process < 0, errno != ENOSYS { return }
    defer { if process >= 0 { close(process) } }
    if isLeft(pid) { hw_process_signal(process, pid, number) }
  }
}
