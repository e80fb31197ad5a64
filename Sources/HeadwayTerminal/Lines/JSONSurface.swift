public import HeadwayLaunch

/// Shows a run as JSON for programs: one object a line, one line an event.
///
/// The format may change before 1.0.
///
/// Every object has `event` and `time`, seconds since the run began. Durations are seconds with three digits.
///
/// | `event` | further fields |
/// |---|---|
/// | `run_started` | `plan`, `tasks`, `workers` |
/// | `task_started` | `task`, `attempt` |
/// | `task_overdue` | `task`, `attempt`, `limit` |
/// | `task_retrying` | `task`, `attempt` (the one to come), `delay`, and those of the outcome |
/// | `task_ended` | `task`, `attempts`, `ran`, `optional` where true, those of the outcome, `log` where there is one |
/// | `task_added` | `task` |
/// | `task_extended` | `task`, `by`: the time that it has from now on |
/// | `task_reported_again` | `task` |
/// | `run_paused`, `run_resumed`, `run_proceeding`, `queue_emptied` | none |
/// | `run_held` | `task`, whose failure holds the run |
/// | `missed` | `events`: how many a listener has lost |
/// | `run_ending` | `reason`: `failure` (with `task`), `cancelled`, `killed` or `deadline` (with `limit`) |
/// | `run_ended` | `succeeded`, `up_to_date`, `failed`, `timed_out`, `cancelled`, `skipped`: numbers of tasks |
///
/// An outcome is `outcome`: `succeeded`, `up_to_date`, `failed` (with `code`, `signal` or `reason`), `timed_out`
/// (with `limit`), `cancelled` or `skipped` (with `needs` or `stopped_by`, the name of a task, or `removed`).
public struct JSONSurface: RunSurface {
  /// The run.
  private let description: RunDescription
  /// The state of the run, for the counts at its end.
  private var status: RunStatus

  /// Creates the surface of a run that has not begun.
  public init(_ description: RunDescription) {
    self.description = description
    status = RunStatus(taskCount: description.graph.count)
  }

  /// Prints the event.
  public mutating func receive(_ event: LaunchEvent, into output: inout [UInt8]) {
    status.apply(event)
    var line = JSONLine()
    switch event.kind {
    case .runStarted(let tasks, let workers):
      line.begin("run_started", event.time)
      line.add("plan", text: description.name)
      line.add("tasks", number: tasks)
      line.add("workers", number: workers)
    case .runEnding(let reason):
      line.begin("run_ending", event.time)
      add(reason, to: &line)
    case .runEnded:
      line.begin("run_ended", event.time)
      addCounts(to: &line)
    case .runPaused: line.begin("run_paused", event.time)
    case .runResumed: line.begin("run_resumed", event.time)
    case .runHeld(let task):
      line.begin("run_held", event.time)
      line.add("task", text: name(task))
    case .runProceeding: line.begin("run_proceeding", event.time)
    case .queueEmptied: line.begin("queue_emptied", event.time)
    case .missed(let count, _):
      line.begin("missed", event.time)
      line.add("events", number: count)
    case .taskStarted, .taskOverdue, .taskRetrying, .taskEnded, .taskAdded, .taskExtended,
      .taskReportedAgain:
      addTaskEvent(event, to: &line)
    }
    output.append(contentsOf: line.bytes)
    output.append(contentsOf: [UInt8(ascii: "}"), UInt8(ascii: "\n")])
  }

  /// Does nothing: nothing moves.
  public mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {}

  /// Nothing moves.
  public func nextFrame(after now: Duration) -> Duration? { nil }

  /// Does nothing: printed lines stay.
  public mutating func withdraw(into output: inout [UInt8]) {}

  /// Adds the fields of an event about a task.
  private func addTaskEvent(_ event: LaunchEvent, to line: inout JSONLine) {
    switch event.kind {
    case .runStarted, .runEnding, .runEnded, .runPaused, .runResumed, .runHeld, .runProceeding,
      .queueEmptied, .missed:
      break
    case .taskAdded(let task):
      line.begin("task_added", event.time)
      line.add("task", text: name(task))
    case .taskExtended(let task, let duration):
      line.begin("task_extended", event.time)
      line.add("task", text: name(task))
      line.add("by", seconds: duration)
    case .taskReportedAgain(let task):
      line.begin("task_reported_again", event.time)
      line.add("task", text: name(task))
    case .taskStarted(let task, let attempt):
      line.begin("task_started", event.time)
      line.add("task", text: name(task))
      line.add("attempt", number: attempt)
    case .taskOverdue(let task, let attempt, let limit):
      line.begin("task_overdue", event.time)
      line.add("task", text: name(task))
      line.add("attempt", number: attempt)
      line.add("limit", seconds: limit)
    case .taskRetrying(let task, let attempt, let delay, let cause):
      line.begin("task_retrying", event.time)
      line.add("task", text: name(task))
      line.add("attempt", number: attempt)
      line.add("delay", seconds: delay)
      add(cause, to: &line)
    case .taskEnded(let task, let outcome, let attempts, let ran):
      line.begin("task_ended", event.time)
      line.add("task", text: name(task))
      add(outcome, to: &line)
      line.add("attempts", number: attempts)
      line.add("ran", seconds: ran)
      if description.graph.settings(of: task).isOptional { line.addTrue("optional") }
      if let path = description.logPath(task) { line.add("log", text: path) }
    }
  }

