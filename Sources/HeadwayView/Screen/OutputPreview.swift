internal import HeadwayRun
internal import HeadwayTerminal

/// The last lines of the selected task's output, parsed again only if they changed.
struct OutputPreview: Sendable {
  /// The task whose output is shown, nil if no running task has written anything.
  private(set) var task: TaskID?
  /// Its last lines.
  private(set) var lines: [String] = []
  /// The bytes that were parsed.
  private var bytes: [UInt8] = []

  /// The maximum number of lines.
  static let mostLines = 4
  /// The number of bytes that are read.
  private static let readBytes = 2048
  /// The maximum number of logs that are read in a frame to find a task that has written something.
  private static let mostLooks = 8

  /// Chooses a task and reads its output.
  ///
  /// - Parameters:
  ///   - chosen: The task that the user selected, nil for none.
  ///   - active: The active tasks in the order of their starts.
  ///   - tail: Reads the end of a log.
  mutating func refresh(
    chosen: TaskID?, _ active: [TaskID], _ tail: (TaskID, Int) -> [UInt8]
  ) {
    if let chosen, active.contains(chosen) {
      take(chosen, tail(chosen, Self.readBytes))
      return
    }
    // The tasks are in the order of their starts: the first one with output has run longest.
    for candidate in active.prefix(Self.mostLooks) {
      let found = tail(candidate, Self.readBytes)
      guard !found.isEmpty else { continue }
      take(candidate, found)
      return
    }
    (task, lines, bytes) = (nil, [], [])
  }

  private mutating func take(_ task: TaskID, _ found: [UInt8]) {
    self.task = task
    guard found != bytes else { return }
    bytes = found
    lines = TaskOutputText.lines(
      found, last: Self.mostLines, isCut: found.count >= Self.readBytes)
  }
}
