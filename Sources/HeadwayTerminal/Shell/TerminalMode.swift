internal import HeadwayLock

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The mode of the keyboard: while it is entered, keys are delivered at once and without echo.
///
/// Ctrl-C and Ctrl-Z keep their meaning. Nothing changes while the program is in the background. A program that calls
/// `enter()` must call `restore()` before it stops and before it ends. Safe from any thread.
package final class TerminalMode: Sendable {
  private let descriptor: Int32
  /// The original mode, nil unless entered.
  private let saved = Guarded<termios?>(nil)

  /// Creates a mode that is not entered.
  ///
  /// - Parameter descriptor: The descriptor of the keyboard.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Makes the keyboard deliver keys at once and without echo.
  ///
  /// - Returns: False if there is no terminal or the program is in the background.
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

  /// Restores the original mode, if it was changed.
  package func restore() {
    saved.withLock { saved in
      guard var before = saved.take(), TerminalPort.isInForeground(descriptor) else { return }
      _ = unsafe tcsetattr(descriptor, TCSANOW, &before)
    }
  }
}
