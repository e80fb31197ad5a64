import HeadwayLock
import HeadwayTestSupport
import Synchronization
import Testing

@testable import HeadwayTime

/// A runner on real threads and virtual time: functions wait on semaphores, tests wait for events.
@Suite(.timeLimit(.minutes(60)))
struct TimeoutRunnerTests {
  typealias Runner = TimeoutRunner<String, Int>

  private let clock = VirtualClock()
  /// Blocks the functions.
  private let semaphore = Semaphore()
  /// The keys of the functions that have started.
  private let begun = Events<String>()
  private let outcomes = Events<String>()

  /// The usual configuration on virtual time.
  private func configuration(
    threads: Int = 2, stuckLimit: Int = 4, repeatedKey: RepeatedKeyPolicy = .join
  ) -> Runner.Configuration {
    Runner.Configuration(
      timeout: .seconds(10), threads: threads, stuckLimit: stuckLimit, repeatedKey: repeatedKey,
      timers: clock.timers)
  }

  /// Submits a function that reports its start and waits on the semaphore.
  ///
  /// - Parameters:
  ///   - key: The key, which is also the label of the result.
  ///   - runner: The runner.
  ///   - timeout: The time-out.
  ///   - value: The value that it returns.
  /// - Throws: `TimeoutRunnerError`.
  private func submit(
    _ key: String, to runner: Runner, timeout: Duration? = nil, value: Int = 1
  ) throws {
    try runner.submit(key, timeout: timeout) { [begun, semaphore] in
      begun.put(key)
      semaphore.wait()
      return value
    } completion: { [outcomes] outcome in
      outcomes.put("\(key): \(outcome.word)")
    }
  }

  @Test func `A caller gets a value in time`() async throws {
    let runner = Runner(configuration())
    #expect(try await runner.run("a") { 42 } == 42)
    #expect(runner.statistics.finished == 1)
  }

