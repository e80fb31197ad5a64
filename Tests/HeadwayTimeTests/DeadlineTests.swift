import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// `withDeadline` on virtual time, on actors, and nested.
struct DeadlineTests {
  /// An error of a body's own.
  private struct Trouble: Error, Equatable {}

  private let clock = VirtualClock()
  /// The executor of the tasks.
  private let executor = StepExecutor()

  /// Runs a body on virtual time.
  ///
  /// - Parameter body: The work.
  /// - Returns: The result and its time, nil if it hangs.
  private func outcome<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> (result: Result<Value, any Error>, time: Duration)? {
    let outcome = Guarded<(result: Result<Value, any Error>, time: Duration)?>(nil)
    return withExtendedLifetime(
      Task<Void, Never>(executorPreference: executor) { [clock] in
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        outcome.withLock { $0 = (result, clock.now.offset) }
      }
    ) {
      repeat { executor.drain() } while clock.step()
      return outcome.withLock { $0 }
    }
  }

  /// Runs a body on virtual time.
  ///
  /// - Parameter body: The work.
  /// - Returns: The result, nil if it hangs.
  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>? { outcome(body)?.result }

  /// The result of a body and the time of its end.
  private func words<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> String {
    guard let outcome = outcome(body) else { return "hangs" }
    switch outcome.result {
    case .success(let value): return "\(value) at \(outcome.time)"
    case .failure(let error): return "\(error) at \(outcome.time)"
    }
  }
}

// MARK: - Outcomes

extension DeadlineTests {
  @Test func `A body in time returns its value, and no timer is left`() {
    let result = words { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        try await clock.sleep(for: .seconds(2))
        return "done, with \(clock.timers.count) timer"
      }
    }
    #expect(result == "done, with 1 timer at 2.0 seconds")
    #expect(clock.timers.count == 0)
  }

  @Test func `A timer that fires just as its body ends does not cancel what runs next`() {
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    // Fires before the timer of the deadline, which has left the wheel by then: the body ends in between, and the next
    // one, whose task may have its place in memory, begins.
    clock.timers.schedule(after: .seconds(5)) { [executor] in
      event.finish()
      executor.drain()
    }
    let result = words { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) { for await _ in events {} }
      return try await withDeadline(in: .seconds(5), clock: clock) {
        try await clock.sleep(for: .seconds(1))
        return "done"
      }
    }
    #expect(result == "done at 6.0 seconds")
  }

  @Test func `A body is cancelled at its deadline`() {
    let result = words { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        try await clock.sleep(for: .seconds(60))
      }
    }
    #expect(result == "the deadline of 5.0 seconds has passed at 5.0 seconds")
  }

  @Test func `A value that comes after the deadline is returned`() {
    let result = words { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        try? await clock.sleep(for: .seconds(60))
        return "saved the rest"
      }
    }
    #expect(result == "saved the rest at 5.0 seconds")
  }

  @Test func `A body that ignores cancellation is awaited`() {
    let result = words { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        try? await clock.sleep(for: .seconds(60))
        await Task(executorPreference: executor) { try? await clock.sleep(for: .seconds(3)) }.value
        try Task.checkCancellation()
      }
    }
    #expect(result == "the deadline of 5.0 seconds has passed at 8.0 seconds")
  }

  @Test func `An error after the deadline is the reason of that of the deadline`() {
    let result = run { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        do { try await clock.sleep(for: .seconds(60)) } catch { throw Trouble() }
      }
    }
    let error = #expect(throws: DeadlineExceeded.self) { try result?.get() }
    #expect(error?.underlying is Trouble)
    #expect(error == DeadlineExceeded(limit: .seconds(5)))
  }

  @Test(arguments: [true, false])
  func `A deadline counts from the call, however late the body begins`(isInstant: Bool) {
    let end = Guarded<(wasCancelled: Bool, time: Duration)?>(nil)
    let task = Task<Void, any Error>(executorPreference: executor) { [clock] in
      let limit = Duration.milliseconds(100)
      let wasCancelled =
        isInstant
        ? try await withDeadline(clock.now.advanced(by: limit), clock: clock) { Task.isCancelled }
        : try await withDeadline(in: limit, clock: clock) { Task.isCancelled }
      end.withLock { $0 = (wasCancelled, clock.now.offset) }
    }
    // The caller waits for its child now, whose executor is busy for long.
    executor.runNext()
    clock.advance(by: .milliseconds(400))
    executor.drain()
    #expect(end.withLock { $0?.wasCancelled } == true)
    #expect(end.withLock { $0?.time } == .milliseconds(400))
    task.cancel()
  }

  @Test func `An error before the deadline is rethrown`() {
    let result = run { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) { throw Trouble() }
    }
    #expect(throws: Trouble()) { try result?.get() }
  }

  @Test func `A cancellation error before the deadline is rethrown`() {
    let result = run { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) { throw CancellationError() }
    }
    #expect(throws: CancellationError.self) { try result?.get() }
  }

  @Test func `A caller that is cancelled gets a cancellation error`() {
    let result = words { [clock, executor] in
      let call = Task(executorPreference: executor) {
        try await withDeadline(in: .seconds(5), clock: clock) {
          try await clock.sleep(for: .seconds(60))
        }
      }
      try await clock.sleep(for: .seconds(1))
      call.cancel()
      try await call.value
    }
    #expect(result == "CancellationError() at 1.0 seconds")
    #expect(clock.timers.count == 0)
  }

  @Test func `A caller that is cancelled after the deadline gets a cancellation error`() {
    let result = words { [clock, executor] in
      let call = Task(executorPreference: executor) {
        try await withDeadline(in: .seconds(5), clock: clock) {
          try? await clock.sleep(for: .seconds(60))
          await Task(executorPreference: executor) { try? await clock.sleep(for: .seconds(9)) }
            .value
          try Task.checkCancellation()
        }
      }
      try await clock.sleep(for: .seconds(7))
      call.cancel()
      try await call.value
    }
    #expect(result == "CancellationError() at 14.0 seconds")
  }

  @Test func `A caller that was cancelled before starts a cancelled body`() {
    let result = words { [clock, executor] in
      let call = Task(executorPreference: executor) {
        try? await clock.sleep(for: .seconds(60))
        return try await withDeadline(in: .seconds(5), clock: clock) { Task.isCancelled }
      }
      call.cancel()
      return try await call.value
    }
    #expect(result == "true at 0.0 seconds")
  }

  @Test func `The caller is not cancelled by its deadline`() {
    let result = words { [clock] in
      _ = try? await withDeadline(in: .seconds(5), clock: clock) {
        try await clock.sleep(for: .seconds(60))
      }
      return Task.isCancelled
    }
    #expect(result == "false at 5.0 seconds")
  }
}

