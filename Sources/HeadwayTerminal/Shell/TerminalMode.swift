internal import HeadwayLibc
internal import HeadwayLock

/// The mode of the keyboard: while it is entered, keys are delivered at once and without echo, or the terminal keeps the
/// lines that are typed.
///
/// Ctrl-C and Ctrl-Z keep their meaning. Nothing changes while the program is in the background. A program that calls
/// `enter()` must call `restore()` before it stops and before it ends. Safe from any thread.
package final class TerminalMode: Sendable {
  /// What happens with what is typed.
  package enum Input: Hashable, Sendable {
    /// Each key is delivered at once.
    case keys
    /// The terminal edits and keeps lines; reading becomes possible at the end of a line and after the given key.
    case lines(until: UInt8)
  }

  private let descriptor: Int32
  /// The original mode with the present one, nil unless entered.
  private let saved = Guarded<(original: termios, input: Input)?>(nil)

  /// Creates a mode that is not entered.
  ///
  /// - Parameter descriptor: The descriptor of the keyboard.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Changes what happens with what is typed; nothing is echoed.
  ///
  /// - Parameter input: What happens with it.
  /// - Returns: False if there is no terminal or the program is in the background.
  @discardableResult
  package func enter(_ input: Input = .keys) -> Bool {
    saved.withLock { saved in
      if let saved, saved.input == input { return true }
      var mode = termios()
      guard isatty(descriptor) == 1, TerminalPort.isInForeground(descriptor),
        unsafe tcgetattr(descriptor, &mode) == 0
      else { return false }
      let original = saved?.original ?? mode
      mode = original
      mode.c_lflag &= ~tcflag_t(ECHO | ECHONL)
      switch input {
      case .keys: mode.c_lflag &= ~tcflag_t(ICANON)
      case .lines(let key):
        mode.c_lflag |= tcflag_t(ICANON)
        unsafe withUnsafeMutableBytes(of: &mode.c_cc) { unsafe $0[Int(VEOL)] = key }
      }
      guard unsafe tcsetattr(descriptor, TCSANOW, &mode) == 0 else { return false }
      saved = (original, input)
      return true
    }
  }

  /// Restores the original mode, if it was changed.
  package func restore() {
    saved.withLock { saved in
      guard var before = saved.take()?.original, TerminalPort.isInForeground(descriptor) else {
        return
      }
      _ = unsafe tcsetattr(descriptor, TCSANOW, &before)
    }
  }
}