  @Test func `One runner takes functions of different types`() async throws {
    let runner = TimeoutRunner<String, any Sendable>(
      .init(timeout: .seconds(10), timers: clock.timers))
    #expect(try await runner.run("number", as: Int.self) { 42 } == 42)
    #expect(try await runner.run("text", as: String.self) { "forty-two" } == "forty-two")
    // Joins a function of the same key that returns something else.
    async let number = runner.run("same", as: Int.self) { [begun, semaphore] in
      begun.put("same")
      semaphore.wait()
      return 1
    }
    _ = await begun.next()
    async let text = error { try await runner.run("same", as: String.self) { "2" } }
    while runner.statistics.waiting < 2 { await Task.yield() }
    semaphore.post()
    #expect(try await number == 1)
    #expect(
      await text as? TimeoutRunnerError
        == .differentType(key: "same", expected: "String", actual: "Int"))
  }

  @Test func `A caller gets an error in time`() async throws {
    let runner = Runner(configuration())
    let error = await error { try await runner.run("a") { throw Failure(number: 7) } }
    #expect(error as? Failure == Failure(number: 7))
    #expect(runner.statistics.failed == 1)
  }

  @Test func `A function that blocks times out at its deadline and not before`() async throws {
    let runner = Runner(configuration())
    try submit("a", to: runner)
    #expect(await begun.next() == "a")
    clock.advance(by: .seconds(10) - .nanoseconds(1))
    #expect(runner.statistics.waiting == 1)
    clock.advance(by: .nanoseconds(1))
    #expect(await outcomes.next() == "a: timed out after 1 starts")
    semaphore.post()
  }

  @Test func `A late result goes to its handler and is counted, and not to the caller`()
    async throws
  {
    let late = Events<String>()
    var configuration = configuration()
    configuration.lateResult = { result in
      late.put("\(result.key) \(result.attempt) \(result.result.word) \(result.overdue)")
    }
    let runner = Runner(configuration)
    try submit("a", to: runner, value: 5)
    _ = await begun.next()
    clock.advance(by: .seconds(13))
    _ = await outcomes.next()
    semaphore.post()
    #expect(await late.next() == "a 1 5 3.0 seconds")
    #expect(runner.statistics.late == 1)
    #expect(runner.statistics.finished == 0)
    outcomes.put("end")
    #expect(await outcomes.next() == "end")
  }

  @Test func `A task that is queued at its deadline never starts and reports no attempts`()
    async throws
  {
    let runner = Runner(configuration(threads: 1))
    try submit("a", to: runner, timeout: .seconds(30))
    _ = await begun.next()
    try submit("b", to: runner)
    try submit("c", to: runner, timeout: .seconds(30))
    clock.advance(by: .seconds(10))
    #expect(await outcomes.next() == "b: timed out after 0 starts")
    semaphore.post(3)
    #expect(await outcomes.next(2) == ["a: 1", "c: 1"])
    #expect(await begun.next() == "c")
    #expect(runner.statistics.timedOutQueued == 1)
    #expect(runner.statistics.started == 2)
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
  func `A time-out of zero or less is answered at once and nothing starts`(timeout: Duration)
    async throws
  {
    let runner = Runner(configuration())
    try submit("a", to: runner, timeout: timeout)
    #expect(await outcomes.next() == "a: timed out after 0 starts")
    #expect(runner.statistics.started == 0)
    #expect(runner.statistics.timedOutQueued == 1)
    #expect(runner.statistics.threads == 0)
  }

  @Test func `A time-out beyond the range of the clock sets no timer`() async throws {
    let runner = Runner(configuration())
    try submit("a", to: runner, timeout: .seconds(Int64.max))
    _ = await begun.next()
    #expect(clock.timers.count == 0)
    semaphore.post()
    #expect(await outcomes.next() == "a: 1")
  }

  @Test func `Callers that join wait for the same function, each until its own deadline`()
    async throws
  {
    let runner = Runner(configuration())
    try submit("a", to: runner, value: 1)
    _ = await begun.next()
    clock.advance(by: .seconds(5))
    try submit("a", to: runner, value: 2)
    clock.advance(by: .seconds(7))
    #expect(await outcomes.next() == "a: timed out after 1 starts")
    semaphore.post()
    #expect(await outcomes.next() == "a: 1")
    #expect(runner.statistics.started == 1)
    #expect(runner.statistics.joined == 1)
  }

  @Test func `A caller that is replaced fails at once, and the function's result is late`()
    async throws
  {
    let runner = Runner(configuration(repeatedKey: .replace))
    try submit("a", to: runner, value: 1)
    _ = await begun.next()
    try submit("a", to: runner, value: 2)
    #expect(await outcomes.next() == "a: TimeoutRunnerError")
    _ = await begun.next()
    semaphore.post(2)
    #expect(await outcomes.next() == "a: 2")
    #expect(runner.statistics.replaced == 1)
  }

  @Test func `A repeated key is refused if the policy says so`() async throws {
    let runner = Runner(configuration(repeatedKey: .refuse))
    try submit("a", to: runner)
    #expect(throws: TimeoutRunnerError.refused(key: "a")) { try submit("a", to: runner) }
    semaphore.post()
    #expect(await outcomes.next() == "a: 1")
    semaphore.post()
    try submit("a", to: runner, value: 3)
    #expect(await outcomes.next() == "a: 3")
  }

  @Test func `Stuck functions are listed, and do not take the threads of others`() async throws {
    let runner = Runner(configuration(threads: 1, stuckLimit: 2))
    try submit("a", to: runner, timeout: .seconds(1))
    _ = await begun.next()
    clock.advance(by: .seconds(1))
    _ = await outcomes.next()
    try submit("b", to: runner, timeout: .seconds(2))
    _ = await begun.next()
    clock.advance(by: .seconds(2))
    _ = await outcomes.next()
    let stuck = runner.stuck
    #expect(stuck.map(\.key) == ["a", "b"])
    #expect(stuck.map(\.running) == [.seconds(3), .seconds(2)])
    #expect(stuck.map(\.overdue) == [.seconds(2), .zero])
    #expect(try await runner.run("c") { 3 } == 3)
    #expect(runner.statistics.threads == 3)
    semaphore.post(2)
  }

  @Test func `Too many stuck functions are reported with their keys until one returns`()
    async throws
  {
    let late = Events<String>()
    var configuration = configuration(threads: 2, stuckLimit: 1)
    configuration.lateResult = { late.put($0.key) }
    let runner = Runner(configuration)
    for key in ["a", "b"] {
      try submit(key, to: runner)
      _ = await begun.next()
      clock.advance(by: .seconds(10))
      _ = await outcomes.next()
    }
    let keys = ["a", "b"]
    #expect(throws: TimeoutRunnerError.tooManyStuck(limit: 1, keys: keys)) {
      try submit("c", to: runner)
    }
    #expect(runner.statistics.refused == 1)
    semaphore.post()
    _ = await late.next()
    #expect(try await runner.run("c") { 3 } == 3)
    semaphore.post()
  }

  @Test func `A full queue refuses`() async throws {
    var configuration = configuration(threads: 1)
    configuration.queueLimit = 1
    let runner = Runner(configuration)
    try submit("a", to: runner)
    _ = await begun.next()
    try submit("b", to: runner)
    #expect(throws: TimeoutRunnerError.queueFull(limit: 1)) { try submit("c", to: runner) }
    semaphore.post(2)
    #expect(await outcomes.next(2) == ["a: 1", "b: 1"])
  }

  @Test func `The first attempt that returns answers the caller of a restarted function`()
    async throws
  {
    var configuration = configuration()
    configuration.restartLimit = 2
    let runner = Runner(configuration)
    let calls = Atomic<Int>(0)
    let begun = Events<Int>()
    let last = Semaphore()
    async let value = runner.run("a") { [semaphore] in
      let call = calls.add(1, ordering: .relaxed).newValue
      begun.put(call)
      if call == 2 { last.wait() } else { semaphore.wait() }
      return call
    }
    #expect(await begun.next() == 1)
    clock.advance(by: .seconds(10))
    #expect(await begun.next() == 2)
    #expect(runner.stuck.map(\.attempt) == [1])
    clock.advance(by: .seconds(9))
    last.post()
    #expect(try await value == 2)
    #expect(runner.statistics.restarted == 1)
    #expect(runner.statistics.finished == 1)
    semaphore.post()
  }

  @Test func `A function times out after the last restart`()
    async throws
  {
    var configuration = configuration()
    configuration.restartLimit = 1
    let runner = Runner(configuration)
    try submit("a", to: runner)
    _ = await begun.next()
    clock.advance(by: .seconds(10))
    _ = await begun.next()
    clock.advance(by: .seconds(10))
    #expect(await outcomes.next() == "a: timed out after 2 starts")
    #expect(runner.statistics.stuck == 2)
    semaphore.post(2)
  }

  @Test func `A task type has a key and a function`() async throws {
    /// A task of a test.
    struct Doubling: BlockingTask {
      var key: String { "\(number)" }
      /// The number to double.
      let number: Int

      func run() throws -> Int { 2 * number }
    }
    let runner = Runner(configuration())
    #expect(try await runner.run(Doubling(number: 21)) == 42)
    try runner.submit(Doubling(number: 4)) { [outcomes] in outcomes.put($0.word) }
    #expect(await outcomes.next() == "8")
  }

  @Test func `Functions do not run on the threads of Swift tasks`() async throws {
    let runner = TimeoutRunner<Int, Bool>(timeout: .seconds(60))
    #expect(isInTask())
    #expect(try await runner.run(1) { isInTask() } == false)
  }

  @Test(arguments: [(-1, 0), (0, 0), (1, -1)])
  func `A runner without threads or with a negative limit traps`(threads: Int, stuck: Int) async {
    await #expect(processExitsWith: .failure) { [threads, stuck] in
      _ = TimeoutRunner<Int, Int>(
        .init(timeout: .seconds(1), threads: threads, stuckLimit: stuck))
    }
  }
}
