internal import HeadwayLock
internal import HeadwaySystem

/// The threads and timers of a `TimeoutRunner` around its core.
///
/// Every entry does the same: read the clock, call one method of the core under the lock, leave the lock,
/// then do what the turn says.
final class RunnerPool<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The runner that the pool belongs to.
  typealias Runner = TimeoutRunner<Key, Value>
  /// A function.
  typealias Body = @Sendable () throws -> Value
  /// The core.
  typealias Core = TimeoutCore<Key, Body, Caller, TimerToken>

  /// Who is answered, and where.
  struct Caller: Sendable {
    /// The key, for the words of errors.
    let key: Key
    /// Where the completion runs; nil for the pool's thread.
    let executor: CompletionExecutor?
    /// What is called.
    let completion: @Sendable (Runner.Outcome) -> Void
  }

  /// The decisions.
  private let state: Guarded<Core>
  /// What the runner was created with.
  private let configuration: Runner.Configuration
  /// What idle threads wait for.
  private let signal = Gate()
  /// Where completions run that name no executor.
  private let completions = CompletionThread()

  /// Creates a pool that has no thread yet.
  init(_ configuration: Runner.Configuration) {
    self.configuration = configuration
    let restarts =
      switch configuration.restart {
      case .never: 0
      case .again(let limit): limit
      }
    state = Guarded(
      Core(
        Core.Limits(
          threads: configuration.threads, stuck: configuration.stuckLimit,
          queue: configuration.queueLimit, repeatedKey: configuration.repeatedKey,
          restarts: restarts)))
  }

  /// The time of the timers' clock.
  private var now: UInt64 { configuration.timers.nanoseconds }

  /// Takes a submission.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - timeout: The time-out, nil for the usual one.
  ///   - caller: Who is answered.
  ///   - body: The function.
  /// - Returns: The number of the caller.
  /// - Throws: ``TimeoutRunnerError``.
  func submit(
    _ key: Key, timeout: Duration?, caller: Caller, body: @escaping Body
  ) throws(TimeoutRunnerError) -> UInt64 {
    let limit = (timeout ?? configuration.timeout).nanosecondsUp
    let now = self.now
    var turn = Core.Turn()
    let submission = state.withLock { core in
      Result { () throws(Core.Refusal) in
        try core.submit(caller, key: key, body: body, timeout: limit, at: now, &turn)
      }
    }
    perform(turn)
    switch submission {
    case .success(let id): return id
    case .failure(let refusal): throw error(of: refusal, key)
    }
  }

  /// Answers a caller that no longer wants to know.
  func cancel(_ caller: UInt64) { update { core, turn in core.cancel(caller, &turn) } }

  /// Answers who waits and lets the threads end as soon as they are free.
  func shutDown() { update { core, turn in core.shutDown(&turn) } }

  /// Reads the state.
  func read<Answer: Sendable>(_ body: @Sendable (borrowing Core, UInt64) -> Answer) -> Answer {
    let now = self.now
    return state.withLock { core in body(core, now) }
  }

  /// Says a refusal in the words of the public.
  private func error(of refusal: Core.Refusal, _ key: Key) -> TimeoutRunnerError {
    switch refusal {
    case .shutDown: .shutDown
    case .repeatedKey: .refused(key: "\(key)")
    case .tooManyStuck(let keys):
      .tooManyStuck(limit: configuration.stuckLimit, keys: keys.prefix(10).map { "\($0)" })
    case .queueFull: .queueFull(limit: configuration.queueLimit)
    }
  }

  /// Changes the state and does what follows.
  private func update(_ body: @Sendable (inout Core, inout Core.Turn) -> Void) {
    var turn = Core.Turn()
    state.withLock { core in body(&core, &turn) }
    perform(turn)
  }

  /// Does what a turn says.
  ///
  /// - Parameters:
  ///   - turn: The turn.
  ///   - result: What the function that has just returned answered.
  private func perform(_ turn: Core.Turn, result: Runner.Outcome? = nil) {
    // First the timers, so that a function does not begin before the timer of who submitted it is set.
    for alarm in turn.alarms { set(alarm) }
    signal.post(turn.wakes)
    for _ in 0..<turn.starts { startThread() }
    for timer in turn.spentTimers { timer.cancel() }
    for answer in turn.answers {
      let caller = answer.caller
      let outcome = outcome(of: answer, result)
      let work: @Sendable () -> Void = { caller.completion(outcome) }
      deliver(work, on: caller.executor)
    }
    guard let late = turn.late, let handler = configuration.lateResult, let result else { return }
    let lateResult = Runner.LateResult(
      key: late.key, attempt: late.attempt, outcome: result,
      overdue: .nanoseconds(Int64(clamping: late.overdue)))
    deliver({ handler(lateResult) }, on: nil)
  }

  /// Runs a completion where its caller wants it.
  private func deliver(_ work: @escaping @Sendable () -> Void, on executor: CompletionExecutor?) {
    if let executor = executor ?? configuration.executor {
      executor.enqueue(work)
    } else {
      completions.run(work)
    }
  }

  /// What a caller is told.
  private func outcome(of answer: Core.Answer, _ result: Runner.Outcome?) -> Runner.Outcome {
    switch answer.verdict {
    case .result:
      guard let result else { preconditionFailure("a caller gets a result that nobody has") }
      return result
    case .timedOut(let timeOut): return .timedOut(timeOut)
    case .replaced: return .failed(TimeoutRunnerError.replaced(key: "\(answer.caller.key)"))
    case .cancelled: return .failed(CancellationError())
    case .shutDown: return .failed(TimeoutRunnerError.shutDown)
    case .noThread: return .failed(TimeoutRunnerError.noThread)
    }
  }

  /// Sets a timer.
  private func set(_ alarm: Core.Alarm) {
    // The end of time needs no timer.
    guard alarm.deadline < .max else { return }
    let now = self.now
    let delay = Duration.nanoseconds(
      Int64(clamping: alarm.deadline > now ? alarm.deadline - now : 0))
    let token = configuration.timers.schedule(after: delay) { [self] in expire(alarm.moment) }
    let isNeeded = state.withLock { core in core.keep(token, for: alarm) }
    if !isNeeded { token.cancel() }
    // Without timers no deadline could be kept.
    if token.shard == nil && isNeeded { shutDown() }
  }

  /// Lets a deadline pass.
  private func expire(_ moment: Core.Moment) {
    let now = self.now
    update { core, turn in core.expire(moment, at: now, &turn) }
  }

  /// Starts a thread.
  private func startThread() {
    guard SystemThread.start(named: "headway-calls", { [self] in work() }) != 0 else { return }
    update { core, turn in core.threadFailed(&turn) }
  }

  /// Runs functions until there is no need for this thread any more.
  private func work() {
    var step = arrive()
    while true {
      switch step {
      case .end: return
      case .wait:
        signal.wait()
        step = arrive()
      case .run(let run, let body): step = call(body, run)
      }
    }
  }

  /// Asks what a thread does that was just started or woken.
  private func arrive() -> Core.Step {
    let now = self.now
    var turn = Core.Turn()
    let step = state.withLock { core in core.next(isArriving: true, at: now, &turn) }
    perform(turn)
    return step
  }

  /// Calls a function, hands its result on, and asks what the thread does next.
  private func call(_ body: Body, _ run: UInt64) -> Core.Step {
    let outcome: Runner.Outcome
    let hasFailed: Bool
    do {
      outcome = .finished(try body())
      hasFailed = false
    } catch {
      outcome = .failed(error)
      hasFailed = true
    }
    let now = self.now
    var turn = Core.Turn()
    // Both under one lock, which all threads want.
    let step = state.withLock { core in
      core.finish(run, hasFailed: hasFailed, at: now, &turn)
      return core.next(isArriving: false, at: now, &turn)
    }
    perform(turn, result: outcome)
    return step
  }
}
