public import HeadwayBar
internal import HeadwayText

/// Several bars, nested or side by side, below the output of a program.
///
///     ✓ fetch        1.2s  214 files                 ended: a line that stays
///     release     ━━━━━━━━╸──────────   45%  5 / 11 · 2 min left         a bar
///     • build     ━━━━━╸─────────────   28%  60 / 214 · 30/s · 6 s left   a bar in it
///     • test      ────━━━────────────   42s                               unknown progress
///
/// Nothing is drawn in the first 200 ms and at most ten frames a second after that, and a frame in which nothing changed
/// writes nothing. If rows cannot be redrawn, it prints a few lines instead; see ``BarsInterface``.
///
/// ```swift
/// let style = TerminalStyle(color: false, unicode: true)
/// var board = BarBoard(style: style, interface: BarsInterface.live)
/// let fetch: BarBoard.ID = board.add("fetch", total: 214, at: .zero)
/// board.report(60, of: fetch, at: .seconds(2))
/// var bytes: [UInt8] = []
/// board.frame(at: .seconds(2), size: TerminalSize(columns: 80, rows: 24), into: &bytes)
/// board.end(fetch, BarBoard.Outcome.stopped, at: .seconds(3))
/// ```
///
/// A pure value with the time and the size as arguments; ``LiveBars`` drives it. Not thread safe.
public struct BarBoard: Sendable {
  /// Identifies a bar of a board.
  public struct ID: Hashable, Sendable {
    /// A number that is unique in the board.
    let number: Int
  }

  /// The ways a bar ends.
  public enum Outcome: Hashable, Sendable {
    /// Its work succeeded: a line stays.
    case succeeded
    /// Its work failed: a line stays.
    case failed
    /// Its work ended early, which is no failure: a line stays.
    case stopped
    /// It disappears without a line.
    case removed
  }

  /// A bar with its texts.
  struct Entry: Sendable {
    let id: ID
    /// The bar that it was added to, which may have ended.
    let parent: ID?
    /// The number of bars around it.
    let level: Int
    var label: String
    /// The texts beside it.
    var facts: [String] = []
    var bar: ProgressBar
    /// What is counted, nil for a bar whose model the caller changes.
    var work: CountedWork?
    /// Whether the caller may have changed the model of counted work.
    var isChanged = false
    var start: Duration
    /// Its lines so far.
    var printed: PrintedBar
    /// The count at which a line said that there is no progress, nil for none.
    var saidSilence: Double?
    /// The row before the bar, nil to lay it out again.
    var head: Row?
    /// The row after the percentage, nil to lay it out again.
    var tail: Row?
    /// The whole row while nothing of it moves, nil to lay it out again.
    var row: Row?
  }

  let style: TerminalStyle
  let interface: BarsInterface
  var words: BoardWords { BoardWords(language: style.language) }
  /// The bars, each one before its nested bars.
  var entries: [Entry] = []
  /// Rows that are printed above the region with the next frame.
  var above: [Row] = []
  /// Whether this pass has printed the waiting rows; those that come later wait for the next pass.
  private var hasPrintedLines = false
  /// The size of the terminal at the last frame.
  var size = TerminalSize(columns: 80, rows: 24)
  /// The columns of the labels; it never shrinks, so that bars do not jump when others end.
  private(set) var longestName = 1
  /// The columns for which the rows were laid out.
  var columns = RegionColumns(columns: 80, longestName: 1)
  var cellBar: CellBar
  /// The bars that ended last, for a reset.
  private var ended = EndedBars()
  /// The number of bars that failed and were not reset.
  private var failures = 0
  private var region: ScreenRegion
  private var taskbar: TaskbarProgress
  private var lastFrame: Duration?
  /// Whether something changed since the last frame.
  var isStale = false
  /// Whether the next frame prints the waiting rows without delay.
  private var isUrgent = false
  /// Whether a bar was moving at the last frame.
  private var wasMoving = false
  private var nextNumber = 1

  /// The time before anything is drawn, so that short work leaves no flicker.
  package static let delay: Duration = ScreenRegion.delay
  /// The minimum time from one frame to the next.
  package static let interval: Duration = ScreenRegion.interval

