import HeadwayLock
import HeadwayProgress
import HeadwayTestSupport
import Repetitions
import Testing

/// Pausing nodes.
struct ProgressPauseTests {
  /// A node and a few levels below it.
  private func chain(_ count: Int) -> [ProgressNode] {
    var nodes = [ProgressNode(total: 1)]
    while nodes.count < count { nodes.append(nodes[nodes.count - 1].child(units: 1, total: 1)) }
    return nodes
  }

  @Test func `Pause and resume reach descendants`() {
    let nodes = chain(4)
    nodes[1].pause()
    #expect(nodes.map(\.isPaused) == [false, true, true, true])
    nodes[1].resume()
    #expect(nodes.map(\.isPaused) == [false, false, false, false])
  }

  @Test func `A descendant that was paused itself stays paused`() {
    let nodes = chain(4)
    nodes[2].pause()
    nodes[0].pause()
    nodes[0].resume()
    #expect(nodes.map(\.isPaused) == [false, false, true, true])
    nodes[2].resume()
    #expect(nodes.map(\.isPaused) == [false, false, false, false])
  }

  @Test func `A node stays paused while an ancestor is paused`() {
    let nodes = chain(3)
    nodes[0].pause()
    nodes[1].pause()
    nodes[1].resume()
    #expect(nodes.map(\.isPaused) == [true, true, true])
    nodes[0].resume()
    #expect(nodes.map(\.isPaused) == [false, false, false])
  }

  @Test func `A second pause does nothing`() {
    let node = ProgressNode(total: 1)
    let calls = Box(0)
    node.onPause { calls.change { $0 += 1 } }
    node.pause()
    node.pause()
    node.resume()
    #expect(!node.isPaused)
    #expect(calls.value == 1)
  }

  @Test func `A child of a paused node starts paused and resumes with it`() {
    let node = ProgressNode(total: 2)
    node.pause()
    let child = node.child(units: 1)
    let leaf = child.child(units: 1)
    #expect(child.isPaused && leaf.isPaused)
    node.resume()
    #expect(!child.isPaused && !leaf.isPaused)
  }

  @Test func `A pause skips an unpausable node and its descendants`() {
    let nodes = chain(4)
    nodes[2].isPausable = false
    nodes[0].pause()
    #expect(nodes.map(\.isPaused) == [true, true, false, false])
    nodes[2].pause()
    #expect(!nodes[2].isPaused)
    #expect(!nodes[2].child(units: 1).isPaused)
    nodes[2].isPausable = true
    #expect(nodes[2].isPaused && nodes[3].isPaused)
  }

  @Test func `A paused node resumes when it becomes unpausable`() {
    let nodes = chain(3)
    nodes[0].pause()
    nodes[1].isPausable = false
    #expect(nodes.map(\.isPaused) == [true, false, false])
    #expect(nodes[0].brokenInvariants() == [])
  }

  @Test func `Handlers are called in order at each pause and resume`() {
    let nodes = chain(2)
    let calls = Box<[String]>([])
    nodes[1].onPause { calls.change { $0.append("pause 1") } }
    nodes[1].onResume { calls.change { $0.append("resume 1") } }
    let last = nodes[1].onPause { calls.change { $0.append("pause 2") } }
    nodes[0].pause()
    nodes[0].resume()
    last.remove()
    nodes[1].pause()
    // It is paused already.
    nodes[0].pause()
    nodes[0].resume()
    nodes[1].resume()
    #expect(calls.value == ["pause 1", "pause 2", "resume 1", "pause 1", "resume 1"])
  }

  @Test func `A handler for a paused node is called at once`() {
    let node = ProgressNode(total: 1)
    let calls = Box(0)
    node.pause()
    node.onPause { calls.change { $0 += 1 } }
    #expect(calls.value == 1)
    node.resume()
    node.onResume { calls.change { $0 += 10 } }
    #expect(calls.value == 1)
  }

  @Test func `Concurrent pauses and resumes leave a consistent tree`() {
    for _ in 0..<repetitions(30, underSanitizer: 5) {
      let root = ProgressNode(total: 1)
      let branches = (0..<4).map { _ in root.child(units: 1) }
      let leaves = branches.flatMap { branch in (0..<800).map { _ in branch.child(units: 1) } }
      onThreads(2) { number in
        for _ in 0..<5 { number == 0 ? root.pause() : root.resume() }
      }
      #expect(Set(leaves.map(\.isPaused)) == [root.isPaused])
      #expect(root.brokenInvariants() == [])
    }
  }
}

/// Loops with checkpoints.
struct ProgressCheckpointTests {
  @Test func `A checkpoint returns if there is nothing to wait for`() async throws {
    let node = ProgressNode(total: 1)
    try await node.checkpoint()
    try node.blockingCheckpoint()
    node.finish()
    try await node.checkpoint()
    try node.blockingCheckpoint()
  }

  @Test func `A checkpoint waits while an ancestor is paused`() throws {
    try withVirtualTime { clock in
      let root = ProgressNode(total: 1)
      let leaf = root.child(units: 1).child(units: 1)
      root.pause()
      async let arrival = {
        try await leaf.checkpoint()
        return clock.now
      }()
      try await clock.sleep(for: .seconds(5))
      root.resume()
      let moment = try await arrival
      #expect(moment == VirtualClock.zero(after: .seconds(5)))
    }
  }

