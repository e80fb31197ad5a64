public import HeadwayBar
internal import HeadwayLock
public import HeadwayProgress
internal import HeadwaySystem
internal import HeadwayTime

/// Shows bars in the terminal of a program, below what the program prints.
///
/// ```swift
/// let bars = LiveBars()
/// let fetch = bars.add("fetch", total: 5_000_000, kind: .file(.downloading))
/// for chunk in chunks {
///   store(chunk)
///   fetch.complete(chunk.count)
/// }
/// fetch.end()
/// bars.finish()
/// ```
///
/// Beside the bar of counted work are the count, the speed and the remaining time, such as `3.9 / 5.0 MB · 1.2 MB/s · 4 s
/// left`. A loop needs one line: `for photo in photos.reporting("resize") { … }` shows its bar in ``shared``.
///
/// Without a terminal, in CI, with `TERM=dumb` and with `ACCESSIBLE` it prints a few lines instead. What the program prints to
/// the same terminal comes above the bars, on Linux with glibc; other output must go through `print(_:)`, or be written while the
/// bars are suspended. The cursor is never hidden, so a program that is killed leaves the last picture with a prompt below it.
///
/// All bars of a process on one terminal share it, those of each object below the earlier ones.
///
/// Nothing waits for the terminal: changes are recorded under a lock and drawn by a thread, which sleeps while nothing
/// moves. Call `finish()` at the end; otherwise it is called when the object is released, or when the program ends by
/// returning from `main` or by `exit`. Safe from any thread.
public final class LiveBars: Sendable {
  /// The bars of the whole program, on standard error, which loops use by themselves.
  public static let shared = LiveBars()

  /// The board as the render loop calls it.
  private struct Shown: Renderer {
    let board: SharedBoard
    let start: Duration

    mutating func update(into output: inout [UInt8]) {
      board.readTrees(at: MonotonicTime.now - start)
    }

    mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
      board.held.withLock { $0.board.frame(at: now, size: size, into: &output) }
    }

    func nextFrame(after now: Duration) -> Duration? {
      let due = board.treesDue(at: now)
      return board.held.withLock { held in
        let frame = held.board.nextFrame(after: now)
        held.scheduled = [frame, due].compactMap(\.self).min()
        return held.scheduled
      }
    }

    mutating func withdraw(into output: inout [UInt8]) {
      board.held.withLock { $0.board.withdraw(into: &output) }
    }

    var isShown: Bool { board.held.withLock { $0.board.isShown } }

    var needsRows: Bool { board.held.withLock { $0.board.needsRows } }

    mutating func erase(into output: inout [UInt8]) {
      board.held.withLock { $0.board.erase(into: &output) }
    }

    mutating func printLines(into output: inout [UInt8]) {
      board.held.withLock { $0.board.printLines(into: &output) }
    }

