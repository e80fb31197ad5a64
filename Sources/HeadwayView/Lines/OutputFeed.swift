internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// Reads the logs of tasks and turns them into the lines of `--output group` and `stream`.
///
/// The logs are the only buffer: what was not shown yet stays there, and only the place is remembered. A pure value
/// besides that.
struct OutputFeed: Sendable {
  /// How much of a task's output was shown.
  private struct Progress {
    var offset = 0
    /// Whether the line before the output was written.
    var isOpen = false
    /// Whether the last byte that was shown was not a newline.
    var isMidLine = false
  }

  /// The number of bytes that are read at once; longer lines with names are broken.
  static let readBytes = 262_144
  /// The number of bytes that are read in a row, so that the run's own words come in between.
  static let passBytes = 1_048_576
  /// The colors of names, as numbers of escape sequences: readable on black and white, and none that means failure.
  private static let colors = [36, 33, 32, 35, 34]

  private let description: RunDescription
  private let options: OutputOptions
  private let hasColor: Bool
  /// The width of names.
  private let width: Int
  private var progress: [Int: Progress] = [:]
  /// The tasks of which an attempt runs.
  private(set) var running: Set<TaskID> = []
  /// Whether the last pass ended before the output did.
  private(set) var hasMore = false

  init(_ description: RunDescription, color: Bool) {
    self.description = description
    options = description.output
    hasColor = color && options.isTerminal
    let widths = description.names.map { TextWidth.columns(of: TaskOutputText.line($0)) }
    width = min(widths.max() ?? 0, ResultTable.widestName)
  }

  /// Whether lines are shown before their task has ended.
  var streams: Bool { options.mode == .stream }

  /// Whether the output belongs to one task, whose bytes are shown as they are and at once, also in a terminal.
  private var isDirect: Bool { streams && !options.showsNames }

  /// Whether the last line of a task has no end yet.
  var isMidLine: Bool { isDirect && progress.values.contains { $0.isMidLine } }

  /// Takes note that something else has ended the last line.
  mutating func breakLine() {
    for index in progress.keys { progress[index]?.isMidLine = false }
  }

  /// Leaves out what a task has written before a position of its log.
  mutating func begin(_ task: TaskID, at offset: Int) {
    progress[task.index, default: Progress()].offset = offset
  }

  /// Follows which attempts run.
  mutating func follow(_ event: RunEvent) {
    switch event.kind {
    case .taskStarted(let task, _): running.insert(task)
    case .taskEnded(let task, _, _, _):
      running.remove(task)
      progress[task.index] = nil
    default: break
    }
  }

  /// The new lines of the running tasks, if they are streamed.
  mutating func stream(into output: inout [UInt8]) {
    hasMore = false
    guard streams else { return }
    for task in running.sorted() {
      var most = Self.passBytes / max(running.count, 1)
      var isFull = true
      while isFull, most > 0 {
        isFull = read(task, isOver: false, into: &output)
        most -= Self.readBytes
      }
      if isFull { hasMore = true }
    }
  }

  /// The rest of the output of an attempt after which there is another one, if it is streamed; in a group, it waits for that.
  ///
  /// - Returns: Whether this was all of it; otherwise it has to be called again.
  mutating func finishAttempt(_ task: TaskID, into output: inout [UInt8]) -> Bool {
    !streams || readRest(of: task, into: &output)
  }

  /// Reads a log to its end.
  ///
  /// - Returns: Whether this was all of it; otherwise it was enough for one pass.
  private mutating func readRest(of task: TaskID, into output: inout [UInt8]) -> Bool {
    let start = output.count
    hasMore = false
    while read(task, isOver: true, into: &output) {
      if output.count - start >= Self.passBytes {
        hasMore = true
        return false
      }
    }
    return true
  }

  /// The rest of the output of a task that has ended.
  ///
  /// - Returns: Whether this was all of it; otherwise it has to be called again.
  mutating func finish(_ task: TaskID, into output: inout [UInt8]) -> Bool {
    guard readRest(of: task, into: &output) else { return false }
    guard let known = progress[task.index], known.isOpen else { return true }
    if options.mode == .group { output += Array(section.end(task).utf8) }
    // Colors that the task has left on are not those of what follows.
    if isDirect, options.isTerminal { output += Array("\u{1B}[0m".utf8) }
    return true
  }

