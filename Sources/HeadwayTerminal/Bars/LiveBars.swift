public import HeadwayBar
internal import HeadwayLock
internal import HeadwayRun
internal import HeadwayTime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

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
/// Where there is no terminal, in CI, with `TERM=dumb` and with `ACCESSIBLE` it prints rare lines instead. Whatever else
/// is to be written to the same terminal goes through `print(_:)`, or is written while the bars are suspended. The cursor
/// is never hidden, so a program that is killed leaves the last picture and a prompt below it.
///
/// Nobody waits for the terminal: what is told is noted under a lock and drawn by a thread, which sleeps while nothing
/// moves. `finish()` must be called in the end; it is called when nobody holds the bars any more. Safe from any thread.
public final class LiveBars: Sendable {
  /// The board as a driver sees it.
  private struct Shown: DrivenSurface {
    /// The board, which is shared with those who tell it something.
    let board: SharedBoard

    /// Is told nothing.
    mutating func receive(_ event: Never, into output: inout [UInt8]) {}

    /// Draws what is to be seen.
    mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {
      board.held.withLock { $0.board.frame(at: now, size: size, into: &output) }
    }

    /// The time of the next frame, which is noted.
    func nextFrame(after now: Duration) -> Duration? {
      board.held.withLock {
        $0.scheduled = $0.board.nextFrame(after: now)
        return $0.scheduled
      }
    }

    /// Takes away what would be overwritten later.
    mutating func withdraw(into output: inout [UInt8]) {
      board.held.withLock { $0.board.withdraw(into: &output) }
    }

    /// Whether bars are on the screen.
    var isShown: Bool { board.held.withLock { $0.board.isShown } }

    /// Takes it that others have written below the bars.
    mutating func forget() { board.held.withLock { $0.board.forget() } }
  }

  /// The board, and when the thread looks at it.
  private struct Held: Sendable {
    /// The board.
    var board: BarBoard
    /// When the thread looks at it by itself, nil for never.
    var scheduled: Duration?
  }

  /// A board that several share.
  private final class SharedBoard: Sendable {
    /// The board.
    let held: Guarded<Held>

    /// Shares a board that nobody looks at yet.
    init(_ board: BarBoard) { held = Guarded(Held(board: board)) }
  }

  /// The board.
  private let board: SharedBoard
  /// What draws it.
  private let driver: SurfaceDriver<Shown>
  /// When it was begun.
  private let start = MonotonicTime.now

  /// Begins to show bars.
  ///
  /// - Parameters:
  ///   - output: The descriptor that is written to, the error output unless another is named; it stays open.
  ///   - style: What the terminal can show, nil for what the environment says.
  ///   - interface: The way in which bars are shown, nil for the one that fits the output.
  ///   - glyphs: The characters of the bars; ASCII stands in where the terminal has nothing else.
  ///   - usesOwnColours: Whether bars are drawn in the colours of their styles, where the terminal has them.
  public init(
    output: Int32 = 2, style: TerminalStyle? = nil, interface: BarsInterface? = nil,
    glyphs: BarGlyphs = .line, usesOwnColours: Bool = false
  ) {
    let isTerminal = isatty(output) == 1
    var shown = style ?? TerminalStyle(environment: Self.variable)
    if !isTerminal { (shown.colour, shown.showsTaskbar) = (false, false) }
    let fitting = BarsInterface.fitting(isTerminal: isTerminal, environment: Self.variable)
    board = SharedBoard(
      BarBoard(
        style: shown, interface: interface ?? fitting, glyphs: glyphs,
        usesOwnColours: usesOwnColours))
    let start = start
    driver = SurfaceDriver(
      Shown(board: board), output: output, now: { MonotonicTime.now - start })
  }

  deinit { driver.finish() }

  /// Adds a bar for work whose parts are counted.
  ///
  /// - Parameters:
  ///   - label: What it is the bar of.
  ///   - total: How many parts there are, nil where nobody knows; what is no number or below 0 counts as 0.
  /// - Returns: The bar.
  public func add(_ label: String, total: Double? = 1) -> Bar {
    add(label, Self.model(total), in: nil)
  }

  /// Adds a bar with a model of its own.
  ///
  /// - Parameters:
  ///   - label: What it is the bar of.
  ///   - model: The model; its times are seconds since the bars were begun, as `Bar.update(_:)` gives them.
  /// - Returns: The bar.
  public func add(_ label: String, _ model: ProgressBar) -> Bar { add(label, model, in: nil) }

  /// Prints text above the bars, for good.
  ///
  /// - Parameter text: One line or several.
  public func print(_ text: String) { change { board, _ in board.print(text) } }