  /// Creates a board without bars.
  ///
  /// - Parameters:
  ///   - style: What the terminal can show.
  ///   - interface: The way to show the bars.
  ///   - glyphs: The characters of the bars, replaced by ASCII if the terminal has nothing else.
  ///   - usesOwnColors: Whether bars are drawn in the colors of their styles, if the terminal has them.
  public init(
    style: TerminalStyle, interface: BarsInterface = .live, glyphs: BarGlyphs = .line,
    usesOwnColors: Bool = false
  ) {
    self.style = style
    self.interface = interface
    cellBar = CellBar(glyphs, style: style, usesOwnColors: usesOwnColors)
    // If the program is killed, nothing shows the cursor again; so it is not hidden.
    region = ScreenRegion(style: style, hidesCursor: false)
    taskbar = TaskbarProgress(style: style)
  }

  // MARK: Bars

  /// Adds a bar below the others, or below the nested bars of its parent.
  ///
  /// - Parameters:
  ///   - label: The text before the bar; control characters are removed.
  ///   - bar: The model; the board sets its layout, and replaces the default style by `BarStyle.cells`, except for the
  ///     buffered ranges and the marks.
  ///   - parent: The bar that it is nested in, nil for none; a bar that has ended counts as none.
  ///   - now: The time since the creation of the board.
  /// - Returns: The identifier of the bar.
  /// - Complexity: O(bars).
  public mutating func add(
    _ label: String, _ bar: ProgressBar, in parent: ID? = nil, at now: Duration
  ) -> ID {
    add(label, bar, work: nil, in: parent, at: now)
  }

  /// Adds a bar for work that is counted, or not.
  mutating func add(
    _ label: String, _ bar: ProgressBar, work: CountedWork?, in parent: ID?, at now: Duration
  ) -> ID {
    let id = ID(number: nextNumber)
    nextNumber += 1
    insert(id, label, bar, work: work, in: parent, at: now)
    return id
  }

  /// Inserts a bar below the others, or below the nested bars of its parent.
  private mutating func insert(
    _ id: ID, _ label: String, _ bar: ProgressBar, work: CountedWork?, in parent: ID?,
    at now: Duration
  ) {
    var position = entries.count
    var level = 0
    if let above = parent.flatMap({ index(of: $0) }) {
      level = entries[above].level + 1
      position = end(of: above)
    }
    var bar = bar
    if bar.style == BarStyle().withData(of: bar.style) {
      bar.setStyle(.cells.withData(of: bar.style), at: now)
    }
    let label = TaskOutputText.line(label)
    noteLength(of: label, level)
    entries.insert(
      Entry(
        id: id, parent: parent, level: level, label: label, bar: bar, work: work, start: now,
        printed: PrintedBar(start: now)),
      at: position)
    isStale = true
  }

  /// Begins again from 0, for the next attempt or the next file; the total stays.
  ///
  /// Speed, remaining time and elapsed time begin again, a pause ends, and the texts of ``setFacts(_:of:)`` are removed. The
  /// label and the nested bars stay. A bar that has ended, also with its parent, is added again below the others, or below
  /// the nested bars of its parent; it must be one of the last 256 that ended, otherwise nothing happens.
  ///
  /// - Parameters:
  ///   - id: The bar.
  ///   - now: The time since the creation of the board.
  /// - Complexity: O(bars).
  public mutating func reset(_ id: ID, at now: Duration) {
    if let index = index(of: id) {
      entries[index].reset(at: now)
    } else if let last = ended.take(id) {
      if last.hasFailed { failures -= 1 }
      var work = last.work
      work?.reset(at: now)
      insert(id, last.label, last.bar, work: work, in: last.parent, at: now)
      change(id) { $0.reset(at: now) }
    }
    isStale = true
  }

  /// Changes the model of a bar; does nothing if the bar has ended.
  ///
  /// The counts of a bar for counted work follow its model with the next frame. Events of the model that the function does not
  /// take are dropped.
  ///
  /// - Parameters:
  ///   - id: The bar.
  ///   - change: Changes the model, for example by a report.
  public mutating func update(_ id: ID, _ change: (inout ProgressBar) -> Void) {
    guard let index = index(of: id) else { return }
    change(&entries[index].bar)
    // Nobody else takes them, so that they would pile up.
    _ = entries[index].bar.takeEvents()
    (entries[index].isChanged, entries[index].row) = (true, nil)
    isStale = true
  }

  /// Changes a bar that has not ended, and draws it again.
  mutating func change(_ id: ID, _ change: (inout Entry) -> Void) {
    guard let index = index(of: id) else { return }
    change(&entries[index])
    entries[index].row = nil
    isStale = true
  }

  /// Changes the text before a bar.
  public mutating func setLabel(_ label: String, of id: ID) {
    guard let index = index(of: id) else { return }
    let label = TaskOutputText.line(label)
    noteLength(of: label, entries[index].level)
    entries[index].label = label
    (entries[index].head, entries[index].row) = (nil, nil)
    isStale = true
  }

