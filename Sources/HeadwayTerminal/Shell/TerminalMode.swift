internal import HeadwayLock

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The mode of the keyboard: keys at once and without echo while a run is shown, as it was before afterwards.
///
/// Ctrl-C and Ctrl-Z keep their meaning. Nothing is changed while the program is in the background. Whoever
/// calls `enter()` must call `restore()`, before the program stops and before it ends. Safe from any thread.
package final class TerminalMode: Sendable {
  /// The descriptor of the terminal.
  private let descriptor: Int32
  /// The mode as it was before, nil while it is not changed.
  private let saved = Guarded<termios?>(nil)

  /// Creates a mode that is not entered.
  ///
  /// - Parameter descriptor: The descriptor of the keyboard.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Lets keys come at once and without echo.
  ///
  /// - Returns: Whether they do: false where there is no terminal, or the program is in the background.
  @discardableResult
  package func enter() -> Bool {
    saved.withLock { saved in
      if saved != nil { return true }
      var mode = termios()
      guard isatty(descriptor) == 1, TerminalPort.isInForeground(descriptor),
        unsafe tcgetattr(descriptor, &mode) == 0
      else { return false }
      let before = mode
      mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
      guard unsafe tcsetattr(descriptor, TCSANOW, &mode) == 0 else { return false }
      saved = before
      return true
    }
  }

  /// Gives the terminal the mode back that it had; does nothing where it was not changed.
  package func restore() {
    saved.withLock { saved in
      guard var before = saved.take(), TerminalPort.isInForeground(descriptor) else { return }
      _ = unsafe tcsetattr(descriptor, TCSANOW, &before)
    }
  }
}
