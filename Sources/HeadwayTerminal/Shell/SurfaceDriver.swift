internal import HeadwayLock

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What a thread can drive: a surface with events of any kind, see ``RunSurface`` for what each method does.
protocol DrivenSurface: Sendable {
  /// What the surface is told.
  associatedtype Event: Sendable

  /// Whether the surface has come to its end by itself, and the thread may end.
  var isOver: Bool { get }
  /// Whether rows are on the screen that a new size of the terminal would spoil, or bring back.
  var isShown: Bool { get }
  /// Takes the next event in.
  mutating func receive(_ event: Event, into output: inout [UInt8])
  /// Draws what moves by itself.
  mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8])
  /// Tells when `frame(at:size:into:)` wants to be called next, nil when nothing moves by itself.
  func nextFrame(after now: Duration) -> Duration?
  /// Takes away what would be overwritten later.
  mutating func withdraw(into output: inout [UInt8])
  /// Takes it that others have written to the terminal; what is shown next stands below that.
  mutating func forget()
  /// Takes a key press in.
  mutating func press(_ key: UInt8)
}

extension DrivenSurface {
  /// Goes on until it is told to end.
  var isOver: Bool { false }
  /// Draws often enough to see each new size by itself.
  var isShown: Bool { false }
  /// Has nothing to forget.
  mutating func forget() {}
  /// Ignores the key.
  mutating func press(_ key: UInt8) {}
}

/// Drives a surface on a thread of its own, so that no terminal, however slow, holds up the work.
///
/// Events are posted into a queue: O(1), never blocking. The first wakes the thread; those that follow within
/// `gathering` are taken together, so a run of many short tasks costs few wake-ups. The thread takes them, asks the
/// surface for bytes and writes them; a reader that is gone ends the reporting in silence and nothing else. All signals are blocked
/// in the thread. `finish(within:)` must be called in the end; it is what ends the thread.
///
/// Safe from any thread. Posting allocates only when the queue grows.
final class SurfaceDriver<Surface: DrivenSurface>: Sendable {
  /// What the thread is asked to do.
  private struct Requests: Sendable {
    /// The events that the surface has not seen.
    var events: [Surface.Event] = []
    /// Whether the surface is to keep away from the terminal.
    var isSuspended = false
    /// Whether the thread is to write what is left and end.
    var isFinishing = false
    /// Whether the thread was told to look here.
    var isWoken = false
  }

  /// What the thread is asked to do.
  private let requests = Guarded(Requests())
  /// The thread, nil before it starts and once somebody waits for its end.
  private let thread = Guarded<pthread_t?>(nil)
  /// Wakes the thread.
  private let wake = Signal()
  /// Tells that the surface keeps away from the terminal.
  private let suspended = Signal()
  /// Tells that the thread is about to end.
  private let ended = Signal()
  /// Where the bytes go.
  private let port: TerminalPort
  /// Where keys come from, nil for nowhere.
  private let keyboard: Int32?
  /// What takes the keys before the surface does, and tells whether it has used one.
  private let takesKey: @Sendable (UInt8) -> Bool
  /// The clock of the run.
  private let now: @Sendable () -> Duration

  /// Told once the surface has come to its end by itself, on the thread.
  private let onOver: @Sendable () -> Void

  /// Starts to drive a surface.
  ///
  /// - Parameters:
  ///   - surface: The surface.
  ///   - output: The descriptor that is written to; it stays open and its mode is not changed.
  ///   - keyboard: The descriptor that keys are read from, nil for none; see `TerminalMode`.
  ///   - takesKey: Takes each key before the surface does, on the thread, and returns whether it has used it.
  ///   - foreground: Tells whether the program is in the foreground, nil to ask the terminal.
  ///   - onOver: Told once the surface has come to its end by itself, on the thread.
  ///   - now: The clock: the time since the work began.
  init(
    _ surface: Surface, output: Int32, keyboard: Int32? = nil,
    takesKey: @escaping @Sendable (UInt8) -> Bool = { _ in false },
    foreground: (@Sendable () -> Bool)? = nil, onOver: @escaping @Sendable () -> Void = {},
    now: @escaping @Sendable () -> Duration
  ) {
    port = TerminalPort(output, foreground: foreground)
    self.keyboard = keyboard
    self.takesKey = takesKey
    self.onOver = onOver
    self.now = now
    start(surface)
  }

  /// Shows an event; never blocks.
  func post(_ event: Surface.Event) {
    ask(isUrgent: false) { $0.events.append(event) }
  }

  /// Has the thread ask the surface again, whose next frame may be due earlier than it said; never blocks.
  func nudge() { ask { _ in } }

  /// Whether what is written still reaches somebody.
  var isOpen: Bool { port.isOpen }

  /// Takes away what would be overwritten later, and keeps away from the terminal until `resume()`.
  ///
  /// - Parameter limit: The most time to wait for a terminal that is slow.
  /// - Returns: Whether the terminal is free now.
  @discardableResult
  func suspend(within limit: Duration = .milliseconds(500)) -> Bool {
    suspended.clear()
    ask { $0.isSuspended = true }
    return suspended.wait(for: limit)
  }

  /// Goes on after `suspend(within:)`.
  func resume() {
    ask { $0.isSuspended = false }
  }

