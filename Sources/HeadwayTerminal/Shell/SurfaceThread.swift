internal import HeadwayLaunch
public import HeadwayRun

/// Drives a surface on a thread of its own, so that no terminal, however slow, holds up the run.
///
/// Events are posted into a queue: O(1), never blocking. The thread takes them, asks the surface for bytes and writes
/// them; a reader that is gone ends the reporting in silence and nothing else. All signals are blocked in the thread.
/// `finish(within:)` must be called in the end; it is what ends the thread.
///
/// Safe from any thread. Posting allocates only when the queue grows.
public final class SurfaceThread: Sendable {
  /// A run as a driver sees it.
  private struct Run: DrivenSurface {
    /// The surface.
    var surface: any RunSurface

    /// Takes the next event in.
    mutating func receive(_ event: RunEvent, into output: inout [UInt8]) {
      surface.receive(event, into: &output)
    }

    /// Draws what moves by itself.
    mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {
      surface.frame(at: now, size: size, into: &output)
    }

    /// The time of the next frame.
    func nextFrame(after now: Duration) -> Duration? { surface.nextFrame(after: now) }

    /// Takes away what would be overwritten later.
    mutating func withdraw(into output: inout [UInt8]) { surface.withdraw(into: &output) }

    /// Takes a key press in.
    mutating func press(_ key: UInt8) { surface.press(key) }
  }

  /// What does it.
  private let driver: SurfaceDriver<Run>

  /// The time for which the thread lets events gather after it has shown some.
  public static let gathering = DriverLimits.gathering

  /// Starts to drive a surface.
  ///
  /// - Parameters:
  ///   - surface: The surface.
  ///   - output: The descriptor that is written to; it stays open and its mode is not changed.
  ///   - keyboard: The descriptor that keys are read from, nil for none; see `TerminalMode`.
  ///   - takesKey: Takes each key before the surface does, on the thread, and returns whether it has used it.
  ///   - now: The clock of the run: the time since it began.
  public init(
    _ surface: any RunSurface, output: Int32, keyboard: Int32? = nil,
    takesKey: @escaping @Sendable (UInt8) -> Bool = { _ in false },
    now: @escaping @Sendable () -> Duration
  ) {
    driver = SurfaceDriver(
      Run(surface: surface), output: output, keyboard: keyboard, takesKey: takesKey, now: now)
  }

  /// Shows an event; never blocks.
  public func post(_ event: RunEvent) { driver.post(event) }

  /// Takes away what would be overwritten later, and keeps away from the terminal until `resume()`.
  ///
  /// - Parameter limit: The most time to wait for a terminal that is slow.
  /// - Returns: Whether the terminal is free now.
  @discardableResult
  public func suspend(within limit: Duration = .milliseconds(500)) -> Bool {
    driver.suspend(within: limit)
  }

  /// Goes on after `suspend(within:)`.
  public func resume() { driver.resume() }

  /// Writes what is left, takes away what is live and ends the thread; a second call does nothing.
  ///
  /// - Parameter limit: The most time to wait for a terminal that is slow; nil waits as long as it takes.
  /// - Returns: Whether everything was written, or the reader is gone.
  @discardableResult
  public func finish(within limit: Duration? = nil) -> Bool { driver.finish(within: limit) }
}
