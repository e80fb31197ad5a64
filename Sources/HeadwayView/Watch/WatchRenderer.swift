internal import HeadwayBar
package import HeadwayTerminal

/// Shows published work in a terminal as a region of rows that is redrawn, and handles its keys.
///
///     ▸ release   ━━━━━━━━╸──────────   46%  12345.1 · about 12 s left · 5 of 11 tasks
///       • build   ━━━━━╸─────────────   28%
///       • test    ────━━━────────────
///       photos    ━━━━━━━━━━━━━╸─────   71%  12399.1 · copying
///       backup    ✗ its process ended  12288.1
///     ↑↓ choose · p pauses · c cancels · q leaves
///
/// Nothing is drawn in the first 200 ms and at most ten frames a second after that, and a frame in which nothing changed
/// writes nothing. A value with the time and the size as arguments; not thread safe.
package struct WatchRenderer: Renderer {
  let style: TerminalStyle
  /// Where news come from, and requests go.
  private let inbox: WatchInbox
  var list: WatchList
  /// Whether to leave once all work has ended, whose rows then stay.
  private let endsWithWork: Bool
  /// The bars by the work and its nodes.
  var bars: [NodeKey: ProgressBar] = [:]
  var cellBar: CellBar
  /// The columns of the labels; it never shrinks, so that bars do not jump when others end.
  var longestName = 1
  /// The number of works above the first one that is shown.
  var scrolled = 0
  /// The size of the terminal at the last frame.
  var size = TerminalSize(columns: 80, rows: 24)
  private var keys = WatchKeys()
  private var region: ScreenRegion
  /// Rows that are printed above the region with the next frame.
  private var above: [Row] = []
  private var lastFrame: Duration?
  /// Whether something happened since then.
  private var isStale = true
  /// Whether a bar moves by itself.
  var isMoving = false
  /// Whether the user has left, or the work has ended.
  package private(set) var isOver = false

  /// A node of work, for its bar.
  struct NodeKey: Hashable, Sendable {
    let work: String
    /// The number of the node, nil for the first one.
    let node: UInt32?
  }

  /// Creates the renderer.
  ///
  /// - Parameters:
  ///   - inbox: Where news come from, and requests go.
  ///   - style: What the terminal can show.
  ///   - endsWithWork: Whether to leave once there was work and all of it has ended.
  package init(_ inbox: WatchInbox, style: TerminalStyle, endsWithWork: Bool = false) {
    (self.inbox, self.style, self.endsWithWork) = (inbox, style, endsWithWork)
    list = WatchList(keepsEnded: endsWithWork)
    cellBar = CellBar(.line, style: style)
    region = ScreenRegion(style: style, hidesCursor: false)
  }

  /// Takes the news.
  package mutating func update(into output: inout [UInt8]) {
    let news = inbox.take()
    for work in news.works { list.update(work) }
    if let message = news.message { list.show(message: TaskOutputText.line(message)) }
    above += news.lines.map { Row(TaskOutputText.line($0)) }
    if !news.works.isEmpty || news.message != nil || !news.lines.isEmpty { isStale = true }
  }

  /// Records a key press for the next frame, which knows the time.
  package mutating func press(_ key: UInt8) { keys.take(key) }

  /// Handles the keys and draws the region.
  package mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    let isResized = size != self.size
    self.size = TerminalSize(columns: max(size.columns, 1), rows: max(size.rows, 1))
    list.advance(to: now)
    for key in keys.pressed(at: now) {
      isStale = true
      switch list.press(key) {
      case .ask(let id, let request): inbox.ask(id, request)
      case .quit: isOver = true
      case nil: break
      }
    }
    if endsWithWork, list.hasEnded { isOver = true }
    guard now >= ScreenRegion.delay, isResized || isDue(at: now), !isOver else { return }
    (lastFrame, isStale) = (now, false)
    region.show(regionRows(at: now), above: above, size: self.size, into: &output)
    above.removeAll()
  }

  private func isDue(at now: Duration) -> Bool {
    lastFrame.map { now >= $0 + ScreenRegion.interval } ?? true
  }

  /// The time of the next frame: soon while something moves or happened, otherwise when something is removed.
  package func nextFrame(after now: Duration) -> Duration? {
    var times: [Duration] = []
    if isStale || isMoving || !keys.isEmpty && keys.due == nil {
      times.append(lastFrame.map { $0 + ScreenRegion.interval } ?? .zero)
    }
    if let due = keys.due { times.append(due) }
    if let change = list.nextChange { times.append(change) }
    return times.min().map { max($0, ScreenRegion.delay) }
  }

  package var isShown: Bool { region.isShown }

  /// Erases the region and prints the waiting lines; what has ended with the watching stays.
  package mutating func withdraw(into output: inout [UInt8]) {
    let stays = isOver && endsWithWork && list.hasEnded
    region.withdraw(
      printing: above + (stays ? endRows() : []), width: size.columns, into: &output)
    above.removeAll()
    (lastFrame, isStale) = (nil, true)
  }

  /// Forgets the drawn rows after other output.
  package mutating func forget() {
    region.forget()
    isStale = true
  }
}