  private var section: LogSection { LogSection(service: options.service, time: Int(time(nil))) }

  /// Reads the next part of a log.
  ///
  /// - Returns: Whether there may be more.
  private mutating func read(_ task: TaskID, isOver: Bool, into output: inout [UInt8]) -> Bool {
    let bytes = description.log(task, progress[task.index]?.offset ?? 0, Self.readBytes)
    let isFull = bytes.count >= Self.readBytes
    var known = progress[task.index] ?? Progress()
    // A line that is not complete waits in the log, unless it will never be, is too long, or no other line can mix with it.
    var end = bytes.count
    if !isDirect, isFull || !isOver { end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }
    if end == 0, isFull { end = bytes.count }
    if end > 0 {
      if !known.isOpen, options.mode == .group { output += header(task) }
      known.isOpen = true
      append(bytes, end, prefix: prefix(task), &known, to: &output)
      known.offset += end
    }
    if isOver, !isFull, known.isMidLine {
      output.append(0x0A)
      known.isMidLine = false
    }
    progress[task.index] = known
    return isFull
  }

  private var stamp: String { options.timestamp.map { "\($0()) " } ?? "" }

  /// The line before the output of a task in a group.
  private func header(_ task: TaskID) -> [UInt8] {
    let name = TaskOutputText.line(description.name(of: task))
    return Array(section.begin(task, stamp + name).utf8)
  }

  /// What is written before each line of a task.
  private func prefix(_ task: TaskID) -> [UInt8] {
    guard streams else { return [] }
    guard options.showsNames else { return Array(stamp.utf8) }
    let name = TaskOutputText.line(description.name(of: task))
    let padding = String(repeating: " ", count: max(width - TextWidth.columns(of: name), 0))
    let color = Self.colors[task.index % Self.colors.count]
    let text =
      hasColor ? "\u{1B}[\(color)m\(name)\(padding) |\u{1B}[0m " : "\(name)\(padding) | "
    return Array((stamp + text).utf8)
  }

  // MARK: Lines

  /// Appends the lines at the beginning of bytes.
  private func append(
    _ bytes: [UInt8], _ end: Int, prefix: [UInt8], _ known: inout Progress, to output: inout [UInt8]
  ) {
    let isSafe = isDirect || !options.isTerminal
    let hasCommands = options.service == .github && !isDirect
    if prefix.isEmpty, isSafe, !hasCommands {
      output += bytes[..<end]
      known.isMidLine = bytes[end - 1] != 0x0A
      return
    }
    // Parts of a line that is too long become lines of their own only if they have to be told from other lines.
    let breaksLines = options.showsNames && streams
    output.reserveCapacity(output.count + end + 4096)
    var start = 0
    while start < end {
      let newline = Self.newline(in: bytes, start, end)
      let stop = newline ?? end
      let isCommand = hasCommands && LogSection.mayBeCommand(bytes[start..<stop])
      if !known.isMidLine, !isCommand || !LogSection.isKept(bytes[start..<stop]) {
        output += prefix
      }
      if !isSafe {
        Self.appendSafe(bytes[start..<stop], to: &output)
      } else if isCommand {
        output += LogSection.contained(String(decoding: bytes[start..<stop], as: UTF8.self)).utf8
      } else {
        Self.append(bytes, start, stop, to: &output)
      }
      known.isMidLine = newline == nil && !breaksLines
      if !known.isMidLine { output.append(0x0A) }
      start = stop + 1
    }
  }

  /// The position of the next newline.
  private static func newline(in bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { all -> Int? in
      guard let base = all.baseAddress,
        let found = unsafe memchr(base + start, 0x0A, end - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Appends a part of bytes, without the cost of a slice.
  private static func append(
    _ bytes: [UInt8], _ start: Int, _ end: Int, to output: inout [UInt8]
  ) {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[start..<end]))
    }
  }

  /// Appends a line without what would change the terminal.
  private static func appendSafe(_ line: ArraySlice<UInt8>, to output: inout [UInt8]) {
    if line.allSatisfy({ (32..<127).contains($0) }) {
      output += line
    } else {
      output += Array((TaskOutputText.lines(Array(line), last: 1).first ?? "").utf8)
    }
  }
}
