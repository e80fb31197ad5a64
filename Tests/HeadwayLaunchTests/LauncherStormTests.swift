import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwayTestSupport
import HeadwayTime
import Repetitions
import Testing

@testable import HeadwayLaunch

/// Runs on real threads at which everything is done at once: nothing may hang, and each status has to agree with the end.
struct LauncherStormTests {
  /// A body that does what random bits say, from inside the run.
  private static func act(_ context: LaunchContext, _ bits: UInt64) async throws {
    let launcher = context.launcher
    switch bits % 12 {
    case 0: launcher.pause()
    case 1: launcher.remove(TaskID(Int(bits >> 8) % 60))
    case 2: _ = try? launcher.add("late \(context.task.name)", .immediate { _ in })
    case 3: await Task.yield()
    case 4:
      // Outlives its body, and joins its node late.
      Task {
        await Task.yield()
        ProgressNode.joinCurrent("late", total: 1).complete(1)
      }
    case 5: unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    case 6: throw Mishap(description: "no")
    case 7: throw NonRetryable(Mishap(description: "never"))
    case 8: context.progress.complete(1)
    case 9: try await context.checkpoint()
    case 10: launcher.proceed()
    default: break
    }
    if Task.isCancelled, !context.isCancelled, bits % 12 != 5 {
      throw Mishap(description: "cancelled with another")
    }
  }

  /// The graph of a seed: tasks of all forms with random edges.
  private static func graph(_ seed: UInt64) -> LaunchGraph {
    var random = SeededRandom(seed)
    var graph = LaunchGraph()
    for place in 0..<60 {
      let bits = random.next()
      let retries = RetryPolicy(limit: Int(bits >> 20) % 3, backoff: .nanoseconds(1))
      let settings = TaskSettings(
        timeout: bits >> 24 % 8 == 0 ? .microseconds(50) : nil,
        grace: .microseconds(Int64(bits >> 28) % 50), retries: retries,
        isOptional: bits >> 32 & 1 == 0)
      let after = place == 0 || bits >> 36 & 1 == 0 ? [] : [TaskID(Int(bits >> 40) % place)]
      let form = bits >> 50 % 5
      if form == 0 {
        graph.add("\(place)", after: after, settings: settings, .immediate { _ in })
      } else if form == 1 {
        graph.add(
          "\(place)", after: after, settings: settings,
          .on(MainActor.shared) { _, context in try await act(context, bits) })
      } else if form == 2 {
        graph.add("\(place)", after: after, settings: settings, .blocking { _ in })
      } else {
        graph.add("\(place)", after: after, settings: settings) { try await act($0, bits) }
      }
    }
    return graph
  }

  @Test(arguments: [1, 3, 64])
  func `Everything at once comes to its end, and each listener to the same`(
    workers: Int
  ) async throws {
    for seed in 0..<UInt64(repetitions(40, real: 200, underSanitizer: 20)) {
      let policies: [FailurePolicy] = [.stop, .keepGoing, .failFast, .hold]
      let options = LauncherOptions(workers: workers, policy: policies[Int(seed % 4)])
      let launcher = try Launcher(Self.graph(seed), options: options)
      let over = Box(false)
      let events = launcher.events()
      async let early = Self.fold(events)
      let others = (0..<2).map { number in
        Task.detached {
          var random = SeededRandom(seed &* 7 &+ UInt64(number))
          while !over.value {
            switch random.next() % 8 {
            case 0: launcher.pause()
            case 1: launcher.remove(TaskID(Int(random.next() % 60)))
            default:
              launcher.resume()
              launcher.proceed()
            }
            await Task.yield()
          }
        }
      }
      launcher.start()
      async let late = Self.fold(
        launcher.events(keeping: Int(seed % 7) + 1, beginningWithState: true))
      let result = await launcher.result
      over.change { $0 = true }
      for other in others { await other.value }
      let (first, second) = await (early, late)
      for task in result.tasks {
        #expect(second.outcome(of: task.id) == task.outcome, "seed \(seed), \(task.name)")
      }
      #expect(second.counts.ended == result.tasks.count, "seed \(seed)")
      #expect(second.active.isEmpty && first.active.isEmpty)
      #expect(first.total != nil && second.total != nil)
      let spread = Mishap(description: "cancelled with another")
      #expect(!result.tasks.contains { $0.error as? Mishap == spread }, "seed \(seed)")
      #expect(launcher.progress.fraction == 1)
    }
  }

  /// The state that a listener comes to.
  private static func fold(_ events: some AsyncSequence<RunEvent, Never>) async -> RunState {
    var status = RunState(taskCount: 60)
    for await event in events { status.apply(event) }
    return status
  }
}
