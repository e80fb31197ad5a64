import HeadwayTestSupport
import Testing

/// An executor that is driven by hand.
struct StepExecutorTests {
  /// The output of the tasks.
  private let log = Log()

  /// Starts a task that writes its name and a number before and after each of some suspensions.
  private func start(_ name: String, on executor: StepExecutor, yields: Int = 1) {
    let log = log
    Task(executorPreference: executor) {
      for number in 0...yields {
        log.add("\(name)\(number)")
        await Task.yield()
      }
    }
  }

  @Test func `Nothing runs before the executor is driven`() {
    let executor = StepExecutor()
    start("a", on: executor)
    #expect(executor.jobCount == 1)
    #expect(log.lines == [])
  }

  @Test func `A job runs a task until it suspends`() {
    let executor = StepExecutor()
    start("a", on: executor)
    let hasRun = executor.runNext()
    #expect(hasRun)
    #expect(log.lines == ["a0"])
  }

  @Test func `Without jobs there is nothing to run`() {
    let executor = StepExecutor()
    let hasRun = executor.runNext()
    executor.drain()
    #expect(!hasRun)
    #expect(executor.jobCount == 0)
  }

  @Test func `Jobs run in the order in which they became ready`() {
    let executor = StepExecutor()
    for name in ["a", "b", "c"] { start(name, on: executor) }
    executor.drain()
    #expect(log.lines == ["a0", "b0", "c0", "a1", "b1", "c1"])
    #expect(executor.jobCount == 0)
  }

  @Test func `A long queue keeps its order`() {
    let executor = StepExecutor()
    for name in 0..<1_000 { start("\(name)-", on: executor) }
    executor.drain()
    #expect(log.lines == (0...1).flatMap { turn in (0..<1_000).map { "\($0)-\(turn)" } })
  }

  @Test func `Actors run on the executor of their task`() {
    /// An actor without an executor of its own.
    actor Counter {
      /// The number of calls.
      var count = 0

      func call() -> Int {
        count += 1
        return count
      }
    }
    let executor = StepExecutor()
    let (counter, log) = (Counter(), log)
    Task(executorPreference: executor) { log.add("\(await counter.call())") }
    executor.drain()
    #expect(log.lines == ["1"])
  }

  @Test func `Jobs may be enqueued from many threads while one runs them`() async {
    let executor = StepExecutor()
    let log = log
    let driver = Task.detached {
      while log.lines.count < 200 {
        executor.drain()
        await Task.yield()
      }
    }
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask { Task(executorPreference: executor) { log.add("\(number)") } }
      }
    }
    await driver.value
    #expect(Set(log.lines).count == 200)
  }
}
