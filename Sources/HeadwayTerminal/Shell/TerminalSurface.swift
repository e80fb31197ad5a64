internal import HeadwayLibc
internal import HeadwaySystem

/// A renderer with what it draws on and listens to.
///
/// Safe from any thread, except for reading keys, which only the drawing thread does.
final class TerminalSurface: Sendable {
  /// The renderer as it was before its first frame.
  let renderer: any Renderer
  let port: TerminalPort
  /// The descriptor that keys are read from, nil for none.
  let keyboard: Int32?
  /// The keyboard that is read once the user asks for it, nil for none.
  let requested: RequestedKeyboard?
  /// Returns whether the renderer must not see a key.
  let filterKey: @Sendable (UInt8) -> Bool
  /// Called once the renderer is over.
  let onOver: @Sendable () -> Void
  /// Returns the time since the work began.
  let now: @Sendable () -> Duration
  /// Whether what the program prints to its standard streams comes above the rows.
  let keepsOutput: Bool
  /// Set when the renderer will not be drawn any more.
  let ended = WaitableEvent()

  init(
    _ renderer: any Renderer, port: TerminalPort, keyboard: Int32?, requested: RequestedKeyboard?,
    filterKey: @escaping @Sendable (UInt8) -> Bool, onOver: @escaping @Sendable () -> Void,
    keepsOutput: Bool, now: @escaping @Sendable () -> Duration
  ) {
    (self.renderer, self.port, self.keyboard, self.requested) =
      (renderer, port, keyboard, requested)
    (self.filterKey, self.onOver, self.now) = (filterKey, onOver, now)
    self.keepsOutput = keepsOutput
  }

  /// Reads the pressed keys.
  ///
  /// - Parameter keyboard: The descriptor on which the thread waits for more; set.
  /// - Returns: The keys that the renderer may see.
  func pressedKeys(_ keyboard: inout Int32?) -> [UInt8] {
    let keys: [UInt8]
    if let requested {
      keys = port.isInForeground ? requested.read(at: now()) : []
      keyboard = requested.descriptor
    } else {
      keys = readKeys(&keyboard)
    }
    return keys.filter { !filterKey($0) }
  }

  /// Reads the pressed keys, only in the foreground, and closes a keyboard that is gone.
  func readKeys(_ keyboard: inout Int32?) -> [UInt8] {
    guard let descriptor = keyboard, port.isInForeground, WaitableEvent.isReadable(descriptor)
    else { return [] }
    var keys = [UInt8](repeating: 0, count: RenderLimits.keyCount)
    let count = unsafe keys.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    // The end of a file stays readable: polled again, it would never let the thread sleep.
    if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { keyboard = nil }
    return Array(keys.prefix(max(count, 0)))
  }
}
