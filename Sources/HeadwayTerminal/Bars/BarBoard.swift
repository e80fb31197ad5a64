public import HeadwayBar
internal import HeadwayText

/// Several bars, nested or side by side, as they are shown below the output of a program.
///
///     ✓ fetch        1.2s  214 files                 ended: for good, above
///     release     ━━━━━━━━╸──────────   46%  5 of 11   a bar
///     • build     ━━━━━╸─────────────   28%            a bar in it
///     • test      ────━━━────────────        42 s      nobody knows how far
///
/// Nothing is drawn in the first `delay`, at most ten frames a second after it, and a frame in which nothing changed
/// writes nothing. Where no row can be drawn again it prints a rare line instead, see ``BarsInterface``.
///
/// A pure value with the time and the size as arguments; ``LiveBars`` drives it. Not thread safe.
public struct BarBoard: Sendable {
  /// The name of a bar of a board.
  public struct ID: Hashable, Sendable {
    /// Its number; no two bars of a board have the same.
    let number: Int
  }

  /// How a bar ends.
  public enum Outcome: Hashable, Sendable {
    /// Its work is done: a line stays.
    case succeeded
    /// Its work went wrong: a line stays.
    case failed
    /// It is taken away, and nothing stays.
    case removed
  }

  /// A bar with what stands beside it.
  struct Entry: Sendable {
    /// Its name.
    let id: ID
    /// How deep it is nested.
    let level: Int
    /// What it is the bar of.
    var label: String
    /// What is said beside it.
    var facts: [String] = []
    /// The model.
    var bar: ProgressBar
    /// When it was added.
    let start: Duration
    /// Where it stands in the lines that were printed.
    var told: ToldBar
    /// What stands before the bar in its row, nil where it is to be laid out again.
    var head: Row?
    /// What stands behind the percentage, nil where it is to be laid out again.
    var tail: Row?
  }

  /// How to show it.
  let style: TerminalStyle
  /// The way in which the bars are shown.
  let interface: BarsInterface
  /// The bars, each before those in it.
  var entries: [Entry] = []
  /// Rows that wait for the next frame to be printed for good.
  var above: [Row] = []
  /// The size of the terminal at the last frame.
  var size = TerminalSize(columns: 80, rows: 24)
  /// The columns that labels take; it never shrinks, so that bars do not jump when others end.
  private(set) var longestName = 1
  /// The columns for which rows were laid out.
  var columns = RegionColumns(columns: 80, longestName: 1)
  /// Turns bars into cells.
  var cellBar: CellBar
  /// Whether something went wrong.
  private var hasFailed = false
  /// What is on the screen.
  private var region: ScreenRegion
  /// What the task bar of the desktop was told.
  private var taskbar: TaskbarProgress
  /// When the last frame was drawn.
  private var lastFrame: Duration?
  /// Whether something was changed since then.
  private var isStale = false
  /// Whether something moved of itself then.
  private var wasMoving = false
  /// The number of the next bar.
  private var nextNumber = 1

  /// The time before anything is drawn: short work is not worth a flicker.
  public static let delay: Duration = ScreenRegion.delay
  /// The least time from one frame to the next.
  public static let interval: Duration = ScreenRegion.interval

  /// Creates a board without bars.
  ///
  /// - Parameters:
  ///   - style: What the terminal can show.
  ///   - interface: The way in which the bars are shown.
  ///   - glyphs: The characters of the bars; ASCII stands in where the terminal has nothing else.
  ///   - usesOwnColors: Whether bars are drawn in the colors of their styles, where the terminal has them.
  public init(
    style: TerminalStyle, interface: BarsInterface = .live, glyphs: BarGlyphs = .line,
    usesOwnColors: Bool = false
  ) {
    self.style = style
    self.interface = interface
    cellBar = CellBar(glyphs, style: style, usesOwnColors: usesOwnColors)
    // Nobody shows the cursor again if the program is killed, so it is not hidden.
    region = ScreenRegion(style: style, hidesCursor: false)
    taskbar = TaskbarProgress(style: style)
  }

