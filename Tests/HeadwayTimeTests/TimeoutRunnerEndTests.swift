import Dispatch
import HeadwayLock
import HeadwayTestSupport
import Synchronization
import Testing

@testable import HeadwayTime

/// How and where a runner delivers results, and how it ends, on real threads.
@Suite(.timeLimit(.minutes(60)))
struct TimeoutRunnerEndTests {
  typealias Runner = TimeoutRunner<Int, Int>

  private let clock = VirtualClock()
  /// Blocks the functions.
  private let semaphore = Semaphore()
  /// The keys of the functions that have started.
  private let begun = Events<Int>()
  private let outcomes = Events<String>()

  /// A runner with one thread on virtual time.
  private func makeRunner(lateResult: (@Sendable (Runner.LateResult) -> Void)? = nil) -> Runner {
    Runner(
      .init(timeout: .seconds(10), threads: 1, timers: clock.timers, lateResult: lateResult))
  }

  /// Submits a function that waits on the semaphore.
  private func submit(_ key: Int, to runner: Runner, on executor: CompletionExecutor? = nil) throws
  {
    try runner.submit(key, on: executor) { [begun, semaphore] in
      begun.put(key)
      semaphore.wait()
      return key
    } completion: { [outcomes] outcome in
      outcomes.put("\(key): \(outcome.word)")
    }
  }

  /// Submits a function for each kind of answer, and records whether each is delivered on the expected executor.
  ///
  /// - Parameters:
  ///   - executor: The executor of the handlers.
  ///   - isThere: Whether the current code runs on the executor.
  /// - Returns: The answers, each with whether it was delivered on the expected executor.
  /// - Throws: `TimeoutRunnerError`.
  private func answers(
    on executor: CompletionExecutor?, _ isThere: @escaping @Sendable () -> Bool
  ) async throws -> Set<String> {
    let runner = makeRunner()
    let answers = Events<String>()
    let tell: @Sendable (Result<Int, any Error>) -> Void = {
      answers.put("\($0.word) \(isThere())")
    }
    try runner.submit(1, on: executor, body: { 1 }, completion: tell)
    var found = Set(await answers.next(1))
    try runner.submit(
      2, on: executor,
      body: { [begun, semaphore] in
        begun.put(2)
        semaphore.wait()
        return 2
      }, completion: tell)
    _ = await begun.next()
    try runner.submit(3, on: executor, body: { 3 }, completion: tell)
    clock.advance(by: .seconds(10))
    found.formUnion(await answers.next(2))
    try runner.submit(4, timeout: .zero, on: executor, body: { 4 }, completion: tell)
    found.formUnion(await answers.next(1))
    try runner.submit(5, timeout: .seconds(99), on: executor, body: { 5 }, completion: tell)
    runner.shutDown()
    found.formUnion(await answers.next(1))
    semaphore.post()
    return found
  }

  /// The answers that must be delivered on the expected executor.
  private let everywhere: Set<String> = [
    "1 true", "timed out after 1 starts true", "timed out after 0 starts true",
  ]

  @Test func `Results and time-outs are delivered on the task executor of the call`() async throws {
    let executor = MarkedExecutor()
    let found = try await answers(on: .executor(executor)) { executor.isCurrent }
    #expect(found.isSuperset(of: everywhere) && found.allSatisfy { $0.hasSuffix("true") })
  }

  @Test func `Results and time-outs are delivered on the queue of the call`() async throws {
    let queue = MarkedExecutor()
    let found = try await answers(on: CompletionExecutor { queue.run($0) }) { queue.isCurrent }
    #expect(found.isSuperset(of: everywhere) && found.allSatisfy { $0.hasSuffix("true") })
  }

  @Test func `Results and time-outs are delivered on the actor of the call`() async throws {
    /// An actor.
    actor Place {}
    let place = Place()
    let found = try await answers(on: .actor(place)) {
      place.assumeIsolated { _ in true }
    }
    #expect(found.isSuperset(of: everywhere))
  }

  @Test func `Results and time-outs are delivered on the main actor`() async throws {
    let found = try await answers(on: .main) { MainActor.assumeIsolated { true } }
    #expect(found.isSuperset(of: everywhere))
  }

  @Test func `Results and time-outs are delivered on one thread of the runner by default`()
    async throws
  {
    let threads = Events<UInt>()
    let found = try await answers(on: nil) {
      threads.put(threadNumber())
      return !isInTask()
    }
    #expect(found.isSuperset(of: everywhere) && found.allSatisfy { $0.hasSuffix("true") })
    #expect(Set(await threads.next(5)).count == 1)
  }

  @Test func `An answer is delivered without waiting for the next one`() {
    let thread = CompletionThread()
    let delivered = DispatchSemaphore(value: 0)
    for answer in 1...3 {
      thread.run { delivered.signal() }
      let result = delivered.wait(timeout: .now() + .seconds(60))
      #expect(result == .success, "answer \(answer)")
    }
  }

  @Test func `Queued and running callers fail when the runner is shut down`() async throws {
    let late = Events<Int>()
    let runner = makeRunner { late.put($0.key) }
    try submit(1, to: runner)
    _ = await begun.next()
    try submit(2, to: runner)
    runner.shutDown()
    runner.shutDown()
    let told = await outcomes.next(2)
    #expect(told == ["1: TimeoutRunnerError", "2: TimeoutRunnerError"])
    #expect(throws: TimeoutRunnerError.shutDown) { try submit(3, to: runner) }
    semaphore.post()
    #expect(await late.next() == 1)
    #expect(runner.statistics.shutDown == 2)
    try await untilNot { runner.statistics.threads > 0 }
    #expect(clock.timers.count == 0)
  }

