import Foundation
import HeadwayLaunch
import HeadwayRun

/// What happens in a run beside what was recorded.
enum RunCase: String, CaseIterable {
  case whole
  case halfUpToDate = "half-up-to-date"
  case fewChanged = "few-changed"
  case nothingChanged = "nothing-changed"
  case late
  case lateAgain = "late-again"
  case failureKeepGoing = "failure-keep-going"
  case failureStop = "failure-stop"
  case failureFast = "failure-fast"
  case retries
  case pools
  case selection
  case workersChanged = "workers-changed"
  case sharedProcessors = "shared-processors"
  case faster
  case slower
  case added

  /// What it is, for `--help`.
  var summary: String {
    switch self {
    case .whole: "as recorded"
    case .halfUpToDate: "half of the tasks work: random ones, and those that depend on them"
    case .fewChanged: "5 % of the tasks have changed; they and those that depend on them work"
    case .nothingChanged: "every task is up to date"
    case .late: "a task of at least 2 % of the run takes 2 to 60 times as long"
    case .lateAgain: "the same after a run in which it was as late"
    case .failureKeepGoing: "a task fails, and tasks that do not depend on it go on"
    case .failureStop: "a task fails, and only running tasks go on"
    case .failureFast: "a task fails, and running tasks are ended"
    case .retries: "a tenth of the tasks fail once"
    case .pools: "a third of the tasks share a pool of a quarter of the workers"
    case .selection: "only the tasks that a random one needs"
    case .workersChanged: "the earlier runs had four times or a quarter of the workers"
    case .sharedProcessors:
      "the same on two processors, which half of the tasks need; the others sleep"
    case .faster: "every task takes half as long"
    case .slower: "every task takes twice as long"
    case .added: "a third of the tasks are added while it runs"
    }
  }

  /// The amounts of history for which it is replayed by default.
  ///
  /// Only a run as recorded is also replayed as a first run: the other cases are about what earlier runs say.
  var histories: [KnownRuns] { self == .whole ? KnownRuns.allCases : [.one, .all] }

  /// How many times as long a task takes at most when it is late.
  private static let latest = 60.0
  /// The part of the run that a task takes at least if it may be late.
  private static let leastLate = 0.02

  /// The sequence of random numbers for a run, the same for a late task and for one that is late again, and for all
  /// reactions to a failure.
  private func randoms(for run: Trace.Run) -> Randoms {
    switch self {
    case .lateAgain: Randoms(RunCase.late.rawValue, run.name)
    case .failureStop, .failureFast: Randoms(RunCase.failureKeepGoing.rawValue, run.name)
    default: Randoms(rawValue, run.name)
    }
  }

  /// Makes a run of this case.
  ///
  /// - Parameters:
  ///   - run: The recorded run.
  ///   - workers: The number of workers.
  /// - Returns: The run, nil if the recorded one has no task that suits the case.
  func made(from run: Trace.Run, workers: Int) -> CaseRun? {
    var made = CaseRun(run, workers: workers)
    var randoms = randoms(for: run)
    let indices = Array(made.tasks.indices)
    switch self {
    case .whole, .workersChanged: break
    case .sharedProcessors: made.shareProcessors()
    case .halfUpToDate:
      let half = (indices.count + 1) / 2
      var changed: Set<Int> = []
      let working = made.dependents(of: indices.shuffled(using: &randoms), atMost: half) {
        changed.insert($0)
      }
      made.mark(changed: changed, working: working)
    case .fewChanged:
      let changed = Set(indices.shuffled(using: &randoms).prefix(max(1, indices.count / 20)))
      made.mark(changed: changed, working: made.dependents(of: Array(changed), atMost: .max))
    case .nothingChanged: made.mark(changed: [], working: [])
    case .late, .lateAgain:
      let least = Self.leastLate * Schedule(made).length
      let long = indices.filter { made.tasks[$0].seconds >= max(least, 1e-9) }
      guard let task = long.randomElement(using: &randoms) else { return nil }
      made.late = (task, made.tasks[task].seconds)
      made.tasks[task].seconds *= exp(log(2) + randoms.part() * log(Self.latest / 2))
    case .failureKeepGoing, .failureStop, .failureFast:
      made.policy =
        switch self {
        case .failureKeepGoing: .keepGoing
        case .failureStop: .stop
        default: .failFast
        }
      guard let task = indices.randomElement(using: &randoms) else { return nil }
      made.tasks[task].failsAfter = randoms.part() * made.tasks[task].seconds
    case .retries:
      for task in indices.shuffled(using: &randoms).prefix(max(1, indices.count / 10)) {
        made.tasks[task].failedAttempts = [randoms.part() * made.tasks[task].seconds]
      }
    case .pools:
      made.poolLimit = max(1, workers / 4)
      for task in indices.shuffled(using: &randoms).prefix(indices.count / 3) {
        made.tasks[task].isInPool = true
      }
    case .selection:
      guard
        let task = indices.filter({ !made.tasks[$0].parents.isEmpty })
          .randomElement(using: &randoms)
      else { return nil }
      made.keep(made.needs(of: task))
    case .faster, .slower:
      for task in indices { made.tasks[task].seconds *= self == .faster ? 0.5 : 2 }
    case .added:
      let third = indices.count / 3
      let added = made.dependents(of: indices.shuffled(using: &randoms), atMost: third)
      guard !added.isEmpty else { return nil }
      made.add(added)
    }
    made.round()
    return made
  }

