import HeadwayCollections
import HeadwayRun
import HeadwayText

/// An event, an outcome and so on of each kind; a new case does not compile until it has an example here.
enum EventExamples {
  /// A task with a name that needs care.
  static let lint = TaskID(1, name: "lint \"all\"\n")
  /// Another one.
  static let fetch = TaskID(0, name: "fetch")

  /// An event of each kind, and those about outcomes and reasons with each of them.
  static var kinds: [RunEvent.Kind] {
    chain(next)
      + chain(next).map { .taskEnded(fetch, $0, attempts: 2, ran: .milliseconds(1200)) }
      + chain(next).map { .taskRetrying(lint, attempt: 2, delay: .seconds(1), because: $0) }
      + chain(next).map { .taskEnded(fetch, .failed($0), attempts: 1, ran: .zero) }
      + chain(next).map { .taskEnded(fetch, .skipped($0), attempts: 0, ran: .zero) }
      + chain(next).map { .runEnding($0) }
  }

  /// The outcomes.
  static var outcomes: [Outcome] { chain(next) }
  /// The failures.
  static var failures: [Failure] { chain(next) }
  /// The reasons to skip a task.
  static var skips: [SkipReason] { chain(next) }
  /// The reasons to end a run early.
  static var ends: [RunEvent.EndReason] { chain(next) }
  /// The places where a task can stand.
  static var phases: [RunState.Phase] { chain(next) }

  /// The state of a run in which much has happened.
  static var status: RunState {
    var status = RunState(taskCount: 4)
    let events: [RunEvent.Kind] = [
      .runStarted(tasks: 4, workers: 2), .taskStarted(fetch, attempt: 1),
      .taskStarted(lint, attempt: 1), .taskEnded(fetch, .succeeded, attempts: 1, ran: .seconds(1)),
      .taskRetrying(lint, attempt: 2, delay: .seconds(4), because: .timedOut(limit: .seconds(1))),
      .taskEnded(TaskID(2, name: "pack"), .skipped(.needs(lint)), attempts: 0, ran: .zero),
      .runEnding(.deadline(.seconds(60))), .runPaused, .runHeld(by: lint),
    ]
    for (place, kind) in events.enumerated() {
      status.apply(RunEvent(time: .milliseconds(500 * place), kind: kind))
    }
    return status
  }

  /// Collects what follows nothing, what follows that, and so on.
  private static func chain<Value>(_ next: @escaping (Value?) -> Value?) -> [Value] {
    guard let first = next(nil) else { return [] }
    return Array(sequence(first: first, next: next))
  }

  /// The example after one of an event.
  private static func next(_ kind: RunEvent.Kind?) -> RunEvent.Kind? {
    switch kind {
    case nil: .runStarted(tasks: 2, workers: 3)
    case .runStarted: .taskStarted(fetch, attempt: 1)
    case .taskStarted: .taskPlaced(lint, host: "build1")
    case .taskPlaced:
      .workersWaiting(
        RunEvent.WorkersWaiting(
          count: 4, reason: "Priority", start: .seconds(720), advice: "wait"))
    case .workersWaiting: .taskReady(lint, attempt: 1, after: .milliseconds(300))
    case .taskReady: .taskOverdue(lint, attempt: 1, limit: .seconds(2))
    case .taskOverdue:
      .taskRetrying(lint, attempt: 2, delay: .seconds(3), because: .failed(.exited(code: 7)))
    case .taskRetrying: .taskAdded(fetch)
    case .taskAdded: .taskExtended(fetch, by: .microseconds(1_500))
    case .taskExtended: .taskReportedAgain(lint)
    case .taskReportedAgain: .taskEnded(fetch, .succeeded, attempts: 1, ran: .nanoseconds(7))
    case .taskEnded: .runEnding(.failure(lint))
    case .runEnding: .runPaused
    case .runPaused: .runResumed
    case .runResumed: .runHeld(by: lint)
    case .runHeld: .runProceeding
    case .runProceeding: .queueEmptied
    case .queueEmptied: .forecast(RunForecast(fraction: 0.25))
    case .forecast: .missed(12, status)
    case .missed: .runEnded
    case .runEnded: nil
    }
  }

