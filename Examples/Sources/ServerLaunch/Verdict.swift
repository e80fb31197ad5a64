import Console
import HeadwayLaunch
import HeadwayRun

/// Compares the result of the server's life with the expected one.
struct Verdict {
  /// The result of the start.
  private let started: LaunchResult
  /// The result of the outer run.
  private let whole: LaunchResult
  /// Whether it served until a signal asked for the end.
  private let isServing: Bool

  /// Creates a comparison.
  init(_ started: LaunchResult, _ whole: LaunchResult, isServing: Bool) {
    self.started = started
    self.whole = whole
    self.isServing = isServing
  }

  /// Whether the server came up.
  var wasReady: Bool { started.isSuccess }

  /// The first difference, nil if there is none.
  var difference: String? {
    if !wasReady {
      let failures = started.failures.filter { $0.name != ServerStart.Name.announce }
      let words = failures.map { "could not \($0.name)" }.joined(separator: ", ")
      return words.isEmpty ? "the start was cancelled" : words
    }
    guard let hanging = started[ServerStart.Name.announce],
      hanging.outcome == .timedOut(limit: ServerStart.announceLimit), hanging.attempts == 1,
      Self.time(of: hanging) >= ServerStart.announceLimit
    else { return "the announcement did not time out" }
    for task in started.tasks where task.name != hanging.name && !task.outcome.isSuccess {
      return "'\(task.name)' had an unexpected outcome: \(task.outcome)"
    }
    guard let close = whole[ServerStart.Name.close], close.outcome.isSuccess else {
      return "the clean-up failed"
    }
    if isServing, whole[ServerStart.Name.serve]?.outcome != .cancelled {
      return "the server ended by itself"
    }
    return nil
  }

  /// A sentence about the task that hung and the rest of the start.
  ///
  /// - Parameter started: The result of the start.
  /// - Returns: A sentence.
  static func words(_ started: LaunchResult) -> String {
    let ready = started["answer a first question"]?.ended ?? .zero
    guard let hanging = started[ServerStart.Name.announce] else { return "" }
    let limit = milliseconds(ServerStart.announceLimit)
    return """
      ready after \(milliseconds(ready)); '\(hanging.name)' hung and was given up after \
      \(milliseconds(time(of: hanging))), its limit is \(limit)
      """
  }

  /// The duration of a task.
  private static func time(of task: LaunchResult.Task) -> Duration {
    task.began.map { task.ended - $0 } ?? .zero
  }
}
