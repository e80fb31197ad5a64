internal import HeadwayLibc
internal import HeadwayRunner
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayTime

/// Runs a renderer until it is over or a signal asks for the end, and restores the terminal.
///
/// For small programs that do nothing else. Ctrl-Z erases the rows and stops the program; `fg` draws them again. The signals
/// are received by `sigwait` and not by handlers.
enum ForegroundSession {
  /// The signals that are waited for; the last one is sent when the renderer is over.
  private static let signals = SignalSet([
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1,
  ])
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
  ///   - terminal: The terminal, which another process restores if this one is killed.
  ///   - onStart: Called with a function that makes the renderer look for news, and that any thread can call.
  /// - Returns: The signal that asked for the end, nil if the renderer was over.
  static func run(
    _ renderer: some Renderer, output: Int32, keyboard: Int32, terminal: TerminalGuard,
    onStart: (_ nudge: @escaping @Sendable () -> Void) -> Void = { _ in }
  ) -> Int32? {
    withSignals { session in
      run(renderer, output, keyboard, terminal, onStart, session)
    }
  }

  private static func run(
    _ renderer: some Renderer, _ output: Int32, _ keyboard: Int32, _ terminal: TerminalGuard,
    _ onStart: (_ nudge: @escaping @Sendable () -> Void) -> Void, _ session: Signals
  ) -> Int32? {
    let mode = TerminalMode(keyboard)
    func enter() -> Bool { terminal.withChange { mode.enter() } }
    func restore() {
      mode.restore()
      terminal.noteRestored()
    }
    let hasKeys = enter()
    defer { restore() }
    let start = MonotonicTime.now
    let loop = RenderLoop(
      renderer, output: output, keyboard: hasKeys ? keyboard : nil,
      onOver: session.end, now: { MonotonicTime.now - start })
    onStart { loop.nudge() }
    let signal = session.wait {
      loop.suspend()
      restore()
      TerminalGuard.stopProcess(isFromTerminal: true)
      _ = enter()
      loop.resume()
    }
    loop.finish(within: signal == nil ? nil : finishTimeout)
    return signal
  }

  /// The signals of a program that waits for its end.
  struct Signals {
    /// Ends the waiting; any thread can call it.
    let end: @Sendable () -> Void

    /// Waits for the end.
    ///
    /// - Parameter stop: Called for Ctrl-Z: stops the process, and returns once it was continued.
    /// - Returns: The signal that asked for the end, nil if `end` was called.
    func wait(stop: () -> Void) -> Int32? {
      while true {
        let signal = ForegroundSession.signals.wait()
        switch signal {
        case SIGUSR1: return nil
        case SIGTSTP: stop()
        case SIGCONT: break
        default: return signal
        }
      }
    }
  }

  /// Runs a function on a thread whose signals are blocked, and that can wait for them.
  ///
  /// Must be called before other threads are started.
  static func withSignals<Result>(_ body: (Signals) throws -> Result) rethrows -> Result {
    let own = pthread_self()
    return try signals.whileBlocked {
      // Another thread may end the waiting once more.
      defer { signal(SIGUSR1, SIG_IGN) }
      return try body(Signals(end: { pthread_kill(own, SIGUSR1) }))
    }
  }
}
