internal import CSpawn
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem

/// Carries out attempts as processes of this machine, each in a session of its own.
///
/// All processes must be started by the thread of the run loop, because the kernel kills a task's process when the
/// *thread* that started it ends. Not thread safe.
final class LocalExecutor: Executor {
  /// The process of an attempt.
  private struct Process {
    let attempt: Attempt
    /// The number of the process, and of its process group.
    let pid: pid_t
    /// The read end of its output, -1 if it writes to a file itself.
    let output: Int32
    /// Whether it was not reaped yet, so that its descendants can be found below it.
    var isRunning = true
    /// Whether the poller waits for its output.
    var isWatched = false
  }

  /// The number of bytes of one read: as much as a pipe holds.
  private static let readSize = 65_536

  private let spawner: Spawner
  private let poller: Poller
  /// The processes of attempts, by the task's index.
  private var processes: [Int: Process] = [:]
  /// The tasks of processes that were not reaped yet.
  private var leaders: [pid_t: Int] = [:]
  /// The processes of attempts that were given up and not reaped.
  private var givenUp: Set<pid_t> = []
  /// The tasks of process groups; those of released attempts stay if their processes may live on.
  private var groups: [pid_t: TaskID] = [:]
  private var orphans: Orphans
  /// What this machine has, if tasks need something of it.
  private let resources: Resources?
  /// The GPUs as programs name them.
  private lazy var gpus = Machine.gpus(EnvironmentBlock())

  var machines: [(has: Resources, own: Resources?, isOpen: Bool)] {
    resources.map { [($0, nil, true)] } ?? []
  }

  /// Creates an executor without processes, on the thread that will use it.
  ///
  /// - Parameters:
  ///   - environment: The environment of all tasks.
  ///   - identity: The beginning of `HEADWAY_TASK_ID` in this run.
  ///   - taskCount: The number of tasks of this run.
  ///   - poller: Waits for output; the tokens are the indices of tasks.
  ///   - resources: What this machine has, nil if tasks need nothing of it.
  /// - Throws: `RunnerError.system` if a descriptor cannot be opened.
  init(
    environment: EnvironmentBlock, identity: String, taskCount: Int, poller: Poller,
    resources: Resources? = nil
  ) throws(RunnerError) {
    self.resources = resources
    hw_block_signals()
    spawner = try Spawner(environment: environment)
    self.poller = poller
    orphans = Orphans(identity: identity, taskCount: taskCount)
  }

  func start(_ attempt: Attempt, _ request: AttemptRequest) throws(StartError) {
    var readEnd: Int32 = -1
    var writeEnd: Int32 = -1
    if request.outputFile == nil {
      let error = unsafe hw_pipe(&readEnd, &writeEnd)
      if error != 0 { throw StartError(request, stage: HW_STAGE_FORK, code: error) }
    }
    defer { if writeEnd >= 0 { close(writeEnd) } }
    var request = request
    if !request.gpus.isEmpty {
      // A number beyond the GPUs that were found here stands for itself.
      let names = request.gpus.map { gpus.indices.contains($0) ? gpus[$0] : "\($0)" }
      request.variables.append((Machine.gpuVariable, names.joined(separator: ",")))
    }
    // If one cannot be created, the command says what it lacks.
    for folder in request.folders { _ = makeFolder(folder) }
    do {
      let pid = try spawner.start(request, output: request.outputFile ?? writeEnd)
      processes[attempt.task.index] = Process(attempt: attempt, pid: pid, output: readEnd)
      leaders[pid] = attempt.task.index
      groups[pid] = attempt.task
    } catch {
      if readEnd >= 0 { close(readEnd) }
      throw error
    }
  }

  func signal(_ attempt: Attempt, _ signal: AttemptSignal) {
    guard let process = processes[attempt.task.index] else { return }
    let orphaned = orphans(of: attempt.task)
    // Listed before any is signalled, because a process is found by its parent only while that lives.
    let below = process.isRunning ? descendants(of: process.pid) : []
    let all = Set(below + orphaned + orphaned.flatMap { descendants(of: $0) })
    let outside = all.filter { getpgid($0) != process.pid }
    // Once its leader was reaped and it is empty, the number of the group may be reused by another program.
    if process.isRunning || outside.count < all.count {
      HeadwayLibc.kill(-process.pid, signal.number)
    }
    for other in outside { hw_signal_descendant(other, signal.number) }
    // When their parents have ended, nothing else may show which task they belong to.
    if signal == .terminate || signal == .kill { orphans.claim(outside, for: attempt.task) }
  }

