import HeadwayTestSupport
import HeadwayTime
import Synchronization
import Testing

/// `withDeadline` on virtual time, on actors, and nested.
struct DeadlineTests {
  /// An error of a body's own.
  private struct Trouble: Error, Equatable {}

  /// The clock of the tests.
  private let clock = VirtualClock()
  /// What runs their tasks.
  private let executor = StepExecutor()

  /// Runs a body to its end on virtual time.
  ///
  /// - Parameter body: What to do.
  /// - Returns: What came of it and when, nil when it hangs.
  private func outcome<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> (result: Result<Value, any Error>, time: Duration)? {
    let outcome = Mutex<(result: Result<Value, any Error>, time: Duration)?>(nil)
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

  /// Runs a body to its end on virtual time.
  ///
  /// - Parameter body: What to do.
  /// - Returns: What came of it, nil when it hangs.
  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>? { outcome(body)?.result }

  /// What a body comes to and when, in words.
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

  @Test func `A body that is late is cancelled at its deadline`() {
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

  @Test func `A body is waited for`() {
    let result = words { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        try? await clock.sleep(for: .seconds(60))
        await Task(executorPreference: executor) { try? await clock.sleep(for: .seconds(3)) }.value
        try Task.checkCancellation()
      }
    }
    #expect(result == "the deadline of 5.0 seconds has passed at 8.0 seconds")
  }

  @Test func `Another error of the body comes through after the deadline`() {
    let result = run { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) {
        do { try await clock.sleep(for: .seconds(60)) } catch { throw Trouble() }
      }
    }
    #expect(throws: Trouble()) { try result?.get() }
  }

  @Test func `An error before the deadline comes through`() {
    let result = run { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) { throw Trouble() }
    }
    #expect(throws: Trouble()) { try result?.get() }
  }

  @Test func `A cancellation of the body's own before the deadline stays one`() {
    let result = run { [clock] in
      try await withDeadline(in: .seconds(5), clock: clock) { throw CancellationError() }
    }
    #expect(throws: CancellationError.self) { try result?.get() }
  }

  @Test func `A caller that is cancelled gets a cancellation`() {
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

  @Test func `A caller that is cancelled after the deadline gets a cancellation`() {
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

  @Test func `An instant is a deadline`() {
    let result = words { [clock] in
      let deadline = clock.now.advanced(by: .seconds(9))
      try await clock.sleep(for: .seconds(2))
      try await withDeadline(deadline, clock: clock) { try await clock.sleep(for: .seconds(60)) }
    }
    #expect(result == "the deadline of 7.0 seconds has passed at 9.0 seconds")
  }

  @Test(arguments: [Duration(attoseconds: .max), .seconds(1 << 40)])
  func `A limit beyond all time is none`(limit: Duration) {
    let result = words { [clock] in
      try await withDeadline(in: limit, clock: clock) {
        try await clock.sleep(for: .seconds(86_400))
        return 7
      }
    }
    #expect(result == "7 at 86400.0 seconds")
  }

  @Test func `A clock without timers of its own gets some for the call`() async {
    let clock = PlainClock()
    await #expect(throws: DeadlineExceeded(limit: .milliseconds(5))) {
      try await withDeadline(in: .milliseconds(5), clock: clock) {
        // As long as it takes: only the deadline ends it.
        while true {
          try Task.checkCancellation()
          await Task.yield()
        }
      }
    }
  }

  /// A clock that has nothing but its time.
  private struct PlainClock: Clock {
    /// The clock behind it.
    private let clock = ContinuousClock()
    /// The present instant.
    var now: ContinuousClock.Instant { clock.now }
    /// How exact it is.
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }
}

// MARK: - Nesting

extension DeadlineTests {
  @Test func `Of nested deadlines an earlier outer one counts`() {
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

  @Test func `Of nested deadlines an earlier inner one counts`() {
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
  /// An object that no two threads may touch.
  private final class Counter {
    /// The count.
    var count = 0
  }

  /// An actor whose state a body uses.
  private actor Ledger {
    /// What is not `Sendable`.
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
    let isMain = try await withDeadline(in: .seconds(600)) {
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
    let counter = try await withDeadline(in: .seconds(600)) {
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
    // On the real clock, with limits around nothing: every order of firing and ending comes up.
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

  @Test func `The handlers of a body have ended when the call returns`() async {
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

/// Lines that several tasks add to.
final class Log: Sendable {
  /// The lines.
  private let kept = Mutex<[String]>([])

  /// The lines so far.
  var lines: [String] { kept.withLock { $0 } }

  /// Adds a line.
  func add(_ line: String) { kept.withLock { $0.append(line) } }
}
