import HeadwayTime
import Testing

@testable import HeadwayTestSupport

/// Bodies on virtual time: their results, their tasks and their cancellation.
struct VirtualTimeTests {
  /// An error of a body.
  private struct Mishap: Error, Equatable {}

  /// A task-local value.
  @TaskLocal private static var name = "nobody"

  @Test func `A body returns its value, and 27 hours take no time`() throws {
    let slept = try withVirtualTime { clock in
      try await clock.sleep(for: .seconds(27 * 3_600))
      return clock.now.offset
    }
    #expect(slept == .seconds(27 * 3_600))
  }

  @Test func `A body throws its error`() {
    #expect(throws: Mishap()) {
      try withVirtualTime { clock in
        try await clock.sleep(for: .seconds(1))
        throw Mishap()
      }
    }
  }

  @Test func `Each sleeper continues at its own instant`() throws {
    let log = Log()
    try withVirtualTime { clock in
      await withThrowingTaskGroup { group in
        for seconds in [30, 10, 20, 10] {
          group.addTask {
            try await clock.sleep(for: .seconds(seconds))
            log.add("\(clock.now)")
          }
        }
      }
    }
    #expect(log.lines == ["10.0 seconds", "10.0 seconds", "20.0 seconds", "30.0 seconds"])
  }

  @Test func `Child tasks, their children and actors run on the executor of the body`() throws {
    /// An actor without an executor of its own.
    actor Witness {
      /// The task or actor of this call.
      var executor: StepExecutor? { StepExecutor.current }

      /// Sleeps until it is called.
      func sleep(_ clock: VirtualClock) async throws { try await clock.sleep(for: .seconds(7)) }
    }
    let end = try withVirtualTime { clock in
      let witness = Witness()
      async let first: Void = clock.sleep(for: .seconds(3))
      async let second: Void = withThrowingTaskGroup { group in
        for _ in 0..<3 {
          group.addTask {
            async let inner: Void = witness.sleep(clock)
            try await clock.sleep(for: .seconds(4))
            try await inner
          }
        }
        try await group.waitForAll()
      }
      try await first
      try await second
      let executor = await witness.executor
      #expect(executor != nil && executor === StepExecutor.current)
      return clock.now.offset
    }
    #expect(end == .seconds(7))
  }

  @Test func `A task with the executor of the body is on virtual time too`() throws {
    let end = try withVirtualTime { clock in
      let task = Task(executorPreference: StepExecutor.current) {
        try await clock.sleep(for: .seconds(5))
        return clock.now.offset
      }
      return try await task.value
    }
    #expect(end == .seconds(5))
  }

  @Test func `Outside a body there is no executor`() {
    #expect(StepExecutor.current == nil)
  }

  @Test func `Task-local values reach the body and its children`() throws {
    let names = try Self.$name.withValue("body") {
      try withVirtualTime { clock in
        async let child = Self.name
        try await clock.sleep(for: .seconds(1))
        return await [Self.name, child]
      }
    }
    #expect(names == ["body", "body"])
    #expect(Self.name == "nobody")
  }

  @Test func `A cancelled child ends at once, and its sleep takes no time`() throws {
    let (end, sleepers) = try withVirtualTime { clock in
      await withThrowingTaskGroup { group in
        group.addTask { try await clock.sleep(for: .seconds(100)) }
        group.addTask { try await clock.sleep(for: .seconds(1)) }
        try? await group.next()
        group.cancelAll()
      }
      return (clock.now.offset, clock.sleeperCount)
    }
    #expect(end == .seconds(1))
    #expect(sleepers == 0)
  }

  @Test func `A deadline cancels its body at its instant`() throws {
    let (error, end) = try withVirtualTime { clock in
      do {
        try await withDeadline(in: .seconds(5), clock: clock) {
          try await clock.sleep(for: .seconds(3))
          try await clock.sleep(for: .seconds(3))
        }
        return ("none", clock.now.offset)
      } catch {
        return ("\(error)", clock.now.offset)
      }
    }
    #expect(error == "the deadline of 5.0 seconds has passed")
    #expect(end == .seconds(5))
  }

  @Test func `A nested body has a clock of its own`() throws {
    let (inner, outer) = try withVirtualTime { clock in
      try await clock.sleep(for: .seconds(1))
      let inner = try withVirtualTime { clock in
        try await clock.sleep(for: .seconds(40))
        return clock.now.offset
      }
      try await clock.sleep(for: .seconds(1))
      return (inner, clock.now.offset)
    }
    #expect(inner == .seconds(40))
    #expect(outer == .seconds(2))
  }

  @MainActor @Test func `A body that is run from the main actor is not on the main actor`() throws {
    let end = try withVirtualTime { clock in
      try await clock.sleep(for: .seconds(1))
      return clock.now.offset
    }
    #expect(end == .seconds(1))
  }

  @Test func `A body is cancelled with the calling task`() async {
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try withVirtualTime { clock in
        do {
          try await clock.sleep(for: .seconds(1))
          return "slept"
        } catch {
          return "cancelled at \(clock.now)"
        }
      }
    }
    let outcome = await task.result
    #expect(throws: Never.self) {
      let line = try outcome.get()
      #expect(line == "cancelled at 0.0 seconds")
    }
  }

  @Test func `Thousands of tasks can sleep at once`() throws {
    let (sum, end) = try withVirtualTime { clock in
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<5_000 {
          group.addTask {
            try await clock.sleep(for: .seconds(number % 97))
            return number
          }
        }
        return try await group.reduce(0, +)
      }
      return (sum, clock.now.offset)
    }
    #expect(sum == 4_999 * 2_500)
    #expect(end == .seconds(96))
  }
}

