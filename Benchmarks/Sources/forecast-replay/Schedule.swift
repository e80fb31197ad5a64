import HeadwayLaunch
import HeadwayRun

/// The events of a run in virtual time, with the order and the rules of `headway run`.
///
/// The rules are those of the engine of the package: ready tasks start by the longest expected critical path and then by
/// index, as many as workers and the pool allow. The files of tasks that may be up to date are looked at from the beginning
/// on, one task after the other, beside the workers; a task that is up to date ends once its files were looked at and its
/// dependencies have ended. After a failure the tasks that depend on the failed one are skipped; unless the run keeps going, no other task starts, and
/// running ones go on or are ended at once.
struct Schedule {
  /// The events, in order.
  private(set) var events: [RunEvent] = []
  /// The duration of the run, in seconds.
  private(set) var length = 0.0
  /// When a task failed for good, in seconds; nil if none did.
  private(set) var failure: Double?
  /// When each task ended, in seconds.
  private(set) var ends: [Double]

  /// When the last attempt at each task began, in seconds.
  private(set) var starts: [Double]

  /// A look at the files of a task.
  struct Look {
    /// When it ends, in seconds.
    var time: Double
    /// The index of the task.
    var task: Int
    /// Whether the task's own files have changed.
    var isChanged: Bool
  }

  /// The looks at files, in order.
  private(set) var looks: [Look] = []

  /// What a task does at a time.
  private enum Phase {
    case waiting, beingLookedAt, ready, running, backingOff, ended
  }

  /// A task at a time.
  private struct State {
    /// What it does.
    var phase = Phase.waiting
    /// The number of dependencies that have not ended.
    var waits: Int
    /// The number of attempts so far.
    var attempts = 0
    /// When its first attempt began, in seconds.
    var start = 0.0
    /// Its identifier in the run; a task that is added later has none until then.
    var id: TaskID?
  }

  /// The run.
  private let run: CaseRun
  /// The dependents of each task.
  private let children: [[Int]]
  /// The position of each task in the order in which ready tasks start.
  private let ranks: [Int]
  /// The tasks at the present time.
  private var states: [State]
  /// The ready tasks inside and outside the pool, the one that starts next last.
  private var ready: (inPool: [Int], others: [Int]) = ([], [])
  /// The ends of attempts and of delays before retries.
  private var next = EventHeap()
  /// The attempts that share processors, each with the seconds that it would still take with one to itself.
  private var sharing: [(task: Int, left: Double)] = []
  /// The time up to which these are right.
  private var sharedUntil = 0.0
  /// The attempts that run, and those in the pool.
  private var busy = (all: 0, inPool: 0)
  /// The number of tasks of the run, with those added so far.
  private var count: Int
  /// The number of tasks that have ended.
  private var ended = 0
  /// Whether no more tasks start.
  private var isEnding = false

  /// Simulates a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - expected: The expected duration of each task with which the run begins; none if nothing is known.
  init(_ run: CaseRun, expected: [Duration?] = []) {
    self.run = run
    children = run.children
    ranks = Self.ranks(run, children, expected)
    ends = Array(repeating: 0, count: run.tasks.count)
    starts = ends
    count = run.tasks.count { !$0.isAdded }
    states = run.tasks.enumerated().map { index, task in
      State(
        waits: task.parents.count, id: task.isAdded ? nil : TaskID(index, name: task.name))
    }
    for (index, task) in run.tasks.enumerated() where task.work != .always {
      looks.append(
        Look(
          time: (CaseRun.look * Double(looks.count + 1)).inNanoseconds, task: index,
          isChanged: task.work == .changed))
    }
    emit(.runStarted(tasks: count, workers: run.workers), at: 0)
    for index in run.tasks.indices where run.tasks[index].parents.isEmpty {
      release(index, at: 0)
    }
    startTasks(at: 0)
    while let now = [next.first?.time, nextShared].compactMap({ $0 }).min() {
      while let entry = next.first, entry.time <= now {
        next.pop()
        proceed(entry.task, at: now)
      }
      advance(to: now)
      // Times are in whole nanoseconds.
      while let place = sharing.firstIndex(where: { $0.left < 2e-9 }) {
        proceed(sharing.remove(at: place).task, at: now)
      }
      startTasks(at: now)
    }
  }

