import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch

/// How bodies share Swift tasks.
struct LauncherSlotsTests {
  /// An executor that keeps jobs until it is told to run them.
  private final class JobList: TaskExecutor {
    /// The jobs that wait, and how many there were in all.
    private let state = Guarded<(waiting: [UnownedJob], count: Int)>(([], 0))

    /// The number of jobs so far.
    var count: Int { state.withLock { $0.count } }

    /// Keeps a job.
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      state.withLock { state in
        state.waiting.append(job)
        state.count += 1
      }
    }

    /// Runs all jobs, those too that come meanwhile, on this thread.
    func run() {
      while let job = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  @Test func `Bodies that do not suspend share a few Swift tasks`() throws {
    let jobs = JobList()
    let runs = Box(0)
    var graph = LaunchGraph()
    for place in 0..<1_000 {
      graph.add("\(place)") { context in
        let other = Task(executorPreference: jobs) { runs.change { $0 += context.attempt } }
        await other.value
      }
    }
    for place in 1_000..<2_000 { graph.add("\(place)") { _ in runs.change { $0 += 1 } } }
    let launcher = try Launcher(
      graph, options: LauncherOptions(workers: 2_000, executor: jobs))
    launcher.start()
    // Started, all of them, and one slot is on its way.
    #expect(launcher.state.active.count == 2_000)
    #expect(jobs.count == 1)
    jobs.run()
    #expect(launcher.resultIfEnded?.isSuccess == true)
    #expect(runs.value == 2_000)
    // Those that suspend take a slot each; the 1,000 others do not.
    #expect(jobs.count < 4_100)
  }

  @Test func `A body that no thread has taken before a pause begins after it`() throws {
    let jobs = JobList()
    let runs = Box(0)
    var graph = LaunchGraph()
    for place in 0..<3 { graph.add("\(place)") { _ in runs.change { $0 += 1 } } }
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 3, executor: jobs))
    launcher.start()
    launcher.pause()
    jobs.run()
    #expect(runs.value == 0)
    #expect(jobs.count == 1)
    launcher.resume()
    jobs.run()
    #expect(runs.value == 3)
    #expect(launcher.resultIfEnded?.isSuccess == true)
  }

  @Test func `Attempts that wait take no more room than there are of them`() throws {
    let launcher = try Launcher(LaunchGraph())
    var waiting = WaitingAttempts()
    for place in 0..<10 { waiting.append(attempt(place, launcher)) }
    for place in 10..<10_000 {
      waiting.append(attempt(place, launcher))
      #expect(waiting.popFirst()?.index == place - 10)
      #expect(waiting.entryCount < 200)
    }
    for place in 9_990..<10_000 { #expect(waiting.popFirst()?.index == place) }
    #expect(waiting.isEmpty && waiting.popFirst() == nil)
  }

  /// An attempt at the task of a place.
  private func attempt(_ place: Int, _ launcher: Launcher) -> RunningTask {
    let attempt = RunningTask(launcher)
    attempt.begin(index: place, attempt: 1)
    return attempt
  }

  @Test func `A body that waits holds up no other`() throws {
    let count = 100
    let result = try withVirtualLaunch { launch in
      let begun = Box<[CheckedContinuation<Void, Never>]>([])
      var graph = LaunchGraph()
      for place in 0..<count {
        graph.add("\(place)") { _ in
          // None goes on before all have begun.
          await withCheckedContinuation { continuation in
            begun.change { $0.append(continuation) }
            if begun.value.count == count {
              for waiter in begun.value { waiter.resume() }
            }
          }
        }
      }
      return await (try launch.launcher(graph, workers: count)).run()
    }
    #expect(result.isSuccess)
  }

  @Test func `What runs after a cancelled body is not cancelled`() throws {
    for seed in 0..<200 as Range<UInt64> {
      let cancelled = Box<[String: Bool]>([:])
      let result = try withVirtualLaunch(seed: seed) { launch in
        let queue = Launcher.makeQueue(options: launch.options())
        for place in 0..<20 {
          try queue.add("\(place)") { context in
            // Every other one ends by itself at the moment at which it is removed.
            try? await launch.sleep(place % 2 == 0 ? 1 : 5)
            let isCancelled = Task.isCancelled
            cancelled.change { $0[context.task.name] = isCancelled }
            if isCancelled != context.isCancelled { throw Mishap(description: "differs") }
          }
        }
        let ids = (0..<20).map { TaskID($0) }
        queue.start()
        for place in 0..<20 {
          try await launch.sleep(1)
          if place % 2 == 1 { queue.remove(ids[place]) }
        }
        queue.close()
        return await queue.result
      }
      for task in result.tasks {
        // At one moment either may come first: removed and cancelled, or ended before.
        let wasCancelled = cancelled.value[task.name] ?? false
        #expect((task.outcome == .cancelled) == wasCancelled, "\(task.name), seed \(seed)")
      }
      #expect(result.tasks.contains { $0.outcome == .cancelled })
      #expect(result.tasks.contains { $0.outcome == .succeeded })
    }
  }

  @Test func `What runs after a body that cancelled its own Swift task is not cancelled`() throws {
    let jobs = JobList()
    let cancelled = Box<[String: Bool]>([:])
    var graph = LaunchGraph()
    /// A body that cancels the Swift task that it runs in.
    let end: @Sendable (LaunchContext) -> Void = { context in
      let isCancelled = Task.isCancelled
      cancelled.change { $0[context.task.name] = isCancelled }
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    }
    for place in 0..<3 { graph.add("\(place)") { context in end(context) } }
    for place in 3..<6 { graph.add("\(place)", .immediate(end)) }
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 1, executor: jobs))
    launcher.start()
    jobs.run()
    #expect(launcher.resultIfEnded?.isSuccess == true)
    #expect(cancelled.value.count == 6)
    #expect(!cancelled.value.values.contains(true))
  }

  @Test func `What uses the node of a task too late does not take the node of a later task`() throws
  {
    let jobs = JobList()
    let kept = Box<LaunchContext?>(nil)
    let labels = Box<[String]>([])
    var graph = LaunchGraph()
    graph.add("first", .immediate { _ in })
    graph.add("kept", .immediate { context in kept.change { $0 = context } })
    graph.add(
      "late user",
      .immediate { _ in
        // Nothing else holds the attempt afterwards, so the next task may use the object again.
        _ = kept.value?.progress
        kept.change { $0 = nil }
      })
    graph.add(
      "last",
      .immediate { context in
        let node = context.progress
        labels.change { $0.append(node.isFinished ? "finished" : node.label) }
      })
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 1, executor: jobs))
    launcher.start()
    jobs.run()
    #expect(labels.value == ["last"])
    #expect(launcher.resultIfEnded?.isSuccess == true)
  }

  @Test func `A body that was removed before a thread took it sees that it is cancelled`() throws {
    let jobs = JobList()
    let seen = Box<[String: Bool]>([:])
    var graph = LaunchGraph()
    let ids = ["first", "second", "third"].map { name in
      graph.add(name) { context in
        let isCancelled = Task.isCancelled && context.isCancelled
        seen.change { $0[name] = isCancelled }
      }
    }
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 3, executor: jobs))
    launcher.start()
    #expect(launcher.remove(ids[1]))
    jobs.run()
    #expect(seen.value == ["first": false, "second": true, "third": false])
    #expect(launcher.resultIfEnded?.outcomes["second"] == .cancelled)
    #expect(launcher.resultIfEnded?.outcomes["third"] == .succeeded)
  }

  @Test func `A body that was given up before a thread took it is not run`() throws {
    let jobs = JobList()
    let runs = Box(0)
    var graph = LaunchGraph()
    for place in 0..<3 { graph.add("\(place)") { _ in runs.change { $0 += 1 } } }
    let launcher = try Launcher(graph, options: LauncherOptions(workers: 3, executor: jobs))
    launcher.start()
    launcher.cancel()
    launcher.cancel()
    jobs.run()
    #expect(runs.value == 0)
    #expect(launcher.resultIfEnded?.tasks.allSatisfy { $0.outcome == .cancelled } == true)
  }

  @Test func `A body that outlives its grace takes no other task with it`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let stuck = graph.add(
        "stuck", settings: TaskSettings(timeout: .seconds(1), grace: .seconds(1), isOptional: true)
      ) { _ in
        // It does not listen.
        _ = await Task { try? await launch.sleep(10) }.value
      }
      for place in 0..<5 {
        graph.add("\(place)", after: [stuck]) { _ in
          if Task.isCancelled { throw Mishap(description: "cancelled with another") }
          try await launch.sleep(4)
        }
      }
      let result = await (try launch.launcher(graph, workers: 1)).run()
      return result
    }
    #expect(result.isSuccess)
    #expect(result["stuck"]?.outcome == .timedOut(limit: .seconds(1)))
    #expect(result.duration == .seconds(22))
  }

  @Test func `Nothing is noted for listeners when nobody listens`() throws {
    var graph = LaunchGraph()
    let first = graph.add("first", settings: TaskSettings(timeout: .seconds(60)))
    for place in 0..<100 { graph.addDependency(of: graph.add("\(place)"), on: first) }
    var core = try LaunchCore(graph: graph, workers: 4, policy: .stop)
    core.isListening = false
    core.begin(at: .zero)
    while let command = core.nextCommand() {
      guard case .start(let id, _) = command else { continue }
      core.attemptBegan(id, at: .zero)
      core.attemptEnded(
        id, result: id.index == 50 ? .failed(.exited(code: 1)) : .succeeded, at: .zero)
    }
    let (capacity, isFinished) = (core.events.capacity, core.isFinished)
    #expect(isFinished)
    #expect(capacity == 0)
  }
}
