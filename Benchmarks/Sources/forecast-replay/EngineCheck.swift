import HeadwayLaunch
import HeadwayRun
import HeadwayTestSupport

/// Compares simulated runs with those of the engine of the package, in virtual time.
struct EngineCheck {
  /// The error of an attempt that fails.
  private struct Failed: Error {}

  /// The traces.
  let traces: [Trace]

  /// The cases that a launcher can run: it knows no tasks that are up to date, and adds tasks in other ways.
  private static let cases: [RunCase] = [
    .whole, .late, .failureKeepGoing, .failureStop, .failureFast, .retries, .pools, .selection,
  ]

  /// Compares each case of each first run.
  ///
  /// - Returns: The number of runs that were compared.
  /// - Throws: `Trouble` if a task differs.
  func run() throws -> Int {
    var count = 0
    for trace in traces {
      guard let recorded = trace.runs.first else { continue }
      for runCase in Self.cases {
        for workers in [1, 2, 8] {
          guard var run = runCase.made(from: recorded, workers: workers) else { continue }
          run.separate(recorded.name)
          // Half of the tasks are expected to take as long as they do, and the others are unknown.
          let expected = run.tasks.enumerated().map { index, task in
            index % 2 == 0 ? Duration.seconds(task.seconds) : nil
          }
          let schedule = Schedule(run, expected: expected)
          let result = try Self.launched(run, expected: expected)
          for task in result.tasks where !Self.isSame(task, in: schedule) {
            throw Trouble.difference(
              "\(runCase.rawValue) of \(recorded.name) with \(workers) workers: the engine ends task \(task.name) differently"
            )
          }
          count += 1
        }
      }
    }
    return count
  }

  /// Whether a task ends in the same way and at the same time.
  private static func isSame(_ task: LaunchResult.Task, in schedule: Schedule) -> Bool {
    let end = schedule.events.last { event in
      guard case .taskEnded(let id, _, _, _) = event.kind else { return false }
      return id == task.id
    }
    guard let end, case .taskEnded(_, let outcome, let attempts, let ran) = end.kind else {
      return false
    }
    // Times are rounded in other places.
    func isNear(_ one: Duration, _ other: Duration) -> Bool {
      abs((one - other) / .seconds(1)) < 1e-4
    }
    return outcome.kind == task.outcome.kind && attempts == task.attempts
      && isNear(end.time, task.ended) && isNear(end.time - ran, task.began ?? task.ended)
  }

  /// Runs the tasks as functions that sleep.
  private static func launched(_ run: CaseRun, expected: [Duration?]) throws -> LaunchResult {
    try withVirtualTime(limit: .max) { clock in
      let graph = run.graph { index, attempt in
        let task = run.tasks[index]
        let failed = task.failedAttempts
        let seconds =
          attempt <= failed.count ? failed[attempt - 1] : task.failsAfter ?? task.seconds
        try await clock.sleep(for: .nanoseconds(Int64((seconds * 1e9).rounded())))
        if attempt <= failed.count || task.failsAfter != nil { throw Failed() }
      }
      var options = LauncherOptions(
        workers: run.workers, policy: run.policy, timers: clock.timers,
        executor: StepExecutor.current)
      options.expected = expected
      return try await Launcher(graph, options: options).run()
    }
  }
}

extension CaseRun {
  /// Makes each task up to a millisecond longer, so that no two tasks end at the same time: which of them is first is
  /// chance in the engine.
  fileprivate mutating func separate(_ seed: String) {
    var randoms = Randoms(seed)
    for task in tasks.indices {
      let more = (randoms.part() * 1e-3).inNanoseconds
      tasks[task].seconds = (tasks[task].seconds + more).inNanoseconds
      tasks[task].failsAfter = tasks[task].failsAfter.map { ($0 + more).inNanoseconds }
      tasks[task].failedAttempts = tasks[task].failedAttempts.map { ($0 + more).inNanoseconds }
    }
  }
}
