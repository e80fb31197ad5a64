import HeadwayLock
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch
@testable import HeadwayTime

/// How a run uses the time that it reads.
struct LauncherClockTests {
  /// A wake source whose time is set by hand and which can call a closure when the time is read.
  private final class ManualSource: WakeSource {
    /// The time, and a closure to call after the next read of it.
    private let state = Guarded<(now: UInt64, hook: (@Sendable () -> Void)?)>((0, nil))

    /// The time.
    var now: UInt64 {
      let (now, hook) = state.withLock { state in
        defer { state.hook = nil }
        return (state.now, state.hook)
      }
      hook?()
      return now
    }

    /// Sets the time.
    func set(seconds: UInt64) { state.withLock { $0.now = seconds * 1_000_000_000 } }

    /// Calls a closure after the next read of the time.
    func atNextRead(_ hook: @escaping @Sendable () -> Void) { state.withLock { $0.hook = hook } }

    func start(_ handler: @escaping @Sendable () -> Void) {}
    func requestWake(at moment: UInt64) {}
    func stop() {}
  }

  @Test func `A time that was read before a pause does not come after it`() async throws {
    let source = ManualSource()
    let timers = TimerService(source: source, tick: .milliseconds(1), shards: 1)
    var graph = LaunchGraph()
    graph.add(
      "short", settings: TaskSettings(),
      .immediate { context in
        source.set(seconds: 5)
        // The end is at 5 seconds; before it is noted a pause begins and ends that is longer than the run.
        source.atNextRead {
          context.launcher.pause()
          source.set(seconds: 100)
          context.launcher.resume()
        }
      })
    let result = await (try Launcher(graph, options: LauncherOptions(timers: timers))).run()
    #expect(result.tasks[0].ended == .seconds(5))
    #expect(result.duration == .seconds(5))
  }
}
