import HeadwayLaunch
import HeadwayLock
import HeadwayRun
import HeadwayTestSupport
import HeadwayTime

/// Something that went wrong on purpose.
struct Mishap: Error, Equatable, CustomStringConvertible {
  /// Its name.
  var description: String
}

/// A value that several threads may change.
final class Box<Value: Sendable>: Sendable {
  /// The value.
  private let state: Guarded<Value>

  /// Creates a box.
  init(_ value: Value) { state = Guarded(value) }

  /// The value.
  var value: Value { state.withLock { $0 } }

  /// Changes the value.
  func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// A launcher on virtual time.
struct VirtualLaunch: Sendable {
  /// The clock.
  let clock: VirtualClock
  /// The timers on that clock.
  let timers: TimerService

  /// Where all that is on virtual time runs.
  let executor: StepExecutor?

  /// Creates the surroundings of a launcher; called on virtual time.
  init(_ clock: VirtualClock) {
    self.clock = clock
    executor = StepExecutor.current
    timers = TimerService(clock: clock, tick: .microseconds(1))
  }

  /// Options for launchers here.
  func options(
    workers: Int = 4, policy: FailurePolicy = .stop, deadline: Duration? = nil
  ) -> LauncherOptions {
    LauncherOptions(
      workers: workers, policy: policy, deadline: deadline, timers: timers,
      executor: executor)
  }

  /// A launcher for a graph.
  func launcher(
    _ graph: LaunchGraph, workers: Int = 4, policy: FailurePolicy = .stop,
    deadline: Duration? = nil
  ) throws -> Launcher {
    try Launcher(graph, options: options(workers: workers, policy: policy, deadline: deadline))
  }

  /// Sleeps on the clock.
  func sleep(_ seconds: Int) async throws { try await clock.sleep(for: .seconds(seconds)) }
}

/// Runs a body with launchers on virtual time.
func withVirtualLaunch<Result: Sendable>(
  seed: UInt64? = nil, _ body: @escaping @Sendable (VirtualLaunch) async throws -> Result
) throws -> Result {
  try withVirtualTime(seed: seed) { clock in try await body(VirtualLaunch(clock)) }
}

extension LaunchResult {
  /// The outcomes by name.
  var outcomes: [String: Outcome] {
    Dictionary(uniqueKeysWithValues: tasks.map { ($0.name, $0.outcome) })
  }
}
