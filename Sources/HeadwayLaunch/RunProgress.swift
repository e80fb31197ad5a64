public import HeadwayProgress

/// Says how far a run is and how long it still takes; a surface asks it at each frame.
///
/// A pure value that folds `LaunchEvent`s, with the time as an argument. `RunProgress` is the simple conformer.
public protocol RunForecast: Sendable {
  /// Takes the next event of the run in.
  mutating func receive(_ event: LaunchEvent)

  /// The shown part of the run that is done.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: A value that never goes back, and 1 only when the run has ended.
  mutating func fraction(at now: Duration) -> Double

  /// The part of a running task that is done, nil when nothing is known about it.
  func fraction(of task: TaskID, at now: Duration) -> Double?

  /// The time until the run ends, nil when nothing is known, zero when every expectation has passed.
  func remaining(at now: Duration) -> Duration?

  /// The time until a running task ends, nil when nothing is known, zero when its expectation has passed.
  func remaining(of task: TaskID, at now: Duration) -> Duration?
}

/// A forecast from the clock: a running task is as far as its elapsed part of the expected duration.
///
/// Expected is what history says of a task. Where it is silent, the run as a whole reckons with the mean of the
/// tasks that have run, and with half as much again for a task that has run longer; of such a task alone
/// nothing is claimed.
/// The value keeps a tree of progress; copies share it. Not thread safe; each listener keeps its own.
public struct RunProgress: RunForecast {
  /// The tree: one unit for each task, one child for each task that runs.
  public let root: ProgressNode
  /// The names of the tasks, by place.
  private var names: [String]
  /// How long each task is expected to take, by place; nil where history is silent.
  private var expected: [Duration?]
  /// Where the tasks stand.
  private var status: RunStatus
  /// The nodes of the tasks that have begun and not ended.
  private var nodes: [TaskID: ProgressNode] = [:]
  /// The expected time of tasks that have not begun, where history knows it.
  private var waitingTime: Duration = .zero
  /// The number of tasks that have not begun and of which history knows nothing.
  private var waitingUnknown = 0
  /// The time that the tasks which have run took, and their number.
  private var measured: (sum: Duration, count: Int) = (.zero, 0)
  /// The parts of a task's own progress.
  private static let resolution = 1_000_000
  /// The most that the clock alone may claim of a task: its end is told, not assumed.
  private static let longestReach = 0.95
  /// The most that is shown of a run that has not ended.
  private static let nearlyAll = 0.999

  /// Creates the forecast of a run that has not begun.
  ///
  /// - Parameters:
  ///   - names: The names of the tasks, by place in the graph.
  ///   - expected: How long each is expected to take; missing and nil entries mean that nothing is known.
  public init(names: [String], expected: [Duration?]) {
    self.names = names
    self.expected = names.indices.map { $0 < expected.count ? expected[$0] : nil }
    root = ProgressNode("run", total: names.isEmpty ? nil : names.count)
    status = RunStatus(taskCount: names.count)
    for expectation in self.expected { changeWaiting(expectation, by: 1) }
  }

  /// Takes the next event of the run in.
  ///
  /// What is told of a task that the run does not have changes nothing.
  ///
  /// - Parameter event: The next event of the run.
  /// - Complexity: O(1), O(running tasks) for the end of a task, O(tasks) after a loss of events.
  public mutating func receive(_ event: LaunchEvent) {
    guard status.knows(event.kind) else { return }
    switch event.kind {
    case .missed(_, let status): catchUp(with: status)
    case .taskAdded(let task):
      status.apply(event)
      add(task.name)
    default:
      let task = event.kind.task
      let before = task.map { status.tasks[$0.index].phase }
      status.apply(event)
      if let task, let before { follow(task, from: before) }
      if case .runEnded = event.kind { root.finish() }
    }
  }

  /// Goes on from a state of the run.
  private mutating func catchUp(with new: RunStatus) {
    let old = status
    status = new
    for task in nodes.keys where task.index >= new.tasks.count { nodes[task] = nil }
    for place in new.tasks.indices {
      if place == names.count { add("") }
      let before = old.tasks.indices.contains(place) ? old.tasks[place].phase : .waiting
      follow(TaskID(place, name: names[place]), from: before)
    }
    if new.total != nil { root.finish() }
  }

  /// Takes in that the run may have one more task.
  private mutating func add(_ name: String) {
    guard names.count < status.tasks.count else { return }
    names.append(name)
    expected.append(nil)
    changeWaiting(nil, by: 1)
    root.addToTotal(1)
  }