  @Test func `A runner that is released answers its callers and releases everything`()
    async throws
  {
    /// An object that a function retains.
    final class Witness: Sendable {}
    let late = Events<Int>()
    var runner: Runner? = makeRunner { late.put($0.key) }
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      try runner?.submit(1) { [begun, semaphore] in
        begun.put(1)
        semaphore.wait()
        return withExtendedLifetime(held) { 1 }
      } completion: { [outcomes] in
        outcomes.put($0.word)
      }
    }
    _ = await begun.next()
    runner = nil
    #expect(await outcomes.next() == "TimeoutRunnerError")
    semaphore.post()
    #expect(await late.next() == 1)
    try await untilNot { witness != nil }
    #expect(clock.timers.count == 0)
  }

  @Test
  func
    `Shutting the timers down shuts the runner down, so that no caller is left without a deadline`()
    async throws
  {
    let timers = TimerService(clock: VirtualClock())
    let runner = Runner(.init(timeout: .seconds(10), timers: timers))
    timers.shutDown()
    try submit(1, to: runner)
    #expect(await outcomes.next() == "1: TimeoutRunnerError")
    semaphore.post()
  }

  @Test func `A cancelled caller continues at once, and the running function's result is late`()
    async throws
  {
    let late = Events<Int>()
    let runner = makeRunner { late.put($0.key) }
    let caller = Task {
      try await runner.run(1) { [begun, semaphore] in
        begun.put(1)
        semaphore.wait()
        return 1
      }
    }
    _ = await begun.next()
    caller.cancel()
    #expect(await error { try await caller.value } is CancellationError)
    semaphore.post()
    #expect(await late.next() == 1)
    #expect(runner.statistics.cancelled == 1)
  }

  @Test func `The function of a queued caller that is cancelled never starts`() async throws {
    let runner = makeRunner()
    try submit(1, to: runner)
    _ = await begun.next()
    let caller = Task { try await runner.run(2) { 2 } }
    try await untilNot { runner.statistics.queued == 0 }
    caller.cancel()
    #expect(await error { try await caller.value } is CancellationError)
    #expect(runner.statistics.queued == 0)
    semaphore.post()
    _ = await outcomes.next()
    #expect(runner.statistics.started == 1)
  }

  @Test func `A caller that is already cancelled is not submitted`() async throws {
    let runner = makeRunner()
    let caller = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await runner.run(1) { 1 }
    }
    #expect(await error { try await caller.value } is CancellationError)
    #expect(runner.statistics.submitted == 0)
  }

  @Test func `A call that is cancelled while it is submitted is cancelled after that`() {
    let cancelledFirst = AwaitedCall<Int>()
    // The runner cannot be told yet.
    #expect(cancelledFirst.cancel() == nil)
    #expect(cancelledFirst.submitted(as: 7))
    let submittedFirst = AwaitedCall<Int>()
    #expect(!submittedFirst.submitted(as: 7))
    #expect(submittedFirst.cancel() == 7)
  }

  @Test func `A completion may submit again`() async throws {
    let runner = makeRunner()
    try runner.submit(1) {
      1
    } completion: { [weak runner, outcomes] _ in
      try? runner?.submit(2) {
        2
      } completion: {
        outcomes.put($0.word)
      }
    }
    #expect(await outcomes.next() == "2")
  }

  @Test(arguments: RunnerPolicy.all)
  func `Callers from many threads are each answered exactly once`(
    policy: RunnerPolicy
  ) async throws {
    let answers = (0..<2_000).map { _ in Answers() }
    let late = Atomic<Int>(0)
    let runner = TimeoutRunner<Int, Int>(
      .init(
        timeout: .milliseconds(2), threads: 4, stuckLimit: 4, queueLimit: 50,
        repeatedKey: policy.repeatedKey, restartLimit: policy.restarts
      ) { _ in late.add(1, ordering: .relaxed) })
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          var random = CourseRandom(seed: UInt64(worker + 1))
          for number in stride(from: worker, to: answers.count, by: 4) {
            let turns = random.number(0...3_000)
            let micros = random.number(0...4_000)
            let work: @Sendable () -> Int = { (0..<turns).reduce(0) { $0 &+ $1 &* 3 } }
            do {
              try runner.submit(
                random.number(0...40), timeout: .microseconds(micros), body: work
              ) { _ in answers[number].count.add(1, ordering: .relaxed) }
            } catch {
              answers[number].count.add(1, ordering: .relaxed)
            }
          }
        }
      }
    }
    try await untilNot { runner.statistics.waiting > 0 || runner.statistics.running > 0 }
    try await untilNot { answers.contains { $0.value == 0 } }
    // A second answer would be delivered on the same thread before the last answer of the runner.
    let end = Events<Bool>()
    try runner.submit(-1, timeout: .zero, body: { 0 }, completion: { _ in end.put(true) })
    _ = await end.next()
    #expect(answers.allSatisfy { $0.value == 1 })
    let numbers = runner.statistics
    let told = numbers.finished + numbers.failed + numbers.timedOutQueued + numbers.timedOutRunning
    #expect(told + numbers.refused + numbers.replaced == numbers.submitted)
    #expect(numbers.submitted == answers.count + 1)
  }

  /// The number of answers to a caller.
  final class Answers: Sendable {
    /// The count.
    let count = Atomic<Int>(0)
    /// The count.
    var value: Int { count.load(ordering: .relaxed) }
  }
}
