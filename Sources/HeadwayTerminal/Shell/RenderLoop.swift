internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem

/// Draws on a terminal: a value that turns changes and the time into bytes.
///
/// It has no clock, file or thread; a ``RenderLoop`` calls it.
package protocol Renderer: Sendable {
  /// Whether the renderer has finished by itself, so that the loop may end.
  var isOver: Bool { get }
  /// Whether there is more to print than one pass does, so that the loop must not rest or end.
  var hasMore: Bool { get }
  /// Whether rows are on the screen that depend on the size of the terminal.
  var isShown: Bool { get }
  /// A descriptor that is readable when there is something to print, nil for none.
  var news: Int32? { get }
  /// Handles the changes since the last call, and appends what must be printed even in the background.
  mutating func update(into output: inout [UInt8])
  /// Draws the current state.
  ///
  /// - Parameters:
  ///   - now: The time since the work began.
  ///   - size: The current size of the terminal.
  ///   - output: The bytes to append to; none if nothing changed.
  mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8])
  /// The time of the next frame, nil if nothing moves until something happens.
  func nextFrame(after now: Duration) -> Duration?
  /// Erases what would be overwritten later, before the program stops or something else draws.
  mutating func withdraw(into output: inout [UInt8])
  /// Forgets the drawn rows after other output.
  mutating func forget()
  /// Handles a key press.
  mutating func press(_ key: UInt8)
  /// Shows what happens with what is typed.
  mutating func show(_ keys: KeySession.Phase)
}

extension Renderer {
  /// False: most renderers run until the loop is finished.
  package var isOver: Bool { false }
  /// False: most renderers print everything at once.
  package var hasMore: Bool { false }
  /// False: most renderers redraw often enough to notice a resize.
  package var isShown: Bool { false }
  /// Nil: most renderers print what they are nudged for.
  package var news: Int32? { nil }
  /// Does nothing.
  package mutating func update(into output: inout [UInt8]) {}
  /// Does nothing.
  package mutating func forget() {}
  /// Ignores the key.
  package mutating func press(_ key: UInt8) {}
  /// Shows nothing.
  package mutating func show(_ keys: KeySession.Phase) {}
}

