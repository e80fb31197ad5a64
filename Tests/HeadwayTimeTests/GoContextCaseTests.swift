import HeadwayTestSupport
import HeadwayTime
import Testing

/// Cases of Go's contexts with deadlines (`src/context/x_test.go`) for `withDeadline`; a comment names each case.
struct GoContextCaseTests {
  /// Values that each layer of work can read.
  @TaskLocal private static var values: [Int] = []

  /// Sleeps far longer than any deadline here.
  private static func sleepLong(_ clock: VirtualClock) async throws {
    try await clock.sleep(for: .seconds(1_000 * 3_600))
  }

  /// The kind of an error.
  private static func kind(_ error: any Error) -> String {
    switch error {
    case is DeadlineExceeded: "deadline exceeded"
    case is CancellationError: "cancelled"
    default: "\(error)"
    }
  }

  /// Runs work and returns how it ended, and when in milliseconds.
  private static func end(
    _ clock: VirtualClock, _ work: () async throws -> Void
  ) async -> String {
    do {
      try await work()
      return "returned at \(Int(clock.now.offset / .milliseconds(1)))"
    } catch {
      return "\(kind(error)) at \(Int(clock.now.offset / .milliseconds(1)))"
    }
  }
}

// MARK: - Deadlines

extension GoContextCaseTests {
  // TestDeadline: in the future, in the past, and now.
  @Test(arguments: [50, -1, 0])
  func `Work ends at the instant of its deadline, at once if that has passed`(limit: Int) throws {
    let end = try withVirtualTime { clock in
      await Self.end(clock) {
        try await withDeadline(clock.now.advanced(by: .milliseconds(limit)), clock: clock) {
          try await Self.sleepLong(clock)
        }
      }
    }
    #expect(end == "deadline exceeded at \(max(0, limit))")
  }

  // TestDeadline and TestTimeout: WithDeadline around WithDeadline, WithTimeout around WithTimeout.
  @Test(arguments: [false, true])
  func `A long deadline inside a short one ends with the short one`(isInstant: Bool) throws {
    let end = try withVirtualTime { clock in
      await Self.end(clock) {
        if isInstant {
          let short = clock.now.advanced(by: .milliseconds(50))
          try await withDeadline(short, clock: clock) {
            try await withDeadline(short.advanced(by: .seconds(4)), clock: clock) {
              try await Self.sleepLong(clock)
            }
          }
        } else {
          try await withDeadline(in: .milliseconds(50), clock: clock) {
            try await withDeadline(in: .seconds(3), clock: clock) {
              try await Self.sleepLong(clock)
            }
          }
        }
      }
    }
    #expect(end == "deadline exceeded at 50")
  }

  // TestTimeout.
  @Test func `Work ends after the time that it was given`() throws {
    let end = try withVirtualTime { clock in
      try await clock.sleep(for: .milliseconds(7))
      return await Self.end(clock) {
        try await withDeadline(in: .milliseconds(50), clock: clock) {
          try await Self.sleepLong(clock)
        }
      }
    }
    #expect(end == "deadline exceeded at 57")
  }

  // TestCanceledTimeout, TestCause: WithTimeout canceled.
  @Test func `Work that is cancelled long before its deadline was cancelled, not late`() throws {
    let end = try withVirtualTime { clock in
      let work = Task(executorPreference: StepExecutor.current) {
        await Self.end(clock) {
          try await withDeadline(in: .seconds(1), clock: clock) {
            try await withDeadline(in: .seconds(2), clock: clock) {
              try await Self.sleepLong(clock)
            }
          }
        }
      }
      try await clock.sleep(for: .milliseconds(10))
      work.cancel()
      let end = await work.value
      // TestCancelRemoves: nothing is left of the two deadlines.
      #expect(clock.timers.count == 0)
      return end
    }
    #expect(end == "cancelled at 10")
  }

  // TestCause: WithTimeout.
  @Test func `A deadline of no time is the reason, although its scope is left at once`() throws {
    let end = try withVirtualTime { clock in
      await Self.end(clock) {
        try await withDeadline(in: .zero, clock: clock) { try Task.checkCancellation() }
      }
    }
    #expect(end == "deadline exceeded at 0")
  }