// MARK: - Limits

extension DeadlineTests {
  @Test(arguments: [Duration.zero, .seconds(-3)])
  func `A deadline that has passed starts the body cancelled`(limit: Duration) {
    let result = run { [clock] in
      try await withDeadline(in: limit, clock: clock) {
        try Task.checkCancellation()
      }
    }
    #expect(throws: DeadlineExceeded(limit: limit)) { try result?.get() }
  }

  @Test(arguments: [
    (DeadlineExceeded(limit: .seconds(5)), "the deadline of 5.0 seconds has passed"),
    (DeadlineExceeded(limit: .zero), "the deadline had passed before the work began"),
    (
      DeadlineExceeded(limit: .seconds(5), attempts: 0),
      "the deadline of 5.0 seconds passed before a thread was free"
    ),
    (
      DeadlineExceeded(limit: .seconds(5), attempts: 3),
      "each of 3 attempts exceeded the deadline of 5.0 seconds"
    ),
  ])
  func `The error of a deadline describes the limit and the attempts`(
    error: DeadlineExceeded, description: String
  ) {
    #expect("\(error)" == description)
  }

  @Test func `An instant is a deadline`() {
    let result = words { [clock] in
      let deadline = clock.now.advanced(by: .seconds(9))
      try await clock.sleep(for: .seconds(2))
      try await withDeadline(deadline, clock: clock) { try await clock.sleep(for: .seconds(60)) }
    }
    #expect(result == "the deadline of 7.0 seconds has passed at 9.0 seconds")
  }

  @Test(arguments: [Duration(attoseconds: .max), .seconds(1 << 40)])
  func `A limit beyond the range of the clock never passes`(limit: Duration) {
    let result = words { [clock] in
      try await withDeadline(in: limit, clock: clock) {
        try await clock.sleep(for: .seconds(86_400))
        return 7
      }
    }
    #expect(result == "7 at 86400.0 seconds")
  }

  @Test func `A clock without a timer service gets one for the call`() async {
    let clock = PlainClock()
    await #expect(throws: DeadlineExceeded(limit: .milliseconds(5))) {
      try await withDeadline(in: .milliseconds(5), clock: clock) {
        // Runs until the deadline cancels it.
        while true {
          try Task.checkCancellation()
          await Task.yield()
        }
      }
    }
  }

  /// A clock without a timer service.
  private struct PlainClock: Clock {
    private let clock = ContinuousClock()
    var now: ContinuousClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }
}

