internal import Foundation
import HeadwayLock
import HeadwayProgress
import Testing

/// Functions that join the current node without a parameter.
struct ProgressCurrentTests {
  private struct Failure: Error {}

  @Test func `There is no current node outside of scopes`() {
    #expect(ProgressNode.current == nil)
    let node = ProgressNode.joinCurrent("alone", total: 2)
    node.complete(1)
    #expect(node.fraction == 0.5)
  }

  @Test func `A function joins the current node without a parameter`() {
    let root = ProgressNode(total: 4)
    let fraction = root.withCurrent(units: 2) {
      let child = ProgressNode.joinCurrent("step", total: 10)
      child.complete(5)
      return root.fraction
    }
    #expect(fraction == 0.25)
    #expect(root.completed == 2)
  }

  @Test func `The node is current only in the closure`() {
    let root = ProgressNode(total: 1)
    root.withCurrent(units: 1) { #expect(ProgressNode.current === root) }
    #expect(ProgressNode.current == nil)
  }

  @Test func `An asynchronous function joins the current node`() async {
    let root = ProgressNode(total: 2)
    let fraction = await root.withCurrent(units: 2) {
      await Task.yield()
      let child = ProgressNode.joinCurrent(total: 2)
      child.complete(1)
      return root.fraction
    }
    #expect(fraction == 0.5)
    #expect(root.completed == 2)
  }

  @Test func `Units that no function takes are completed at the end of the scope`() {
    let root = ProgressNode(total: 3)
    root.withCurrent(units: 2) {}
    #expect(root.completed == 2)
    #expect(!root.isFinished)
  }

  @Test func `The end of a scope completes the units of that scope and not the whole node`() {
    let root = ProgressNode(total: 10)
    for done in 1...3 {
      root.withCurrent(units: 2) {}
      #expect(root.completed == 2 * done)
    }
  }

  @Test func `A child takes the given units and leaves the rest`() {
    let root = ProgressNode(total: 10)
    root.withCurrent(units: 5) {
      ProgressNode.joinCurrent(units: 2).finish()
      #expect(root.completed == 2)
      ProgressNode.joinCurrent(units: 1).finish()
      #expect(root.completed == 3)
    }
    #expect(root.completed == 5)
  }

  @Test func `A child takes no more units than remain`() {
    let root = ProgressNode(total: 10)
    root.withCurrent(units: 5) {
      ProgressNode.joinCurrent(units: 3).finish()
      ProgressNode.joinCurrent(units: 100).finish()
      #expect(root.completed == 5)
    }
    #expect(root.completed == 5)
  }

  @Test func `A child without units takes all that remain`() {
    let root = ProgressNode(total: 10)
    root.withCurrent(units: 5) {
      ProgressNode.joinCurrent(units: 2).finish()
      ProgressNode.joinCurrent().finish()
      #expect(root.completed == 5)
    }
  }

  @Test func `A child without remaining units can be cancelled and has typed values`() {
    let root = ProgressNode(total: 10)
    root.withCurrent(units: 5) {
      let first = ProgressNode.joinCurrent()
      let second = ProgressNode.joinCurrent("late", total: 2)
      second.complete(1)
      #expect(root.fraction == 0)
      second.completedFileCount = 3
      #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 3)
      #expect(root.snapshot().children.map(\.label) == ["", "late"])
      root.pause()
      #expect(second.isPaused)
      root.cancel()
      #expect(second.isCancelled)
      second.finish()
      #expect(root.completed == 0)
      first.finish()
      #expect(root.completed == 5)
    }
    #expect(root.completed == 5)
  }

  @Test func `A child with negative units takes none`() {
    let root = ProgressNode(total: 10)
    root.withCurrent(units: 5) {
      ProgressNode.joinCurrent(units: -3).finish()
      #expect(root.completed == 0)
    }
    #expect(root.completed == 5)
  }

  @Test func `A scope with negative units has none`() {
    let root = ProgressNode(total: 10)
    root.withCurrent(units: -5) { ProgressNode.joinCurrent().finish() }
    #expect(root.completed == 0)
  }

  @Test func `A closure that throws completes its units`() async {
    let root = ProgressNode(total: 10)
    #expect(throws: Failure.self) {
      try root.withCurrent(units: 2) { () throws(Failure) in
        _ = ProgressNode.joinCurrent(units: 1)
        throw Failure()
      }
    }
    #expect(root.completed == 2)
    await #expect(throws: Failure.self) {
      try await root.withCurrent(units: 3) {
        await Task.yield()
        throw Failure()
      }
    }
    #expect(root.completed == 5)
    #expect(ProgressNode.current == nil)
  }

  @Test func `A child that outlives the scope keeps its units`() {
    let root = ProgressNode(total: 10)
    let child = root.withCurrent(units: 5) { ProgressNode.joinCurrent(units: 3, total: 2) }
    #expect(root.completed == 2)
    child.complete(1)
    #expect(root.fraction == 0.35)
    child.finish()
    #expect(root.completed == 5)
  }

  @Test func `Scopes can be nested`() {
    let root = ProgressNode(total: 2)
    root.withCurrent(units: 1) {
      let middle = ProgressNode.joinCurrent("middle", total: 4)
      middle.withCurrent(units: 2) {
        #expect(ProgressNode.current === middle)
        ProgressNode.joinCurrent("inner").finish()
      }
      #expect(ProgressNode.current === root)
      #expect(middle.completed == 2)
      #expect(root.fraction == 0.25)
    }
    #expect(root.completed == 1)
  }

  @Test func `One node can be current in two nested scopes`() {
    let root = ProgressNode(total: 10)
    root.withCurrent(units: 4) {
      root.withCurrent(units: 3) { ProgressNode.joinCurrent(units: 1).finish() }
      #expect(root.completed == 3)
    }
    #expect(root.completed == 7)
  }

  @Test func `Child tasks join`() async {
    let root = ProgressNode(total: 4)
    await root.withCurrent(units: 4) {
      async let single: Void = ProgressNode.joinCurrent(units: 1).finish()
      await withTaskGroup { group in
        for _ in 0..<2 { group.addTask { ProgressNode.joinCurrent(units: 1).finish() } }
      }
      await single
      #expect(root.completed == 3)
    }
    #expect(root.completed == 4)
  }

  @Test func `An asynchronous closure throws its own type of error, and completes its units`() async
  {
    let root = ProgressNode(total: 2)
    do throws(Failure) {
      try await root.withCurrent(units: 1) { () async throws(Failure) in
        await Task.yield()
        throw Failure()
      }
      Issue.record("nothing was thrown")
    } catch {
      // The type is known here.
      let _: Failure = error
    }
    #expect(root.fraction == 0.5)
    let isCurrent = await root.withCurrent(units: 1) {
      await Task.yield()
      return ProgressNode.current === root
    }
    #expect(isCurrent)
    #expect(root.fraction < 1 && root.completed == 2)
  }

  @Test func `An unstructured task joins and keeps its units after the end of the scope`() async {
    let root = ProgressNode(total: 4)
    let gate = AsyncStream.makeStream(of: Void.self)
    let task = await root.withCurrent(units: 3) {
      let joined = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        let child = ProgressNode.joinCurrent(units: 2)
        joined.continuation.finish()
        for await _ in gate.stream {}
        child.finish()
      }
      for await _ in joined.stream {}
      return task
    }
    #expect(root.completed == 1)
    gate.continuation.finish()
    await task.value
    #expect(root.completed == 3)
  }

  @Test func `A task that joins after the end of its scope counts for nothing`() async {
    let root = ProgressNode(total: 4)
    let gate = AsyncStream.makeStream(of: Void.self)
    let task = root.withCurrent(units: 3) {
      Task {
        for await _ in gate.stream {}
        return ProgressNode.joinCurrent("late", units: 2)
      }
    }
    #expect(root.completed == 3)
    gate.continuation.finish()
    let child = await task.value
    #expect(root.snapshot().children.map(\.label) == ["late"])
    child.finish()
    #expect(root.completed == 3)
  }

  @Test func `A detached task does not join`() async {
    let root = ProgressNode(total: 4)
    await root.withCurrent(units: 3) {
      let task = Task.detached {
        let child = ProgressNode.joinCurrent("detached")
        return (ProgressNode.current == nil, child)
      }
      let (isAlone, child) = await task.value
      #expect(isAlone)
      #expect(root.snapshot().children.isEmpty)
      child.finish()
    }
    #expect(root.completed == 3)
  }

  @Test func `A thread does not inherit the current node but can use a node that is passed to it`()
  {
    let root = ProgressNode(total: 4)
    root.withCurrent(units: 2) {
      let child = ProgressNode.joinCurrent(total: 2)
      let isAlone = Box(false)
      onThreads(1) { _ in
        isAlone.value = ProgressNode.current == nil
        child.complete(1)
        child.withCurrent(units: 1) { ProgressNode.joinCurrent().finish() }
      }
      #expect(isAlone.value)
      #expect(child.completed == 2)
      // The thread may hold it for a moment longer.
      child.finish()
    }
    #expect(root.completed == 2)
  }

  @Test func `Threads and tasks that join concurrently share the units of the scope`() async {
    let root = ProgressNode(total: 1_000)
    await root.withCurrent(units: 1_000) {
      await withTaskGroup { group in
        for _ in 0..<100 { group.addTask { ProgressNode.joinCurrent(units: 7).finish() } }
      }
      #expect(root.completed == 700)
      await withTaskGroup { group in
        for _ in 0..<100 { group.addTask { ProgressNode.joinCurrent(units: 7).finish() } }
      }
      #expect(root.completed == 1_000)
    }
    #expect(root.completed == 1_000)
  }

  @MainActor @Test func `The closure runs on the caller's actor`() async {
    let root = ProgressNode(total: 1)
    var steps = 0
    await root.withCurrent(units: 1) {
      MainActor.assertIsolated()
      await Task.yield()
      MainActor.assertIsolated()
      steps += 1
    }
    #expect(steps == 1)
  }

  @Test func `The result of the closure is returned`() async {
    let root = ProgressNode(total: 2)
    #expect(root.withCurrent(units: 1) { "result" } == "result")
    let later = await root.withCurrent(units: 1) {
      await Task.yield()
      return "later"
    }
    #expect(later == "later")
  }
}
