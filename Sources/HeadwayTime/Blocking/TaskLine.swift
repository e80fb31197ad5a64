/// The tasks that wait for a thread, by number: first those that are started again, then the others, each in
/// their order.
///
/// A task that leaves before its turn leaves its number behind; the numbers are swept out when they outweigh
/// the tasks, so every operation takes constant time in the long run.
struct TaskLine: Sendable {
  /// Tasks that are started again.
  private var urgent = Line()
  /// Tasks that have not been started.
  private var common = Line()
  /// The number of tasks that wait.
  private(set) var count = 0

  /// The numbers that are held, of tasks that have left too.
  var entryCount: Int { urgent.count + common.count }

  /// Puts a task at the end.
  ///
  /// - Parameters:
  ///   - task: The number of the task.
  ///   - isUrgent: Whether it goes before all that are not.
  /// - Complexity: O(1) in the long run.
  mutating func append(_ task: UInt64, isUrgent: Bool) {
    if isUrgent { urgent.append(task) } else { common.append(task) }
    count += 1
  }

  /// Takes the first number out, which may be of a task that has left.
  ///
  /// The caller says by `leave()` that a task was there.
  ///
  /// - Complexity: O(1) in the long run.
  mutating func popFirst() -> UInt64? { urgent.popFirst() ?? common.popFirst() }

  /// Notes that a task does not wait any longer.
  ///
  /// - Parameter isWaiting: Whether a number is of a task that waits; asked when the numbers are swept.
  /// - Complexity: O(1) in the long run.
  mutating func leave(_ isWaiting: (UInt64) -> Bool) {
    count -= 1
    guard entryCount > 2 * count + 64 else { return }
    urgent.keep(isWaiting)
    common.keep(isWaiting)
  }

  /// One line of numbers.
  private struct Line: Sendable {
    /// The numbers, of which the first ones have been taken.
    private var entries: [UInt64] = []
    /// How many have been taken.
    private var head = 0

    /// How many there are.
    var count: Int { entries.count - head }

    /// Puts one at the end.
    mutating func append(_ entry: UInt64) { entries.append(entry) }

    /// Takes the first one.
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

    /// Keeps only some.
    mutating func keep(_ isKept: (UInt64) -> Bool) {
      entries = entries[head...].filter(isKept)
      head = 0
    }
  }
}
