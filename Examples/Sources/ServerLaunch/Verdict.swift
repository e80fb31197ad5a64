import Console
import HeadwayLaunch
import HeadwayRun

/// What came of the server's life, beside what should have.
struct Verdict {
  /// How the start ended.
  private let started: LaunchResult
  /// How the whole ended.
  private let whole: LaunchResult
  /// Whether it was to serve until somebody ended it.
  private let isServing: Bool

  /// Compares two results with what was wanted.
  init(_ started: LaunchResult, _ whole: LaunchResult, isServing: Bool) {
    self.started = started
    self.whole = whole
    self.isServing = isServing
  }

  /// Whether the server came up.
  var wasReady: Bool { started.isSuccess }

  /// What is not as it should be, nil where nothing is.
  var mistake: String? {
    if !wasReady {
      let failures = started.failures.filter { $0.name != ServerStart.Name.announce }
      let words = failures.map { "could not \($0.name)" }.joined(separator: ", ")
      return words.isEmpty ? "the start was ended" : words
    }
    guard let hanging = started[ServerStart.Name.announce],
      hanging.outcome == .timedOut(limit: ServerStart.announceLimit), hanging.attempts == 1,
      Self.time(of: hanging) >= ServerStart.announceLimit
    else { return "the announcement was not cut off" }
    for task in started.tasks where task.name != hanging.name && !task.outcome.isSuccess {
      return "'\(task.name)' ended otherwise: \(task.outcome)"
    }
    guard let close = whole[ServerStart.Name.close], close.outcome.isSuccess else {
      return "not everything could be closed"
    }
    if isServing, whole[ServerStart.Name.serve]?.outcome != .cancelled {
      return "the server ended by itself"
    }
    return nil
  }

  /// The task that hung, and how the rest of the start went.
  ///
  /// - Parameter started: What came of the start.
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

  /// How long a task took.
  private static func time(of task: LaunchResult.Task) -> Duration {
    task.began.map { task.ended - $0 } ?? .zero
  }
}