  // MARK: Bars

  /// Adds a bar below the others, or below those in the same one.
  ///
  /// - Parameters:
  ///   - label: What it is the bar of; nothing in it moves a cursor.
  ///   - bar: The model; its layout is that of the board from now on, and it has no dot unless its style was made for cells.
  ///   - parent: The bar that it belongs to; one that is gone counts as none.
  ///   - now: The time since the board was begun.
  /// - Returns: The name of the bar.
  /// - Complexity: O(bars).
  public mutating func add(
    _ label: String, _ bar: ProgressBar, in parent: ID? = nil, at now: Duration
  ) -> ID {
    let id = ID(number: nextNumber)
    nextNumber += 1
    var place = entries.count
    var level = 0
    if let above = parent.flatMap({ index(of: $0) }) {
      level = entries[above].level + 1
      place = end(of: above)
    }
    var bar = bar
    if bar.style == BarStyle() { bar.setStyle(.cells, at: now / .seconds(1)) }
    let label = TaskOutputText.line(label)
    noteLength(of: label, level)
    entries.insert(
      Entry(
        id: id, level: level, label: label, bar: bar, start: now,
        told: ToldBar(start: now)),
      at: place)
    isStale = true
    return id
  }

  /// Changes the model of a bar; one that is gone is not changed.
  ///
  /// - Parameters:
  ///   - id: The bar.
  ///   - change: What is to be done with the model, such as a report.
  public mutating func update(_ id: ID, _ change: (inout ProgressBar) -> Void) {
    guard let index = index(of: id) else { return }
    change(&entries[index].bar)
    isStale = true
  }

  /// Changes what a bar is the bar of.
  public mutating func setLabel(_ label: String, of id: ID) {
    guard let index = index(of: id) else { return }
    let label = TaskOutputText.line(label)
    noteLength(of: label, entries[index].level)
    entries[index].label = label
    entries[index].head = nil
    isStale = true
  }

  /// Changes what is said beside a bar, the most important first: the last ones go where there is no room.
  public mutating func setFacts(_ facts: [String], of id: ID) {
    guard let index = index(of: id) else { return }
    entries[index].facts = facts.map { TaskOutputText.line($0) }
    entries[index].tail = nil
    isStale = true
  }

  /// Ends a bar and those in it, and leaves a line unless it is removed.
  ///
  /// - Parameters:
  ///   - id: The bar.
  ///   - outcome: How it ended.
  ///   - note: What is to be said of that; one line.
  ///   - now: The time since the board was begun.
  /// - Complexity: O(bars).
  public mutating func end(
    _ id: ID, _ outcome: Outcome = .succeeded, note: String = "", at now: Duration
  ) {
    guard let index = index(of: id) else { return }
    let entry = entries[index]
    if outcome == .failed { hasFailed = true }
    if outcome != .removed {
      above.append(endRow(entry, outcome, TaskOutputText.line(note), now - entry.start))
    }
    entries.removeSubrange(index..<end(of: index))
    isStale = true
  }

  /// Prints text above the bars, for good.
  ///
  /// - Parameter text: One line or several; what would move the cursor is left out.
  public mutating func print(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    above += lines.map { Row(TaskOutputText.line(String($0))) }
    isStale = true
  }

  /// Notes the columns of a label; two before the names of the layout are its own.
  private mutating func noteLength(of label: String, _ level: Int) {
    longestName = max(longestName, Self.indent(level) + TextWidth.columns(of: label) - 2)
  }

  /// Whether there is a bar.
  public var isEmpty: Bool { entries.isEmpty }

  /// The place of a bar, nil for one that is gone.
  private func index(of id: ID) -> Int? { entries.firstIndex { $0.id == id } }

  /// The place behind a bar and all in it.
  private func end(of index: Int) -> Int {
    entries[(index + 1)...].firstIndex { $0.level <= entries[index].level } ?? entries.count
  }

  // MARK: Frames