  /// Changes the texts beside a bar, the most important first; the last ones are left out if there is no room.
  ///
  /// They stand before the counts, the speed and the remaining time of counted work.
  public mutating func setFacts(_ facts: [String], of id: ID) {
    guard let index = index(of: id) else { return }
    let facts = facts.map { TaskOutputText.line($0) }
    guard facts != entries[index].facts else { return }
    entries[index].facts = facts
    (entries[index].tail, entries[index].row) = (nil, nil)
    isStale = true
  }

  /// Ends a bar with its nested bars, and leaves a line unless it is removed.
  ///
  /// - Parameters:
  ///   - id: The bar.
  ///   - outcome: How it ended.
  ///   - note: A text for that line.
  ///   - now: The time since the creation of the board.
  /// - Complexity: O(bars).
  public mutating func end(
    _ id: ID, _ outcome: Outcome = .succeeded, note: String = "", at now: Duration
  ) {
    guard let index = index(of: id) else { return }
    if outcome == .failed { failures += 1 }
    if outcome != .removed, interface != .hidden {
      above.append(endRow(index, outcome, TaskOutputText.line(note), at: now))
      entries[root(of: index)].printed.noteOutput(at: now)
    }
    // Until now there was progress inside the bars around it.
    for outer in outerIndices(of: index) { entries[outer].work?.innerWork = now }
    let range = index..<end(of: index)
    for entry in entries[range] {
      ended.add(entry, hasFailed: outcome == .failed && entry.id == id)
    }
    entries.removeSubrange(range)
    isStale = true
  }

  /// Ends all bars: those that are full have succeeded, and the others were stopped.
  ///
  /// - Parameter now: The time since the creation of the board.
  /// - Complexity: O(bars²).
  public mutating func endAll(at now: Duration) {
    while let first = entries.first {
      let isFull = reportedFraction(of: first).map { $0 >= 1 } ?? false
      end(first.id, isFull ? .succeeded : .stopped, at: now)
    }
  }

  /// Prints text above the bars.
  ///
  /// - Parameter text: One or more lines; control characters are removed.
  public mutating func print(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    above += lines.map { Row(TaskOutputText.line(String($0))) }
    isStale = true
  }

  /// Makes room for a label; the layout has two more columns before its names.
  private mutating func noteLength(of label: String, _ level: Int) {
    longestName = max(longestName, Self.indent(level) + TextWidth.columns(of: label) - 2)
  }

  /// Whether there are no bars.
  package var isEmpty: Bool { entries.isEmpty }

  /// The index of a bar, nil if it has ended.
  private func index(of id: ID) -> Int? { entries.firstIndex { $0.id == id } }

  /// The index after a bar and its nested bars.
  private func end(of index: Int) -> Int {
    entries[(index + 1)...].firstIndex { $0.level <= entries[index].level } ?? entries.count
  }

  /// The indices of the bars around a bar, the nearest first.
  private func outerIndices(of index: Int) -> [Int] {
    var level = entries[index].level
    return entries[..<index].indices.reversed().filter {
      guard entries[$0].level < level else { return false }
      level = entries[$0].level
      return true
    }
  }

  /// The index of the outermost bar around a bar.
  func root(of index: Int) -> Int {
    entries[...index].lastIndex { $0.level == 0 } ?? index
  }

  /// The labels of the bars around a bar, the outermost first, and its own.
  func labels(of index: Int) -> [String] {
    outerIndices(of: index).reversed().map { entries[$0].label } + [entries[index].label]
  }

  /// Whether a bar has nested bars.
  func hasNested(_ index: Int) -> Bool { end(of: index) > index + 1 }

  /// Brings the counts of a bar up to date.
  ///
  /// - Parameters:
  ///   - index: The bar.
  ///   - now: The time since the creation of the board.
  /// - Returns: Whether there is something new to say about them.
  mutating func updateWork(_ index: Int, at now: Duration) -> Bool {
    // Bars inside it show whether there is progress.
    if hasNested(index) { entries[index].work?.innerWork = now }
    return entries[index].updateWork(at: now, words)
  }

  // MARK: Frames

