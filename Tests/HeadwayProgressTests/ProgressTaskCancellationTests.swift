import HeadwayProgress
import HeadwayTestSupport
import Repetitions
import Testing

/// Cancelling nodes by tasks and tasks by nodes.
struct ProgressTaskCancellationTests {
  private struct Failure: Error {}

  @Test func `A cancel of the node cancels the closure and not the caller`() throws {
    try withVirtualTime { clock in
      let root = ProgressNode(total: 1)
      let node = root.child(units: 1)
      async let end: Void = {
        try await clock.sleep(for: .seconds(5))
        root.cancel()
      }()
      await #expect(throws: CancellationError.self) {
        try await node.withTaskCancellation { try await clock.sleep(for: .seconds(60)) }
      }
      #expect(clock.now == VirtualClock.zero(after: .seconds(5)))
      #expect(!Task.isCancelled)
      try await end
    }
  }

  @Test func `A cancel of the task cancels the node and its descendants`() throws {
    try withVirtualTime { clock in
      let root = ProgressNode(total: 1)
      let node = root.child(units: 1)
      let leaf = node.child(units: 1)
      let task = Task(executorPreference: StepExecutor.current) {
        try await node.withTaskCancellation { try await clock.sleep(for: .seconds(60)) }
      }
      try await clock.sleep(for: .seconds(5))
      task.cancel()
      let result = await task.result
      #expect(throws: CancellationError.self) { try result.get() }
      #expect(node.isCancelled && leaf.isCancelled)
      #expect(!root.isCancelled)
    }
  }

  @Test func `A closure throws its own type of error, and none if it has none`() async {
    let node = ProgressNode(total: 1)
    do throws(Failure) {
      try await node.withTaskCancellation { () async throws(Failure) in throw Failure() }
      Issue.record("nothing was thrown")
    } catch {
      // The type is known here.
      let _: Failure = error
    }
    #expect(await node.withTaskCancellation { 3 } == 3)
  }

  @Test func `A closure under a cancelled node is cancelled at once`() async {
    let node = ProgressNode(total: 1)
    node.cancel()
    let isCancelled = await node.withTaskCancellation { Task.isCancelled }
    #expect(isCancelled)
  }

  @Test func `A cancelled task cancels the node`() async {
    let node = ProgressNode(total: 1)
    let task = Task {
      // The task is the one that runs.
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await node.withTaskCancellation { Task.isCancelled }
    }
    let isCancelled = await task.value
    #expect(isCancelled)
    #expect(node.isCancelled)
  }

  @Test func `The result and the error of the closure are passed on`() async {
    let node = ProgressNode(total: 1)
    let result = await node.withTaskCancellation { 7 }
    #expect(result == 7)
    await #expect(throws: Failure.self) { try await node.withTaskCancellation { throw Failure() } }
    #expect(!node.isCancelled)
  }

  @Test func `A cancel after the end of the closure has no effect`() async {
    let node = ProgressNode(total: 1)
    await node.withTaskCancellation { await Task.yield() }
    node.cancel()
    #expect(!Task.isCancelled)
  }

  @Test func `The closure inherits the current node`() async {
    let root = ProgressNode(total: 2)
    await root.withCurrent(units: 2) {
      await root.withTaskCancellation { ProgressNode.joinCurrent(units: 1).finish() }
      #expect(root.completed == 1)
    }
  }

  @MainActor @Test func `The closure runs on the caller's actor`() async throws {
    let node = ProgressNode(total: 1)
    var steps = 0
    await node.withTaskCancellation {
      MainActor.assertIsolated()
      await Task.yield()
      steps += 1
    }
    #expect(steps == 1)
  }

  @Test func `Closures end correctly while other threads cancel them`() async {
    for _ in 0..<repetitions(500, underSanitizer: 100) {
      let node = ProgressNode(total: 1)
      await withTaskGroup { group in
        for number in 0..<4 {
          group.addTask {
            if number == 3 { return node.cancel() }
            await node.withTaskCancellation {
              for _ in 0..<number { await Task.yield() }
            }
          }
        }
      }
      #expect(node.isCancelled)
    }
  }
}

extension VirtualClock {
  static func zero(after duration: Duration) -> Instant { Instant.zero.advanced(by: duration) }
}
