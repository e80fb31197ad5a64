import HeadwayLock
import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// Queues for several tasks at once.
struct LauncherPoolTests {
  @Test func `Some tasks run at once, and a failure concerns nobody else`() throws {
    let (most, outcomes, seconds) = try withVirtualLaunch { launch in
      let running = Box((now: 0, most: 0))
      let jobs = Launcher.makeQueue(workers: 3, policy: .keepGoing, options: launch.options())
      jobs.start()
      let begin = launch.clock.now
      for number in 0..<9 {
        try jobs.add("job \(number)") { _ in
          running.change { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
          defer { running.change { $0.now -= 1 } }
          try await launch.sleep(2)
          if number == 1 { throw Mishap(description: "no") }
        }
      }
      try await jobs.waitUntilEmpty()
      let seconds = begin.duration(to: launch.clock.now)
      // It is still open.
      try jobs.add("one more") { _ in }
      try await jobs.waitUntilEmpty()
      jobs.close()
      return (running.value.most, await jobs.result.outcomes, seconds)
    }
    #expect(most == 3)
    #expect(seconds == .seconds(6))
    #expect(outcomes.values.count { $0 == .succeeded } == 9)
    #expect(outcomes["job 1"] == .failed(.threw("no")))
  }

  @Test func `Waiting for an empty queue ends at once, or with what was added meanwhile`() throws {
    let seconds = try withVirtualLaunch { launch in
      let jobs = Launcher.makeQueue(workers: 2, policy: .keepGoing, options: launch.options())
      try await jobs.waitUntilEmpty()
      let begin = launch.clock.now
      try jobs.add("first") { context in
        try await launch.sleep(1)
        try context.launcher.add("second") { _ in try await launch.sleep(1) }
      }
      async let empty: Void = jobs.waitUntilEmpty()
      async let other: Void = jobs.waitUntilEmpty()
      jobs.start()
      _ = try await (empty, other)
      let seconds = begin.duration(to: launch.clock.now)
      jobs.cancel()
      _ = await jobs.result
      try await jobs.waitUntilEmpty()
      return seconds
    }
    #expect(seconds == .seconds(2))
  }

  @Test func `A queue also becomes empty before it starts`() throws {
    try withVirtualLaunch { launch in
      let jobs = Launcher.makeQueue(options: launch.options())
      let task = try jobs.add("one") { _ in }
      let waiting = Task(executorPreference: launch.executor) { try await jobs.waitUntilEmpty() }
      try await launch.sleep(1)
      #expect(jobs.remove(task))
      try await waiting.value
    }
  }

  @Test func `A removed task releases its body although the queue goes on`() throws {
    try withVirtualLaunch { launch in
      let jobs = Launcher.makeQueue(options: launch.options())
      weak let early = try Self.addAndRemove(jobs)
      #expect(early == nil)
      try jobs.add("long") { _ in try await launch.sleep(60) }
      jobs.start()
      try await launch.sleep(1)
      weak let late = try Self.addAndRemove(jobs)
      #expect(late == nil)
      jobs.cancel()
      _ = await jobs.result
    }
  }

  /// Adds a task whose body keeps an object, and removes it.
  private static func addAndRemove(_ jobs: Launcher) throws -> Box<Int> {
    let kept = Box(0)
    let task = try jobs.add("removed") { _ in kept.change { $0 += 1 } }
    #expect(jobs.remove(task))
    return kept
  }

  @Test func `Tasks can be added to a closed queue until it ends`() throws {
    let outcomes = try withVirtualLaunch { launch in
      let jobs = Launcher.makeQueue(options: launch.options())
      try jobs.add("first") { context in
        try await launch.sleep(1)
        try context.launcher.add("second") { _ in }
      }
      jobs.close()
      let outcomes = await jobs.result.outcomes
      #expect(throws: LaunchError.hasEnded) { try jobs.add("third") { _ in } }
      return outcomes
    }
    #expect(outcomes == ["first": .succeeded, "second": .succeeded])
  }

  @Test func `Cancelling who waits leaves the queue alone`() throws {
    try withVirtualLaunch { launch in
      let jobs = Launcher.makeQueue(options: launch.options())
      try jobs.add("long") { _ in try await launch.sleep(60) }
      jobs.start()
      let waiting = Task(executorPreference: launch.executor) { try await jobs.waitUntilEmpty() }
      try await launch.sleep(1)
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(jobs.guarded.withLock { $0.emptyWaiters.isEmpty })
      try await jobs.waitUntilEmpty()
      jobs.close()
      #expect(await jobs.result.isSuccess)
    }
  }

  @Test(arguments: [FailurePolicy.stop, .failFast])
  func `A failure that ends the run closes the queue`(policy: FailurePolicy) throws {
    let (result, isAdded) = try withVirtualLaunch { launch in
      let jobs = Launcher.makeQueue(workers: 2, policy: policy, options: launch.options())
      jobs.start()
      try jobs.add("bad") { _ in
        try await launch.sleep(1)
        throw Mishap(description: "no")
      }
      let result = await jobs.result
      return (result, (try? jobs.add("late") { _ in }) != nil)
    }
    #expect(result.endReason == .failure(TaskID(0)))
    #expect(!isAdded)
  }

  @Test func `A queue has at least one worker`() throws {
    let result = try withVirtualLaunch { launch in
      let jobs = Launcher.makeQueue(workers: 0, options: launch.options())
      try jobs.add("one") { _ in }
      jobs.start()
      jobs.close()
      return await jobs.result
    }
    #expect(result.isSuccess)
  }
}
