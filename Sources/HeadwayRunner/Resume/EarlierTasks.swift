internal import HeadwayRun
internal import HeadwayState

/// What is known of tasks, by name, from a run and the runs that it went on with.
///
/// A later run replaces what an earlier one knew of a task only if it did something with it: a run that ended before a
/// task's turn came says nothing about it. A pure value.
struct EarlierTasks: Sendable {
  /// What became of a task.
  enum Fate: Hashable, Sendable {
    /// It succeeded, or was up to date.
    case succeeded
    /// It ran and ended otherwise, by itself.
    case failed
    /// It was ended from outside: by its time limit, by a signal, or with the run.
    case ended
    /// It was under way when the run died.
    case lost
  }

  /// What is known of a task.
  struct Task: Hashable, Sendable {
    /// What became of it.
    var fate: Fate
    /// The digest of the task of which this is known.
    var digest: String
    /// Its command, for people.
    var command: String
    /// The number of the run of which this is known; later runs have higher numbers.
    var run: Int
    /// The number of the latest run in which it was started, -1 for none.
    var started: Int
  }

  /// The tasks that did something, by name.
  private(set) var tasks: [String: Task] = [:]
  /// The names of all tasks of the newest run.
  private(set) var names: Set<String> = []

  /// Collects what is known.
  ///
  /// - Parameter runs: The run, and those that it went on with, the newest first.
  /// - Complexity: O(tasks of all runs).
  init(_ runs: [StoredRun]) {
    names.reserveCapacity(runs.first?.header.tasks.count ?? 0)
    for task in runs.first?.header.tasks ?? [] { names.insert(task.name) }
    tasks.reserveCapacity(names.count)
    for (number, run) in runs.reversed().enumerated() {
      for index in run.header.tasks.indices {
        add(
          run.header.tasks[index], run.state.tasks[index], in: number,
          isIncomplete: run.isIncomplete)
      }
    }
  }

  /// Adds what a run knows of a task.
  private mutating func add(
    _ task: RunHeader.Task, _ state: RunState.Task, in run: Int, isIncomplete: Bool
  ) {
    let didStart = state.attempts > 0
    var known = Task(
      fate: .lost, digest: task.digest, command: task.command, run: run, started: run)
    switch state.phase {
    case .waiting:
      // It may have been started all the same, and must not be started twice.
      guard isIncomplete, task.isOnce, tasks[task.name]?.fate != .succeeded else { return }
    case .running, .overdue, .backingOff: break
    case .ended(let outcome):
      switch outcome {
      case .succeeded: known.fate = .succeeded
      case .skipped(.upToDate):
        known.fate = .succeeded
        known.started = tasks[task.name]?.started ?? -1
      case .skipped(.doneEarlier):
        // It is as old as its success, which may be known.
        if tasks[task.name]?.fate == .succeeded { return }
        known.fate = .succeeded
        known.started = tasks[task.name]?.started ?? -1
      case .failed(let failure):
        if case .signalled = failure.cause { known.fate = .ended } else { known.fate = .failed }
        if failure.isStartFailure { known.started = tasks[task.name]?.started ?? -1 }
      case .timedOut: known.fate = .ended
      case .cancelled:
        guard didStart else { return }
        known.fate = .ended
      case .lost:
        // One whose outcome was unknown before was not started again.
        if !didStart { known.started = tasks[task.name]?.started ?? -1 }
      case .skipped: return
      }
    }
    tasks[task.name] = known
  }
}
