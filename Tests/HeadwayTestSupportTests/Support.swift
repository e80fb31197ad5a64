import HeadwayLock
import HeadwayTestSupport

/// What happened in a test, in order, written from any thread.
final class Log: Sendable {
  /// The lines.
  private let guarded = Guarded<[String]>([])

  /// Creates an empty log.
  init() {}

  /// The lines so far.
  var lines: [String] { guarded.withLock { $0 } }

  /// Adds a line.
  func add(_ line: String) { guarded.withLock { $0.append(line) } }
}

/// A clock and an executor that a test drives by hand.
struct Bench {
  /// The clock.
  let clock = VirtualClock()
  /// The executor.
  let executor = StepExecutor()
  /// What the tasks wrote.
  let log = Log()

  /// Starts a task that sleeps until a moment and then writes a line, and lets it fall asleep.
  ///
  /// - Parameters:
  ///   - name: The line; "cancelled" is added when the sleep was cancelled.
  ///   - deadline: The moment, from zero.
  /// - Returns: The task.
  @discardableResult
  func sleeper(_ name: String, until deadline: Duration) -> Task<Void, Never> {
    let (clock, log) = (clock, log)
    let task = Task(executorPreference: executor) {
      do {
        try await clock.sleep(until: VirtualClock.Instant(offset: deadline))
        log.add(name)
      } catch {
        log.add("\(name) cancelled")
      }
    }
    executor.drain()
    return task
  }
}