  func nextExit() -> AttemptExit? {
    var code: Int32 = 0
    var signal: Int32 = 0
    var used = hw_usage()
    while true {
      let pid = unsafe hw_reap(&code, &signal, &used)
      guard pid > 0 else { return nil }
      givenUp.remove(pid)
      // Orphans end, too.
      guard let index = leaders.removeValue(forKey: pid), let process = processes[index] else {
        continue
      }
      processes[index]?.isRunning = false
      let result: Outcome =
        code == 0
        ? .succeeded
        : .failed(code > 0 ? .exited(code: Int(code)) : .signalled(number: Int(signal)))
      return AttemptExit(
        attempt: process.attempt, result: result,
        usage: ResourceUsage(
          cpuTime: .nanoseconds(used.cpu_nanoseconds),
          peakMemory: used.peak_memory > 0 ? Int(used.peak_memory) : nil))
    }
  }

  func watchOutput(of attempt: Attempt) -> Bool {
    let index = attempt.task.index
    guard let process = processes[index], process.output >= 0, !process.isWatched else {
      return true
    }
    guard poller.add(process.output, token: UInt64(index)) else { return false }
    processes[index]?.isWatched = true
    return true
  }

  func readOutput(
    of attempt: Attempt, reads: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    guard let process = processes[attempt.task.index], process.output >= 0 else { return false }
    let count = unsafe readPipe(process.output, reads: reads, take)
    // A pipe at its end is readable forever.
    if count == 0, process.isWatched {
      poller.remove(process.output)
      processes[attempt.task.index]?.isWatched = false
    }
    return count == 0
  }

  /// Reads until the pipe is empty or has ended, or the number of reads is reached.
  ///
  /// - Returns: What the last read returned: 0 at the end of the pipe.
  private func readPipe(
    _ pipe: Int32, reads: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Int {
    unsafe withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
      var count = -1
      for _ in 0..<reads {
        repeat {
          count = unsafe read(pipe, buffer.baseAddress, buffer.count)
        } while count < 0 && errno == EINTR
        if count <= 0 { break }
        unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      return count
    }
  }

  func hasLeftovers(_ attempt: Attempt) -> Bool {
    guard let process = processes[attempt.task.index] else { return false }
    // One that has ended and was not reaped is left, too.
    return HeadwayLibc.kill(-process.pid, 0) == 0 || errno == EPERM
      || !orphans(of: attempt.task).isEmpty
  }

  func leftovers(of attempt: Attempt) -> [String] {
    guard let process = processes[attempt.task.index] else { return [] }
    let group = descendants(of: getpid()).filter { getpgid($0) == process.pid }
    return Set(group + orphans(of: attempt.task)).sorted().map(describeProcess)
  }

  func release(_ attempt: Attempt, keepsProcesses: Bool) {
    guard let process = processes.removeValue(forKey: attempt.task.index) else { return }
    // Closing the only descriptor of this end also removes it from the poller.
    if process.output >= 0 { close(process.output) }
    if process.isRunning {
      leaders[process.pid] = nil
      givenUp.insert(process.pid)
    }
    if !keepsProcesses { groups[process.pid] = nil }
    orphans.release(attempt.task)
  }

  func strays() -> [Stray] {
    findOrphans().map { Stray(task: $0.task, name: describeProcess($0.pid), id: Int($0.pid)) }
  }

  func signal(_ stray: Stray, _ signal: AttemptSignal) {
    hw_signal_descendant(pid_t(stray.id), signal.number)
  }

  private func findOrphans() -> [(pid: pid_t, task: TaskID?)] {
    let isOwn = { self.leaders[$0] != nil || self.givenUp.contains($0) }
    return orphans.find(besides: isOwn) { groups[$0] }
  }

  private func orphans(of task: TaskID) -> [pid_t] {
    findOrphans().filter { $0.task == task }.map(\.pid)
  }
}

extension AttemptSignal {
  /// The signal of the system.
  fileprivate var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .kill: SIGKILL
    case .suspend: SIGSTOP
    case .resume: SIGCONT
    }
  }
}

/// The descendants of a process, as many as one listing holds.
private func descendants(of pid: pid_t) -> [pid_t] {
  let capacity = 16_384
  return unsafe [pid_t](unsafeUninitializedCapacity: capacity) { buffer, count in
    count = unsafe min(hw_descendants(pid, buffer.baseAddress, capacity), capacity)
  }
}

/// The name and number of a process.
func describeProcess(_ pid: pid_t) -> String {
  let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
    guard let start = buffer.baseAddress else { return "?" }
    unsafe hw_process_name(pid, start, buffer.count)
    return unsafe String(cString: start)
  }
  return "\(name) (\(pid))"
}