  /// Changes the earlier runs of a run of this case.
  ///
  /// - Parameters:
  ///   - history: The earlier runs, the latest last.
  ///   - run: The run.
  func change(_ history: inout [Trace.Run], before run: CaseRun) {
    guard self == .lateAgain, let late = run.late, var last = history.popLast() else { return }
    let task = run.tasks[late.task]
    for index in last.tasks.indices where last.tasks[index].name == task.name {
      last.tasks[index].seconds *= task.seconds / late.recorded
    }
    history.append(last)
  }

  /// The number of workers of the earlier runs.
  func earlierWorkers(before workers: Int) -> Int {
    guard self == .workersChanged || self == .sharedProcessors else { return workers }
    return workers < 4 ? workers * 4 : workers / 4
  }
}

extension CaseRun {
  /// Tasks and those that depend on them, directly or through others.
  ///
  /// - Parameters:
  ///   - first: The tasks, in the order in which they are taken.
  ///   - most: The maximum number; a task with which there would be more is left out.
  ///   - take: Called with each of the given tasks that is taken.
  /// - Returns: The tasks.
  fileprivate func dependents(
    of first: [Int], atMost most: Int, take: (Int) -> Void = { _ in }
  ) -> Set<Int> {
    let children = children
    var found: Set<Int> = []
    for task in first where !found.contains(task) {
      var open = [task]
      var more: Set<Int> = []
      while let next = open.popLast() {
        if !found.contains(next), more.insert(next).inserted { open += children[next] }
      }
      guard found.count + more.count <= most else { continue }
      found.formUnion(more)
      take(task)
    }
    return found
  }

  /// A task and those that it needs, directly or through others.
  fileprivate func needs(of task: Int) -> Set<Int> {
    var found: Set<Int> = []
    var open = [task]
    while let next = open.popLast() {
      if found.insert(next).inserted { open += tasks[next].parents }
    }
    return found
  }

  /// Says which tasks work because of their own files and because of others; the rest is up to date.
  fileprivate mutating func mark(changed: Set<Int>, working: Set<Int>) {
    for task in tasks.indices {
      tasks[task].work =
        changed.contains(task) ? .changed : working.contains(task) ? .follows : .upToDate
    }
  }

  /// Rounds all durations to nanoseconds.
  fileprivate mutating func round() {
    for task in tasks.indices {
      tasks[task].seconds = tasks[task].seconds.inNanoseconds
      tasks[task].failsAfter = tasks[task].failsAfter?.inNanoseconds
      tasks[task].failedAttempts = tasks[task].failedAttempts.map(\.inNanoseconds)
    }
  }

  /// Removes all other tasks.
  fileprivate mutating func keep(_ kept: Set<Int>) { arrange(tasks.indices.filter(kept.contains)) }

  /// Moves tasks to the end, where they are added while the run runs.
  fileprivate mutating func add(_ added: Set<Int>) {
    for task in added { tasks[task].isAdded = true }
    arrange(tasks.indices.filter { !added.contains($0) } + added.sorted())
  }

  /// Puts tasks in an order; those that are not in it are removed.
  private mutating func arrange(_ order: [Int]) {
    let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
    tasks = order.map { index in
      var task = tasks[index]
      task.parents = task.parents.compactMap { places[$0] }
      return task
    }
  }
}
