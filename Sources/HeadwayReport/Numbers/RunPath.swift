/// The critical path that a run took: from the task that ended last, back through what each waited for.
///
/// For each task the needed one that ended last is the one it waited for. Where it began later than that, it waited
/// for a worker. Work and waiting together are the time from the beginning of the run to the end of its last task.
struct RunPath: Equatable {
  /// A task on the path.
  struct Step: Equatable {
    /// The place of the task.
    var task: Int
    /// The seconds that it waited for a worker after its last needed task had ended.
    var waited: Double
  }

  /// The tasks, the first to run first.
  private(set) var steps: [Step] = []
  /// The seconds that its tasks ran.
  private(set) var work = 0.0
  /// The seconds that its tasks waited for a worker.
  private(set) var waited = 0.0

  /// Finds the path.
  ///
  /// - Parameters:
  ///   - times: When the tasks ran. One without times is looked through to what it needs itself.
  ///   - needs: Which task waits for which. A place out of range is left out, and a cycle ends the path.
  /// - Complexity: O(tasks + needs).
  init(_ times: RunTimes, needs: [(task: Int, before: Int)]) {
    var sources = PathSources(times, needs: NeedTable(needs, taskCount: times.ends.count))
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
  /// The one of two tasks that ended later; of those that ended together the one that ran longer, then the first.
  func later(_ one: Int?, _ other: Int) -> Int {
    guard let one else { return other }
    return (ends[one], ran(one)) >= (ends[other], ran(other)) ? one : other
  }
}

/// What each task needs, in one row.
struct NeedTable {
  /// Where the needs of each task begin, and behind the last one where they end.
  private var starts: [Int]
  /// The needed tasks.
  private var needed: [Int]

  /// Sorts needs by their tasks, without those that no run can have.
  init(_ needs: [(task: Int, before: Int)], taskCount: Int) {
    let places = 0..<taskCount
    let sound = needs.filter {
      places.contains($0.task) && places.contains($0.before) && $0.task != $0.before
    }
    starts = [Int](repeating: 0, count: taskCount + 1)
    for need in sound { starts[need.task + 1] += 1 }
    for place in places { starts[place + 1] += starts[place] }
    needed = [Int](repeating: 0, count: sound.count)
    var next = starts
    for need in sound {
      needed[next[need.task]] = need.before
      next[need.task] += 1
    }
  }

  /// The tasks that a task needs.
  subscript(task: Int) -> ArraySlice<Int> { needed[starts[task]..<starts[task + 1]] }
}

/// For each task the one with a time that it waited for, through tasks without.
private struct PathSources {
  /// When the tasks ran.
  private let times: RunTimes
  /// What they need.
  private let needs: NeedTable
  /// What is known of a task without times.
  private enum Finding {
    /// Nothing yet.
    case unknown
    /// It is being looked through; meeting it again is a cycle.
    case open
    /// The last task with a time before it, if there is one.
    case found(Int?)
  }
  /// The findings.
  private var findings: [Finding]

  /// Creates what has found nothing yet.
  init(_ times: RunTimes, needs: NeedTable) {
    self.times = times
    self.needs = needs
    findings = [Finding](repeating: .unknown, count: times.ends.count)
  }

  /// The task that a task waited for.
  mutating func source(before task: Int) -> Int? {
    for need in needs[task] where !times.isTimed[need] { look(through: need) }
    return latest(before: task)
  }

  /// Finds what a task without times stands for, those before it first; a stack in place of recursion.
  private mutating func look(through task: Int) {
    var stack = [task]
    while let top = stack.last {
      switch findings[top] {
      case .unknown:
        findings[top] = .open
        for need in needs[top] where !times.isTimed[need] {
          if case .unknown = findings[need] { stack.append(need) }
        }
      case .open:
        findings[top] = .found(latest(before: top))
        stack.removeLast()
      case .found:
        stack.removeLast()
      }
    }
  }

  /// The last task to end of those that a task needs, as far as they are known.
  private func latest(before task: Int) -> Int? {
    var latest: Int?
    for need in needs[task] {
      if times.isTimed[need] {
        latest = times.later(latest, need)
      } else if case .found(let source?) = findings[need] {
        latest = times.later(latest, source)
      }
    }
    return latest
  }
}