  /// Draws a frame.
  ///
  /// - Parameters:
  ///   - now: The time since the creation of the board.
  ///   - size: The current size of the terminal.
  ///   - output: The bytes to append to; none if nothing changed.
  /// - Complexity: O(bars × columns).
  public mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    self.size = TerminalSize(columns: max(size.columns, 1), rows: max(size.rows, 1))
    // The rows of other boards may be above those of this one already.
    let mayPrint = !hasPrintedLines
    hasPrintedLines = false
    guard now >= Self.delay || isUrgent else { return }
    let isUrgent = self.isUrgent
    self.isUrgent = false
    guard interface == .live else {
      return now < Self.delay ? printAbove(into: &output) : printLines(at: now, into: &output)
    }
    guard isUrgent || lastFrame.map({ now >= $0 + Self.interval }) ?? true else { return }
    // Bars do not appear earlier because a line is printed.
    let rows = now < Self.delay ? [] : regionRows(at: now)
    isStale = now < Self.delay && !entries.isEmpty
    lastFrame = now < Self.delay ? nil : now
    wasMoving = isMoving(at: now)
    region.show(rows, above: mayPrint ? above : [], size: self.size, into: &output)
    if mayPrint {
      above.removeAll(keepingCapacity: true)
    } else if !above.isEmpty {
      // The line of a bar that has ended goes on being urgent: somebody waits for it.
      isStale = true
      self.isUrgent = isUrgent
    }
    taskbar.show(taskbarState(at: now), into: &output)
  }

  /// The time of the next frame.
  ///
  /// - Parameter now: The time since the creation of the board.
  /// - Returns: A time since the creation of the board, nil if nothing moves and nothing waits to be drawn.
  public func nextFrame(after now: Duration) -> Duration? {
    if isUrgent { return now }
    if interface != .live { return nextLine(after: now) }
    let next = max(lastFrame.map { $0 + Self.interval } ?? Self.delay, Self.delay)
    if isStale || wasMoving || isMoving(at: now) { return next }
    return entries.lazy.compactMap { $0.work?.due }.min().map { max($0, next) }
  }

  /// Makes the next frame print the line of a bar that has just ended, or erase the last bar, without delay.
  ///
  /// - Returns: Whether there is something to print or to erase.
  mutating func hurry() -> Bool {
    isUrgent = !above.isEmpty || (entries.isEmpty && region.isShown)
    return isUrgent
  }

  /// Whether bars are drawn, or will be.
  var needsRows: Bool { interface == .live && !entries.isEmpty }

  /// Whether bars are on the screen, or would be if it had room for any.
  var isShown: Bool { interface == .live && lastFrame != nil && !entries.isEmpty }

  /// Forgets the drawn bars after other output; the next frame draws them below that.
  mutating func forget() {
    region.forget()
    (lastFrame, isStale) = (nil, !entries.isEmpty)
  }

  /// Erases the bars and prints the waiting rows; the next frame draws the bars again.
  ///
  /// - Parameter output: The bytes to append to.
  public mutating func withdraw(into output: inout [UInt8]) {
    if interface == .live {
      region.withdraw(printing: above, width: size.columns, into: &output)
      taskbar.show(.none, into: &output)
    } else {
      Row.print(above, color: style.color, into: &output)
    }
    above.removeAll()
    (lastFrame, isStale) = (nil, !entries.isEmpty)
  }

  /// Erases the bars for a moment; the next frame draws them again.
  mutating func erase(into output: inout [UInt8]) {
    guard interface == .live, region.isShown else { return }
    region.withdraw(printing: [], width: size.columns, into: &output)
    (lastFrame, isStale) = (nil, !entries.isEmpty)
  }

  /// Prints the waiting rows while no bars are on the screen.
  mutating func printLines(into output: inout [UInt8]) {
    guard interface == .live else { return }
    region.withdraw(printing: above, width: size.columns, into: &output)
    above.removeAll()
    hasPrintedLines = true
  }

  private func isMoving(at now: Duration) -> Bool {
    let seconds = now / .seconds(1)
    return entries.indices.contains { entries[$0].bar.activity(at: seconds) != .still }
  }

  /// The progress in the taskbar: the mean of the outermost bars.
  private func taskbarState(at now: Duration) -> TaskbarProgress.State {
    guard style.showsTaskbar, !entries.isEmpty else { return .none }
    let outer = entries.filter { $0.level == 0 }
    let known = outer.filter { !$0.bar.isIndeterminate }
    guard !known.isEmpty else { return .unknown }
    let sum = known.reduce(0) { $0 + $1.bar.fraction(at: now / .seconds(1)) }
    let percent = PercentText.wholeNumber(sum / Double(known.count))
    if outer.allSatisfy(\.bar.isPaused) { return .paused(percent) }
    return failures > 0 ? .error(percent) : .value(percent)
  }
}