// MARK: - Nesting

extension DeadlineTests {
  @Test func `An outer deadline that is earlier cancels the inner body`() {
    let log = Log()
    let result = words { [clock] in
      try await withDeadline(in: .seconds(2), clock: clock) {
        do {
          try await withDeadline(in: .seconds(5), clock: clock) {
            try await clock.sleep(for: .seconds(60))
          }
        } catch {
          log.add("inner: \(error) at \(clock.now)")
          throw error
        }
      }
    }
    #expect(log.lines == ["inner: CancellationError() at 2.0 seconds"])
    #expect(result == "the deadline of 2.0 seconds has passed at 2.0 seconds")
  }

  @Test func `An inner deadline that is earlier cancels only the inner body`() {
    let log = Log()
    let result = words { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        do {
          try await withDeadline(in: .seconds(2), clock: clock) {
            try await clock.sleep(for: .seconds(60))
          }
        } catch {
          log.add("inner: \(error) at \(clock.now)")
        }
        try await clock.sleep(for: .seconds(1))
        return "went on"
      }
    }
    #expect(log.lines == ["inner: the deadline of 2.0 seconds has passed at 2.0 seconds"])
    #expect(result == "went on at 3.0 seconds")
  }
}

// MARK: - Isolation

extension DeadlineTests {
  /// An object that is not thread safe.
  private final class Counter {
    var count = 0
  }

  /// An actor whose state a body uses.
  private actor Ledger {
    /// A class that is not `Sendable`.
    private let counter = Counter()

    /// Counts inside a body.
    func count() async throws -> Int {
      let local = Counter()
      let value = try await withDeadline(in: .seconds(600)) {
        counter.count += 1
        local.count += 1
        await Task.yield()
        assertIsolated()
        counter.count += 1
        return counter.count + local.count
      }
      assertIsolated()
      return value
    }
  }

  @Test func `A body keeps the actor of its caller and uses its state`() async throws {
    #expect(try await Ledger().count() == 3)
  }

  @MainActor
  @Test func `A body on the main actor stays there`() async throws {
    let counter = Counter()
    let isMain = try await withDeadline(.seconds(600)) {
      MainActor.assertIsolated()
      counter.count += 1
      await Task.yield()
      MainActor.assertIsolated()
      counter.count += 1
      return true
    }
    #expect(isMain)
    #expect(counter.count == 2)
  }

  @Test func `A value that is not Sendable is returned`() async throws {
    let counter = try await withDeadline(.seconds(600)) {
      let counter = Counter()
      counter.count = 5
      return counter
    }
    #expect(counter.count == 5)
  }

  @Test func `A body sees the task-local values of its caller`() async throws {
    let value = try await Self.$mark.withValue(41) {
      try await withDeadline(in: .seconds(600)) { Self.mark + 1 }
    }
    #expect(value == 42)
  }

  /// A task-local value.
  @TaskLocal static var mark = 0

  @Test func `A body has the priority of its caller`() async {
    let isSame = await Task(priority: .high) {
      let own = Task.currentPriority
      return try? await withDeadline(in: .seconds(600)) { Task.currentPriority == own }
    }.value
    #expect(isSame == true)
  }
}

// MARK: - Races

extension DeadlineTests {
  @Test func `Deadlines that race with the end of their bodies each have one outcome`() async {
    // On the real clock with limits near zero, every order of firing and ending occurs.
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<2_000 {
        group.addTask {
          do {
            return try await withDeadline(in: .microseconds(number % 4 * 400)) {
              for _ in 0..<number % 7 { await Task.yield() }
              try Task.checkCancellation()
              return true
            }
          } catch {
            return error is DeadlineExceeded
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func `The cancellation handlers of a body have ended when the call returns`() async {
    let log = Log()
    _ = try? await withDeadline(in: .milliseconds(1)) {
      await withTaskCancellationHandler {
        while log.lines.isEmpty { await Task.yield() }
      } onCancel: {
        log.add("told")
        for _ in 0..<1_000 { _ = log.lines }
        log.add("done")
      }
    }
    #expect(log.lines == ["told", "done"])
  }
}

/// A log that several tasks write to.
final class Log: Sendable {
  private let kept = Guarded<[String]>([])

  /// The logged lines.
  var lines: [String] { kept.withLock { $0 } }

  func add(_ line: String) { kept.withLock { $0.append(line) } }
}
