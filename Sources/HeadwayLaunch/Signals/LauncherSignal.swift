internal import HeadwayLibc
internal import HeadwaySystem

/// A POSIX signal that can cancel a run; see ``LauncherOptions/cancellationSignals``.
///
/// Only signals that ask a program to end, or that have no meaning of their own, are listed. Others cannot be handled, such as
/// `SIGKILL` and `SIGSTOP`, report an error of the program itself, such as `SIGSEGV` and `SIGPIPE`, or mean something else, such as
/// `SIGCHLD` and `SIGTSTP`.
@nonexhaustive
public enum LauncherSignal: Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// The usual request to end, from `kill`, a service manager, or the manager of a container.
  case sigterm
  /// Ctrl-C in a terminal.
  case sigint
  /// The terminal was closed.
  case sighup
  /// Ctrl-\\ in a terminal, which by default also writes a core dump.
  case sigquit
  /// The first signal whose meaning a program chooses.
  case sigusr1
  /// The second signal whose meaning a program chooses.
  case sigusr2

  /// Finds a signal by its number on this system.
  ///
  /// - Parameter number: The number, such as `SIGTERM`. The result is nil if the signal cannot cancel a run.
  public init?(number: Int32) {
    guard let signal = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = signal
  }

  /// The number of the signal on this system.
  public var number: Int32 {
    switch self {
    case .sigterm: SIGTERM
    case .sigint: SIGINT
    case .sighup: SIGHUP
    case .sigquit: SIGQUIT
    case .sigusr1: SIGUSR1
    case .sigusr2: SIGUSR2
    }
  }

  /// Ends the process by this signal, as if the program did not handle it, so that the caller sees the reason.
  ///
  /// ```swift
  /// let result = launcher.runBlocking()
  /// bars.finish()
  /// if let signal = result.endingSignal { signal.endProcess() }
  /// exit(result.exitStatus)
  /// ```
  ///
  /// A shell stops a script whose program was ended by Ctrl-C only if the program was ended by the signal. What was printed is
  /// written before, except for what other threads are printing at the moment; functions of `atexit` are not called, so finish `LiveBars`
  /// and consoles first. Safe from any thread, also from those that block signals.
  public func endProcess() -> Never { SignalHandlers.endProcess(by: number) }

  /// The name of the signal, such as `SIGTERM`.
  public var description: String {
    switch self {
    case .sigterm: "SIGTERM"
    case .sigint: "SIGINT"
    case .sighup: "SIGHUP"
    case .sigquit: "SIGQUIT"
    case .sigusr1: "SIGUSR1"
    case .sigusr2: "SIGUSR2"
    }
  }
}
