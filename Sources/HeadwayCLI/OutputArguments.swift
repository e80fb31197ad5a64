internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayView

/// The options of `headway run` for the output of tasks.
struct OutputArguments {
  /// The options.
  static let options: [Arguments.Option] = [
    .init(
      name: "--output", value: "KIND", accepts: .words(OutputMode.allCases.map(\.rawValue)),
      help: """
        show of the tasks' output: failed (that of failed tasks), group (each task's when it \
        ends) or stream (each line at once); default: the plan's, stream for a single task, \
        otherwise failed
        """),
    .init(
      name: "--tail", value: "N", accepts: .number,
      help: "show the last N lines of what a failed task printed"),
    .init(
      name: "--timestamps",
      help: "print the time before each line, in group before the name of the task"),
    usage,
  ]

  /// The option for what tasks used.
  static let usage = Arguments.Option(
    name: "--usage",
    help: "show in the table of the tasks how much CPU time and memory each of them used")

  private let mode: OutputMode?
  private let tail: Int?
  private let hasTimestamps: Bool
  private let showsUsage: Bool

  /// Reads the options.
  ///
  /// - Throws: `UsageError`.
  init(_ parsed: Arguments) throws(UsageError) {
    showsUsage = parsed.options[Self.usage.name] != nil
    hasTimestamps = parsed.options["--timestamps"] != nil
    if hasTimestamps, parsed.options["--ui"] == "json" {
      throw UsageError(message: "--timestamps and --ui json exclude each other: events have times")
    }
    if let text = parsed.options["--output"] {
      guard let mode = OutputMode(rawValue: text) else {
        throw UsageError(message: "--output takes failed, group or stream, not '\(text)'")
      }
      if parsed.options["--ui"] == "json", mode != .failed {
        throw UsageError(
          message: "--ui json has no output of tasks; use --events FILE --events-output")
      }
      self.mode = mode
    } else {
      mode = nil
    }
    tail = try parsed.wholeNumber("--tail")
  }

  /// The options for a run.
  ///
  /// - Parameters:
  ///   - interface: The requested way to show the run, nil for the one that fits.
  ///   - plan: What the plan says about output, nil if nothing.
  ///   - printing: The number of tasks that may print something.
  ///   - working: How many of them are neither services nor clean up.
  /// - Returns: The options.
  func options(
    for interface: RunConsole.Mode?, usual plan: OutputMode? = nil, printing: Int, working: Int
  ) -> OutputOptions {
    var options = OutputOptions()
    // What it needs, and what cleans up after it, does not make a task one of many.
    let isAlone = printing == 1 || working == 1
    // Whoever asks for failures only gets them only.
    let usual = interface == .quiet ? .failed : plan ?? (isAlone ? .stream : .failed)
    options.mode = mode ?? usual
    options.showsNames = printing != 1
    options.tail = tail
    options.showsUsage = showsUsage
    options.isTerminal = isTerminal(STDOUT_FILENO)
    if hasTimestamps { options.timestamp = { timeOfDay() } }
    options.service = OutputOptions.Service(environment: environmentValue)
    return options
  }
}

/// The local time of day, such as `14:03:59.123`.
private func timeOfDay() -> String {
  var now = timespec()
  var local = unsafe tm()
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  unsafe localtime_r(&now.tv_sec, &local)
  func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
  let parts = unsafe [local.tm_hour, local.tm_min, local.tm_sec].map { padded(Int($0), 2) }
  return parts.joined(separator: ":") + "." + padded(now.tv_nsec / 1_000_000, 3)
}