    mutating func forget() { board.held.withLock { $0.board.forget() } }
  }

  /// The board, with the time of the next frame.
  private struct Held: Sendable {
    var board: BarBoard
    /// When the thread draws without being woken, nil for never.
    var scheduled: Duration?
    /// Whether the thread has ended, so that lines are written by whoever has one.
    var hasEnded = false
    /// The bars of the trees that are followed.
    var trees: [ObjectIdentifier: NodeBars] = [:]

    /// Shows a tree that is followed.
    mutating func show(_ snapshot: ProgressSnapshot, of tree: FollowedTree, at now: Duration) {
      trees[ObjectIdentifier(tree)]?.show(snapshot, on: &board, at: now)
    }
  }

  /// The board as an object, which the thread and the callers share.
  private final class SharedBoard: Sendable {
    let held: Guarded<Held>
    /// The trees that the thread reads.
    let trees = Guarded<[FollowedTree]>([])

    init(_ board: BarBoard) { held = Guarded(Held(board: board)) }

    /// Reads the trees that have changed.
    ///
    /// Outside of the lock of the board, because a node may call code of the program when it is read.
    func readTrees(at now: Duration) {
      for tree in trees.withLock({ $0 }) {
        guard let snapshot = tree.read(at: now) else { continue }
        held.withLock { $0.show(snapshot, of: tree, at: now) }
        if snapshot.isFinished { tree.end() }
      }
    }

    /// When the next tree has to be read, nil while none changes.
    func treesDue(at now: Duration) -> Duration? {
      trees.withLock { $0 }.compactMap { $0.due(at: now) }.min()
    }
  }

  private let board: SharedBoard
  private let loop: RenderLoop<Shown>
  private let start = MonotonicTime.now

  /// Creates a region for bars at the bottom of a terminal.
  ///
  /// - Parameters:
  ///   - output: The descriptor to write to; it stays open.
  ///   - style: What the terminal can show, nil to ask the environment.
  ///   - interface: The way to show bars, nil for the one that fits the output.
  ///   - glyphs: The characters of the bars, replaced by ASCII if the terminal has nothing else.
  ///   - usesOwnColors: Whether bars are drawn in the colors of their styles, if the terminal has them.
  public init(
    output: Int32 = 2, style: TerminalStyle? = nil, interface: BarsInterface? = nil,
    glyphs: BarGlyphs = .line, usesOwnColors: Bool = false
  ) {
    let isTerminal = isTerminal(output)
    var shown = style ?? TerminalStyle(environment: environmentValue)
    if !isTerminal { (shown.color, shown.showsTaskbar) = (false, false) }
    let fitting = BarsInterface.fitting(isTerminal: isTerminal, environment: environmentValue)
    board = SharedBoard(
      BarBoard(
        style: shown, interface: interface ?? fitting, glyphs: glyphs,
        usesOwnColors: usesOwnColors))
    let start = start
    loop = RenderLoop(
      Shown(board: board, start: start), output: output, keepsOutput: true,
      now: { MonotonicTime.now - start })
    BarsAtExit.add(self)
  }

  deinit {
    BarsAtExit.remove(self)
    finish()
  }

  /// Adds a bar for counted work.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. 0 of 0 units are complete. Of a
  ///     total of at most 1 only the percentage and the remaining time are shown.
  ///   - completed: The units that are already done, such as the part of a resumed download; they do not count as speed.
  ///   - kind: The kind of work; units of work on files are shown as bytes.
  /// - Returns: The bar.
  public func add(
    _ label: String, total: Double? = 1, completed: Double = 0, kind: WorkKind = .work
  ) -> Bar {
    add(label, total, completed, kind, in: nil)
  }

  /// Adds a bar for counted work, with integers.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - total: The number of units; nil and negative numbers mean unknown. 0 of 0 units are complete.
  ///   - completed: The units that are already done; they do not count as speed.
  ///   - kind: The kind of work; units of work on files are shown as bytes.
  /// - Returns: The bar.
  @inlinable
  public func add<Count: BinaryInteger>(
    _ label: String, total: Count?, completed: Count = 0, kind: WorkKind = .work
  ) -> Bar {
    add(label, total: total.map { Double($0) }, completed: Double(completed), kind: kind)
  }

  /// Adds a bar with a model of its own.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - model: The model; its times are seconds since the creation of this object, as `Bar.update(_:)` passes them.
  /// - Returns: The bar.
  public func add(_ label: String, _ model: ProgressBar) -> Bar { add(label, model, in: nil) }

  /// Prints values above the bars, as `Swift.print` does.
  ///
  /// - Parameters:
  ///   - items: The values; their texts may have several lines.
  ///   - separator: The text between two values.
  public func print(_ items: Any..., separator: String = " ") {
    let text = items.map { "\($0)" }.joined(separator: separator)
    change { board, _ in board.print(text) }
  }

  /// Erases the bars, and those of others on the terminal, and keeps away from it until `resume()`, so that something else can
  /// write to it.
  ///
  /// Calls are counted: bars are drawn again after as many calls of `resume()`, so that threads may do so at the same time.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal.
  /// - Returns: Whether the terminal is free now.
  @discardableResult
  public func suspend(within limit: Duration = .milliseconds(500)) -> Bool {
    loop.suspend(within: limit)
  }

  /// Draws the bars again after `suspend(within:)`.
  public func resume() { loop.resume() }

  /// Runs code that writes to the terminal while the bars are suspended.
  ///
  /// - Parameter body: The code.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws.
  @discardableResult
  public func withoutBars<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    suspend()
    defer { resume() }
    return try body()
  }

  /// Ends all bars, writes what is left, and ends the thread; a second call does nothing.
  ///
  /// A bar that has not ended leaves a line: it is done if it was full, and stopped otherwise. Afterwards no bars are drawn, but
  /// what is printed and the lines of bars that end are still written, by the thread that calls.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal, nil to wait without limit.
  /// - Returns: Whether everything was written, or the reader is gone.
  @discardableResult
  public func finish(within limit: Duration? = nil) -> Bool {
    board.held.withLock { $0.board.endAll(at: MonotonicTime.now - start) }
    let isWritten = loop.finish(within: limit)
    board.held.withLock { held in
      held.hasEnded = true
      writeLines(&held)
    }
    return isWritten
  }

  /// Writes the lines that have come since the thread ended.
  private func writeLines(_ held: inout Held) {
    var output: [UInt8] = []
    held.board.withdraw(into: &output)
    loop.write(output)
  }

  // MARK: Changes

  /// Changes the board, and wakes the thread if the next frame is now due earlier.
  @discardableResult
  func change<Result>(_ change: (inout BarBoard, Duration) -> Result) -> Result {
    changeHeld { change(&$0.board, $1) }
  }

  /// Changes the board and the trees.
  private func changeHeld<Result>(_ change: (inout Held, Duration) -> Result) -> Result {
    let (result, isLate) = board.held.withLock { held in
      let now = MonotonicTime.now - start
      let result = change(&held, now)
      guard !held.hasEnded else {
        writeLines(&held)
        return (result, false)
      }
      let next = held.board.nextFrame(after: now)
      let isLate = next.map { next in held.scheduled.map { next < $0 } ?? true } ?? false
      if isLate { held.scheduled = next }
      return (result, isLate)
    }
    if isLate { loop.nudge() }
    return result
  }

  /// Ends bars, and waits for their lines.
  func end(_ end: (inout BarBoard, Duration) -> Void) { endHeld { end(&$0.board, $1) } }

  private func endHeld(_ end: (inout Held, Duration) -> Void) {
    let mustWait = changeHeld { held, now in
      end(&held, now)
      return held.board.hurry()
    }
    if mustWait { loop.settle() }
  }

  // MARK: Trees

  /// Shows a tree from now on.
  func startFollowing(_ node: ProgressNode, leavesChildLines: Bool) -> FollowedTree {
    let tree = FollowedTree(node) { [weak loop] in loop?.nudge() }
    // The bars begin with what was done before, however late the thread reads the tree.
    let first = tree.snapshot()
    changeHeld { held, now in
      held.trees[ObjectIdentifier(tree)] = NodeBars(leavesChildLines: leavesChildLines)
      if let first { held.show(first, of: tree, at: now) }
    }
    board.trees.withLock { $0.append(tree) }
    loop.nudge()
    return tree
  }

  /// Ends the bars of a tree.
  ///
  /// - Parameters:
  ///   - tree: The tree.
  ///   - outcome: How its work has ended, nil for what its node says.
  func stopFollowing(_ tree: FollowedTree, _ outcome: BarBoard.Outcome?) {
    board.trees.withLock { $0.removeAll { $0 === tree } }
    tree.end()
    // Short work may have ended before it was first read.
    let last = tree.snapshot()
    endHeld { held, now in
      if let last { held.show(last, of: tree, at: now) }
      held.trees.removeValue(forKey: ObjectIdentifier(tree))?.end(
        outcome, on: &held.board, at: now)
    }
  }

  func add(_ label: String, _ model: ProgressBar, in parent: BarBoard.ID?) -> Bar {
    Bar(bars: self, id: change { board, now in board.add(label, model, in: parent, at: now) })
  }

  func add(
    _ label: String, _ total: Double?, _ completed: Double, _ kind: WorkKind,
    in parent: BarBoard.ID?
  ) -> Bar {
    let id = change { board, now in
      board.add(label, total: total, completed: completed, kind: kind, in: parent, at: now)
    }
    return Bar(bars: self, id: id)
  }
}
