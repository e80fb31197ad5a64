internal import Synchronization

/// Ends the reading of files, from another thread.
///
/// Reading a file of many gigabytes takes minutes, and the run may end at any time. Safe from any thread.
package final class Interruption: Sendable {
  private let flag = Atomic<Bool>(false)
  private let makeWay: (@Sendable () -> Void)?

  /// Creates an interruption that is not set.
  ///
  /// - Parameter makeWay: Called between two steps of the reading, on the same thread, to do more urgent work first.
  package init(makeWay: (@Sendable () -> Void)? = nil) { self.makeWay = makeWay }

  /// Makes way for what is more urgent, and returns whether the reading is to end.
  package func isDue() -> Bool {
    makeWay?()
    return isSet
  }

  /// Whether the reading is to end.
  package var isSet: Bool { flag.load(ordering: .relaxed) }

  /// Ends the reading at its next step: after at most 256 KiB of a file.
  package func set() { flag.store(true, ordering: .relaxed) }
}
