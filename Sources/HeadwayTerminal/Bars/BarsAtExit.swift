internal import HeadwayLibc
internal import HeadwayLock

/// Finishes the bars that are left when the program exits, so that the terminal is clean and the last lines are there.
enum BarsAtExit {
  /// Bars that may be gone already.
  private struct WeakBars: Sendable {
    weak let bars: LiveBars?
  }

  private static let all = Guarded<[ObjectIdentifier: WeakBars]>([:])

  /// The maximum time for which a slow terminal delays the end of a program.
  private static let limit = Duration.milliseconds(500)

  /// Registers the function below, once.
  private static let isRegistered = atexit { BarsAtExit.finishAll() } == 0

  /// Adds bars that have not finished.
  static func add(_ bars: LiveBars) {
    _ = isRegistered
    all.withLock { $0[ObjectIdentifier(bars)] = WeakBars(bars: bars) }
  }

  /// Removes bars that are about to be released.
  static func remove(_ bars: LiveBars) {
    all.withLock { $0[ObjectIdentifier(bars)] = nil }
  }

  /// Finishes all bars.
  private static func finishAll() {
    // They are not released under the lock, because that takes the lock, too.
    let left = all.withLock { all in all.values.compactMap(\.bars) }
    for bars in left { bars.finish(within: limit) }
  }
}