  /// Takes the bars away and keeps away from the terminal until `resume()`, so that something else can write to it.
  ///
  /// - Parameter limit: The most time to wait for a terminal that is slow.
  /// - Returns: Whether the terminal is free now.
  @discardableResult
  public func suspend(within limit: Duration = .milliseconds(500)) -> Bool {
    driver.suspend(within: limit)
  }

  /// Goes on after `suspend(within:)`.
  public func resume() { driver.resume() }

  /// Runs what writes to the terminal by itself, without the bars.
  ///
  /// - Parameter body: What writes.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  @discardableResult
  public func withoutBars<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    suspend()
    defer { resume() }
    return try body()
  }

  /// Writes what is left, takes the bars away and ends the thread; a second call does nothing.
  ///
  /// - Parameter limit: The most time to wait for a terminal that is slow; nil waits as long as it takes.
  /// - Returns: Whether everything was written, or the reader is gone.
  @discardableResult
  public func finish(within limit: Duration? = nil) -> Bool { driver.finish(within: limit) }

  // MARK: Changes

  /// Changes the board, and wakes the thread where it looks too late.
  @discardableResult
  private func change<Result>(_ change: (inout BarBoard, Duration) -> Result) -> Result {
    let (result, isLate) = board.held.withLock { held in
      let now = MonotonicTime.now - start
      let result = change(&held.board, now)
      let next = held.board.nextFrame(after: now)
      let isLate = next.map { next in held.scheduled.map { next < $0 } ?? true } ?? false
      if isLate { held.scheduled = next }
      return (result, isLate)
    }
    if isLate { driver.nudge() }
    return result
  }

  /// Adds a bar.
  private func add(_ label: String, _ model: ProgressBar, in parent: BarBoard.ID?) -> Bar {
    Bar(bars: self, id: change { board, now in board.add(label, model, in: parent, at: now) })
  }

  /// The model of work whose parts are counted.
  private static func model(_ total: Double?) -> ProgressBar {
    let all = max(total ?? 1, 0)
    var bar = ProgressBar(range: 0...(all.isFinite ? all : 0), source: .forecast)
    bar.isReadOnly = true
    bar.isIndeterminate = total == nil
    return bar
  }

  /// A variable of the environment, nil where it is not set.
  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// A bar that is shown; a value that holds the bars.
  public struct Bar: Sendable {
    /// Where it is shown.
    private let bars: LiveBars
    /// Its name there.
    private let id: BarBoard.ID

    /// Creates the handle of a bar.
    fileprivate init(bars: LiveBars, id: BarBoard.ID) {
      self.bars = bars
      self.id = id
    }

    /// Tells how far the work is; the bar glides there.
    ///
    /// - Parameters:
    ///   - value: How many parts are done.
    ///   - rate: How many more will be in a second, nil for what earlier reports tell.
    public func report(_ value: Double, rate: Double? = nil) {
      update { bar, now in bar.report(value, rate: rate, at: now) }
    }

    /// Changes the model.
    ///
    /// - Parameter change: Changes the model, and receives the time. It runs inside the lock of the bars and must not call
    ///   them.
    public func update(_ change: (inout ProgressBar, Duration) -> Void) {
      bars.change { board, now in board.update(id) { change(&$0, now) } }
    }

    /// Changes what it is the bar of.
    public func setLabel(_ label: String) {
      bars.change { board, _ in board.setLabel(label, of: id) }
    }

    /// Changes what is said beside it, the most important first.
    public func setFacts(_ facts: String...) { setFacts(facts) }

    /// Changes what is said beside it, the most important first.
    public func setFacts(_ facts: [String]) {
      bars.change { board, _ in board.setFacts(facts, of: id) }
    }

    /// Stops it where it is seen.
    public func pause() { update { bar, now in bar.pause(at: now) } }

    /// Goes on from where it stopped.
    public func resume() { update { bar, now in bar.resume(at: now) } }

    /// Adds a bar in this one, for work whose parts are counted.
    ///
    /// - Parameters:
    ///   - label: What it is the bar of.
    ///   - total: How many parts there are, nil where nobody knows.
    /// - Returns: The bar, which ends with this one at the latest.
    public func add(_ label: String, total: Double? = 1) -> Bar {
      bars.add(label, LiveBars.model(total), in: id)
    }

    /// Adds a bar with a model of its own in this one.
    ///
    /// - Parameters:
    ///   - label: What it is the bar of.
    ///   - model: The model.
    /// - Returns: The bar, which ends with this one at the latest.
    public func add(_ label: String, _ model: ProgressBar) -> Bar { bars.add(label, model, in: id) }

    /// Ends it and those in it, and leaves a line unless it is removed; a second call does nothing.
    ///
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - note: What is to be said of that; one line.
    public func end(_ outcome: BarBoard.Outcome = .succeeded, note: String = "") {
      bars.change { board, now in board.end(id, outcome, note: note, at: now) }
    }
  }
}
