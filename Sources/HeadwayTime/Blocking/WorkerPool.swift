internal import HeadwayLock
internal import HeadwaySystem

/// The threads and timers of a `TimeoutRunner`, around its core.
///
/// Every entry point does the same: it reads the clock, calls one method of the core under the lock, leaves the lock,
/// and then performs the returned effects.
final class WorkerPool<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Runner = TimeoutRunner<Key, Value>
  typealias Body = @Sendable () throws -> Value
  typealias Completion = @Sendable (Result<Value, any Error>) -> Void
  typealias Core = TimeoutCore<Key, Body, Caller, TimerService.Handle>

  /// A caller and its completion handler.
  struct Caller: Sendable {
    let key: Key
    let timeout: Duration
    /// Where the handler runs; nil for the executor of the configuration.
    let executor: CompletionExecutor?
    let completion: Completion
  }

  private let state: Guarded<Core>
  private let configuration: Runner.Configuration
  /// Idle threads wait here.
  private let semaphore = Semaphore()
  /// Runs the handlers of callers without an executor.
  private let completions = CompletionThread()

  /// Creates a pool without threads.
  init(_ configuration: Runner.Configuration) {
    self.configuration = configuration
    state = Guarded(
      Core(
        Core.Limits(
          threads: configuration.threads, stuck: configuration.stuckLimit,
          queue: configuration.queueLimit, repeatedKey: configuration.repeatedKey,
          restarts: configuration.restartLimit)))
  }

  /// The time of the timers' clock.
  private var now: UInt64 { configuration.timers.nanoseconds }

  /// Submits a function.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - timeout: The time-out, or nil for that of the configuration.
  ///   - executor: Where the completion handler runs, or nil for the executor of the configuration.
  ///   - body: The function.
  ///   - completion: The completion handler.
  /// - Returns: The number of the caller.
  /// - Throws: `TimeoutRunnerError`.
  func submit(
    _ key: Key, timeout: Duration?, on executor: CompletionExecutor?, body: @escaping Body,
    completion: @escaping Completion
  ) throws(TimeoutRunnerError) -> UInt64 {
    let timeout = timeout ?? configuration.timeout
    let limit = timeout.nanosecondsUp
    let caller = Caller(key: key, timeout: timeout, executor: executor, completion: completion)
    let now = self.now
    var effects = Core.Effects()
    let submission = state.withLock { core in
      Result { () throws(Core.Refusal) in
        try core.submit(caller, key: key, body: body, timeout: limit, at: now, &effects)
      }
    }
    perform(effects)
    switch submission {
    case .success(let id): return id
    case .failure(let refusal): throw error(for: refusal, key)
    }
  }

  /// Fails a caller that was cancelled.
  func cancel(_ caller: UInt64) { update { core, effects in core.cancel(caller, &effects) } }

  /// Fails all waiting callers, and ends each thread when it is free.
  func shutDown() { update { core, effects in core.shutDown(&effects) } }

  /// Reads the state.
  func read<Answer: Sendable>(_ body: @Sendable (borrowing Core, UInt64) -> Answer) -> Answer {
    let now = self.now
    return state.withLock { core in body(core, now) }
  }

  /// Converts a refusal to the public error.
  private func error(for refusal: Core.Refusal, _ key: Key) -> TimeoutRunnerError {
    switch refusal {
    case .shutDown: .shutDown
    case .repeatedKey: .refused(key: "\(key)")
    case .tooManyStuck(let keys):
      .tooManyStuck(limit: configuration.stuckLimit, keys: keys.prefix(10).map { "\($0)" })
    case .queueFull: .queueFull(limit: configuration.queueLimit)
    }
  }

  /// Changes the state and performs the effects.
  private func update(_ body: @Sendable (inout Core, inout Core.Effects) -> Void) {
    var effects = Core.Effects()
    state.withLock { core in body(&core, &effects) }
    perform(effects)
  }

  /// Performs effects.
  ///
  /// - Parameters:
  ///   - effects: The effects.
  ///   - result: The result of the function that has just returned, if any.
  private func perform(_ effects: Core.Effects, result: Result<Value, any Error>? = nil) {
    // Timers first, so that no function starts before the timer of its caller is set.
    for request in effects.timerRequests { setTimer(request) }
    semaphore.post(effects.wakes)
    for _ in 0..<effects.starts { startThread() }
    for timer in effects.timersToCancel { timer.cancel() }
    for answer in effects.answers {
      let completion = answer.caller.completion
      let callerResult = self.result(for: answer, result)
      enqueue({ completion(callerResult) }, on: answer.caller.executor)
    }
    guard let late = effects.late, let handler = configuration.lateResult, let result else {
      return
    }
    let lateResult = Runner.LateResult(
      key: late.key, attempt: late.attempt, result: result, overdue: .nanoseconds(late.overdue))
    enqueue({ handler(lateResult) }, on: nil)
  }

  /// Enqueues work on an executor, or else on that of the configuration, or else on the completion thread.
  private func enqueue(_ work: @escaping @Sendable () -> Void, on executor: CompletionExecutor?) {
    if let executor = executor ?? configuration.executor {
      executor.enqueue(work)
    } else {
      completions.run(work)
    }
  }

  /// Returns the result that a caller gets.
  private func result(
    for answer: Core.Answer, _ result: Result<Value, any Error>?
  ) -> Result<Value, any Error> {
    switch answer.verdict {
    case .result:
      guard let result else { preconditionFailure("No function has returned for this caller.") }
      return result
    case .timedOut(let attempts):
      return .failure(DeadlineExceeded(limit: answer.caller.timeout, attempts: attempts))
    case .replaced: return .failure(TimeoutRunnerError.replaced(key: "\(answer.caller.key)"))
    case .cancelled: return .failure(CancellationError())
    case .shutDown: return .failure(TimeoutRunnerError.shutDown)
    case .noThread: return .failure(TimeoutRunnerError.noThread)
    }
  }

  private func setTimer(_ request: Core.TimerRequest) {
    // A deadline beyond the range needs no timer.
    guard request.deadline < .max else { return }
    let now = self.now
    let delay = Duration.nanoseconds(request.deadline > now ? request.deadline - now : 0)
    let timer = configuration.timers.schedule(after: delay) { [self] in expire(request.owner) }
    let isNeeded = state.withLock { core in core.attach(timer, to: request) }
    if !isNeeded { timer.cancel() }
    // Without timers the runner could keep no deadline.
    if timer.wasRefused && isNeeded { shutDown() }
  }

  private func expire(_ owner: Core.DeadlineOwner) {
    let now = self.now
    update { core, effects in core.expire(owner, at: now, &effects) }
  }

  private func startThread() {
    guard SystemThread.start(named: "headway-calls", { [self] in work() }) != 0 else { return }
    update { core, effects in core.threadFailed(&effects) }
  }

  /// The body of a thread: runs functions until the thread is no longer needed.
  private func work() {
    var step = arrive()
    while true {
      switch step {
      case .end: return
      case .wait:
        semaphore.wait()
        step = arrive()
      case .run(let run, let body): step = call(body, run)
      }
    }
  }

  /// Decides what a thread does that was just started or woken.
  private func arrive() -> Core.Step {
    let now = self.now
    var effects = Core.Effects()
    let step = state.withLock { core in core.next(isArriving: true, at: now, &effects) }
    perform(effects)
    return step
  }

  /// Calls a function, delivers its result, and decides what the thread does next.
  private func call(_ body: Body, _ run: UInt64) -> Core.Step {
    let result: Result<Value, any Error>
    let hasFailed: Bool
    do {
      result = .success(try body())
      hasFailed = false
    } catch {
      result = .failure(error)
      hasFailed = true
    }
    let now = self.now
    var effects = Core.Effects()
    // Both in one critical section, because all threads contend for the lock.
    let step = state.withLock { core in
      core.finish(run, hasFailed: hasFailed, at: now, &effects)
      return core.next(isArriving: false, at: now, &effects)
    }
    perform(effects, result: result)
    return step
  }
}