  @Test func `A checkpoint waits again if the next pause comes first`() throws {
    try withVirtualTime { clock in
      let node = ProgressNode(total: 1)
      node.pause()
      async let arrival = {
        try await node.checkpoint()
        return clock.now
      }()
      try await clock.sleep(for: .seconds(5))
      node.resume()
      node.pause()
      try await clock.sleep(for: .seconds(5))
      node.resume()
      let moment = try await arrival
      #expect(moment == VirtualClock.zero(after: .seconds(10)))
    }
  }

  @Test(arguments: [false, true])
  func `A checkpoint throws when the node is cancelled`(isPaused: Bool) throws {
    try withVirtualTime { clock in
      let root = ProgressNode(total: 1)
      let node = root.child(units: 1)
      if isPaused { root.pause() } else { root.cancel() }
      async let end: Void = node.checkpoint()
      try await clock.sleep(for: .seconds(5))
      root.cancel()
      var isThrown = false
      do { try await end } catch is CancellationError { isThrown = true }
      #expect(isThrown)
    }
  }

  @Test(arguments: [false, true])
  func `A checkpoint throws when the task is cancelled`(isPaused: Bool) throws {
    try withVirtualTime { clock in
      let node = ProgressNode(total: 1)
      if isPaused { node.pause() }
      let task = Task(executorPreference: StepExecutor.current) {
        if !isPaused { try? await clock.sleep(for: .seconds(50)) }
        try await node.checkpoint()
      }
      try await clock.sleep(for: .seconds(5))
      task.cancel()
      let result = await task.result
      #expect(throws: CancellationError.self) { try result.get() }
      #expect(clock.now == VirtualClock.zero(after: .seconds(5)))
      #expect(!node.isCancelled)
    }
  }

  @Test func `A checkpoint returns when its node finishes`() throws {
    try withVirtualTime { clock in
      let node = ProgressNode(total: 1)
      node.pause()
      async let end: Void = node.checkpoint()
      try await clock.sleep(for: .seconds(5))
      node.finish()
      try await end
    }
  }

  @Test func `A checkpoint returns when its node becomes unpausable`() throws {
    try withVirtualTime { clock in
      let node = ProgressNode(total: 1)
      node.pause()
      async let end: Void = node.checkpoint()
      try await clock.sleep(for: .seconds(5))
      node.isPausable = false
      try await end
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `All waiters at checkpoints are resumed`(seed: UInt64) throws {
    let arrived = try withVirtualTime(seed: seed) { clock in
      let root = ProgressNode(total: 1)
      let leaves = (0..<10).map { _ in root.child(units: 1) }
      root.pause()
      return try await withThrowingTaskGroup { group in
        for leaf in leaves + leaves { group.addTask { try await leaf.checkpoint() } }
        try await clock.sleep(for: .seconds(1))
        root.resume()
        return try await group.reduce(0) { count, _ in count + 1 }
      }
    }
    #expect(arrived == 20)
  }

  @Test func `A checkpoint stays on the caller's actor`() async throws {
    let node = ProgressNode(total: 1)
    node.pause()
    let task = Task { @MainActor in
      try await node.checkpoint()
      MainActor.assertIsolated()
    }
    node.resume()
    try await task.value
  }

  @Test func `A thread waits while its node is paused`() {
    let root = ProgressNode(total: 1)
    let node = root.child(units: 1)
    let passed = Box(false)
    let isPaused = Semaphore()
    root.pause()
    onThreads(2) { number in
      if number == 0 {
        isPaused.post(1)
        try? node.blockingCheckpoint()
        #expect(passed.value)
      } else {
        isPaused.wait()
        passed.value = true
        root.resume()
      }
    }
  }

  @Test func `A thread at a checkpoint throws when its node is cancelled`() {
    for _ in 0..<repetitions(500, underSanitizer: 100) {
      let root = ProgressNode(total: 1)
      let node = root.child(units: 1)
      root.pause()
      let isPaused = Semaphore()
      onThreads(2) { number in
        if number == 0 {
          isPaused.post(1)
          #expect(throws: CancellationError.self) { try node.blockingCheckpoint() }
          #expect(throws: CancellationError.self) { try node.blockingCheckpoint() }
        } else {
          isPaused.wait()
          root.cancel()
        }
      }
    }
  }

  @Test func `Threads pass checkpoints while others pause and resume`() {
    let node = ProgressNode(total: 1)
    onThreads(3) { number in
      for _ in 0..<repetitions(3_000, underSanitizer: 500) {
        if number == 0 {
          node.pause()
          node.resume()
        } else {
          try? node.blockingCheckpoint()
          node.complete(1)
        }
      }
    }
    #expect(node.completed == 2 * repetitions(3_000, underSanitizer: 500))
  }

  @Test func `Paused time does not count as active time`() {
    var active = ActiveTime(startingAt: .seconds(10))
    #expect(active.elapsed(at: .seconds(14)) == .seconds(4))
    active.note(isPaused: true, at: .seconds(15))
    #expect(active.elapsed(at: .seconds(100)) == .seconds(5))
    active.note(isPaused: true, at: .seconds(110))
    active.note(isPaused: false, at: .seconds(200))
    #expect(active.elapsed(at: .seconds(201)) == .seconds(6))
    // Time that goes back counts as none.
    #expect(active.elapsed(at: .seconds(150)) == .seconds(5))
  }
}
