import Testing

@testable import HeadwayTime

/// The decisions of the core of a runner, one for each test; `TimeoutCoreModelTests` combines them.
struct TimeoutCoreTests {
  @Test func `A result at the deadline is late even if no timer has fired`() {
    var runner = RehearsedRunner()
    runner.submit(1, timeout: 10)
    runner.settle()
    runner.wait(10, isFiring: false)
    runner.finish(0)
    #expect(runner[0] == .timedOut(attempts: 1))
    #expect(runner.late.map(\.overdue) == [0])
  }

  @Test func `A result a nanosecond before the deadline is in time`() {
    var runner = RehearsedRunner()
    runner.submit(1, timeout: 10)
    runner.settle()
    runner.wait(9)
    runner.finish(0)
    #expect(runner[0] == .result)
    #expect(runner.late.isEmpty)
  }

  @Test func `A task does not start at its deadline even if no timer has fired`() {
    var runner = RehearsedRunner()
    runner.submit(1, timeout: 10)
    runner.wait(10, isFiring: false)
    runner.settle()
    #expect(runner[0] == .timedOut(attempts: 0))
    #expect(runner.started == [])
  }

  @Test func `A deadline beyond the range of the clock never passes`() {
    var runner = RehearsedRunner()
    runner.submit(1, timeout: .max)
    runner.settle()
    runner.wait(1 << 62)
    #expect(runner.timers.isEmpty)
    runner.finish(0)
    #expect(runner[0] == .result)
  }

  @Test func `With the default, the fifth of five slow functions has its whole time`() {
    let configuration = TimeoutRunner<Int, Int>.Configuration(timeout: .milliseconds(1000))
    var runner = RehearsedRunner(threads: configuration.threads)
    for host in 0..<5 { runner.submit(host, timeout: 1000) }
    runner.settle()
    runner.wait(950)
    for host in 0..<5 { runner.finish(host) }
    #expect(runner.submissions.map(\.verdict) == Array(repeating: .result, count: 5))
  }

  @Test func `Tasks start in the order of their submission`() {
    var runner = RehearsedRunner(threads: 1)
    for key in 0..<4 { runner.submit(key) }
    for body in 0..<4 {
      runner.settle()
      runner.finish(body)
    }
    #expect(runner.started == [0, 1, 2, 3])
  }

  @Test
  func
    `A function that is replaced before its start never starts, and the new one takes its place in the queue`()
  {
    var runner = RehearsedRunner(threads: 1, repeatedKey: .replace)
    runner.submit(9)
    runner.settle()
    runner.submit(1)
    runner.submit(2)
    runner.submit(1)
    #expect(runner[1] == .replaced)
    for body in [0, 3, 2] {
      runner.finish(body)
      runner.settle()
    }
    #expect(runner.started == [0, 3, 2])
  }

  @Test func `A replacement that is refused leaves the earlier caller waiting`() {
    var runner = RehearsedRunner(threads: 1, queue: 0, repeatedKey: .replace)
    runner.submit(1)
    runner.settle()
    runner.submit(1)
    #expect(runner[0] == nil)
    #expect(runner.submissions[1].id == nil)
    runner.finish(0)
    #expect(runner[0] == .result)
  }

  @Test func `A caller that joins does not extend the deadlines of others`() {
    var runner = RehearsedRunner()
    runner.submit(1, timeout: 10)
    runner.settle()
    runner.submit(1, timeout: 3)
    runner.wait(3)
    #expect(runner[0] == nil)
    #expect(runner[1] == .timedOut(attempts: 1))
  }

  @Test func `A function becomes stuck at the deadline of its start, whoever joins later`() {
    var runner = RehearsedRunner(threads: 1)
    runner.submit(1, timeout: 10)
    runner.settle()
    runner.wait(9)
    runner.submit(1, timeout: 10)
    runner.wait(1)
    #expect(runner.core.stuckCount == 1)
    runner.submit(2)
    runner.settle()
    #expect(runner.running == [0, 2])
    runner.finish(0)
    #expect(runner[1] == .result)
    #expect(runner.core.stuckCount == 0)
  }

  @Test func `A replaced function becomes stuck at its deadline too`() {
    var runner = RehearsedRunner(threads: 2, repeatedKey: .replace)
    runner.submit(1, timeout: 10)
    runner.settle()
    runner.submit(1, timeout: 100)
    runner.wait(10)
    #expect(runner.core.stuckKeys == [1])
    #expect(runner[1] == nil)
  }

  @Test
  func `Stuck functions beyond the limit take threads from the others, and no more threads start`()
  {
    var runner = RehearsedRunner(threads: 2, stuck: 1)
    for key in 0..<4 { runner.submit(key, timeout: key < 2 ? 5 : 50) }
    runner.settle()
    runner.wait(5)
    runner.settle()
    #expect(runner.running == [0, 1, 2])
    guard case .tooManyStuck([0, 1])? = runner.submit(4) else {
      Issue.record("a further one was taken")
      return
    }
    runner.wait(45)
    runner.settle()
    #expect(runner[3] == .timedOut(attempts: 0))
    #expect(runner.threads.count == 3)
    #expect(runner.core.stuckKeys == [0, 1, 2])
  }

  @Test func `Many stuck functions can be joined, but not restarted`() {
    var runner = RehearsedRunner(threads: 1, stuck: 0, restarts: 3)
    runner.submit(1, timeout: 5)
    runner.settle()
    runner.wait(5)
    runner.settle()
    #expect(runner.started == [0])
    #expect(runner.submit(1, timeout: 5) == nil)
    runner.finish(0)
    #expect(runner[0] == .result)
    #expect(runner[1] == .result)
  }

