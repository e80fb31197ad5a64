internal import Glibc
internal import HeadwayRunner
internal import HeadwayTerminal
internal import HeadwayTime

/// Runs a renderer until it is over or a signal asks for the end, and restores the terminal.
///
/// For small programs that do nothing else. Ctrl-Z erases the rows and stops the program; `fg` draws them again. The signals
/// are received by `sigwait` and not by handlers.
enum ForegroundSession {
  /// The signals that are waited for; the last one is sent when the renderer is over.
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1]
  /// The time for a slow terminal once the end was asked for.
  private static let finishTimeout = Duration.seconds(2)

  /// Runs a renderer.
  ///
  /// Must be called on the main thread, before other threads are started.
  ///
  /// - Parameters:
  ///   - renderer: The renderer.
  ///   - output: The descriptor to write to.
  ///   - keyboard: The descriptor that keys are read from, standard input.
  ///   - supervisor: The process that restores the terminal if this one dies.
  ///   - onStart: Called with a function that makes the renderer look for news, and that any thread can call.
  /// - Returns: The signal that asked for the end, nil if the renderer was over.
  static func run(
    _ renderer: some Renderer, output: Int32, keyboard: Int32, supervisor: Supervisor,
    onStart: (_ nudge: @escaping @Sendable () -> Void) -> Void = { _ in }
  ) -> Int32? {
    var waited = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&waited)
    for signal in signals { unsafe sigaddset(&waited, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &waited, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let mode = TerminalMode(keyboard)
    func enter() -> Bool { supervisor.withTerminalChange { mode.enter() } }
    func restore() {
      mode.restore()
      supervisor.terminalIsRestored()
    }
    let hasKeys = enter()
    defer { restore() }
    let start = MonotonicTime.now
    let own = pthread_self()
    let loop = RenderLoop(
      renderer, output: output, keyboard: hasKeys ? keyboard : nil,
      onOver: { pthread_kill(own, SIGUSR1) }, now: { MonotonicTime.now - start })
    onStart { loop.nudge() }
    while true {
      var signal: Int32 = 0
      guard unsafe sigwait(&waited, &signal) == 0 else { continue }
      switch signal {
      case SIGUSR1:
        loop.finish()
        return nil
      case SIGTSTP:
        loop.suspend()
        restore()
        supervisor.stopSelf(isFromTerminal: true)
        _ = enter()
        loop.resume()
      case SIGCONT: break
      default:
        loop.finish(within: finishTimeout)
        return signal
      }
    }
  }
}