/// Bodies that do not end.
struct VirtualTimeErrorTests {
  /// Returns the error of a body on virtual time.
  private func error(
    limit: Int = 60, jobLimit: Int = 1_000,
    _ body: @escaping @Sendable (VirtualClock) async throws -> Void
  ) -> VirtualTimeError? {
    do {
      try VirtualRun(seed: nil, limit: limit, jobLimit: jobLimit, body).run()
      return nil
    } catch {
      return error as? VirtualTimeError
    }
  }

  @Test func `A body that waits for something that never happens is stuck and is cancelled`() throws
  {
    let log = Log()
    let error = error { clock in
      try await clock.sleep(for: .seconds(2))
      let never = AsyncStream<Void> { _ in }
      for await _ in never {}
      log.add(Task.isCancelled ? "cancelled" : "ended")
    }
    let instant = VirtualClock.Instant(offset: .seconds(2))
    #expect(error == .stuck(at: instant, sleepers: 0))
    #expect(log.lines == ["cancelled"])
    #expect("\(try #require(error))".contains("none of its tasks can continue. It waits for"))
  }

  @Test func `A body that sleeps forever is stuck`() throws {
    let error = error { clock in
      try await clock.sleep(for: Duration(attoseconds: .max))
    }
    #expect(error == .stuck(at: .zero, sleepers: 1))
    #expect("\(try #require(error))".contains("1 of its tasks sleep until"))
  }

  @Test func `A body that is stuck may sleep on the clock while it ends`() {
    let log = Log()
    let error = error { clock in
      let never = AsyncStream<Void> { _ in }
      for await _ in never {}
      await Task(executorPreference: StepExecutor.current) {
        try? await clock.sleep(for: .seconds(30))
        log.add("cleaned up at \(clock.now)")
      }.value
    }
    #expect(error == .stuck(at: .zero, sleepers: 0))
    #expect(log.lines == ["cleaned up at 30.0 seconds"])
  }

  @Test func `A body that ignores its cancellation is abandoned`() {
    let error = error { _ in
      unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    #expect(error == .stuck(at: .zero, sleepers: 0))
  }

  @Test func `A body that keeps sleeping fails at the limit`() throws {
    let log = Log()
    let error = error(limit: 60) { clock in
      do {
        while true { try await clock.sleep(for: .seconds(7)) }
      } catch {
        log.add("cancelled at \(clock.now)")
      }
    }
    let instant = VirtualClock.Instant(offset: .seconds(420))
    #expect(error == .limitReached(at: instant, instants: 60))
    #expect(log.lines == ["cancelled at 420.0 seconds"])
    #expect("\(try #require(error))".contains("the clock has advanced 60 times"))
  }

  @Test func `A body may use as many instants as the limit`() {
    let error = error(limit: 60) { clock in
      for _ in 0..<60 { try await clock.sleep(for: .seconds(7)) }
    }
    #expect(error == nil)
  }

  @Test func `A body that keeps yielding fails with a livelock`() throws {
    let error = error(jobLimit: 1_000) { clock in
      try await clock.sleep(for: .seconds(1))
      while !Task.isCancelled { await Task.yield() }
    }
    let instant = VirtualClock.Instant(offset: .seconds(1))
    #expect(error == .livelock(at: instant, jobs: 1_000))
    #expect("\(try #require(error))".contains("has to sleep on the clock instead"))
  }

  @Test func `A virtual time error that a body throws is rethrown`() {
    let error = error { _ in throw VirtualTimeError.limitReached(at: .zero, instants: 3) }
    #expect(error == .limitReached(at: .zero, instants: 3))
  }
}
