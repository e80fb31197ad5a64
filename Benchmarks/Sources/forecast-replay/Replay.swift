/// The state of the tasks at a time, as a runner knows it.
struct Scene {
  /// The time since the run began, in seconds.
  var time = 0.0
  /// Whether each task has ended.
  var isDone: [Bool] = []
  /// The ended tasks, in the order of their ends.
  var done: [Int] = []
  /// The running tasks, with their elapsed times.
  var running: [(task: Int, elapsed: Double)] = []
  /// The ready tasks in the order in which they start.
  var ready: [Int] = []
  /// The number of unfinished dependencies of each task.
  var waits: [Int] = []
}

/// An event of a replay.
struct Happening {
  /// The time, in seconds.
  var time: Double
  /// The index of the task.
  var task: Int
  /// Whether it started; otherwise it ended.
  var isStart: Bool
}

/// A run of a plan in virtual time: list scheduling, first ready first, with the recorded durations.
struct Replay {
  /// The maximum number of tasks of a replayed run; larger runs are used as history only.
  static let largestRun = 800

  /// The plan.
  let plan: Plan
  /// The number of workers.
  let workers: Int
  /// The events, in order.
  let happenings: [Happening]
  /// When each task started.
  let starts: [Double]
  /// When each task ended.
  let ends: [Double]
  /// The tasks in the order of their ends, and then of their indices.
  let order: [Int]
  /// The duration of the run.
  let length: Double

  /// Simulates a run.
  init(_ plan: Plan, workers: Int) {
    self.plan = plan
    self.workers = workers
    var scene = Scene()
    scene.waits = plan.parents.map(\.count)
    scene.ready = plan.parents.indices.filter { plan.parents[$0].isEmpty }
    var happenings: [Happening] = []
    length = Self.schedule(plan, workers, plan.durations, from: scene) { happenings.append($0) }
    var starts = Array(repeating: 0.0, count: plan.count)
    var ends = starts
    for one in happenings {
      if one.isStart { starts[one.task] = one.time } else { ends[one.task] = one.time }
    }
    self.happenings = happenings
    self.starts = starts
    self.ends = ends
    order = ends.indices.sorted { (ends[$0], $0) < (ends[$1], $1) }
  }

  /// Schedules the remaining tasks.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - workers: The number of workers.
  ///   - durations: The total duration of each task.
  ///   - scene: The state of the tasks.
  ///   - tell: Called with each event; its time counts from the scene.
  /// - Returns: The remaining time.
  static func schedule(
    _ plan: Plan, _ workers: Int, _ durations: [Double], from scene: Scene,
    tell: (Happening) -> Void = { _ in }
  ) -> Double {
    var waits = scene.waits
    var ready = scene.ready
    var first = 0
    var running = EventHeap()
    for (task, elapsed) in scene.running {
      running.push(EventHeap.Entry(time: max(0, durations[task] - elapsed), task: task))
    }
    var now = 0.0
    while true {
      while running.count < workers, first < ready.count {
        let task = ready[first]
        first += 1
        tell(Happening(time: now, task: task, isStart: true))
        running.push(EventHeap.Entry(time: now + durations[task], task: task))
      }
      guard let next = running.first else { return now }
      now = next.time
      while let entry = running.first, entry.time <= now {
        running.pop()
        tell(Happening(time: entry.time, task: entry.task, isStart: false))
        for child in plan.children[entry.task] {
          waits[child] -= 1
          if waits[child] == 0 { ready.append(child) }
        }
      }
    }
  }

  /// The state of the tasks at a time.
  func scene(at time: Double) -> Scene {
    var scene = Scene()
    scene.time = time
    scene.isDone = ends.map { $0 <= time }
    scene.done = order.filter { scene.isDone[$0] }
    scene.waits = plan.parents.map { $0.count { !scene.isDone[$0] } }
    for task in 0..<plan.count where !scene.isDone[task] {
      if starts[task] <= time {
        scene.running.append((task, time - starts[task]))
      } else if scene.waits[task] == 0 {
        scene.ready.append(task)
      }
    }
    scene.ready.sort { (starts[$0], $0) < (starts[$1], $1) }
    return scene
  }
}

/// The running tasks by their ends, the earliest first.
struct EventHeap {
  /// A running task.
  struct Entry {
    /// When it ends.
    var time: Double
    /// The index, which decides if two tasks end at the same time.
    var task: Int

    /// Whether it comes before another.
    func isBefore(_ other: Entry) -> Bool { (time, task) < (other.time, other.task) }
  }

  /// The entries, as a binary heap.
  private var entries: [Entry] = []

  /// The number of entries.
  var count: Int { entries.count }
  /// The earliest entry.
  var first: Entry? { entries.first }

  /// Adds an entry.
  mutating func push(_ entry: Entry) {
    entries.append(entry)
    var place = entries.count - 1
    while place > 0, entries[place].isBefore(entries[(place - 1) / 2]) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes and returns the earliest entry.
  mutating func pop() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var place = 0
    while true {
      var least = place
      for below in [2 * place + 1, 2 * place + 2]
      where below < entries.count && entries[below].isBefore(entries[least]) {
        least = below
      }
      if least == place { return }
      entries.swapAt(place, least)
      place = least
    }
  }
}
