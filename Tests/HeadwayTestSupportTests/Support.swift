import HeadwayLock
import HeadwayTestSupport

/// A log of a test, written from any thread.
final class Log: Sendable {
  private let guarded = Guarded<[String]>([])

  init() {}

  /// The logged lines.
  var lines: [String] { guarded.withLock { $0 } }

  func add(_ line: String) { guarded.withLock { $0.append(line) } }
}

/// A clock and an executor that a test drives by hand.
struct Bench {
  let clock = VirtualClock()
  let executor = StepExecutor()
  /// The output of the tasks.
  let log = Log()

  /// Starts a task that sleeps until an instant and then logs a line, and runs it until it sleeps.
  ///
  /// - Parameters:
  ///   - name: The line, with "cancelled" if the sleep is cancelled.
  ///   - deadline: The instant.
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
