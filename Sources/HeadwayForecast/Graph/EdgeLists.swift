/// What waits for each task, as lists that grow at their ends, so that a graph can grow while it runs.
struct EdgeLists: Sendable {
  /// The first edge of each task, -1 for none.
  private var first = ContiguousArray<Int32>()
  /// The last edge of each task.
  private var last = ContiguousArray<Int32>()
  /// The edge behind each edge, -1 at the end of a list.
  private var next = ContiguousArray<Int32>()
  /// The task to which each edge leads.
  private var ends = ContiguousArray<Int32>()

  /// Makes room for a task.
  mutating func addTask() {
    first.append(-1)
    last.append(-1)
  }

  /// Makes room for some tasks and edges.
  mutating func reserve(tasks: Int, edges: Int) {
    first.reserveCapacity(tasks)
    last.reserveCapacity(tasks)
    next.reserveCapacity(edges)
    ends.reserveCapacity(edges)
  }

  /// Lets a task wait for another.
  mutating func add(_ before: Int, _ after: Int) {
    let edge = Int32(ends.count)
    ends.append(Int32(after))
    next.append(-1)
    if first[before] < 0 { first[before] = edge } else { next[Int(last[before])] = edge }
    last[before] = edge
  }

  /// The first edge of a task, -1 for none.
  func firstEdge(of task: Int) -> Int32 { first[task] }

  /// The task to which an edge leads, and the edge behind it, -1 at the end.
  func step(_ edge: Int32) -> (task: Int, next: Int32) { (Int(ends[Int(edge)]), next[Int(edge)]) }

  /// Puts the lists in a row, one behind the other.
  func row() -> (starts: ContiguousArray<Int32>, children: ContiguousArray<Int32>) {
    var starts = ContiguousArray<Int32>()
    starts.reserveCapacity(first.count + 1)
    var children = ContiguousArray<Int32>()
    children.reserveCapacity(ends.count)
    for task in first.indices {
      starts.append(Int32(children.count))
      var edge = first[task]
      while edge >= 0 {
        children.append(ends[Int(edge)])
        edge = next[Int(edge)]
      }
    }
    starts.append(Int32(children.count))
    return (starts, children)
  }
}