  /// The example after one of an outcome.
  private static func next(_ outcome: Outcome?) -> Outcome? {
    switch outcome {
    case nil: .succeeded
    case .succeeded: .skipped(.upToDate)
    case .skipped(.upToDate): .failed(.exited(code: -1))
    case .failed: .timedOut(limit: .seconds(30))
    case .timedOut: .cancelled
    case .cancelled: .skipped(.removed)
    case .skipped(.doneEarlier): .lost
    case .skipped: .skipped(.doneEarlier)
    case .lost: nil
    }
  }

  /// The example after one of a failure.
  private static func next(_ failure: Failure?) -> Failure? {
    switch failure?.cause {
    case nil: .exited(code: 3)
    case .exited: .signalled(number: 11)
    case .signalled: .notStarted(reason: "the program 'x' is missing")
    case .notStarted: .threw("no\u{0}such \\ \"thing\"")
    case .threw: nil
    }
  }

  /// The example after one of a reason to skip a task.
  private static func next(_ reason: SkipReason?) -> SkipReason? {
    switch reason {
    case nil: .needs(lint)
    case .needs: .stopped(by: fetch)
    case .stopped: .removed
    case .removed: .condition
    // An outcome of its own.
    case .condition, .upToDate, .doneEarlier: nil
    }
  }

  /// The example after one of a reason to end early.
  private static func next(_ reason: RunEvent.EndReason?) -> RunEvent.EndReason? {
    switch reason {
    case nil: .failure(lint)
    case .failure: .cancelled
    case .cancelled: .cancelledImmediately
    case .cancelledImmediately: .deadline(.seconds(90))
    case .deadline: nil
    }
  }

  /// The example after one of where a task can stand.
  private static func next(_ phase: RunState.Phase?) -> RunState.Phase? {
    switch phase {
    case nil: .waiting
    case .waiting: .running
    case .running: .overdue
    case .overdue: .backingOff(until: .milliseconds(2750))
    case .backingOff: .ended(.failed(.signalled(number: 9)))
    case .ended: nil
    }
  }
}

extension EventExamples {
  /// The number of tasks of a run with random events.
  static let taskCount = 16

  /// A random event about tasks below `taskCount`.
  ///
  /// - Parameters:
  ///   - generator: The source of random numbers.
  ///   - depth: How many states of a run may be inside each other: none in a state.
  /// - Returns: The event.
  static func random(_ generator: inout SplitMix64, depth: Int = 1) -> RunEvent {
    let names = EventName.allCases.filter { $0 != .missed || depth > 0 }
    return RunEvent(
      time: duration(&generator),
      kind: kind(names.randomElement(using: &generator) ?? .runEnded, &generator))
  }

  /// A random event of a kind.
  private static func kind(_ name: EventName, _ generator: inout SplitMix64) -> RunEvent.Kind {
    switch name {
    case .runStarted: .runStarted(tasks: number(&generator), workers: number(&generator))
    case .taskStarted: .taskStarted(task(&generator), attempt: number(&generator))
    case .taskPlaced: .taskPlaced(task(&generator), host: "h\(number(&generator))")
    case .workersWaiting:
      .workersWaiting(
        RunEvent.WorkersWaiting(
          count: number(&generator),
          reason: ["", "Resources"].randomElement(using: &generator) ?? "",
          start: number(&generator) % 2 == 0 ? nil : duration(&generator),
          advice: number(&generator) % 2 == 0 ? nil : "release it",
          places: number(&generator)))
    case .taskReady:
      .taskReady(task(&generator), attempt: number(&generator), after: duration(&generator))
    case .taskOverdue:
      .taskOverdue(task(&generator), attempt: number(&generator), limit: duration(&generator))
    case .taskRetrying:
      .taskRetrying(
        task(&generator), attempt: number(&generator), delay: duration(&generator),
        because: outcome(&generator))
    case .taskAdded: .taskAdded(task(&generator))
    case .taskExtended: .taskExtended(task(&generator), by: duration(&generator))
    case .taskReportedAgain: .taskReportedAgain(task(&generator))
    case .taskEnded:
      .taskEnded(
        task(&generator), outcome(&generator), attempts: number(&generator),
        ran: duration(&generator))
    case .runEnding: .runEnding(reason(&generator))
    case .runPaused: .runPaused
    case .runResumed: .runResumed
    case .runHeld: .runHeld(by: task(&generator))
    case .runProceeding: .runProceeding
    case .queueEmptied: .queueEmptied
    case .forecast: .forecast(forecast(&generator))
    case .missed: .missed(number(&generator), status(&generator))
    case .runEnded: .runEnded
    }
  }

