public import HeadwayBar
internal import HeadwayLock
internal import HeadwaySystem
internal import HeadwayTime

/// Shows bars in the terminal of a program, below what the program prints.
///
/// ```swift
/// let bars = LiveBars()
/// let fetch = bars.add("fetch", total: 214)
/// for file in 1...214 {
///   load(file)
///   fetch.report(Double(file))
/// }
/// fetch.end(note: "214 files")
/// bars.finish()
/// ```
///
/// Without a terminal, in CI, with `TERM=dumb` and with `ACCESSIBLE` it prints a few lines instead. Other output to the
/// same terminal must go through `print(_:)`, or be written while the bars are suspended. The cursor is never hidden, so a
/// program that is killed leaves the last picture with a prompt below it.
///
/// Nothing waits for the terminal: changes are recorded under a lock and drawn by a thread, which sleeps while nothing
/// moves. `finish()` must be called at the end; the deinitializer does so too. Safe from any thread.
public final class LiveBars: Sendable {
  /// The board as the render loop calls it.
  private struct Shown: Renderer {
    let board: SharedBoard

    mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
      board.held.withLock { $0.board.frame(at: now, size: size, into: &output) }
    }

    func nextFrame(after now: Duration) -> Duration? {
      board.held.withLock {
        $0.scheduled = $0.board.nextFrame(after: now)
        return $0.scheduled
      }
    }

    mutating func withdraw(into output: inout [UInt8]) {
      board.held.withLock { $0.board.withdraw(into: &output) }
    }

    var isShown: Bool { board.held.withLock { $0.board.isShown } }

    mutating func forget() { board.held.withLock { $0.board.forget() } }
  }

  /// The board, with the time of the next frame.
  private struct Held: Sendable {
    var board: BarBoard
    /// When the thread draws without being woken, nil for never.
    var scheduled: Duration?
  }

  /// The board as an object, which the thread and the callers share.
  private final class SharedBoard: Sendable {
    let held: Guarded<Held>

    init(_ board: BarBoard) { held = Guarded(Held(board: board)) }
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
      Shown(board: board), output: output, now: { MonotonicTime.now - start })
  }

  deinit { loop.finish() }

  /// Adds a bar for counted work.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - total: The number of parts, nil if unknown; NaN and negative numbers count as 0.
  /// - Returns: The bar.
  public func add(_ label: String, total: Double? = 1) -> Bar {
    add(label, Self.model(total), in: nil)
  }

  /// Adds a bar with a model of its own.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - model: The model; its times are seconds since the creation of this object, as `Bar.update(_:)` passes them.
  /// - Returns: The bar.
  public func add(_ label: String, _ model: ProgressBar) -> Bar { add(label, model, in: nil) }

  /// Prints text above the bars.
  ///
  /// - Parameter text: One or more lines.
  public func print(_ text: String) { change { board, _ in board.print(text) } }

  /// Erases the bars and keeps away from the terminal until `resume()`, so that something else can write to it.
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

  /// Writes what is left, erases the bars and ends the thread; a second call does nothing.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal, nil to wait without limit.
  /// - Returns: Whether everything was written, or the reader is gone.
  @discardableResult
  public func finish(within limit: Duration? = nil) -> Bool { loop.finish(within: limit) }

  // MARK: Changes

  /// Changes the board, and wakes the thread if the next frame is now due earlier.
  @discardableResult
  func change<Result>(_ change: (inout BarBoard, Duration) -> Result) -> Result {
    let (result, isLate) = board.held.withLock { held in
      let now = MonotonicTime.now - start
      let result = change(&held.board, now)
      let next = held.board.nextFrame(after: now)
      let isLate = next.map { next in held.scheduled.map { next < $0 } ?? true } ?? false
      if isLate { held.scheduled = next }
      return (result, isLate)
    }
    if isLate { loop.nudge() }
    return result
  }

  private func add(_ label: String, _ model: ProgressBar, in parent: BarBoard.ID?) -> Bar {
    Bar(bars: self, id: change { board, now in board.add(label, model, in: parent, at: now) })
  }

  /// The model of counted work.
  private static func model(_ total: Double?) -> ProgressBar {
    let all = max(total ?? 1, 0)
    var bar = ProgressBar(range: 0...(all.isFinite ? all : 0), source: .forecast)
    bar.isReadOnly = true
    bar.isIndeterminate = total == nil
    return bar
  }

  /// A handle of a bar; it retains the bars.
  public struct Bar: Sendable {
    private let bars: LiveBars
    private let id: BarBoard.ID

    fileprivate init(bars: LiveBars, id: BarBoard.ID) {
      self.bars = bars
      self.id = id
    }

    /// Reports progress; the bar never steps back.
    ///
    /// - Parameters:
    ///   - value: The number of parts that are done.
    ///   - rate: The number of parts done in a second, at which the bar glides to the value and beyond it until the next
    ///     report. With nil the bar shows exactly what is done.
    public func report(_ value: Double, rate: Double? = nil) {
      update { bar, now in
        if let rate {
          bar.report(value, rate: rate, at: now)
        } else {
          bar.setValue(max(value, bar.shown(at: now)), at: now)
        }
      }
    }

    /// Changes the model.
    ///
    /// - Parameter change: Changes the model, and receives the time. It runs inside the lock of the bars and must not call
    ///   them.
    public func update(_ change: (inout ProgressBar, Duration) -> Void) {
      bars.change { board, now in board.update(id) { change(&$0, now) } }
    }

    /// Changes the text before the bar.
    public func setLabel(_ label: String) {
      bars.change { board, _ in board.setLabel(label, of: id) }
    }

    /// Changes the texts beside the bar, the most important first.
    public func setFacts(_ facts: String...) { setFacts(facts) }

    /// Changes the texts beside the bar, the most important first.
    public func setFacts(_ facts: [String]) {
      bars.change { board, _ in board.setFacts(facts, of: id) }
    }

    /// Stops the bar where it is.
    public func pause() { update { bar, now in bar.pause(at: now) } }

    /// Continues from where the bar stopped.
    public func resume() { update { bar, now in bar.resume(at: now) } }

    /// Adds a nested bar for counted work.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of parts, nil if unknown.
    /// - Returns: The bar, which ends with this one at the latest.
    public func add(_ label: String, total: Double? = 1) -> Bar {
      bars.add(label, LiveBars.model(total), in: id)
    }

    /// Adds a nested bar with a model of its own.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - model: The model.
    /// - Returns: The bar, which ends with this one at the latest.
    public func add(_ label: String, _ model: ProgressBar) -> Bar { bars.add(label, model, in: id) }

    /// Ends the bar with its nested bars, and leaves a line unless it is removed; a second call does nothing.
    ///
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - note: A text for that line.
    public func end(_ outcome: BarBoard.Outcome = .succeeded, note: String = "") {
      bars.change { board, now in board.end(id, outcome, note: note, at: now) }
    }
  }
}
