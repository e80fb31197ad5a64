import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// Those who listen to a run.
struct LaunchEventsTests {
  /// A graph of two tasks after another two.
  private func graph(_ launch: VirtualLaunch) -> LaunchGraph {
    var graph = LaunchGraph()
    let first = graph.add("a") { _ in try await launch.sleep(1) }
    let second = graph.add("b") { _ in try await launch.sleep(2) }
    graph.add("c", after: [first, second]) { _ in throw Mishap(description: "no") }
    graph.add("d", after: [TaskID(2)]) { _ in }
    return graph
  }

  /// The events of a sequence.
  private func all(_ events: some AsyncSequence<RunEvent, Never>) async -> [RunEvent] {
    var list: [RunEvent] = []
    for await event in events { list.append(event) }
    return list
  }

  @Test func `Each listener sees every event in order`() throws {
    let (left, right) = try withVirtualLaunch { launch in
      let launcher = try launch.launcher(graph(launch))
      let events = (launcher.events(), launcher.events())
      async let left = all(events.0)
      async let right = all(events.1)
      _ = await launcher.run()
      return await (left, right)
    }
    #expect(left == right)
    let ids = (0..<4).map { TaskID($0) }
    #expect(
      left.map(\.kind) == [
        .runStarted(tasks: 4, workers: 4), .taskStarted(ids[0], attempt: 1),
        .taskStarted(ids[1], attempt: 1),
        .taskEnded(ids[0], .succeeded, attempts: 1, ran: .seconds(1)),
        .taskEnded(ids[1], .succeeded, attempts: 1, ran: .seconds(2)),
        .taskStarted(ids[2], attempt: 1),
        .taskEnded(ids[2], .failed(.threw("no")), attempts: 1, ran: .zero),
        .taskEnded(ids[3], .skipped(.needs(ids[2])), attempts: 0, ran: .zero), .runEnded,
      ])
    #expect(left.compactMap { $0.kind.task?.name }.prefix(2) == ["a", "b"])
    #expect(left.map(\.time) == left.map(\.time).sorted())
  }

  @Test func `A listener that falls behind gets the number of what it missed and the state`() throws
  {
    let events = try withVirtualLaunch { launch in
      let launcher = try launch.launcher(graph(launch))
      let events = launcher.events(keeping: 3)
      _ = await launcher.run()
      return await all(events)
    }
    guard case .missed(let count, let status)? = events.first?.kind else {
      Issue.record("nothing was missed: \(events)")
      return
    }
    #expect(count + events.count - 1 == 9)
    #expect(
      status.counts[.succeeded] == 2 && status.counts[.failed] == 1 && status.counts[.skipped] == 1)
    #expect(status.outcome(of: TaskID(3)) == .skipped(.needs(TaskID(2))))
  }

  @Test func `What a listener missed and the events after it say what the run's end says`() throws {
    for seed in 0..<100 as Range<UInt64> {
      let (status, result) = try withVirtualLaunch(seed: seed) { launch in
        let launcher = try launch.launcher(graph(launch))
        let events = launcher.events(keeping: 1 + Int(seed % 5))
        async let result = launcher.run()
        var status = RunState(taskCount: 4)
        for await event in events {
          status.apply(event)
          if seed % 3 == 0 { try await launch.sleep(1) }
        }
        return (status, await result)
      }
      for task in result.tasks { #expect(status.outcome(of: task.id) == task.outcome) }
      #expect(status.total == result.duration)
    }
  }

  @Test func `A run does not wait for a listener that never reads`() throws {
    let duration = try withVirtualLaunch { launch in
      let launcher = try launch.launcher(graph(launch))
      let events = launcher.events()
      defer { withExtendedLifetime(events) {} }
      return await launcher.run().duration
    }
    #expect(duration == .seconds(2))
  }

  @Test func `A listener whose task is cancelled ends`() throws {
    let count = try withVirtualLaunch { launch in
      let queue = Launcher.makeQueue(options: launch.options())
      queue.start()
      let events = queue.events()
      async let list = withTaskGroup(of: Int.self) { group in
        group.addTask { await all(events).count }
        try? await launch.sleep(1)
        group.cancelAll()
        return await group.reduce(0, +)
      }
      return await list
    }
    #expect(count == 0)
  }

  @Test func `Who begins to listen after the end hears nothing`() throws {
    let events = try withVirtualLaunch { launch in
      let launcher = try launch.launcher(graph(launch))
      _ = await launcher.run()
      return await all(launcher.events())
    }
    #expect(events.isEmpty)
  }

  @Test func `Who begins late with the status knows what happened before`() throws {
    let (early, late, result) = try withVirtualLaunch { launch in
      let launcher = try launch.launcher(graph(launch))
      launcher.start()
      try await launch.sleep(1)
      let events = launcher.events(beginningWithState: true)
      // Held by the status already, and not told again.
      try await launch.sleep(1)
      var status = RunState(taskCount: 0)
      var list: [RunEvent] = []
      let immediate = launcher.state
      for await event in events {
        status.apply(event)
        list.append(event)
      }
      return (list, (status, immediate), await launcher.result)
    }
    guard case .missed(_, let status)? = early.first?.kind else {
      Issue.record("no status: \(early)")
      return
    }
    #expect(status.outcome(of: TaskID(0)) == .succeeded)
    #expect(status.tasks.count == 4 && status.workers == 4)
    #expect(late.1.tasks.count == 4)
    #expect(early.last?.kind == .runEnded)
    for task in result.tasks { #expect(late.0.outcome(of: task.id) == task.outcome) }
    #expect(late.0.counts.ended == 4)
  }

  @Test func `Who begins with the status after the end gets it, and nothing more`() throws {
    let events = try withVirtualLaunch { launch in
      let launcher = try launch.launcher(graph(launch))
      _ = await launcher.run()
      return await all(launcher.events(beginningWithState: true))
    }
    #expect(events.count == 1)
    guard case .missed(0, let status)? = events.first?.kind else {
      Issue.record("no status: \(events)")
      return
    }
    #expect(status.total == .seconds(2))
  }

  @Test
  func `A status grows with tasks that are added, and counts none that the run does not have`() {
    var status = RunState(taskCount: 2)
    let strange = TaskID(7)
    status.apply(RunEvent(time: .zero, kind: .taskStarted(strange, attempt: 1)))
    status.apply(RunEvent(time: .zero, kind: .taskAdded(TaskID(-1))))
    status.apply(RunEvent(time: .zero, kind: .taskAdded(TaskID(1 << 40))))
    status.apply(RunEvent(time: .zero, kind: .runStarted(tasks: 2, workers: 1)))
    status.apply(RunEvent(time: .zero, kind: .taskStarted(TaskID(1), attempt: 1)))
    status.apply(
      RunEvent(
        time: .zero, kind: .taskEnded(strange, .succeeded, attempts: 1, ran: .zero)))
    status.apply(RunEvent(time: .zero, kind: .taskAdded(TaskID(2))))
    #expect(status.tasks.map(\.phase) == [.waiting, .running, .waiting])
    #expect(status.counts.ended == 0)
    #expect(status.active == [TaskID(1)])
  }

  @Test func `What a status holds already is not told again`() throws {
    let (events, result) = try withVirtualLaunch { launch in
      let launcher = try launch.launcher(graph(launch))
      let events = launcher.events(beginningWithState: true)
      // Told when the run begins, and taken in by the status before.
      launcher.remove(TaskID(1))
      var iterator = events.makeAsyncIterator()
      var list = [try await iterator.next()]
      launcher.start()
      while let event = try await iterator.next() { list.append(event) }
      return (list.compactMap { $0 }, await launcher.result)
    }
    var status = RunState(taskCount: 0)
    for event in events { status.apply(event) }
    #expect(status.counts.ended == 4)
    #expect(events.last?.kind == .runEnded)
    #expect(events.count { $0.kind == .runEnded } == 1)
    for task in result.tasks { #expect(status.outcome(of: task.id) == task.outcome) }
  }

  @Test func `The end is told to who has seen it in the status`() throws {
    let events = try withVirtualLaunch { launch in
      let launcher = Launcher.makeQueue(options: launch.options())
      let id = try launcher.add("only") { _ in }
      let events = launcher.events(beginningWithState: true)
      launcher.remove(id)
      var iterator = events.makeAsyncIterator()
      var list = [try await iterator.next()]
      launcher.close()
      while let event = try await iterator.next() { list.append(event) }
      return list.compactMap { $0 }
    }
    #expect(events.count { $0.kind == .runEnded } == 1)
    #expect(events.last?.kind == .runEnded)
  }

  @Test func `A task that waits for a worker to be tried again is active in every status`() throws {
    let (folded, read) = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let retries = RetryPolicy(limit: 1, backoff: .seconds(1))
      graph.add("again", settings: TaskSettings(retries: retries)) { context in
        if context.attempt == 1 { throw Mishap(description: "no") }
        try await launch.sleep(5)
      }
      graph.add("long") { _ in try await launch.sleep(5) }
      let launcher = try launch.launcher(graph, workers: 1)
      launcher.start()
      try await launch.sleep(3)
      let read = launcher.state
      let events = launcher.events(beginningWithState: true)
      var status = RunState(taskCount: 0)
      for await event in events {
        status.apply(event)
        if case .taskStarted = event.kind { break }
      }
      launcher.cancel()
      return (status, read)
    }
    #expect(read.tasks[0].phase == .backingOff(until: .seconds(3)))
    #expect(read.active == [TaskID(0), TaskID(1)])
    #expect(folded.active == [TaskID(0)])
  }

  @Test func `A task that exceeds its limit is overdue in every state until it has ended`() throws {
    var core = try LaunchCore(
      graph: LaunchGraph([("a", [], TaskSettings(timeout: .seconds(2)))]), workers: 1,
      policy: .stop)
    core.begin(at: .zero)
    _ = core.nextCommand()
    core.attemptBegan(TaskID(0), at: .zero)
    let before = RunState(of: core, at: 1_000_000_000)
    core.advance(to: .seconds(2))
    let read = RunState(of: core, at: 2_000_000_000)
    var folded = RunState(taskCount: 1)
    for event in core.takeEvents() { folded.apply(event) }
    #expect(before.tasks[0].phase == .running)
    #expect(read.tasks[0].phase == .overdue)
    #expect(folded.tasks[0].phase == .overdue)
  }

  @Test func `A listener gets the end of a run although its state already includes it`() {
    var listener = Listeners.Listener(limit: 10, needsState: true, hasEnded: false)
    // The state is read when two events, the last ones, have happened but were not delivered yet.
    guard case (.nothing, 0) = listener.take(pending: 2) else {
      Issue.record("the state does not come first")
      return
    }
    listener.receive([
      RunEvent(time: .zero, kind: .runResumed), RunEvent(time: .zero, kind: .runEnded),
    ])
    guard case (.event(let event), nil) = listener.take(pending: 0) else {
      Issue.record("the end was not told")
      return
    }
    #expect(event.kind == .runEnded)
    guard case (.end, nil) = listener.take(pending: 0) else {
      Issue.record("something came after the end")
      return
    }
  }

  @Test func `A listener that is always a little late keeps no more than it may`() {
    var listener = Listeners.Listener(limit: 10, needsState: false, hasEnded: false)
    let event = RunEvent(time: .zero, kind: .runPaused)
    listener.receive([event])
    for _ in 0..<1_000 {
      listener.receive([event])
      guard case (.event, nil) = listener.take(pending: 0) else {
        Issue.record("an event was lost")
        return
      }
    }
    #expect(listener.events.count <= 20)
  }

  @Test func `A status counts a task once, and starts none that is over`() {
    var status = RunState(taskCount: 1)
    let task = TaskID(0)
    let end = RunEvent.Kind.taskEnded(task, .succeeded, attempts: 1, ran: .zero)
    let kinds: [RunEvent.Kind] = [
      .taskStarted(task, attempt: 1), .taskStarted(task, attempt: 1), end, end,
      .taskStarted(task, attempt: 1),
      .taskRetrying(task, attempt: 1, delay: .zero, because: .cancelled),
    ]
    for kind in kinds { status.apply(RunEvent(time: .zero, kind: kind)) }
    #expect(status.counts.ended == 1)
    #expect(status.active.isEmpty)
    #expect(status.outcome(of: task) == .succeeded)
    #expect(status.outcome(of: TaskID(5)) == nil)
  }
}
