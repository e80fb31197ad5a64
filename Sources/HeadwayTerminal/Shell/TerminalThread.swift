internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem

/// The thread that draws on a terminal, for all surfaces of the process on it.
///
///     lines that stay           printed by the program, or above a region
///     fetch   ━━━━━╸─────       the region of the first surface
///     resize  ━━╸────────       the region of the second one
///     ▏                         the cursor
///
/// A region that is alone writes only what has changed. With several, or when the program prints, all are erased and drawn again
/// in one update, unless nothing has changed.
///
/// Safe from any thread. The thread ends with its last surface.
final class TerminalThread: Sendable {
  /// The reason for which a thread could not be started, an errno.
  struct StartError: Error {
    let code: Int32
  }

  /// What the thread has to do next.
  struct Requests: Sendable {
    /// The surfaces that are new.
    var joining: [TerminalSurface] = []
    /// The surfaces that have to write what is left and end.
    var finishing: Set<ObjectIdentifier> = []
    /// What is printed above all regions, also in a pass that leaves the terminal to others.
    var printed: [UInt8] = []
    /// The threads that wait until all this is on the screen.
    var waiters: [HeadwayLock.Semaphore] = []
    /// Whether something has happened that the renderers have not seen.
    var isNudged = false
    /// Whether the surfaces have to keep away from the terminal.
    var isSuspended = false
  }

  private struct State: Sendable {
    var requests = Requests()
    /// What was printed while the terminal is left to others.
    var waiting: [UInt8] = []
    /// How often each surface was suspended.
    var suspensions: [ObjectIdentifier: Int] = [:]
    /// Whether the thread will look here without being woken.
    var isAwake = false
    /// Whether a slow terminal has taken nothing since a caller has waited in vain.
    var isStuck = false
    /// The number of surfaces that have not ended.
    var surfaces = 0
    /// Whether the last one has ended.
    var hasEnded = false

    /// Draws again if nobody else uses the terminal.
    mutating func mayDraw() {
      guard suspensions.isEmpty else { return }
      requests.isSuspended = false
      requests.printed += waiting
      waiting = []
    }
  }

  private let state = Guarded(State())
  /// The terminal, nil for any other output.
  let terminal: TerminalDevice?
  /// Whether there may be rows on the terminal; held by whoever writes to it directly.
  private let isShowing = Guarded(false)
  /// Wakes the thread.
  private let wake = WaitableEvent()
  /// Set while the surfaces keep away from the terminal.
  private let suspended = WaitableEvent()

  private init(_ terminal: TerminalDevice?) { self.terminal = terminal }

  // MARK: Terminals

  /// A thread that may have ended.
  private struct WeakThread: Sendable {
    weak let thread: TerminalThread?
  }

  /// The threads by the terminals on which they draw.
  private static let all = Guarded<[TerminalDevice: WeakThread]>([:])

  /// Draws a surface, on the thread of its terminal if it has one.
  ///
  /// - Parameters:
  ///   - surface: The surface.
  ///   - output: The descriptor to which it writes.
  /// - Returns: The thread.
  /// - Throws: `StartError` if a thread was needed and could not be started.
  static func show(
    _ surface: TerminalSurface, onTerminalOf output: Int32
  ) throws(StartError) -> TerminalThread {
    guard surface.ended.isOpen else { throw StartError(code: EMFILE) }
    guard let terminal = TerminalDevice(of: output) else {
      let thread = TerminalThread(nil)
      _ = try thread.join(surface)
      return thread
    }
    while true {
      let thread = all.withLock { all in
        if let thread = all[terminal]?.thread { return thread }
        let thread = TerminalThread(terminal)
        all[terminal] = WeakThread(thread: thread)
        return thread
      }
      if try thread.join(surface) { return thread }
      // It has ended, and another one takes its place.
      all.withLock { all in
        if all[terminal]?.thread === thread { all[terminal] = nil }
      }
    }
  }

