internal import HeadwayRun
internal import HeadwayTime

/// The edges of a graph, arranged so that each task's dependents stand together.
struct Adjacency {
  /// The number of tasks that each task waits for.
  let waitsFor: [Int32]
  /// Where each task's dependents begin, with one more entry at the end.
  let start: [Int32]
  /// The tasks that wait for each task, one after another.
  let list: [Int32]

  /// Arranges the edges of a graph.
  ///
  /// - Complexity: O(tasks + edges).
  init(_ graph: borrowing LaunchGraph) {
    let (earlier, later) = (graph.edgesBefore, graph.edgesAfter)
    var waitsFor = Array(repeating: Int32(0), count: graph.count)
    var start = Array(repeating: Int32(0), count: graph.count + 2)
    for edge in earlier.indices {
      waitsFor[Int(later[edge])] += 1
      start[Int(earlier[edge]) + 2] += 1
    }
    for place in 0..<graph.count { start[place + 2] += start[place + 1] }
    var list = Array(repeating: Int32(0), count: earlier.count)
    for edge in earlier.indices {
      let place = Int(earlier[edge]) + 1
      list[Int(start[place])] = later[edge]
      start[place] += 1
    }
    start.removeLast()
    self.waitsFor = waitsFor
    self.start = start
    self.list = list
  }

  /// The tasks, each after all that it waits for.
  ///
  /// - Parameter names: The names of the tasks, for the error.
  /// - Returns: Their places.
  /// - Throws: `GraphError.cycle` when tasks wait for each other in a circle.
  /// - Complexity: O(tasks + edges).
  func order(_ names: [String]) throws(GraphError) -> [Int32] {
    var open = waitsFor
    var order: [Int32] = []
    order.reserveCapacity(open.count)
    for place in open.indices where open[place] == 0 { order.append(Int32(place)) }
    var next = 0
    while next < order.count {
      let place = Int(order[next])
      next += 1
      for edge in Int(start[place])..<Int(start[place + 1]) {
        let dependent = Int(list[edge])
        open[dependent] -= 1
        if open[dependent] == 0 { order.append(list[edge]) }
      }
    }
    guard order.count == open.count else {
      throw .cycle(circle(among: open).map { TaskID($0, name: names[$0]) })
    }
    return order
  }

  /// The expected time from the start of each task to the end of all that waits for it.
  ///
  /// - Parameters:
  ///   - order: The tasks, each after all that it waits for.
  ///   - expected: How long each is expected to take, by place. Where nothing is known of any, times are numbers of
  ///     tasks; what is not known of one is the mean of those that are.
  /// - Returns: The times in nanoseconds, by place.
  /// - Complexity: O(tasks + edges).
  func ahead(order: [Int32], expected: [Duration?]) -> [Int64] {
    let known = expected.compactMap { $0.map { max(Int64(clamping: $0.nanosecondsDown), 1) } }
    let mean = known.isEmpty ? 1 : max(known.reduce(0) { $0 &+ $1 / Int64(known.count) }, 1)
    var ahead = Array(repeating: mean, count: order.count)
    if !known.isEmpty {
      for (place, duration) in expected.enumerated() where place < ahead.count {
        if let duration { ahead[place] = max(Int64(clamping: duration.nanosecondsDown), 1) }
      }
    }
    for place in order.reversed() {
      let place = Int(place)
      var longest: Int64 = 0
      for edge in Int(start[place])..<Int(start[place + 1]) {
        longest = max(longest, ahead[Int(list[edge])])
      }
      let (sum, isTooLong) = ahead[place].addingReportingOverflow(longest)
      ahead[place] = isTooLong ? .max : sum
    }
    return ahead
  }

  /// Walks backwards through tasks that can never start until one comes up again.
  private func circle(among open: [Int32]) -> [Int] {
    // Every task that is still open waits for another open one: remember one of them for each.
    var waits = Array(repeating: -1, count: open.count)
    for place in open.indices where open[place] > 0 {
      for edge in Int(start[place])..<Int(start[place + 1]) { waits[Int(list[edge])] = place }
    }
    var seen: [Int: Int] = [:]
    var path: [Int] = []
    var place = open.firstIndex { $0 > 0 } ?? 0
    while seen[place] == nil {
      seen[place] = path.count
      path.append(place)
      place = waits[place]
    }
    return Array(path[(seen[place] ?? 0)...])
  }
}

/// The tasks that wait for each task: those of the graph, and those that were added to the run.
struct Dependents: Sendable {
  /// Where each task's dependents begin, with one more entry at the end.
  private let start: [Int32]
  /// The tasks that wait for each task, one after another.
  private let list: [Int32]
  /// The tasks that were added to wait for a task.
  private var added: [Int: [Int32]] = [:]

  /// Takes over the edges of a graph.
  init(_ adjacency: Adjacency) {
    start = adjacency.start
    list = adjacency.list
  }

  /// The number of tasks that wait for a task.
  @inline(__always)
  func count(of place: Int) -> Int {
    let more = added.isEmpty ? 0 : added[place]?.count ?? 0
    return ownCount(of: place) + more
  }

  /// A task that waits for another.
  ///
  /// - Parameters:
  ///   - index: Which one, less than `count(of:)`.
  ///   - place: The task that is waited for.
  /// - Returns: Its place.
  @inline(__always)
  func task(_ index: Int, of place: Int) -> Int {
    let own = ownCount(of: place)
    return Int(
      index < own ? list[Int(start[place]) + index] : added[place, default: []][index - own])
  }

  /// Adds a task that waits for another.
  mutating func add(_ task: Int, waitingFor place: Int) {
    added[place, default: []].append(Int32(task))
  }

  /// The number of tasks of the graph that wait for a task.
  private func ownCount(of place: Int) -> Int {
    place + 1 < start.count ? Int(start[place + 1] - start[place]) : 0
  }
}
