import HeadwayLaunch
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwaySystem
import HeadwayTime
import Testing

/// Launchers used from several threads at once, on the machine's executor.
struct LauncherThreadTests {
  /// Runs a body on several threads, and waits for all.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let isOver = Semaphore()
    for number in 0..<count {
      _ = SystemThread.start(named: "test") {
        body(number)
        isOver.post(1)
      }
    }
    for _ in 0..<count { isOver.wait() }
  }

  @Test func `A thread waits for the end of a run`() async throws {
    var graph = LaunchGraph()
    let first = graph.add("first") {
      await Task.yield()
      return 1
    }
    let second = graph.add("second", after: first) { $0 + 1 }
    let launcher = try Launcher(graph)
    let results = await withCheckedContinuation { continuation in
      _ = SystemThread.start(named: "test") {
        // The second time the run is over.
        continuation.resume(returning: [launcher.runBlocking(), launcher.runBlocking()])
      }
    }
    #expect(results.map { $0[second] } == [2, 2])
  }

  @Test func `Tasks are added and removed from any thread, and each ends once`() async throws {
    let runs = Box<[String: Int]>([:])
    let queue = Launcher.makeQueue()
    queue.start()
    onThreads(4) { thread in
      for number in 0..<200 {
        let name = "\(thread) \(number)"
        let task = try? queue.add(
          name, .immediate { _ in runs.change { $0[name, default: 0] += 1 } })
        if let task, number % 3 == 0 { queue.remove(task) }
        if number % 50 == 0 { queue.pause() }
        if number % 50 == 1 { queue.resume() }
      }
      queue.resume()
    }
    queue.close()
    let result = await queue.result
    #expect(result.tasks.count == 800)
    #expect(runs.value.values.allSatisfy { $0 == 1 })
    for task in result.tasks {
      // One that was removed while it ran has run, and is cancelled all the same.
      let hasRun = runs.value[task.name] != nil
      #expect(hasRun || task.outcome != .succeeded)
      #expect(!hasRun || task.outcome == .succeeded || task.outcome == .cancelled)
    }
    #expect(queue.progress.isFinished)
  }

  @Test func `A graph of many tasks of all forms comes to its end on real threads`() async throws {
    var graph = LaunchGraph()
    let sum = Box(0)
    for place in 0..<2_000 {
      let bodies: [TaskBody] = [
        .immediate { _ in sum.change { $0 += 1 } },
        .asynchronous { _ in
          await Task.yield()
          sum.change { $0 += 1 }
        },
        .reporting { _, report in
          _ = SystemThread.start(named: "test") {
            sum.change { $0 += 1 }
            report.succeed()
          }
        },
        .blocking { _ in sum.change { $0 += 1 } },
      ]
      let earlier = place < 10 ? [] : [TaskID(place - 10), TaskID(place - 7)]
      graph.add(
        "\(place)", after: earlier, settings: TaskSettings(timeout: .seconds(100_000)),
        bodies[place % 20 < 17 ? place % 2 : 2 + place % 2])
    }
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 4))
    let events = launcher.events()
    async let count = events.reduce(0) { count, _ in count + 1 }
    let result = await launcher.run()
    #expect(result.isSuccess)
    #expect(sum.value == 2_000)
    #expect(await count == 4_002)
  }

  @Test func `Who cancels from another thread ends every run`() async throws {
    for round in 0..<100 {
      var graph = LaunchGraph()
      for place in 0..<50 {
        graph.add("\(place)", .immediate { context in _ = context.progress })
      }
      let launcher = try Launcher(graph, options: LauncherOptions(workers: 2))
      launcher.start()
      _ = SystemThread.start(named: "test") {
        if round % 2 == 0 { launcher.removeAll() }
        launcher.cancel()
      }
      let result = await launcher.result
      #expect(result.tasks.count == 50)
      #expect(launcher.progress.completed <= 50)
    }
  }
}