  @Test func `Beyond the limit of stuck functions none is restarted, even if threads are free`() {
    var runner = RehearsedRunner(threads: 3, stuck: 0, restarts: 3)
    runner.submit(1, timeout: 5)
    runner.settle()
    runner.wait(5)
    runner.settle()
    #expect(runner.started == [0])
    #expect(runner.violation == nil)
  }

  @Test func `The thread of a stuck function ends on return if another has taken its place`() {
    var runner = RehearsedRunner(threads: 1)
    runner.submit(1, timeout: 5)
    runner.settle()
    runner.wait(5)
    runner.submit(2)
    runner.settle()
    #expect(runner.threads.count == 2)
    runner.finish(0)
    runner.settle()
    #expect(runner.threads.count == 1)
    #expect(runner.running == [1])
  }

  @Test func `A restarted function runs before new ones`() {
    var runner = RehearsedRunner(threads: 1, stuck: 1, restarts: 1)
    runner.submit(1, timeout: 5)
    runner.settle()
    for key in 2..<5 { runner.submit(key, timeout: 50) }
    runner.wait(5)
    runner.settle()
    #expect(runner.started == [0, 0])
  }

  @Test func `A caller waits once more for each restart`() {
    var runner = RehearsedRunner(threads: 1, stuck: 5, restarts: 2)
    runner.submit(1, timeout: 5)
    runner.settle()
    for _ in 0..<2 {
      runner.wait(5)
      runner.settle()
      #expect(runner[0] == nil)
    }
    runner.wait(4)
    #expect(runner[0] == nil)
    runner.wait(1)
    #expect(runner[0] == .timedOut(attempts: 3))
    runner.wait(100)
    #expect(runner.started == [0, 0, 0])
  }

  @Test func `A caller whose function is still queued at its deadline waits for no restart`() {
    var runner = RehearsedRunner(threads: 1, restarts: 2)
    runner.submit(1, timeout: .max)
    runner.settle()
    runner.submit(2, timeout: 5)
    runner.wait(5)
    #expect(runner[1] == .timedOut(attempts: 0))
    #expect(runner.started == [0])
    #expect(runner.violation == nil)
  }

  @Test func `The first error of several attempts is the answer`() {
    var runner = RehearsedRunner(restarts: 1)
    runner.submit(1, timeout: 5)
    runner.settle()
    runner.wait(5)
    runner.settle()
    runner.finish(0, hasFailed: true)
    #expect(runner[0] == .result)
    #expect(runner.core.counts.failed == 1)
    runner.finish(0)
    #expect(runner.late.count == 1)
  }

  @Test func `A task whose callers have all gone never starts`() {
    var runner = RehearsedRunner()
    runner.submit(1)
    runner.submit(1)
    runner.cancel(0)
    runner.cancel(1)
    runner.settle()
    #expect(runner.started == [])
    #expect(runner.core.tasks.isEmpty)
  }

  @Test func `Tasks that time out in the queue leave nothing behind`() {
    var runner = RehearsedRunner(threads: 1, stuck: 0)
    runner.submit(0, timeout: .max)
    runner.settle()
    for key in 1..<2_000 {
      runner.submit(key, timeout: 1)
      runner.wait(1)
    }
    #expect(runner.core.queue.entryCount < 100)
    #expect(runner.core.taskIDs.count == 1)
    #expect(runner.core.counts.timedOutQueued == 1_999)
  }

  @Test func `Callers that come and go at one function leave nothing behind`() {
    var runner = RehearsedRunner(threads: 1)
    runner.submit(1, timeout: .max)
    runner.settle()
    for _ in 0..<2_000 {
      runner.submit(1, timeout: 1)
      runner.wait(1)
    }
    #expect(runner.core.tasks.values.allSatisfy { $0.callers.count < 100 })
  }

  @Test func `If no thread can be created, every caller gets an error`() {
    var runner = RehearsedRunner(threads: 1)
    runner.submit(1)
    runner.submit(2)
    runner.failThread()
    #expect(runner[0] == .noThread)
    #expect(runner[1] == .noThread)
    #expect(runner.core.counts.noThread == 2)
  }

  @Test func `If one thread is left, queued tasks wait for it`() {
    var runner = RehearsedRunner(threads: 2)
    runner.submit(1)
    runner.settle()
    runner.submit(2)
    runner.failThread()
    #expect(runner[1] == nil)
    runner.finish(0)
    runner.settle()
    runner.finish(1)
    #expect(runner[1] == .result)
  }

  @Test func `A woken thread that is no longer needed passes its task to an idle one`() {
    var runner = RehearsedRunner(threads: 1, stuck: 2)
    // Two functions are stuck, and a third thread sleeps.
    for key in 0..<2 {
      runner.submit(key, timeout: 5)
      runner.settle()
      runner.wait(5)
    }
    runner.submit(2, timeout: 5)
    runner.settle()
    runner.finish(2)
    runner.settle()
    // One of the two returns and takes the task for which the idle thread was woken.
    runner.finish(0)
    runner.submit(3)
    runner.settle()
    #expect(runner.running == [1, 3])
  }

  @Test(arguments: RunnerPolicy.all)
  func `None of these sequences breaks an invariant`(policy: RunnerPolicy) {
    var runner = RehearsedRunner(repeatedKey: policy.repeatedKey, restarts: policy.restarts)
    for number in 0..<200 {
      runner.submit(number % 7, timeout: UInt64(number % 5))
      if number % 3 == 0 { runner.settle() }
      if number % 4 == 0 { runner.wait(2) }
      if number % 5 == 0, let body = runner.running.last { runner.finish(body) }
    }
    runner.shutDown()
    #expect(runner.violation == nil)
  }
}