  /// Takes a surface over, and starts the thread for the first one.
  ///
  /// - Returns: Whether the thread draws it; false if it has ended.
  private func join(_ surface: TerminalSurface) throws(StartError) -> Bool {
    // Without descriptors the thread cannot be woken.
    guard wake.isOpen, suspended.isOpen else { throw StartError(code: EMFILE) }
    let isFirst: Bool? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.requests.joining.append(surface)
      state.surfaces += 1
      return state.surfaces == 1
    }
    guard let isFirst else { return false }
    guard isFirst else {
      wake.set()
      return true
    }
    let error = SystemThread.start(named: "headway-draw", blocksSignals: true) { self.run() }
    guard error == 0 else {
      state.withLock { $0.hasEnded = true }
      throw StartError(code: error)
    }
    return true
  }

  // MARK: Requests

  /// Makes the thread look at the renderers again.
  func nudge() { request(isUrgent: false) { $0.requests.isNudged = true } }

  /// Prints text above all regions.
  ///
  /// - Returns: Whether the thread prints it; false if it has ended.
  func print(_ text: [UInt8]) -> Bool {
    request(isUrgent: false) { state in
      guard !state.hasEnded else { return false }
      if state.requests.isSuspended {
        state.waiting += text
      } else {
        state.requests.printed += text
      }
      state.requests.isNudged = true
      return true
    }
  }

  /// Prints text above all regions, or calls a function if there are none; those that follow come after it.
  func print(_ text: [UInt8], orDirectly write: () -> Void) {
    let isShowing = isShowing.withLock { isShowing in
      if !isShowing { write() }
      return isShowing
    }
    if isShowing, !print(text) { write() }
  }

  /// Waits until everything that was asked for is on the screen.
  func settle(within limit: Duration) {
    let done = HeadwayLock.Semaphore()
    let mustWait = state.withLock { state in
      guard state.suspensions.isEmpty, !state.isStuck, !state.hasEnded else { return false }
      state.requests.waiters.append(done)
      state.isAwake = true
      return true
    }
    guard mustWait else { return }
    wake.set()
    if !done.wait(for: limit) { state.withLock { $0.isStuck = true } }
  }

  /// Erases what would be overwritten, and keeps all surfaces away from the terminal.
  ///
  /// - Returns: Whether the terminal is free now.
  func suspend(_ surface: TerminalSurface, within limit: Duration) -> Bool {
    suspended.clear()
    request { state in
      state.suspensions[ObjectIdentifier(surface), default: 0] += 1
      state.requests.isSuspended = true
    }
    return suspended.wait(for: limit)
  }

  /// Takes back a suspension.
  func resume(_ surface: TerminalSurface) {
    request { state in
      guard let count = state.suspensions[ObjectIdentifier(surface)] else { return }
      state.suspensions[ObjectIdentifier(surface)] = count > 1 ? count - 1 : nil
      state.mayDraw()
    }
  }

  /// Ends a surface, and what it has suspended.
  func finish(_ surface: TerminalSurface) {
    request { state in
      state.suspensions[ObjectIdentifier(surface)] = nil
      state.mayDraw()
      state.requests.finishing.insert(ObjectIdentifier(surface))
    }
  }

  /// Changes the requests, and wakes the thread unless it will look soon enough anyway.
  private func request<Result>(
    isUrgent: Bool = true, _ change: (inout State) -> Result
  ) -> Result {
    let (result, mustWake) = state.withLock { state in
      let result = change(&state)
      defer { state.isAwake = true }
      return (result, isUrgent || !state.isAwake)
    }
    if mustWake { wake.set() }
    return result
  }

  // MARK: The thread

  /// Takes the requests; while suspended, a nudge stays.
  private func takeRequests() -> Requests {
    state.withLock { state in
      var taken = state.requests
      state.requests = Requests(isSuspended: taken.isSuspended)
      if taken.isSuspended { swap(&state.requests.isNudged, &taken.isNudged) }
      return taken
    }
  }

  /// Returns whether nothing is left to show; if so, the next nudge wakes the thread.
  private func mayRest() -> Bool {
    state.withLock { state in
      state.isStuck = false
      let requests = state.requests
      guard requests.isSuspended || !requests.isNudged, requests.finishing.isEmpty,
        requests.joining.isEmpty, requests.waiters.isEmpty
      else { return false }
      state.isAwake = false
      return true
    }
  }

  /// Records that surfaces have ended.
  ///
  /// - Returns: What is left to do if none is left, so that the thread ends; nil if it goes on.
  private func end(_ count: Int) -> Requests? {
    state.withLock { state in
      state.surfaces -= count
      guard state.surfaces == 0 else { return nil }
      state.hasEnded = true
      return state.requests
    }
  }

  /// Makes what the program prints come above the rows from now on.
  private func beginShowing(keepsOutput: Bool) {
    if keepsOutput { PrintedOutput.pass(to: self) }
    isShowing.withLock { $0 = true }
  }

  private func run() {
    var stack = SurfaceStack()
    while true {
      wake.clear()
      let requests = takeRequests()
      stack.join(requests)
      if stack.needsRows, !requests.isSuspended { beginShowing(keepsOutput: stack.keepsOutput) }
      let ended = stack.draw(requests)
      if !stack.needsRows || requests.isSuspended { isShowing.withLock { $0 = false } }
      if requests.isSuspended { suspended.set() }
      let rest = ended.isEmpty ? nil : end(ended.count)
      if let rest, !rest.printed.isEmpty { ended.last?.surface.port.write(rest.printed) }
      for waiter in requests.waiters + (rest?.waiters ?? []) { waiter.post() }
      for (surface, isOver) in ended {
        surface.ended.set()
        if isOver { surface.onOver() }
      }
      if rest != nil { return }
      if stack.hasMore(isSuspended: requests.isSuspended) { continue }
      if requests.isNudged { wake.wait(for: RenderLimits.gathering) }
      if mayRest() { stack.sleep(until: wake, isSuspended: requests.isSuspended) }
    }
  }
}
