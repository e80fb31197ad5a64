internal import Glibc
internal import HeadwayTerminal
internal import HeadwayTime

/// Shows a surface until it is over or a signal asks for the end, and leaves the terminal as it was.
///
/// For small programs that do nothing else. Ctrl-Z takes the surface away and stops the program; `fg` shows it again.
/// The signals are waited for and not handled, so nothing runs between two instructions of something else.
enum ForegroundSession {
  /// The signals that are waited for; the last one tells that the surface is over.
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1]
  /// The time for a terminal that is slow, once the end was asked for.
  private static let patience = Duration.seconds(2)

  /// Shows a surface.
  ///
  /// To be called on the main thread, before others are started.
  ///
  /// - Parameters:
  ///   - surface: The surface.
  ///   - output: The descriptor that is written to.
  ///   - keyboard: The descriptor that keys are read from.
  /// - Returns: The signal that asked for the end, nil where the surface was over.
  static func run(_ surface: some Renderer, output: Int32, keyboard: Int32) -> Int32? {
    var waited = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&waited)
    for signal in signals { unsafe sigaddset(&waited, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &waited, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let mode = TerminalMode(keyboard)
    let hasKeys = mode.enter()
    defer { mode.restore() }
    let start = MonotonicTime.now
    let own = pthread_self()
    let driver = RenderLoop(
      surface, output: output, keyboard: hasKeys ? keyboard : nil,
      onOver: { pthread_kill(own, SIGUSR1) }, now: { MonotonicTime.now - start })
    while true {
      var signal: Int32 = 0
      guard unsafe sigwait(&waited, &signal) == 0 else { continue }
      switch signal {
      case SIGUSR1:
        driver.finish()
        return nil
      case SIGTSTP:
        driver.suspend()
        mode.restore()
        stop()
        mode.enter()
        driver.resume()
      case SIGCONT: break
      default:
        driver.finish(within: patience)
        return signal
      }
    }
  }

  /// Stops the program as the terminal would, until it is told to go on.
  private static func stop() {
    var only = sigset_t()
    unsafe sigemptyset(&only)
    unsafe sigaddset(&only, SIGTSTP)
    raise(SIGTSTP)
    // The stop happens here, while the signal is let through.
    unsafe pthread_sigmask(SIG_UNBLOCK, &only, nil)
    unsafe pthread_sigmask(SIG_BLOCK, &only, nil)
  }
}
