/// The tasks that wait for a thread, by number: first those that are restarted, then the others, each in FIFO order.
///
/// A task that leaves early leaves its number behind. The stale numbers are removed when they outnumber the tasks, so
/// every operation takes amortized constant time.
struct TaskQueue: Sendable {
  private var restarted = FIFO()
  private var new = FIFO()
  /// The number of tasks that wait.
  private(set) var count = 0

  /// The number of stored numbers, including stale ones.
  var entryCount: Int { restarted.count + new.count }

  /// Adds a task at the end.
  ///
  /// - Parameters:
  ///   - task: The number of the task.
  ///   - isRestarted: Whether the task goes before all new ones.
  mutating func append(_ task: UInt64, isRestarted: Bool) {
    if isRestarted { restarted.append(task) } else { new.append(task) }
    count += 1
  }

  /// Removes the first number, which may be stale; if it is not, the caller must call `leave`.
  mutating func popFirst() -> UInt64? { restarted.popFirst() ?? new.popFirst() }

  /// Records that a task does not wait any longer.
  ///
  /// - Parameter isWaiting: Whether the task with a number still waits.
  mutating func leave(_ isWaiting: (UInt64) -> Bool) {
    count -= 1
    guard entryCount > 2 * count + 64 else { return }
    restarted.removeAll { !isWaiting($0) }
    new.removeAll { !isWaiting($0) }
  }

  private struct FIFO: Sendable {
    /// The entries; the first `head` of them have been removed.
    private var entries: [UInt64] = []
    private var head = 0

    var count: Int { entries.count - head }

    mutating func append(_ entry: UInt64) { entries.append(entry) }

    mutating func popFirst() -> UInt64? {
      guard head < entries.count else { return nil }
      defer {
        head += 1
        if 2 * head > entries.count + 64 {
          entries.removeFirst(head)
          head = 0
        }
      }
      return entries[head]
    }

    mutating func removeAll(where isRemoved: (UInt64) -> Bool) {
      entries.removeFirst(head)
      entries.removeAll(where: isRemoved)
      head = 0
    }
  }
}