/// Runs a renderer on a thread of its own, so that a slow terminal does not delay the work.
///
/// `nudge()` wakes the thread without blocking; nudges that follow within `RenderLimits.gathering` share one pass, so
/// many small changes cost few wake-ups. The thread asks the renderer for bytes and writes them; if the reader is gone,
/// it stops writing and nothing else changes. All signals are blocked in the thread. `finish(within:)` ends the thread
/// and must be called.
///
/// Safe from any thread.
package final class RenderLoop<Surface: Renderer>: Sendable {
  private struct Requests: Sendable {
    /// Whether something has happened that the renderer has not seen.
    var isNudged = false
    /// Whether the renderer has to keep away from the terminal.
    var isSuspended = false
    /// Whether the thread has to write what is left and end.
    var isFinishing = false
    /// Whether the thread will look here without being woken.
    var isAwake = false
  }

  private let requests = Guarded(Requests())
  /// Whether the thread runs and no caller waits for its end.
  private let isRunning = Guarded(false)
  /// Wakes the thread.
  private let wake = WaitableEvent()
  /// Set while the renderer keeps away from the terminal.
  private let suspended = WaitableEvent()
  /// Set when the thread is about to end.
  private let ended = WaitableEvent()
  private let port: TerminalPort
  /// The descriptor that keys are read from, nil for none.
  private let keyboard: Int32?
  /// The keyboard that is read once the user asks for it, nil for none.
  private let requested: RequestedKeyboard?
  private let filterKey: @Sendable (UInt8) -> Bool
  private let onOver: @Sendable () -> Void
  private let now: @Sendable () -> Duration

  /// Starts the thread of a renderer.
  ///
  /// - Parameters:
  ///   - renderer: The renderer.
  ///   - output: The descriptor to write to; it stays open and its mode does not change.
  ///   - keyboard: The descriptor that keys are read from, nil for none; see `TerminalMode`.
  ///   - requested: A keyboard that is read once the user asks for it, nil for none.
  ///   - filterKey: Called on the thread with each key; if it returns true, the renderer does not see the key.
  ///   - foreground: Returns whether the program is in the foreground, nil to ask the terminal.
  ///   - onOver: Called on the thread once the renderer is over.
  ///   - now: Returns the time since the work began.
  package init(
    _ renderer: Surface, output: Int32, keyboard: Int32? = nil,
    requested: RequestedKeyboard? = nil,
    filterKey: @escaping @Sendable (UInt8) -> Bool = { _ in false },
    foreground: (@Sendable () -> Bool)? = nil, onOver: @escaping @Sendable () -> Void = {},
    now: @escaping @Sendable () -> Duration
  ) {
    port = TerminalPort(output, foreground: foreground)
    self.keyboard = keyboard
    self.requested = requested
    self.filterKey = filterKey
    self.onOver = onOver
    self.now = now
    // Without descriptors the thread cannot be woken: the work continues without being shown.
    guard wake.isOpen, suspended.isOpen, ended.isOpen else {
      port.fail(EMFILE)
      return
    }
    isRunning.withLock { $0 = true }
    // Without a thread nothing is shown either.
    let error = SystemThread.start(named: "headway-draw", blocksSignals: true) {
      self.run(renderer)
    }
    if error != 0 {
      isRunning.withLock { $0 = false }
      port.fail(error)
    }
  }

  /// The errno because of which something was not shown, 0 if there is none; a reader that is gone is not an error.
  package var failure: Int32 { port.failure }

  /// Makes the thread look at the renderer again, after something happened or a frame is due earlier; never blocks.
  package func nudge() { request(isUrgent: false) { $0.isNudged = true } }

  /// Erases what would be overwritten later, and keeps away from the terminal until `resume()`.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal.
  /// - Returns: Whether the terminal is free now.
  @discardableResult
  package func suspend(within limit: Duration = .milliseconds(500)) -> Bool {
    suspended.clear()
    request { $0.isSuspended = true }
    return suspended.wait(for: limit)
  }

  /// Draws again after `suspend(within:)`.
  package func resume() {
    request { $0.isSuspended = false }
  }

  /// Writes what is left, erases what would be overwritten later and ends the thread; a second call does nothing.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait for a slow terminal, nil to wait without limit.
  ///   - onTimeout: Called after that time, before the thread is expected to end at once.
  /// - Returns: Whether everything was written, or the reader is gone.
  @discardableResult
  package func finish(within limit: Duration? = nil, onTimeout: () -> Void = {}) -> Bool {
    let isFirst = isRunning.withLock { isRunning in
      defer { isRunning = false }
      return isRunning
    }
    guard isFirst else { return true }
    request { $0.isFinishing = true }
    if ended.wait(for: limit) { return true }
    onTimeout()
    port.abandon()
    // After that it ends soon, unless a write hangs in the system: then it is left behind.
    ended.wait(for: RenderLimits.abandonTimeout)
    return false
  }

  /// Writes bytes after the thread has ended, one caller at a time.
  func write(_ output: [UInt8]) { port.write(output) }

  // MARK: The thread

  /// Changes the requests, and wakes the thread unless it will look soon enough anyway.
  private func request(isUrgent: Bool = true, _ change: (inout Requests) -> Void) {
    let mustWake = requests.withLock { requests in
      change(&requests)
      defer { requests.isAwake = true }
      return isUrgent || !requests.isAwake
    }
    if mustWake { wake.set() }
  }

  private func run(_ first: Surface) {
    var renderer = first
    var keyboard = keyboard
    var wasSuspended = false
    var output: [UInt8] = []
    // The renderer knows the size before the first event.
    var size = port.size
    renderer.frame(at: .zero, size: size, into: &output)
    while true {
      wake.clear()
      let requested = takeRequests()
      for key in pressedKeys(&keyboard) where !filterKey(key) { renderer.press(key) }
      let isQuiet = requested.isSuspended && !requested.isFinishing
      // While suspended, what happens waits.
      if !isQuiet { renderer.update(into: &output) }
      if let keys = self.requested { renderer.show(keys.phase) }
      let isEnding = (requested.isFinishing || renderer.isOver) && !renderer.hasMore
      let isInForeground = port.isInForeground
      let draws = !isQuiet && port.isOpen && isInForeground
      // Another program uses the terminal and writes below the rows: they must not be erased any more.
      if !isInForeground { renderer.forget() }
      if isQuiet, !wasSuspended { renderer.withdraw(into: &output) }
      if draws {
        size = port.size
        renderer.frame(at: now(), size: size, into: &output)
      }
      if isEnding { renderer.withdraw(into: &output) }
      port.write(output)
      output.removeAll(keepingCapacity: true)
      if isQuiet { suspended.set() }
      if isEnding { break }
      wasSuspended = isQuiet
      if renderer.hasMore, !isQuiet { continue }
      if requested.isNudged { wake.wait(for: RenderLimits.gathering, or: nil) }
      if mayRest() { sleep(renderer, isQuiet: isQuiet, draws: draws, size, keyboard) }
    }
    ended.set()
    if renderer.isOver { onOver() }
  }

  /// Takes the requests; while suspended, a nudge stays.
  private func takeRequests() -> Requests {
    requests.withLock { requests in
      guard !requests.isSuspended || requests.isFinishing else {
        return Requests(isSuspended: true)
      }
      let taken = requests
      requests.isNudged = false
      return taken
    }
  }

  /// Returns whether nothing is left to show; if so, the next nudge wakes the thread.
  private func mayRest() -> Bool {
    requests.withLock { requests in
      guard requests.isSuspended || !requests.isNudged, !requests.isFinishing else { return false }
      requests.isAwake = false
      return true
    }
  }

  /// Sleeps until a request, a key, the next frame or a new size of the terminal.
  private func sleep(
    _ renderer: Surface, isQuiet: Bool, draws: Bool, _ size: TerminalSize, _ keyboard: Int32?
  ) {
    var limit: Duration?
    if !isQuiet, port.isOpen {
      let moment = now()
      limit = renderer.nextFrame(after: moment).map { max($0 - moment, .zero) }
      // Nothing is drawn in the background, and no signal reports the return to the foreground.
      if !draws, limit != nil { limit = RenderLimits.backgroundPause }
    }
    // The signal of a new size belongs to the program, so the size is polled while nothing moves.
    guard limit == nil, draws, renderer.isShown else {
      wake.wait(for: limit, or: draws ? keyboard : nil, isQuiet ? nil : renderer.news)
      return
    }
    while !wake.wait(for: RenderLimits.sizePause, or: keyboard, renderer.news), port.size == size {}
  }

  /// Reads the pressed keys; sets the descriptor on which the loop waits for more.
  private func pressedKeys(_ keyboard: inout Int32?) -> [UInt8] {
    guard let requested else { return readKeys(&keyboard) }
    defer { keyboard = requested.descriptor }
    return port.isInForeground ? requested.read(at: now()) : []
  }

  /// Reads the pressed keys, only in the foreground, and closes a keyboard that is gone.
  func readKeys(_ keyboard: inout Int32?) -> [UInt8] {
    guard let descriptor = keyboard, port.isInForeground, WaitableEvent.isReadable(descriptor)
    else { return [] }
    var keys = [UInt8](repeating: 0, count: RenderLimits.keyCount)
    let count = unsafe keys.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    // The end of a file stays readable: polled again, it would never let the thread sleep.
    if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { keyboard = nil }
    return Array(keys.prefix(max(count, 0)))
  }
}

/// The limits of all render loops.
package enum RenderLimits {
  /// The time for which nudges gather after a pass.
  package static let gathering = Duration.milliseconds(20)
  /// The interval at which a loop in the background checks whether it is in the foreground again.
  static let backgroundPause = Duration.seconds(1)
  /// The interval at which the size of the terminal is polled while nothing moves.
  static let sizePause = Duration.milliseconds(500)
  /// The time for the thread to end after its output was abandoned.
  static let abandonTimeout = Duration.seconds(1)
  /// The maximum number of keys that are read at once.
  static let keyCount = 16
}
