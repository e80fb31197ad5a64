import HeadwayLaunch
import HeadwayTestSupport
import Testing

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
  private func all(_ events: LaunchEvents) async -> [LaunchEvent] {
    var list: [LaunchEvent] = []
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
    #expect(status.counts.succeeded == 2 && status.counts.failed == 1 && status.counts.skipped == 1)
    #expect(status.outcome(of: TaskID(3)) == .skipped(.needs(TaskID(2))))
  }

  @Test func `What a listener missed and the events after it say what the run's end says`() throws {
    for seed in 0..<100 as Range<UInt64> {
      let (status, result) = try withVirtualLaunch(seed: seed) { launch in
        let launcher = try launch.launcher(graph(launch))
        let events = launcher.events(keeping: 1 + Int(seed % 5))
        async let result = launcher.run()
        var status = RunStatus(taskCount: 4)
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
      let queue = Launcher.queue(options: launch.options())
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
      let events = launcher.events(beginningWithStatus: true)
      // Held by the status already, and not told again.
      try await launch.sleep(1)
      var status = RunStatus(taskCount: 0)
      var list: [LaunchEvent] = []
      let atOnce = launcher.status
      for await event in events {
        status.apply(event)
        list.append(event)
      }
      return (list, (status, atOnce), await launcher.result)
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
      return await all(launcher.events(beginningWithStatus: true))
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
    var status = RunStatus(taskCount: 2)
    let strange = TaskID(7)
    status.apply(LaunchEvent(time: .zero, kind: .taskStarted(strange, attempt: 1)))
    status.apply(LaunchEvent(time: .zero, kind: .taskAdded(TaskID(-1))))
    status.apply(LaunchEvent(time: .zero, kind: .taskAdded(TaskID(1 << 40))))
    status.apply(LaunchEvent(time: .zero, kind: .runStarted(tasks: 2, workers: 1)))
    status.apply(LaunchEvent(time: .zero, kind: .taskStarted(TaskID(1), attempt: 1)))
    status.apply(
      LaunchEvent(
        time: .zero, kind: .taskEnded(strange, .succeeded, attempts: 1, ran: .zero)))
    status.apply(LaunchEvent(time: .zero, kind: .taskAdded(TaskID(2))))
    #expect(status.tasks.map(\.phase) == [.waiting, .running, .waiting])
    #expect(status.counts.ended == 0)
    #expect(status.active == [TaskID(1)])
  }
}
