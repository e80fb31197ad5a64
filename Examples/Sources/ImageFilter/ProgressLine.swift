import HeadwayBar
import HeadwayProgress
import HeadwayTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Shows a node on the error output: as a bar in a terminal, and elsewhere as a plain line now and then.
struct ProgressLine: Sendable {
  /// How long nothing is shown: what is done by then needs no bar.
  private static let patience = Duration.milliseconds(200)
  /// The least time between two drawings in a terminal.
  private static let frame = Duration.milliseconds(50)
  /// The least time between two plain lines.
  private static let pause = Duration.seconds(2)
  /// The widest bar.
  private static let widestBar = 40

  /// Whether the error output is a terminal.
  private let isTerminal = isatty(STDERR_FILENO) == 1
  /// What the terminal can show.
  private let style = TerminalStyle { name in
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Shows a node until it ends, is cancelled, or the task is.
  ///
  /// - Parameter feed: The snapshots of the node.
  func follow(_ feed: ProgressFeed<ContinuousClock>) async {
    // The first snapshot comes at once, and is as new as it can be then.
    let wait = isTerminal ? Self.patience : Self.pause
    guard (try? await Task.sleep(for: wait)) != nil else { return }
    var isDrawn = false
    for await snapshot in feed {
      if snapshot.isFinished || snapshot.isCancelled { break }
      tell(isTerminal ? "\r\(bar(snapshot, columns: columns))\u{1B}[K" : "\(words(snapshot))\n")
      isDrawn = isTerminal
    }
    if isDrawn { tell("\r\u{1B}[K") }
  }

  /// The snapshots of a node, as often as they are shown.
  func feed(of node: ProgressNode) -> ProgressFeed<ContinuousClock> {
    node.feed(every: isTerminal ? Self.frame : Self.pause)
  }

  /// A snapshot as one row of a terminal.
  ///
  /// - Parameters:
  ///   - snapshot: What to show.
  ///   - columns: The width of the terminal.
  /// - Returns: A row that leaves the last column free, so that it does not wrap.
  private func bar(_ snapshot: ProgressSnapshot, columns: Int) -> String {
    let step = snapshot.deepest
    let percent = "\(Int(snapshot.shownFraction * 100))%"
    // The percentage is that of the whole, beside the bar; the counts are those of the step, beside its name.
    let rest =
      " \(String(repeating: " ", count: 4 - percent.utf8.count))\(percent)  \(step.label) \(step.counts)"
    let room = columns - 1 - TextWidth.columns(of: rest)
    var row: [UInt8] = []
    BarPicture(glyphs: style.unicode ? .line : .ascii).draw(
      fraction: snapshot.shownFraction, columns: min(room, Self.widestBar), into: &row)
    let text = String(decoding: row, as: UTF8.self) + rest
    return TextWidth.cut(text, to: max(columns - 1, 0), ellipsis: "")
  }

  /// A snapshot as a plain line.
  private func words(_ snapshot: ProgressSnapshot) -> String {
    let step = snapshot.deepest
    return "\(Int(snapshot.shownFraction * 100))% \(step.label): \(step.counts)"
  }

  /// The width of the terminal.
  private var columns: Int {
    var size = winsize()
    let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}

extension ProgressSnapshot {
  /// The step at work: the first of the children that have not finished, and of theirs.
  var deepest: ProgressSnapshot { children.first?.deepest ?? self }

  /// The counts in words; nothing for what has no name or no total.
  var counts: String {
    guard !label.isEmpty, let total else { return "" }
    return "\(completed) of \(total)"
  }
}
