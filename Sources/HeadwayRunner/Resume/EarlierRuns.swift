internal import HeadwayLibc
package import HeadwayRun
package import HeadwayState
internal import HeadwayText

/// The earlier runs that a run goes on with, and what a person has decided about their tasks.
///
/// As long as it exists, no other run can go on with the same one.
package struct EarlierRuns: Sendable {
  /// The run, and those that it went on with itself, the newest first; never empty.
  package let runs: [StoredRun]
  /// The tasks that count as done, by name; at first as a person has decided in these runs.
  package var done: Set<String> = []
  /// The tasks that run again, by name; at first those that a person wanted to run again, and that were not started since.
  package var again: Set<String> = []
  /// The folder of the run, nil for runs that were not read from folders.
  private let folder: RunFolder?
  /// Keeps others from going on with the run.
  let lock: RunLock?

  /// Creates earlier runs without decisions.
  init(_ runs: [StoredRun], folder: RunFolder? = nil, lock: RunLock? = nil) {
    precondition(!runs.isEmpty, "a run goes on with an earlier one")
    (self.runs, self.folder, self.lock) = (runs, folder, lock)
    takeDecisions()
  }

  /// Takes over what a person has decided in these runs, as far as it still counts: the latest decision about a task does,
  /// until the task is started.
  private mutating func takeDecisions() {
    guard runs.contains(where: { !$0.header.again.isEmpty || !$0.header.done.isEmpty }) else {
      return
    }
    var settled: Set<String> = []
    for run in runs {
      for (task, state) in zip(run.header.tasks, run.state.tasks) where state.attempts > 0 {
        settled.insert(task.name)
      }
      again.formUnion(run.header.again.filter { !settled.contains($0) })
      done.formUnion(run.header.done.filter { !settled.contains($0) })
      settled.formUnion(run.header.again + run.header.done)
    }
  }

  /// What a search for a run to go on with finds.
  package enum Search {
    /// A run that succeeded, in which nothing is left to do.
    case succeeded(EarlierRuns)
    /// There is no run.
    case none
    /// A run that is over and did not succeed.
    case found(EarlierRuns)
  }

  /// How the run ended, in words after `which`.
  package var words: String {
    guard runs[0].hasEnded, let outcome = runs[0].record.outcome else { return "died" }
    return switch outcome {
    case .failed: "failed"
    case .timedOut: "timed out"
    case .cancelled, .skipped: "was cancelled"
    case .lost: "left the outcome of a task unknown"
    case .succeeded, .upToDate, .doneEarlier: "succeeded"
    }
  }

  /// What is wrong with the journals, for people, a line each.
  package var warnings: [String] { runs.flatMap(\.warnings) }

  /// The machines on which attempts of the newest run may be alive, because it died, and which are not asked.
  ///
  /// - Parameter machines: The machines that carry out the next run, which are.
  /// - Returns: The names of the machines.
  package func unasked(with machines: Machines) -> [String] {
    let header = runs[0].header
    guard !runs[0].hasEnded else { return [] }
    let asked = Set((machines.hosts ?? []).map(\.name))
    return (header.machines.hosts ?? []).map(\.name).filter {
      !asked.contains($0) && $0 != WorkerHost.slurm
    }
  }

  /// How long attempts may be alive on machines that have heard nothing of their run.
  package var longestLife: Duration {
    (runs[0].header.machines.patience ?? WorkerLease.usualPatience) + WorkerLease.endingTime
  }

  /// Ends the processes that are left of the runs.
  ///
  /// - Returns: The number of processes.
  /// - Throws: `StateError.notResumable` if some cannot be ended.
  package func endLeftovers() throws(StateError) -> Int {
    try Leftovers(of: runs).end(runs[0].header.run)
  }

  /// Notes which run goes on with this one.
  func noteResumption(by run: String) { folder?.noteContinuation(run) }

  // MARK: Searching

  /// Finds the newest run that did not succeed.
  ///
  /// - Parameter stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The run; the newest one if all succeeded.
  /// - Throws: `StateError` if it goes on, goes on with another run, or cannot be read.
  package static func newest(in stateFolder: String) throws(StateError) -> Search {
    var success: Search = .none
    // The lock of the newest one that succeeded is kept, so nothing is searched twice.
    var seen: Set<String> = []
    let found = try RunFolder.newest(of: nil, in: stateFolder) {
      folder throws(StateError) -> Search? in
      var continuations: Set<String> = [folder.name]
      let last = try last(after: folder, in: stateFolder, &continuations)
      guard seen.insert(last.name).inserted else { return nil }
      let search = try search(last, in: stateFolder)
      guard case .succeeded = search else { return search }
      if case .none = success { success = search }
      return nil
    }
    return found ?? success
  }

  /// Finds the newest run of a plan.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - file: The absolute path of the plan.
  ///   - stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The run.
  /// - Throws: `StateError` if it goes on, goes on with another run, or cannot be read.
  package static func newest(
    of plan: String, file: String?, in stateFolder: String
  ) throws(StateError) -> Search {
    let found = try RunFolder.newest(of: plan, in: stateFolder) {
      folder throws(StateError) -> Search? in
      let other = try folder.header().invocation.file
      guard other.map({ ExactText($0) }) == file.map({ ExactText($0) }) else { return nil }
      return try search(folder, in: stateFolder)
    }
    return found ?? .none
  }

  /// Finds a run by its name, or the run that went on with it last.
  ///
  /// - Parameters:
  ///   - name: The name of the run, or `latest`.
  ///   - stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The run.
  /// - Throws: `StateError` if it goes on, goes on with another run, or cannot be read.
  package static func named(_ name: String, in stateFolder: String) throws(StateError) -> Search {
    guard let folder = try RunFolder.named(name, in: stateFolder) else { return .none }
    return try search(folder, in: stateFolder)
  }

  /// Reads a run, or the run that went on with it last, and locks it.
  private static func search(
    _ first: RunFolder, in stateFolder: String
  ) throws(StateError) -> Search {
    var folder = first
    var seen: Set<String> = [first.name]
    while true {
      folder = try last(after: folder, in: stateFolder, &seen)
      let header = try folder.header()
      switch folder.isRunning(header) {
      case true:
        throw .notResumable(
          folder.name, "it still goes on; to see it: headway attach \(folder.name)")
      case false: break
      case nil:
        guard try folder.read(header).hasEnded else {
          throw .notResumable(
            folder.name, "it was begun on another machine, and may still go on there")
        }
      }
      guard let lock = folder.lock() else {
        let other = try resuming(folder.name, in: stateFolder).map { ", by run \($0)" } ?? ""
        throw .notResumable(folder.name, "it is being resumed already\(other)")
      }
      // Somebody may have gone on with it, and ended, before it was locked.
      if let name = folder.continuation, !seen.contains(name),
        try RunFolder.named(name, in: stateFolder)?.hasWholeHeader == true
      {
        continue
      }
      let stored = try folder.read(header)
      let runs = EarlierRuns(try chain(stored, in: stateFolder), folder: folder, lock: lock)
      let isSuccess = stored.hasEnded && stored.record.outcome?.isSuccess == true
      return isSuccess ? .succeeded(runs) : .found(runs)
    }
  }

  /// The run that went on with a run last, or the run itself.
  ///
  /// - Parameters:
  ///   - first: The run.
  ///   - stateFolder: The path of the state folder, without a trailing slash.
  ///   - seen: The names of the runs on the way, which are passed once.
  /// - Returns: The run.
  /// - Throws: `StateError.folder` if the state folder cannot be used.
  private static func last(
    after first: RunFolder, in stateFolder: String, _ seen: inout Set<String>
  ) throws(StateError) -> RunFolder {
    var folder = first
    while let name = folder.continuation, seen.insert(name).inserted,
      let next = try RunFolder.named(name, in: stateFolder), next.hasWholeHeader
    {
      folder = next
    }
    return folder
  }

  /// A run and those that it went on with, as far as they are kept and it does not itself know about every task.
  private static func chain(
    _ newest: StoredRun, in stateFolder: String
  ) throws(StateError) -> [StoredRun] {
    var runs = [newest]
    var seen: Set<String> = [newest.header.run]
    while !runs[runs.count - 1].knowsAllTasks,
      let name = runs[runs.count - 1].header.resumes, seen.insert(name).inserted,
      let folder = try RunFolder.named(name, in: stateFolder), let run = try? folder.read()
    {
      runs.append(run)
    }
    return runs
  }

  /// The run that goes on with a run at the moment, nil if it is not known yet.
  private static func resuming(
    _ name: String, in stateFolder: String
  ) throws(StateError) -> String? {
    try RunFolder.all(in: stateFolder).first { folder in
      folder.mayBeRunning && (try? folder.header())?.resumes == name
    }?.name
  }
}

extension StoredRun {
  /// Whether each task has done something in the run, or was known to be done.
  fileprivate var knowsAllTasks: Bool {
    state.tasks.allSatisfy { task in
      switch task.phase {
      case .waiting: false
      case .running, .overdue, .backingOff: true
      case .ended(.skipped(.doneEarlier)), .ended(.skipped(.upToDate)): true
      case .ended(.skipped): false
      case .ended(.cancelled): task.attempts > 0
      case .ended: true
      }
    }
  }
}
