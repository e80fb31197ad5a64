import HeadwayLaunch
import HeadwayLock
import HeadwayRun
import Testing

/// Lists and parts of what tasks return, and functions that are called for several elements at a time.
struct TaskOutputListTests {
  @Test func `A task gets the outputs of a list in its order`() throws {
    let sums = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let parts = (0..<5).map { part in
        graph.add("part \(part)") {
          // The first one ends last.
          try await launch.sleep(10 - part)
          return part * part
        }
      }
      let sum = graph.add("sum", after: parts) { parts in parts.reduce(0, +) }
      let text = graph.add("text", after: parts) { context, parts in
        "\(context.task.name): \(parts)"
      }
      let none = graph.add("none", after: [TaskOutput<Int>]()) { parts in parts.count }
      let result = try await launch.launcher(graph).run()
      return "\(result[sum] ?? 0), \(result[text] ?? ""), \(result[none] ?? -1)"
    }
    #expect(sums == "30, text: [0, 1, 4, 9, 16], 0")
  }

  @Test func `A task that blocks gets the outputs of a list, too`() async throws {
    var graph = LaunchGraph()
    let parts = (0..<3).map { part in graph.add("part \(part)") { part } }
    let sum = graph.addBlocking("sum", after: parts) { $0.reduce(0, +) }
    let text = graph.addBlocking("text", after: parts) { context, parts in
      "\(context.task.name): \(parts)"
    }
    let result = try await Launcher(graph).run().get()
    #expect(result[sum] == 3 && result[text] == "text: [0, 1, 2]")
  }

  @Test func `A list with an output that is missing fails and says which`() async throws {
    var graph = LaunchGraph()
    let good = graph.add("good") { 1 }
    let bad = graph.add("bad") { () -> Int in throw Mishap(description: "no") }
    graph.add("sum", after: [good, bad], settings: TaskSettings(alwaysRuns: true)) { $0.count }
    let all = graph.add(
      "all", after: [good.ifSucceeded, bad.ifSucceeded], settings: TaskSettings(alwaysRuns: true)
    ) { $0 }
    let result = try await Launcher(graph, options: LauncherOptions(policy: .keepGoing)).run()
    #expect((result["sum"]?.error as? MissingOutput)?.task == bad.task)
    #expect(result[all] == [1, nil])
  }

  @Test func `A task gets a part of an output`() async throws {
    var graph = LaunchGraph()
    let name = graph.add("name") { "Headway" }
    let bad = graph.add("bad") { () -> String in throw Mishap(description: "no") }
    let size = graph.add("size", after: name.map(\.count)) { $0 }
    graph.add("never", after: bad.map(\.count), settings: TaskSettings(alwaysRuns: true)) { $0 }
    let result = try await Launcher(graph, options: LauncherOptions(policy: .keepGoing)).run()
    #expect(result[size] == 7 && result[name.map { $0 + "!" }] == "Headway!")
    #expect(result["never"]?.error is MissingOutput)
  }

  @Test func `A result can be an error`() async throws {
    var graph = LaunchGraph()
    graph.add("a") { 1 }
    let success = try await Launcher(graph).run()
    #expect(try success.get().isSuccess && success.exitStatus == 0)
    graph.add("bad") { _ in throw Mishap(description: "no") }
    let failed = try await Launcher(graph).run()
    #expect(throws: LaunchFailure.self) { try failed.get() }
    #expect(failed.exitStatus == 1 && failed.endingSignal == nil)
    let launcher = try Launcher(graph)
    launcher.cancel()
    launcher.start()
    let cancelled = await launcher.result
    #expect(throws: CancellationError.self) { try cancelled.get() }
    #expect(cancelled.exitStatus == 1)
  }

  @Test func `Several elements are worked on at a time, and results are in order`() async throws {
    let running = Guarded((now: 0, most: 0))
    let results = try await (0..<50).concurrentMap(workers: 4) { element in
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
      }
      await Task.yield()
      running.withLock { $0.now -= 1 }
      return element.isMultiple(of: 2) ? element : nil
    }
    #expect(results == (0..<50).map { $0.isMultiple(of: 2) ? $0 : nil })
    #expect(running.withLock { $0.most } <= 4)
    let count = Guarded(0)
    try await (1...10).concurrentForEach(workers: 0) { number in count.withLock { $0 += number } }
    #expect(count.withLock { $0 } == 55)
    #expect(try await [Int]().concurrentMap { $0 } == [])
  }

  @Test func `The first error ends the rest`() async {
    let begun = Guarded<[Int]>([])
    await #expect(throws: Mishap(description: "3")) {
      try await (0..<1_000).concurrentForEach(workers: 2) { element in
        begun.withLock { $0.append(element) }
        if element == 3 { throw Mishap(description: "3") }
        // Ends early only because it is cancelled.
        if element == 4 { while !Task.isCancelled { await Task.yield() } }
      }
    }
    #expect(begun.withLock { $0.count } < 1_000)
  }

  @Test func `A cancelled task begins no more elements`() async {
    let begun = Guarded(0)
    let work = Task {
      try await (0..<1_000).concurrentForEach(workers: 2) { _ in
        begun.withLock { $0 += 1 }
        while !Task.isCancelled { await Task.yield() }
      }
    }
    while begun.withLock({ $0 }) < 2 { await Task.yield() }
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(begun.withLock { $0 } == 2)
  }
}