  /// A random forecast.
  private static func forecast(_ generator: inout SplitMix64) -> RunForecast {
    let shown: RoundedRemaining =
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: .unknown
      case 1: .about(duration(&generator))
      case 2: .between(duration(&generator), duration(&generator))
      default: .late
      }
    let late = RunForecast.LateTask(
      task: task(&generator), elapsed: duration(&generator), usual: duration(&generator))
    let remaining = RemainingTime(
      low: duration(&generator), median: duration(&generator), high: duration(&generator))
    return RunForecast(
      fraction: Double(Int.random(in: 0...1_000_000, using: &generator)) / 1e6, shown: shown,
      remaining: generator.once(in: 3) ? nil : remaining, late: generator.once(in: 3) ? late : nil)
  }

  /// A random state: that of a run in which random things happened.
  private static func status(_ generator: inout SplitMix64) -> RunState {
    var status = RunState(taskCount: taskCount)
    for _ in 0..<Int.random(in: 0...30, using: &generator) {
      status.apply(random(&generator, depth: 0))
    }
    return status
  }

  /// A random outcome.
  private static func outcome(_ generator: inout SplitMix64) -> Outcome {
    switch Int.random(in: 0..<11, using: &generator) {
    case 0: .succeeded
    case 1: .skipped(.upToDate)
    case 2: .cancelled
    case 3: .timedOut(limit: duration(&generator))
    case 4: .failed(.exited(code: Int.random(in: -200...200, using: &generator)))
    case 5: .failed(.signalled(number: Int.random(in: 1...64, using: &generator)))
    case 6: .failed(.notStarted(reason: text(&generator)))
    case 7: .failed(.threw(text(&generator)))
    case 8: .skipped(.needs(task(&generator)))
    case 9: .skipped(.stopped(by: task(&generator)))
    default: .skipped(.removed)
    }
  }

  /// A random reason to end early.
  private static func reason(_ generator: inout SplitMix64) -> RunEvent.EndReason {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: .failure(task(&generator))
    case 1: .cancelled
    case 2: .cancelledImmediately
    default: .deadline(duration(&generator))
    }
  }

  /// A random task.
  private static func task(_ generator: inout SplitMix64) -> TaskID {
    TaskID(Int.random(in: 0..<taskCount, using: &generator), name: text(&generator))
  }

  /// A random number from 1, most often small.
  private static func number(_ generator: inout SplitMix64) -> Int {
    1 + Int.random(in: 0..<(1 << Int.random(in: 0...31, using: &generator)), using: &generator)
      % 2_147_483_647
  }

  /// A random text of plain, odd and forbidden characters.
  private static func text(_ generator: inout SplitMix64) -> String {
    let odd: [Character] = [
      "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "日", "🧑‍🚒", "\u{2028}",
    ]
    return String(
      (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        generator.once(in: 2) ? odd.randomElement(using: &generator) ?? "?" : "a"
      })
  }

  /// A random duration of nanoseconds, short or long, up to where exactness ends.
  static func duration(_ generator: inout SplitMix64) -> Duration {
    // Half of it, as a state holds sums of two.
    let limit = Int64(JSONSeconds.exactLimit) * 500_000_000
    let most = min(limit, 1 << Int64.random(in: 1...53, using: &generator))
    return .nanoseconds(
      Int64.random(in: 0..<most, using: &generator) * (generator.once(in: 9) ? -1 : 1))
  }
}