  /// Writes what is left, takes away what is live and ends the thread; a second call does nothing.
  ///
  /// - Parameter limit: The most time to wait for a terminal that is slow; nil waits as long as it takes.
  /// - Returns: Whether everything was written, or the reader is gone.
  @discardableResult
  func finish(within limit: Duration? = nil) -> Bool {
    guard let thread = thread.withLock({ $0.take() }) else { return true }
    ask { $0.isFinishing = true }
    let isDone = ended.wait(for: limit)
    if !isDone { port.abandon() }
    // Told to give up it ends soon, unless a write hangs in the system: then it is left behind.
    if isDone || ended.wait(for: DriverLimits.lastPatience) {
      pthread_join(thread, nil)
    } else {
      pthread_detach(thread)
    }
    return isDone
  }

  // MARK: The thread

  /// Changes what the thread is asked to do, and wakes it unless it will look by itself soon enough.
  private func ask(isUrgent: Bool = true, _ change: (inout Requests) -> Void) {
    let mustWake = requests.withLock { requests in
      change(&requests)
      defer { requests.isWoken = true }
      return isUrgent || !requests.isWoken
    }
    if mustWake { wake.send() }
  }

  /// Starts the thread.
  private func start(_ surface: Surface) {
    // Without them nobody could wake the thread: the work goes on without a report.
    guard wake.isOpen, suspended.isOpen, ended.isOpen else { return }
    let created = QuietThread.start { self.run(surface) }
    thread.withLock { $0 = created }
  }

  /// The life of the thread.
  private func run(_ first: Surface) {
    var surface = first
    var keyboard = keyboard
    var wasSuspended = false
    var output: [UInt8] = []
    // Tells the surface the size before the first event.
    var size = port.size
    surface.frame(at: .zero, size: size, into: &output)
    while true {
      wake.clear()
      let asked = take()
      for key in readKeys(&keyboard) where !takesKey(key) { surface.press(key) }
      for event in asked.events { surface.receive(event, into: &output) }
      let isQuiet = asked.isSuspended && !asked.isFinishing
      let isEnding = asked.isFinishing || surface.isOver
      let isInForeground = port.isInForeground
      let draws = !isQuiet && port.isOpen && isInForeground
      // Whoever has the terminal now writes below the rows: what is there is theirs.
      if !isInForeground { surface.forget() }
      if isQuiet, !wasSuspended { surface.withdraw(into: &output) }
      if draws {
        size = port.size
        surface.frame(at: now(), size: size, into: &output)
      }
      if isEnding { surface.withdraw(into: &output) }
      port.write(output)
      output.removeAll(keepingCapacity: true)
      if isQuiet { suspended.send() }
      if isEnding { break }
      wasSuspended = isQuiet
      if !asked.events.isEmpty { wake.wait(for: DriverLimits.gathering, or: nil) }
      if mayRest() { sleep(surface, isQuiet: isQuiet, draws: draws, size, keyboard) }
    }
    ended.send()
    if surface.isOver { onOver() }
  }

  /// Takes what was asked for; while suspended, events stay where they are.
  private func take() -> Requests {
    requests.withLock { requests in
      let asked = requests
      guard !requests.isSuspended || requests.isFinishing else {
        return Requests(isSuspended: true)
      }
      requests.events.removeAll()
      return asked
    }
  }

  /// Tells whether nothing is left to show, and has the next event wake the thread in that case.
  private func mayRest() -> Bool {
    requests.withLock { requests in
      guard requests.isSuspended || requests.events.isEmpty, !requests.isFinishing else {
        return false
      }
      requests.isWoken = false
      return true
    }
  }

  /// Sleeps until something is asked for, a key is pressed, the next frame is due or the terminal has another size.
  private func sleep(
    _ surface: Surface, isQuiet: Bool, draws: Bool, _ size: ScreenSize, _ keyboard: Int32?
  ) {
    var limit: Duration?
    if !isQuiet, port.isOpen {
      let moment = now()
      limit = surface.nextFrame(after: moment).map { max($0 - moment, .zero) }
      // In the background nothing is drawn, and nobody tells when that is over.
      if !draws, limit != nil { limit = DriverLimits.backgroundPause }
    }
    // The signal of a new size belongs to the program, so what stands still is looked at.
    guard limit == nil, draws, surface.isShown else {
      wake.wait(for: limit, or: draws ? keyboard : nil)
      return
    }
    while !wake.wait(for: DriverLimits.sizePause, or: keyboard), port.size == size {}
  }

  /// Reads the keys that were pressed, only in the foreground, and lets go of a keyboard that is gone.
  private func readKeys(_ keyboard: inout Int32?) -> [UInt8] {
    guard let descriptor = keyboard, port.isInForeground, Signal.isReadable(descriptor) else {
      return []
    }
    var keys = [UInt8](repeating: 0, count: DriverLimits.keyCount)
    let count = unsafe keys.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    // The end of a file stays readable for ever: polled again, it would never let the thread sleep.
    if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { keyboard = nil }
    return Array(keys.prefix(max(count, 0)))
  }
}

/// The limits of the threads that drive surfaces, the same for all kinds.
enum DriverLimits {
  /// The time for which a thread lets events gather after it has shown some.
  static let gathering = Duration.milliseconds(20)
  /// The time after which a thread looks whether it is in the foreground again.
  static let backgroundPause = Duration.seconds(1)
  /// The time after which a thread looks whether the terminal has another size while nothing moves.
  static let sizePause = Duration.milliseconds(500)
  /// The time for a thread that was told to give up.
  static let lastPatience = Duration.seconds(1)
  /// The most keys that are read at once.
  static let keyCount = 16
}