  // TestCause: WithTimeoutCause stacked: there, what came first stays the reason.
  @Test func `When the caller is cancelled as well, work that was late was cancelled`() throws {
    let end = try withVirtualTime { clock in
      let work = Task(executorPreference: StepExecutor.current) {
        await Self.end(clock) {
          try await withDeadline(in: .milliseconds(10), clock: clock) {
            try? await Self.sleepLong(clock)
            // Ends later than asked to.
            await Task(executorPreference: StepExecutor.current) {
              try? await clock.sleep(for: .milliseconds(20))
            }.value
            try Task.checkCancellation()
          }
        }
      }
      try await clock.sleep(for: .milliseconds(15))
      work.cancel()
      return await work.value
    }
    #expect(end == "cancelled at 30")
  }

  // TestDeadlineExceededSupportsTimeout: the error of a deadline can be told from all others, and says what it was.
  @Test func `The error of a deadline has its limit`() throws {
    let limit = try withVirtualTime { clock in
      do {
        try await withDeadline(in: .milliseconds(50), clock: clock) {
          try await Self.sleepLong(clock)
        }
        return nil as Duration?
      } catch let error as DeadlineExceeded {
        return error.limit
      }
    }
    #expect(limit == .milliseconds(50))
  }

  // TestWithoutCancel.
  @Test func `Work that is handed to a task of its own outlives the deadline`() throws {
    let lines = try withVirtualTime { clock in
      let log = Log()
      let executor = StepExecutor.current
      let end = await Self.end(clock) {
        try await withDeadline(in: .milliseconds(50), clock: clock) {
          Self.$values.withValue([7]) {
            _ = Task(executorPreference: executor) {
              try await clock.sleep(for: .milliseconds(80))
              log.add("saved with \(Self.values), cancelled: \(Task.isCancelled)")
            }
          }
          try await Self.sleepLong(clock)
        }
      }
      log.add(end)
      try await clock.sleep(for: .milliseconds(80))
      return log.lines
    }
    #expect(lines == ["deadline exceeded at 50", "saved with [7], cancelled: false"])
  }

  // TestAfterFuncCalledAfterTimeout.
  @Test func `A handler of the work is called at its deadline`() throws {
    let lines = try withVirtualTime { clock in
      let log = Log()
      let end = await Self.end(clock) {
        try await withDeadline(in: .milliseconds(50), clock: clock) {
          try await withTaskCancellationHandler {
            try await Self.sleepLong(clock)
          } onCancel: {
            log.add("told at \(Int(clock.now.offset / .milliseconds(1)))")
          }
        }
      }
      return log.lines + [end]
    }
    #expect(lines == ["told at 50", "deadline exceeded at 50"])
  }
}

// MARK: - Layers

extension GoContextCaseTests {
  /// Runs work inside random layers of values and deadlines.
  private static func runLayers(
    _ kinds: [Int], limit: Duration, _ clock: VirtualClock, values: [Int] = []
  ) async throws {
    guard let kind = kinds.first else {
      #expect(Self.values == values)
      defer { #expect(Self.values == values) }
      return try await sleepLong(clock)
    }
    let rest = Array(kinds.dropFirst())
    if kind == 0 {
      let more = values + [values.count]
      try await Self.$values.withValue(more) {
        try await runLayers(rest, limit: limit, clock, values: more)
      }
    } else {
      try await withDeadline(in: kind == 1 ? .seconds(3_600) : limit, clock: clock) {
        try await runLayers(rest, limit: limit, clock, values: values)
      }
    }
  }

  // TestLayersTimeout, TestLayersCancel: thirty layers and more, in random order.
  @Test(arguments: 0..<20 as Range<UInt64>, [false, true])
  func `Below thirty layers work ends with the first deadline or with its caller`(
    seed: UInt64, isCancelled: Bool
  ) throws {
    var random = WheelRandom(seed: seed + 1)
    let drawn = (0..<30).map { _ in Int.random(in: 0...2, using: &random) }
    let kinds = ([0, 1, 2] + drawn).shuffled(using: &random)
    let end = try withVirtualTime { clock in
      let work = Task(executorPreference: StepExecutor.current) {
        await Self.end(clock) {
          let limit: Duration = isCancelled ? .seconds(3_600) : .milliseconds(1)
          try await Self.runLayers(kinds, limit: limit, clock)
        }
      }
      try await clock.sleep(for: .milliseconds(2))
      work.cancel()
      let end = await work.value
      #expect(clock.timers.count == 0)
      return end
    }
    #expect(end == (isCancelled ? "cancelled at 2" : "deadline exceeded at 1"))
  }
}
