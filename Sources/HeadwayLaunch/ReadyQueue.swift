/// Tasks that may start, the first of the graph first: a binary heap.
struct ReadyQueue: Sendable {
  /// The heap.
  private var heap: [Int32] = []

  /// The task that comes next, nil when there is none.
  var first: TaskID? { heap.first.map { TaskID(Int($0)) } }

  /// Adds a task.
  ///
  /// - Complexity: O(log n).
  mutating func insert(_ id: TaskID) {
    heap.append(Int32(id.index))
    var child = heap.count - 1
    while child > 0, heap[child] < heap[(child - 1) / 2] {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the task that comes next; the queue must not be empty.
  ///
  /// - Complexity: O(log n).
  mutating func removeFirst() -> TaskID {
    precondition(!heap.isEmpty, "no task is ready")
    heap.swapAt(0, heap.count - 1)
    let id = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child] < heap[least] { least = child }
      }
      guard least != parent else { return TaskID(Int(id)) }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