  /// How many times as long an attempt takes at the present time as with a processor to itself.
  private func pace(of task: Int) -> Double {
    guard let processors = run.processors, run.tasks[task].computes else { return 1 }
    return max(1, Double(sharing.count { run.tasks[$0.task].computes }) / Double(processors))
  }

  /// When the next attempt ends that shares processors, nil if there is none.
  private var nextShared: Double? {
    sharing.map { (sharedUntil + $0.left * pace(of: $0.task)).inNanoseconds }.min()
  }

  /// Lets the attempts that share processors go on.
  private mutating func advance(to now: Double) {
    let paces = sharing.map { pace(of: $0.task) }
    for (place, pace) in paces.enumerated() {
      sharing[place].left = max(sharing[place].left - (now - sharedUntil) / pace, 0)
    }
    sharedUntil = now
  }

  /// The order in which ready tasks start: by the critical path, as the engine computes it, and then by index.
  private static func ranks(
    _ run: CaseRun, _ children: [[Int]], _ expected: [Duration?]
  ) -> [Int] {
    let known = expected.compactMap { $0.map { max($0 / .nanoseconds(1), 1) } }
    let mean = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
    var paths = Array(repeating: 1.0, count: run.tasks.count)
    for (index, task) in run.tasks.enumerated().reversed() where !task.isAdded {
      let own = expected.indices.contains(index) ? expected[index] : nil
      let rest = children[index].filter { !run.tasks[$0].isAdded }.map { paths[$0] }.max() ?? 0
      paths[index] = (own.map { max($0 / .nanoseconds(1), 1) } ?? mean) + rest
    }
    // In whole nanoseconds, as in the engine.
    let whole = paths.map { Int64(min($0, 9e18)) }
    let order = whole.indices.sorted { (whole[$1], $0) < (whole[$0], $1) }
    var ranks = Array(repeating: 0, count: order.count)
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }

  /// Adds an event.
  private mutating func emit(_ kind: RunEvent.Kind, at now: Double) {
    events.append(RunEvent(time: .seconds(now), kind: kind))
  }

  /// The identifier of a task of the run.
  private func id(_ index: Int) -> TaskID { states[index].id ?? TaskID(index) }

  /// Lets a task start whose dependencies have ended.
  private mutating func release(_ index: Int, at now: Double) {
    guard states[index].phase == .waiting, !isEnding else { return }
    if states[index].id == nil {
      let id = TaskID(count, name: run.tasks[index].name)
      states[index].id = id
      count += 1
      emit(.taskAdded(id), at: now)
    }
    if run.tasks[index].work == .upToDate {
      states[index].phase = .beingLookedAt
      return push(index, at: max(now, looks[index].time))
    }
    states[index].phase = .ready
    if run.tasks[index].isInPool {
      insert(index, in: &ready.inPool)
    } else {
      insert(index, in: &ready.others)
    }
  }

