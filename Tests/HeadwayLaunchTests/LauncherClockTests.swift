import HeadwayLock
import HeadwayTestSupport
import Testing

@testable import HeadwayLaunch
@testable import HeadwayTime

/// What a run makes of the time that it reads.
struct LauncherClockTests {
  /// An alarm that never rings, whose time is set by hand and which can do something when it is read.
  private final class HandAlarm: TimerAlarm {
    /// The time, and what is done once at the next look at it, after it was read.
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

    /// Does something at the next look at the time.
    func atNextLook(_ hook: @escaping @Sendable () -> Void) { state.withLock { $0.hook = hook } }

    func start(_ ring: @escaping @Sendable () -> Void) {}
    func set(_ moment: UInt64) {}
    func stop() {}
  }

  @Test func `A time that was read before a pause does not come after it`() async throws {
    let alarm = HandAlarm()
    let timers = TimerService(alarm: alarm, tick: .milliseconds(1), shards: 1)
    var graph = LaunchGraph()
    graph.add(
      "short", settings: TaskSettings(),
      .immediate { context in
        alarm.set(seconds: 5)
        // The end is at 5 seconds; before it is noted a pause begins and ends that is longer than the run.
        alarm.atNextLook {
          context.launcher.pause()
          alarm.set(seconds: 100)
          context.launcher.resume()
        }
      })
    let result = await (try Launcher(graph, options: LauncherOptions(timers: timers))).run()
    #expect(result.tasks[0].ended == .seconds(5))
    #expect(result.duration == .seconds(5))
  }
}
