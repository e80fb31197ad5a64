internal import HeadwayRun

/// How much longer tasks take than in earlier runs, because more or fewer of them share the processors.
///
/// The load of a run is the logarithm of how many tasks ran for each processor. More workers than tasks that can run at once
/// change nothing, so the mean number of those counts where it is smaller: that of a chain is one. Tasks that wait for a
/// network or sleep need no processor. How much the load changes durations is assumed at first, and then learnt from runs with
/// other loads: the slope of a regression with a prior.
struct ProcessorLoad {
  /// The logarithm of how much longer tasks take.
  private(set) var shift = 0.0
  /// The standard deviation of that.
  private(set) var spread = 0.0

  /// The durations of a task at different loads, as sums for a regression.
  private struct Sums {
    var count = 0.0
    var load = 0.0
    var value = 0.0
    var square = 0.0
    var product = 0.0
    var seconds = 0.0

    mutating func add(load: Double, seconds: Double, value: Double) {
      count += 1
      self.load += load
      self.value += value
      square += load * load
      product += load * value
      self.seconds += seconds
    }
  }

  /// Compares the load of a run with that of earlier ones.
  ///
  /// - Parameters:
  ///   - graph: The tasks of the run.
  ///   - workers: The number of tasks that run at once.
  ///   - processors: The number of processors, nil if unknown: then tasks take as long as ever.
  ///   - runs: The earlier runs.
  ///   - parameters: The parameters of the forecast.
  /// - Complexity: O(tasks + edges + samples) if there were more workers than processors, else O(runs).
  init(
    _ graph: ForecastInput, workers: Int, processors: Int?, _ runs: [DurationHistory.Run],
    _ parameters: ForecastParameters
  ) {
    let runs = runs.filter { !$0.samples.isEmpty }
    let counts = runs.map { max(1, $0.workers ?? workers) }
    guard let processors, let most = counts.max(), max(most, workers) > processors,
      counts.contains(where: { $0 != workers })
    else { return }
    var sums: [DurationHistory.Task: Sums] = [:]
    for run in runs {
      for sample in run.samples {
        sums[Self.key(sample), default: Sums()].add(
          load: 0, seconds: sample.duration.nonnegativeSeconds, value: 0)
      }
    }
    let width = Self.width(of: graph) { task in
      sums[DurationHistory.Task(name: task.name, kind: task.kind)].map { $0.seconds / $0.count }
    }
    func load(_ workers: Int) -> Double {
      let busy = min(Double(max(1, workers)), width)
      return Logarithms.log(max(1, busy / Double(max(1, processors))))
    }
    let loads = counts.map(load)
    let difference = load(workers) - loads.reduce(0, +) / Double(loads.count)
    guard difference != 0 else { return }
    sums = [:]
    for (run, load) in zip(runs, loads) {
      for sample in run.samples where !sample.isCensored {
        let seconds = max(sample.duration.nonnegativeSeconds, parameters.minimumDuration)
        sums[Self.key(sample), default: Sums()].add(
          load: load, seconds: seconds, value: Logarithms.log(seconds))
      }
    }
    // Tasks of one run are fast or slow together, so all of them are one observation, in which the long ones count most.
    var (square, product, weight) = (0.0, 0.0, 0.0)
    for task in sums.values {
      let seconds = task.seconds / task.count
      square += seconds * (task.square - task.load * task.load / task.count)
      product += seconds * (task.product - task.load * task.value / task.count)
      weight += seconds
    }
    if weight > 0 { (square, product) = (square / weight, product / weight) }
    let noise = parameters.withinSpread * parameters.withinSpread
    let prior = noise / (parameters.processorBoundSpread * parameters.processorBoundSpread)
    let bound = (product + prior * parameters.processorBound) / (square + prior)
    shift = min(max(bound, 0), 1) * difference
    spread = abs(difference) * (noise / (square + prior)).root
  }

  private static func key(_ sample: DurationHistory.Sample) -> DurationHistory.Task {
    DurationHistory.Task(name: sample.name, kind: sample.kind)
  }

  /// The mean number of tasks that run at once if there are enough workers: all their time, by that of the longest path.
  private static func width(
    of graph: ForecastInput, _ seconds: (ForecastInput.Task) -> Double?
  ) -> Double {
    let known = graph.tasks.map { $0.isGroup ? 0 : seconds($0) }
    let usual = known.compactMap(\.self)
    let mean = usual.isEmpty ? 1 : usual.reduce(0, +) / Double(usual.count)
    let times = known.map { $0 ?? mean }
    let edges = graph.edges.filter {
      times.indices.contains($0.before) && times.indices.contains($0.after) && $0.before != $0.after
    }
    let tasks = TaskGraph(taskCount: times.count, edges: edges)
    var ends = times
    for index in tasks.topologicalOrder().map({ Int($0) }) {
      for position in 0..<tasks.dependentCount(of: index) {
        let next = tasks.dependent(position, of: index)
        ends[next] = max(ends[next], ends[index] + times[next])
      }
    }
    let longest = ends.max() ?? 0
    return longest > 0 ? max(1, times.reduce(0, +) / longest) : .infinity
  }
}