  /// Puts a task among ready ones.
  private func insert(_ index: Int, in list: inout [Int]) {
    var range = list.startIndex..<list.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if ranks[list[middle]] > ranks[index] {
        range = (middle + 1)..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    list.insert(index, at: range.lowerBound)
  }

  /// Starts as many ready tasks as workers and the pool allow.
  private mutating func startTasks(at now: Double) {
    while busy.all < run.workers, let index = takeReady() {
      states[index].phase = .running
      busy.all += 1
      if run.tasks[index].isInPool { busy.inPool += 1 }
      states[index].attempts += 1
      if states[index].attempts == 1 { states[index].start = now }
      emit(.taskStarted(id(index), attempt: states[index].attempts), at: now)
      let task = run.tasks[index]
      let failed = task.failedAttempts
      let attempt = states[index].attempts - 1
      let seconds = attempt < failed.count ? failed[attempt] : task.failsAfter ?? task.seconds
      starts[index] = now
      if run.processors == nil {
        push(index, at: now + seconds)
      } else {
        sharing.append((index, seconds))
      }
    }
  }

  /// Continues a task at a time, in whole nanoseconds, so that what ends together does so for the engine, too.
  private mutating func push(_ index: Int, at time: Double) {
    next.push(EventHeap.Entry(time: time.inNanoseconds, task: index))
  }

  /// Takes the ready task that starts next, nil if there is none.
  private mutating func takeReady() -> Int? {
    let pooled = busy.inPool < run.poolLimit ?? .max ? ready.inPool.last : nil
    guard let other = ready.others.last else { return pooled == nil ? nil : ready.inPool.popLast() }
    if let pooled, ranks[pooled] < ranks[other] { return ready.inPool.popLast() }
    return ready.others.popLast()
  }

  /// Ends an attempt, or the delay before a retry.
  private mutating func proceed(_ index: Int, at now: Double) {
    switch states[index].phase {
    case .waiting, .ready, .ended: return
    case .beingLookedAt: return settle(index, .skipped(.upToDate), at: now)
    case .backingOff:
      states[index].phase = .waiting
      return release(index, at: now)
    case .running: break
    }
    stopRunning(index)
    let task = run.tasks[index]
    let attempts = states[index].attempts
    if attempts <= task.failedAttempts.count, !isEnding {
      states[index].phase = .backingOff
      emit(
        .taskRetrying(
          id(index), attempt: attempts + 1, delay: CaseRun.backoff,
          because: .failed(.threw("attempt \(attempts)"))), at: now)
      push(index, at: now + CaseRun.backoff / .seconds(1))
    } else if task.failsAfter != nil || attempts <= task.failedAttempts.count {
      fail(index, at: now)
    } else {
      settle(index, .succeeded, at: now)
    }
  }

  /// Frees the worker of an attempt.
  private mutating func stopRunning(_ index: Int) {
    busy.all -= 1
    if run.tasks[index].isInPool { busy.inPool -= 1 }
  }

  /// Ends a task, and releases those that wait for it alone.
  private mutating func settle(_ first: Int, _ outcome: Outcome, at now: Double) {
    close(first, outcome, at: now)
    for child in children[first] {
      states[child].waits -= 1
      if states[child].waits == 0 { release(child, at: now) }
    }
  }

  /// Ends a task for good after a failure, with what follows for the others.
  private mutating func fail(_ index: Int, at now: Double) {
    let id = id(index)
    failure = now
    close(index, .failed(.threw("failed")), at: now, endsRun: false)
    var open = children[index]
    while let next = open.popLast() {
      guard states[next].phase == .waiting else { continue }
      close(next, .skipped(.needs(id)), at: now, endsRun: false)
      open += children[next]
    }
    if run.policy != .keepGoing, ended < count {
      isEnding = true
      emit(.runEnding(.failure(id)), at: now)
      for other in states.indices where states[other].phase != .ended {
        if states[other].phase != .running {
          close(other, .skipped(.stopped(by: id)), at: now, endsRun: false)
        } else if run.policy == .failFast {
          stopRunning(other)
          close(other, .cancelled, at: now, endsRun: false)
        }
      }
      ready = ([], [])
    }
    endRunIfOver(at: now)
  }

  /// Ends a task.
  private mutating func close(
    _ index: Int, _ outcome: Outcome, at now: Double, endsRun: Bool = true
  ) {
    states[index].phase = .ended
    ends[index] = now
    // A task that was not added is not part of the run.
    guard let id = states[index].id else { return }
    ended += 1
    let attempts = states[index].attempts
    let ran = attempts > 0 ? Duration.seconds(now) - .seconds(states[index].start) : .zero
    emit(.taskEnded(id, outcome, attempts: attempts, ran: ran), at: now)
    if endsRun, !hasMore(after: index) { endRunIfOver(at: now) }
  }

  /// Whether tasks are added once a task has ended.
  private func hasMore(after index: Int) -> Bool {
    children[index].contains { states[$0].id == nil && states[$0].waits == 1 }
  }

  /// Ends the run if all its tasks have ended.
  private mutating func endRunIfOver(at now: Double) {
    guard ended == count else { return }
    length = now
    emit(.runEnded, at: now)
  }
}

extension Double {
  /// The seconds, rounded to nanoseconds.
  var inNanoseconds: Double { (self * 1e9).rounded() / 1e9 }
}
