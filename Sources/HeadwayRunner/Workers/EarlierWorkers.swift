internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayTime

/// The workers of runs that are alive on this machine, found by the identity of the run in their arguments.
///
/// Each is three processes, as every run is: a viewer, which shows nothing here, its child the supervisor, and its child the worker.
struct EarlierWorkers {
  /// How long they have to end once they are asked to, before the last of the three is killed.
  private static let grace = Duration.seconds(7)
  /// How long they have after that, in which their supervisors end what they have started.
  private static let killGrace = Duration.seconds(15)
  private static let pause: UInt32 = 10_000

  /// The arguments after the program.
  private let arguments: Set<[String]>
  /// The processes of this worker.
  private let own: Set<pid_t>

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - identities: The beginnings of `HEADWAY_TASK_ID` in the runs.
  ///   - own: The processes of this worker.
  init(of identities: [String], besides own: Set<pid_t>) {
    arguments = Set(identities.map { ["worker", $0] })
    self.own = own
  }

  /// The processes that are alive, each with its parent.
  private func find() -> [pid_t: pid_t] {
    var found: [pid_t: pid_t] = [:]
    for name in FileSystem.names(in: Array("/proc".utf8)) {
      guard let pid = pid_t(String(decoding: name, as: UTF8.self)), !own.contains(pid) else {
        continue
      }
      let words = readFile("/proc/\(pid)/cmdline", most: 4_096).split(separator: 0)
        .map { String(decoding: $0, as: UTF8.self) }
      // One that connects over TCP has more.
      guard words.count >= 3, arguments.contains(Array(words[1...2])) else { continue }
      found[pid] = ProcessStatus(of: pid)?.parent ?? 0
    }
    return found
  }

  /// Ends the workers, and waits for their end.
  ///
  /// - Returns: Whether they have ended.
  func end() -> Bool {
    guard !arguments.isEmpty else { return true }
    let begin = MonotonicTime.continuous
    var isAsked = false
    while true {
      let found = find()
      if found.isEmpty { return true }
      let waited = MonotonicTime.continuous - begin
      if waited > Self.grace + Self.killGrace { return false }
      let parents = Set(found.values)
      for (pid, parent) in found {
        if !isAsked, found[parent] == nil {
          kill(pid, SIGTERM)
          kill(pid, SIGCONT)
        }
        if waited > Self.grace, !parents.contains(pid) { kill(pid, SIGKILL) }
      }
      isAsked = true
      usleep(Self.pause)
    }
  }
}
