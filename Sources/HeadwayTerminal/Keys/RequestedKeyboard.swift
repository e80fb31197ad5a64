internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem

/// The keyboard of a program in whose terminal people type ahead for the shell.
///
/// Until Tab is typed, the terminal keeps lines without echo and nothing is read. The terminal counts what can be read,
/// so that a line for the shell is never touched; see `KeySession`. Safe from any thread.
package final class RequestedKeyboard: Sendable {
  private let keyboard: Int32
  private let mode: TerminalMode
  private let session: Guarded<KeySession>
  /// Changes the mode of the terminal.
  private let change: @Sendable (() -> Bool) -> Bool

  /// Creates a keyboard that is not read.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor of the terminal.
  ///   - keys: The keys of the program.
  ///   - change: Calls a function that changes the mode of the terminal.
  package init(
    _ descriptor: Int32, keys: Set<UInt8>,
    change: @escaping @Sendable (() -> Bool) -> Bool = { $0() }
  ) {
    keyboard = descriptor
    mode = TerminalMode(descriptor)
    session = Guarded(KeySession(keys: keys))
    self.change = change
  }

  /// What happens with what is typed.
  package var phase: KeySession.Phase { session.withLock { $0.phase } }

  /// The descriptor whose readability is to be waited for, nil if nothing is read.
  var descriptor: Int32? { [.off, .kept].contains(phase) ? nil : keyboard }

  /// Makes the terminal keep what is typed.
  ///
  /// - Returns: False if there is no terminal or the program is in the background.
  @discardableResult
  package func enter() -> Bool {
    let canRead = change { mode.enter(.lines(until: KeySession.request)) }
    session.withLock { $0.begin(canRead) }
    return canRead
  }

  /// Restores the original mode; what the terminal keeps stays for the shell.
  package func restore() {
    session.withLock { $0.begin(false) }
    mode.restore()
  }

  /// Reads the keys that were typed, without waiting.
  ///
  /// - Parameter now: The time since the work began.
  /// - Returns: The keys of the program.
  func read(at now: Duration) -> [UInt8] {
    let before = phase
    session.withLock { $0.advance(to: now) }
    var keys: [UInt8] = []
    if [.waiting, .active, .ignoring].contains(phase), WaitableEvent.isReadable(keyboard) {
      keys = readKeys(at: now)
    }
    let after = phase
    if after == before || after == .off { return keys }
    let isReading = after == .active || after == .ignoring
    _ = change { mode.enter(isReading ? .keys : .lines(until: KeySession.request)) }
    return keys
  }

  /// Reads what can be read, unless it is a line for the shell.
  private func readKeys(at now: Duration) -> [UInt8] {
    let count = readableCount(keyboard)
    let isWaiting = phase == .waiting
    if isWaiting, !session.withLock({ $0.readsFirst(of: count) }) { return [] }
    let most = isWaiting ? 1 : RenderLimits.keyCount
    var bytes = [UInt8](repeating: 0, count: most)
    let got = unsafe bytes.withUnsafeMutableBytes {
      unsafe Self.read(keyboard, $0.baseAddress, $0.count)
    }
    // The terminal is gone.
    if got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN) {
      session.withLock { $0.begin(false) }
    }
    return session.withLock { $0.take(Array(bytes.prefix(max(got, 0))), at: now) }
  }

  private static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    unsafe HeadwayLibc.read(descriptor, buffer, count)
  }
}
