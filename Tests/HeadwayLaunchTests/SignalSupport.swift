import HeadwayLock
import HeadwaySystem

@testable import HeadwayLaunch

/// Handlers of signals in memory, and a center that uses them.
final class HandlersInMemory: SignalHandling {
  private struct State {
    var log: [String] = []
    var installed: Set<LauncherSignal> = []
    var sent: [LauncherSignal] = []
    var onLoss: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())
  /// Whether the system has what is needed.
  private let canStart: Bool

  init(canStart: Bool = true) { self.canStart = canStart }

  /// What was called, in order; what changed nothing is left out.
  var log: [String] { state.withLock { $0.log } }
  /// The signals whose handlers are installed.
  var installed: Set<LauncherSignal> { state.withLock { $0.installed } }
  /// The signals that were sent to the process because no launcher has taken them.
  var sent: [LauncherSignal] { state.withLock { $0.sent } }

  func start(
    _ receive: @escaping @Sendable (EndRequest) -> Void, onLoss: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      state.log.append("start")
      state.onLoss = onLoss
      return canStart
    }
  }

  func install(_ number: Int32) {
    guard let signal = LauncherSignal(number: number) else { return }
    state.withLock { state in
      if state.installed.insert(signal).inserted { state.log.append("install \(signal)") }
    }
  }

  func restore(_ number: Int32) {
    guard let signal = LauncherSignal(number: number) else { return }
    state.withLock { state in
      if state.installed.remove(signal) != nil { state.log.append("restore \(signal)") }
    }
  }

  func send(_ number: Int32) {
    guard let signal = LauncherSignal(number: number) else { return }
    state.withLock { $0.sent.append(signal) }
  }

  /// Loses the descriptors.
  func lose() { state.withLock { $0.onLoss }?() }
}

/// A process in which no real signals are needed.
struct SignalProcess: Sendable {
  let handlers: HandlersInMemory
  let center: SignalCenter

  init(canStart: Bool = true) {
    handlers = HandlersInMemory(canStart: canStart)
    center = SignalCenter(handlers)
  }

  /// Options with which a launcher watches the usual signals of this process.
  func options(_ options: LauncherOptions = LauncherOptions()) -> LauncherOptions {
    self.options([.sigterm, .sigint, .sighup], options)
  }

  /// Options with which a launcher watches signals of this process.
  func options(
    _ signals: Set<LauncherSignal>, _ options: LauncherOptions = LauncherOptions()
  ) -> LauncherOptions {
    var options = options
    options.cancellationSignals = signals
    options.signalCenter = center
    return options
  }

  /// Receives a signal from another program.
  ///
  /// Signals of the same kind that are not copies differ by 20 milliseconds or more.
  func receive(_ signal: LauncherSignal, at second: Double = 100) {
    center.deliver(
      EndRequest(
        number: signal.number, isFromTerminal: false, milliseconds: Int64(second * 1_000)))
  }
}