  /// Draws what is to be seen.
  ///
  /// - Parameters:
  ///   - now: The time since the board was begun.
  ///   - size: The size of the terminal now.
  ///   - output: The bytes to append to; none when nothing changed.
  /// - Complexity: O(bars × columns).
  public mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    self.size = TerminalSize(columns: max(size.columns, 1), rows: max(size.rows, 1))
    guard now >= Self.delay else { return }
    guard interface == .live else { return printLines(at: now, into: &output) }
    guard lastFrame.map({ now >= $0 + Self.interval }) ?? true else { return }
    (lastFrame, isStale) = (now, false)
    wasMoving = isMoving(at: now)
    let rows = regionRows(at: now)
    region.show(rows, above: above, size: self.size, into: &output)
    above.removeAll(keepingCapacity: true)
    taskbar.show(taskbarState(at: now), into: &output)
  }

  /// Tells when `frame(at:size:into:)` wants to be called next.
  ///
  /// - Parameter now: The time since the board was begun.
  /// - Returns: A time since then; nil when nothing moves by itself and nothing waits to be shown.
  public func nextFrame(after now: Duration) -> Duration? {
    if interface != .live { return nextLine(after: now) }
    guard isStale || wasMoving || isMoving(at: now) else { return nil }
    return max(lastFrame.map { $0 + Self.interval } ?? Self.delay, Self.delay)
  }

  /// Whether bars are on the screen, or would be if it had room for any.
  var isShown: Bool { interface == .live && lastFrame != nil && !entries.isEmpty }

  /// Takes it that others have written below the bars; the next frame draws them again, below that.
  mutating func forget() {
    region.forget()
    (lastFrame, isStale) = (nil, !entries.isEmpty)
  }

  /// Takes away what would be overwritten later, and prints what waits; the next frame draws the bars again.
  ///
  /// - Parameter output: The bytes to append to.
  public mutating func withdraw(into output: inout [UInt8]) {
    if interface == .live {
      region.withdraw(printing: above, width: size.columns, into: &output)
      taskbar.show(.none, into: &output)
    } else {
      Self.print(above, style, into: &output)
    }
    above.removeAll()
    (lastFrame, isStale) = (nil, !entries.isEmpty)
  }

  /// Whether a bar moves of itself.
  private func isMoving(at now: Duration) -> Bool {
    let seconds = now / .seconds(1)
    return entries.contains { $0.bar.activity(at: seconds) != .still }
  }

  /// What the task bar is to be told: the mean of the outermost bars.
  private func taskbarState(at now: Duration) -> TaskbarProgress.State {
    guard style.showsTaskbar, !entries.isEmpty else { return .none }
    let outer = entries.filter { $0.level == 0 }
    let known = outer.filter { !$0.bar.isIndeterminate }
    guard !known.isEmpty else { return .unknown }
    let sum = known.reduce(0) { $0 + $1.bar.fraction(at: now / .seconds(1)) }
    let percent = ProgressBar.percent(of: sum / Double(known.count))
    if outer.allSatisfy(\.bar.isPaused) { return .paused(percent) }
    return hasFailed ? .error(percent) : .value(percent)
  }

  // MARK: Lines

  /// Prints what waits and the lines that are due.
  private mutating func printLines(at now: Duration, into output: inout [UInt8]) {
    isStale = false
    Self.print(above, style, into: &output)
    above.removeAll(keepingCapacity: true)
    for index in entries.indices {
      guard let row = line(of: &entries[index], at: now) else { continue }
      Self.print([row], style, into: &output)
    }
  }

  /// When the next line is due.
  private func nextLine(after now: Duration) -> Duration? {
    let due = entries.map { $0.told.due(fraction(of: $0, at: now), interface) }.min()
    let next = above.isEmpty ? due : now
    return next.map { max($0, Self.delay) }
  }

  /// Prints rows, each with a line end.
  private static func print(_ rows: [Row], _ style: TerminalStyle, into output: inout [UInt8]) {
    for var row in rows {
      row.cut(to: .max, ellipsis: "")
      row.encode(color: style.color, into: &output)
      output.append(UInt8(ascii: "\n"))
    }
  }
}