  /// Takes in where a task stands now.
  private mutating func follow(_ task: TaskID, from before: RunStatus.Phase) {
    let (now, phase) = (status.tasks[task.index], status.tasks[task.index].phase)
    if before == .waiting, phase != .waiting { changeWaiting(expected[task.index], by: -1) }
    switch (before, phase) {
    case (.ended, _), (_, .waiting): break
    case (_, .ended(let outcome)):
      if now.attempts > 0, outcome.isSuccess || outcome.isFailure {
        measured = (measured.sum + now.ran, measured.count + 1)
      }
      if let node = nodes.removeValue(forKey: task) { node.finish() } else { root.complete(1) }
    case (_, .running), (_, .overdue), (_, .backingOff):
      if nodes[task] == nil {
        nodes[task] = root.child(names[task.index], units: 1, total: Self.resolution)
      }
    }
  }

  /// Brings the tree up to date and copies it.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The true state, which may go back when a task is tried again.
  /// - Complexity: O(running tasks).
  public func snapshot(at now: Duration) -> ProgressSnapshot {
    bringUpToDate(at: now)
    return root.snapshot()
  }

  /// Sets the counts of the running tasks from the clock.
  private func bringUpToDate(at now: Duration) {
    for (task, node) in nodes { bringUpToDate(node, of: task, at: now) }
  }

  /// Sets the count of a running task from the clock.
  private func bringUpToDate(_ node: ProgressNode, of task: TaskID, at now: Duration) {
    let part = part(of: task, expectation(of: task, at: now), at: now) ?? 0
    node.setCompleted(Int((part * Double(Self.resolution)).rounded()))
  }

  /// The shown part of the run: the largest that was ever true, and 1 only when the run has ended.
  public mutating func fraction(at now: Duration) -> Double {
    guard status.total == nil else { return 1 }
    bringUpToDate(at: now)
    return min(root.shownFraction, Self.nearlyAll)
  }

  /// The elapsed part of what history expects, held below the end; nil where history is silent.
  public func fraction(of task: TaskID, at now: Duration) -> Double? {
    guard expected.indices.contains(task.index),
      part(of: task, expected[task.index], at: now) != nil, let node = nodes[task]
    else {
      return nil
    }
    bringUpToDate(node, of: task, at: now)
    return node.fraction
  }

  /// The work that is left, shared by the workers, but not less than the longest running task needs.
  public func remaining(at now: Duration) -> Duration? {
    var work = waitingTime
    var waiting = status.tasks.count - status.counts.ended - status.active.count
    if status.ending != nil {
      (work, waiting) = (.zero, 0)
    } else if waitingUnknown > 0 {
      guard let mean else { return nil }
      work += mean * waitingUnknown
    }
    var longest = Duration.zero
    for task in status.active {
      guard let whole = expectation(of: task, at: now) else { return nil }
      let left = max(whole - (elapsed(of: task, at: now) ?? .zero), .zero)
      work += left
      longest = max(longest, left)
    }
    let width = max(1, min(max(status.workers, 1), waiting + status.active.count))
    return max(work / width, longest)
  }

  /// What is left of what history expects, nil where history is silent.
  public func remaining(of task: TaskID, at now: Duration) -> Duration? {
    guard expected.indices.contains(task.index), let whole = expected[task.index] else {
      return nil
    }
    return max(whole - (elapsed(of: task, at: now) ?? .zero), .zero)
  }

  /// The mean duration of the tasks that have run in this run.
  private var mean: Duration? {
    measured.count > 0 ? measured.sum / measured.count : nil
  }

  /// How long the run reckons with a task, nil when nothing is known.
  private func expectation(of task: TaskID, at now: Duration) -> Duration? {
    if let known = expected[task.index] { return known }
    let elapsed = elapsed(of: task, at: now) ?? .zero
    return mean.map { max($0, elapsed * 3 / 2) }
  }

  /// The elapsed part of a duration, held below the end; nil when there is none.
  private func part(of task: TaskID, _ whole: Duration?, at now: Duration) -> Double? {
    guard let elapsed = elapsed(of: task, at: now), let whole, whole > .zero else { return nil }
    return min(max(elapsed / whole, 0), Self.longestReach)
  }

  /// The time since the latest attempt began, nil while none is under way.
  private func elapsed(of task: TaskID, at now: Duration) -> Duration? {
    switch status.tasks[task.index].phase {
    case .running, .overdue: now - status.tasks[task.index].latestStart
    case .waiting, .backingOff, .ended: nil
    }
  }

  /// Counts a task into or out of those that have not begun.
  private mutating func changeWaiting(_ expectation: Duration?, by count: Int) {
    if let expectation {
      waitingTime += expectation * count
    } else {
      waitingUnknown += count
    }
  }
}

extension LaunchEvent.Kind {
  /// The task that the event is about, nil when it is about the run.
  public var task: TaskID? {
    switch self {
    case .taskStarted(let task, _), .taskOverdue(let task, _, _), .taskRetrying(let task, _, _, _),
      .taskEnded(let task, _, _, _), .taskAdded(let task), .taskExtended(let task, _),
      .taskReportedAgain(let task):
      task
    case .runStarted, .runEnding, .runEnded, .runPaused, .runResumed, .runHeld, .runProceeding,
      .queueEmptied, .missed:
      nil
    }
  }
}
