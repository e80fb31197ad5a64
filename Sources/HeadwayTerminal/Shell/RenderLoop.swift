internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem

/// Runs a renderer on a thread that draws, so that a slow terminal does not delay the work.
///
/// `nudge()` wakes the thread without blocking; nudges that follow within `RenderLimits.gathering` share one pass, so
/// many small changes cost few wake-ups. The thread asks the renderer for bytes and writes them; if the reader is gone,
/// it stops writing and nothing else changes. All signals are blocked in the thread. `finish(within:)` ends the loop
/// and must be called.
///
/// All loops of a process that write to the same terminal share one thread, which draws them below each other in the order in
/// which they began: two threads would draw over each other. Any other output has a thread of its own.
///
/// Safe from any thread.
package final class RenderLoop<Surface: Renderer>: Sendable {
  /// Whether the thread draws the renderer, and no caller waits for its end.
  private let isRunning = Guarded(false)
  private let surface: TerminalSurface
  /// The thread; nil if it could not be started.
  private let thread: TerminalThread?

  /// Starts to draw a renderer.
  ///
  /// - Parameters:
  ///   - renderer: The renderer.
  ///   - output: The descriptor to write to; it stays open and its mode does not change.
  ///   - keyboard: The descriptor that keys are read from, nil for none; see `TerminalMode`.
  ///   - requested: A keyboard that is read once the user asks for it, nil for none.
  ///   - filterKey: Called on the thread with each key; if it returns true, the renderer does not see the key.
  ///   - foreground: Returns whether the program is in the foreground, nil to ask the terminal.
  ///   - onOver: Called on the thread once the renderer is over.
  ///   - keepsOutput: Whether what the program prints to its standard streams comes above the rows; see `PrintedOutput`.
  ///   - now: Returns the time since the work began.
  package init(
    _ renderer: Surface, output: Int32, keyboard: Int32? = nil,
    requested: RequestedKeyboard? = nil,
    filterKey: @escaping @Sendable (UInt8) -> Bool = { _ in false },
    foreground: (@Sendable () -> Bool)? = nil, onOver: @escaping @Sendable () -> Void = {},
    keepsOutput: Bool = false, now: @escaping @Sendable () -> Duration
  ) {
    surface = TerminalSurface(
      renderer, port: TerminalPort(output, foreground: foreground), keyboard: keyboard,
      requested: requested, filterKey: filterKey, onOver: onOver,
      keepsOutput: keepsOutput, now: now)
    do throws(TerminalThread.StartError) {
      thread = try TerminalThread.show(surface, onTerminalOf: output)
      isRunning.withLock { $0 = true }
    } catch {
      // The work continues without being shown.
      thread = nil
      surface.port.fail(error.code)
    }
  }

  /// The errno because of which something was not shown, 0 if there is none; a reader that is gone is not an error.
  package var failure: Int32 { surface.port.failure }

  /// Makes the thread look at the renderer again, after something happened or a frame is due earlier; never blocks.
  package func nudge() { thread?.nudge() }

  /// Prints lines above everything that is redrawn on the terminal; never blocks.
  ///
  /// - Parameter text: The text, whose last line needs no end.
  package func print(_ text: String) {
    let bytes = Array(text.utf8) + [0x0A]
    if thread?.print(bytes) != true { surface.port.write(bytes) }
  }

  /// Waits until the changes so far are on the screen, so that what is written next comes after them.
  ///
  /// Returns at once while the terminal is left to others, and if a slow terminal has exhausted the time of an earlier call
  /// and has taken nothing since.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal.
  package func settle(within limit: Duration = RenderLimits.settleTimeout) {
    if isRunning.withLock({ $0 }) { thread?.settle(within: limit) }
  }

  /// Erases what would be overwritten later, also of other loops on the terminal, and keeps away from it until as many calls
  /// of `resume()`.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal.
  /// - Returns: Whether the terminal is free now.
  @discardableResult
  package func suspend(within limit: Duration = .milliseconds(500)) -> Bool {
    guard isRunning.withLock({ $0 }), let thread else { return true }
    return thread.suspend(surface, within: limit)
  }

  /// Takes back a `suspend(within:)`; after the last one, the terminal is drawn again.
  package func resume() { thread?.resume(surface) }

  /// Writes what is left, erases what would be overwritten later and ends the loop; a second call does nothing.
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
    guard isFirst, let thread else { return true }
    thread.finish(surface)
    if surface.ended.wait(for: limit) { return true }
    onTimeout()
    surface.port.abandon()
    // After that it ends soon, unless a write hangs in the system: then it is left behind.
    surface.ended.wait(for: RenderLimits.abandonTimeout)
    return false
  }

  /// Writes bytes after the loop has ended, one caller at a time.
  func write(_ output: [UInt8]) { surface.port.write(output) }

  /// Reads the pressed keys, only in the foreground, and closes a keyboard that is gone.
  func readKeys(_ keyboard: inout Int32?) -> [UInt8] { surface.readKeys(&keyboard) }
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
  /// The time for which the end of a bar waits for a slow terminal.
  package static let settleTimeout = Duration.milliseconds(500)
  /// The maximum number of keys that are read at once.
  static let keyCount = 16
}
