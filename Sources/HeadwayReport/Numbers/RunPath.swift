internal import HeadwayRun

/// The actual critical path of a run: from the task that ended last, back through the dependencies that ended last.
///
/// A task that began later than its last dependency ended waited for a worker. Work and waiting add up to the time from
/// the beginning of the run to the end of its last task.
struct RunPath: Equatable {
  /// A task on the path.
  struct Step: Equatable {
    var task: Int
    /// The seconds that it waited for a worker after its last dependency had ended.
    var waited: Double
  }

  /// The tasks, in the order in which they ran.
  private(set) var steps: [Step] = []
  /// The sum of the durations of its tasks, in seconds.
  private(set) var work = 0.0
  /// The seconds that its tasks waited for a worker.
  private(set) var waited = 0.0

  /// The tasks, without their order.
  var tasks: Set<Int> { Set(steps.map(\.task)) }

  /// Finds the path.
  ///
  /// - Parameters:
  ///   - times: The times of the tasks. A task without times is replaced by its own dependencies.
  ///   - graph: The graph. A cycle ends the path.
  /// - Complexity: O(tasks + edges).
  init(_ times: RunTimes, _ graph: TaskGraph?) {
    var sources = PathSources(times, graph ?? TaskGraph(taskCount: times.ends.count))
    let timed = times.ends.indices.filter { times.isTimed[$0] }
    var next = timed.reduce(nil as Int?) { times.later($0, $1) }
    var seen: Set<Int> = []
    while let task = next, seen.insert(task).inserted {
      next = sources.source(before: task)
      let ready = next.map { times.ends[$0] } ?? 0
      let waited = max(0, times.begins[task] - ready)
      steps.append(Step(task: task, waited: waited))
      work += times.ran(task)
      self.waited += waited
    }
    steps.reverse()
  }
}

extension RunTimes {
  /// Returns the task that ended later; of tasks that ended together, the one that ran longer, then the first one.
  func later(_ one: Int?, _ other: Int) -> Int {
    guard let one else { return other }
    return (ends[one], ran(one)) >= (ends[other], ran(other)) ? one : other
  }
}

/// Finds the task with times that each task waited for, through tasks without times.
private struct PathSources {
  private let times: RunTimes
  /// The graph, whose rows hold the dependencies of each task.
  private let graph: TaskGraph
  /// The state of the search through a task without times.
  private enum Finding {
    case unknown
    /// The search is under way; meeting the task again is a cycle.
    case open
    /// The last task with times before it, if there is one.
    case found(Int?)
  }
  private var findings: [Finding]

  init(_ times: RunTimes, _ graph: TaskGraph) {
    self.times = times
    self.graph = graph.reversed
    findings = [Finding](repeating: .unknown, count: times.ends.count)
  }

  /// The task that a task waited for.
  mutating func source(before task: Int) -> Int? {
    for dependency in dependencies(of: task) where !times.isTimed[dependency] {
      search(dependency)
    }
    return latest(before: task)
  }

  /// Searches the dependencies of a task without times, depth first; a stack replaces recursion.
  private mutating func search(_ task: Int) {
    var stack = [task]
    while let top = stack.last {
      switch findings[top] {
      case .unknown:
        findings[top] = .open
        for dependency in dependencies(of: top) where !times.isTimed[dependency] {
          if case .unknown = findings[dependency] { stack.append(dependency) }
        }
      case .open:
        findings[top] = .found(latest(before: top))
        stack.removeLast()
      case .found:
        stack.removeLast()
      }
    }
  }

  /// The dependency that ended last, as far as that is known.
  private func latest(before task: Int) -> Int? {
    var latest: Int?
    for dependency in dependencies(of: task) {
      if times.isTimed[dependency] {
        latest = times.later(latest, dependency)
      } else if case .found(let source?) = findings[dependency] {
        latest = times.later(latest, source)
      }
    }
    return latest
  }

  /// The dependencies of a task other than itself.
  private func dependencies(of task: Int) -> some Sequence<Int> {
    (0..<graph.dependentCount(of: task)).lazy.map { graph.dependent($0, of: task) }
      .filter { $0 != task }
  }
}
