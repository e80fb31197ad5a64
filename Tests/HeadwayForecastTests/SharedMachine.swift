import HeadwayForecast

/// A machine with a few processors, on which tasks compute and wait, a millisecond at a time.
///
/// It knows nothing of shares and factors: each task computes for a while and then waits for a while, and the tasks that
/// compute take turns.
struct SharedMachine {
  /// A task.
  struct Task {
    let name: String
    /// How long it takes with a processor to itself, in milliseconds.
    var length: Int
    /// How many of ten milliseconds it computes.
    var computing: Int
    /// The indices of the tasks that it comes after.
    var after: [Int] = []
  }

  /// What has become of a task.
  private struct State {
    var begin = -1
    var end = -1
    /// How much of its length is done, in milliseconds.
    var done = 0.0
    /// The processor time that it has had.
    var cpu = 0.0
  }

  let processors: Int

  /// Runs tasks in their order.
  ///
  /// - Returns: The duration of the run, and its record.
  func run(_ tasks: [Task], workers: Int) -> (total: Duration, record: DurationHistory.Run) {
    var states = [State](repeating: State(), count: tasks.count)
    var now = 0
    while states.contains(where: { $0.end < 0 }) {
      var busy = states.count { $0.begin >= 0 && $0.end < 0 }
      for index in tasks.indices where states[index].begin < 0 && busy < workers {
        guard tasks[index].after.allSatisfy({ states[$0].end >= 0 }) else { continue }
        states[index].begin = now
        busy += 1
      }
      let running = states.indices.filter { states[$0].begin >= 0 && states[$0].end < 0 }
      // Tasks are out of step with each other.
      let computing = running.filter {
        (Int(states[$0].done) + 3 * $0) % 10 < tasks[$0].computing
      }
      let part = min(1, Double(processors) / Double(max(computing.count, 1)))
      now += 1
      for index in running {
        let isComputing = computing.contains(index)
        states[index].done += isComputing ? part : 1
        if isComputing { states[index].cpu += part }
        if states[index].done > Double(tasks[index].length) - 1e-6 { states[index].end = now }
      }
    }
    let samples = zip(tasks, states).map { task, state in
      var sample = DurationHistory.Sample(
        name: task.name, kind: "", duration: .milliseconds(state.end - state.begin))
      sample.start = .milliseconds(state.begin)
      sample.cpuTime = .milliseconds(state.cpu)
      return sample
    }
    var record = DurationHistory.Run(samples: samples, workers: workers)
    record.processors = processors
    return (.milliseconds(now), record)
  }
}
