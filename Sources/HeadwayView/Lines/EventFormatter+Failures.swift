internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// The output of failed tasks.
extension EventFormatter {
  /// The maximum number of bytes of a log that are shown below a failure.
  static let tailBytes = 262_144
  /// The maximum number of lines of a log that are shown below a failure.
  static let tailLines = 1_000
  /// The number of lines that are shown above a live region.
  static let screenLines = 20

  /// A failed task's output, and the path of its log.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - edge: The text before each line.
  ///   - isOnScreen: Whether only the end is shown, because the space is scarce.
  ///   - columns: The columns of the terminal, nil for no limit.
  /// - Returns: The lines, with one that says if some are missing, and one for the path.
  func tail(
    _ task: TaskID, edge: String, isOnScreen: Bool = false, columns: Int? = nil
  ) -> [Row] {
    let indent = TextWidth.columns(of: edge)
    let path = description.logPath(
      task, fitting: columns.map { $0 - indent - Self.logLabel.utf8.count })
    var rows: [Row] = []
    if description.output.mode == .failed {
      let output = excerpt(task, isOnScreen: isOnScreen)
      rows += output.begin.map { line($0, edge: edge) }
      if let left = output.left {
        let rest = path.map { "; all of it is in \(TaskOutputText.line($0))" } ?? ""
        let words = "\(style.marks.ellipsis) \(left) left out"
        // The path is in the last row, too.
        let isNarrow = columns.map { indent + TextWidth.columns(of: words + rest) > $0 } ?? false
        var row = Row(edge, .dim)
        row.append(isNarrow ? words : words + rest, .dim)
        rows.append(row)
      }
      rows += output.end.map { line($0, edge: edge) }
    }
    if let path { rows.append(Self.log(path, indent: indent)) }
    return rows
  }

  private func line(_ text: String, edge: String) -> Row {
    var row = Row(edge, .dim)
    // Groups of GitHub do not nest.
    row.append(description.output.service == .github ? LogSection.contained(text) : text)
    return row
  }

  /// The lines of a log that are shown: its beginning, what is missing, if anything is, and its end.
  private func excerpt(
    _ task: TaskID, isOnScreen: Bool
  ) -> (begin: ArraySlice<String>, left: String?, end: ArraySlice<String>) {
    let most = description.output.tail ?? (isOnScreen ? Self.screenLines : Self.tailLines)
    let bytes = description.tail(task, Self.tailBytes)
    let isCut = bytes.count >= Self.tailBytes
    var lines = TaskOutputText.lines(bytes, last: .max, isCut: isCut)
    // The first line may have begun earlier.
    if isCut, lines.count > 1 { lines.removeFirst() }
    if !isCut, lines.count <= most { return ([], nil, lines[...]) }
    // Whoever names a number, and the live region, get the end.
    if isOnScreen || description.output.tail != nil {
      let end = lines.suffix(most)
      let rest = isCut ? unshown(task, Self.size(ofLast: end.count, in: bytes)) : nil
      return ([], rest ?? counted(lines.count - end.count, "line"), end)
    }
    let first = most / 4
    guard isCut else {
      return (lines.prefix(first), counted(lines.count - most, "line"), lines.suffix(most - first))
    }
    // The beginning is not a part of the end: the log has at least as many bytes as both.
    let head = description.log(task, 0, Self.tailBytes / 4)
    let begin = TaskOutputText.lines(head, last: .max).dropLast().prefix(first)
    let rest = TaskOutputText.lines(bytes.suffix(Self.tailBytes / 4 * 3), last: .max, isCut: true)
    let end = (rest.count > 1 ? rest.dropFirst() : rest[...]).suffix(most - first)
    let shown =
      Self.size(ofLast: begin.count, in: head.reversed())
      + Self.size(ofLast: end.count, in: bytes)
    return (begin, unshown(task, shown), end)
  }

  /// How much of a log is not shown, in words.
  private func unshown(_ task: TaskID, _ shown: Int) -> String {
    byteCount(max(description.logSize(task) - shown, 0))
  }

  /// The number of bytes of the last lines that are not empty.
  private static func size(ofLast count: Int, in bytes: [UInt8]) -> Int {
    var (left, size, isEmpty) = (count, 0, true)
    for byte in bytes.reversed() {
      if byte != 0x0A {
        isEmpty = false
      } else if !isEmpty {
        left -= 1
        isEmpty = true
      }
      if left <= 0 { break }
      size += 1
    }
    return size
  }

  /// Prints the lines for a task that ended, in the form of the service that shows them.
  func printEnd(_ shown: RunUpdate.Event, into output: inout [UInt8]) {
    let rows = ended(shown)
    guard case .taskEnded(let task, let outcome, _, _) = shown.event.kind, outcome.isFailure,
      let service = description.output.service
    else { return print(rows, into: &output) }
    let section = LogSection(service: service, time: Int(time(nil)))
    let name = words.name(task)
    // In the other modes the output was shown already, and there is only its path.
    let isFolded = rows.count > 1 && description.output.mode == .failed
    print(isFolded ? Array(rows.prefix(1)) : rows, into: &output)
    if isFolded {
      output += Array(section.begin(task, "\(name): output").utf8)
      print(Array(rows.dropFirst()), into: &output)
      output += Array(section.end(task).utf8)
    }
    output += Array(
      section.annotation(
        title: name, "\(name) \(words.mishap(outcome, of: task))",
        isWarning: description.isOptional(task)
      ).utf8)
  }

  /// The lines for a run that is held: what has failed, and how to go on.
  func held(by task: TaskID) -> [Row] {
    let row = Row("held after a failure: no further task is started", .warning)
    guard let run = description.run else { return [row] }
    let name = words.name(task)
    let commands = [
      ("headway retry \(run) \(name)", "run it again"),
      ("headway skip \(run) \(name)", "go on without it"),
      ("headway cancel \(run)", "end the run"),
    ]
    let width = commands.map { TextWidth.columns(of: $0.0) }.max() ?? 0
    return tail(task, edge: "    ") + [row]
      + commands.map { command, effect in
        var row = Row("  \(command)")
        row.pad(to: width + 4)
        row.append(effect, .dim)
        return row
      }
  }

  /// Prints rows, each after the time if that is wanted.
  func print(_ rows: [Row], into output: inout [UInt8]) {
    Row.print(stamped(rows), color: style.color, into: &output)
  }

  /// The columns of the time before rows, 0 without it.
  var stampWidth: Int {
    description.output.timestamp.map { TextWidth.columns(of: $0()) + 1 } ?? 0
  }

  /// Rows with the time before each, if that is wanted.
  func stamped(_ rows: [Row]) -> [Row] {
    guard !rows.isEmpty, let timestamp = description.output.timestamp else { return rows }
    let time = Row("\(timestamp()) ", .dim)
    return rows.map { row in
      var stamped = time
      stamped.append(row)
      return stamped
    }
  }
}