  /// Adds the fields of an outcome.
  private func add(_ outcome: Outcome, to line: inout JSONLine) {
    switch outcome {
    case .succeeded: line.add("outcome", text: "succeeded")
    case .upToDate: line.add("outcome", text: "up_to_date")
    case .failed(let failure):
      line.add("outcome", text: "failed")
      switch failure {
      case .exited(let code): line.add("code", number: code)
      case .signalled(let number): line.add("signal", number: number)
      case .notStarted(let reason), .threw(let reason): line.add("reason", text: reason)
      }
    case .timedOut(let limit):
      line.add("outcome", text: "timed_out")
      line.add("limit", seconds: limit)
    case .cancelled: line.add("outcome", text: "cancelled")
    case .skipped(.needs(let task)):
      line.add("outcome", text: "skipped")
      line.add("needs", text: name(task))
    case .skipped(.stopped(let task)):
      line.add("outcome", text: "skipped")
      line.add("stopped_by", text: name(task))
    case .skipped(.removed):
      line.add("outcome", text: "skipped")
      line.addTrue("removed")
    }
  }

  /// Adds the fields of the reason for an early end.
  private func add(_ reason: LaunchEvent.EndReason, to line: inout JSONLine) {
    switch reason {
    case .failure(let task):
      line.add("reason", text: "failure")
      line.add("task", text: name(task))
    case .cancelled: line.add("reason", text: "cancelled")
    case .killed: line.add("reason", text: "killed")
    case .deadline(let limit):
      line.add("reason", text: "deadline")
      line.add("limit", seconds: limit)
    }
  }

  /// Adds how many tasks ended in which way.
  private func addCounts(to line: inout JSONLine) {
    line.add("succeeded", number: status.counts.succeeded)
    line.add("up_to_date", number: status.counts.upToDate)
    line.add("failed", number: status.counts.failed)
    line.add("timed_out", number: status.counts.timedOut)
    line.add("cancelled", number: status.counts.cancelled)
    line.add("skipped", number: status.counts.skipped)
  }

  /// The name of a task.
  private func name(_ task: TaskID) -> String {
    task.name.isEmpty ? description.graph.name(of: task) : task.name
  }
}

/// An object of JSON under construction.
private struct JSONLine {
  /// The text so far, without the closing brace.
  private(set) var bytes = Array("{".utf8)

  /// Adds the fields that every event has.
  mutating func begin(_ event: String, _ time: Duration) {
    add("event", text: event)
    add("time", seconds: time)
  }

  /// Adds a number.
  mutating func add(_ key: String, number: Int) {
    addKey(key)
    bytes.append(contentsOf: "\(number)".utf8)
  }

  /// Adds a field that is true.
  mutating func addTrue(_ key: String) {
    addKey(key)
    bytes.append(contentsOf: "true".utf8)
  }

  /// Adds a duration as seconds with three digits.
  mutating func add(_ key: String, seconds: Duration) {
    addKey(key)
    let milliseconds = (seconds + .microseconds(500)).wholeMilliseconds
    let digits = "\(1000 + milliseconds % 1000)".dropFirst()
    bytes.append(contentsOf: "\(milliseconds / 1000).\(digits)".utf8)
  }

  /// Adds a text, escaped.
  mutating func add(_ key: String, text: String) {
    addKey(key)
    quote(text)
  }

  /// Adds a key and what separates it.
  private mutating func addKey(_ key: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    quote(key)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Appends a text in quotes, with what JSON does not allow escaped.
  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
      case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
      case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
      case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
      case 0x00..<0x20, 0x7F:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: #"\u00"#.utf8)
        bytes.append(contentsOf: (digits.utf8.count < 2 ? "0" + digits : digits).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
