public import HeadwayRun

/// A forecast of the progress and the remaining time of a run, from earlier runs, the clock and simulations.
///
/// Report what happens in the run, and ask at any time:
///
/// ```swift
/// var forecast = GraphForecast(graph, workers: 8, history: history)
/// forecast.start(0, at: .zero)
/// forecast.end(0, .succeeded, at: .seconds(3))
/// forecast.forecast(at: .seconds(4)).fraction
/// ```
///
/// ```
///   history ──▶ how long each task takes, and how certain that is
///                      │
///   finished tasks ──▶ how fast this run is, and each kind of task in it
///                      │
///   running tasks ──▶  simulations of the remaining tasks, given how long the running ones have run
///                      │
///                      └─▶ the remaining time: the median, and the range that contains four in five simulations
/// ```
///
/// Durations are modelled as log-normal when they are learned, and as log-logistic when they are sampled, because that
/// distribution has closed forms for a task that has run for some time. The random numbers are the same every time, so
/// the forecast changes only when something has happened. Nothing is computed until it is needed; reports cost O(1).
///
/// Times are durations since the start of the run, without its pauses; a time before the latest one counts as the latest.
/// It is a value, and not thread safe.
///
/// ```swift
/// var forecast = GraphForecast(graph, workers: 8, history: history, order: .firstReady)
/// forecast.start(0, at: .zero)
/// let answer: GraphForecast.Answer = forecast.forecast(at: .seconds(5))
/// if let late: GraphForecast.OverdueTask = forecast.overdue(at: .seconds(600)) {
///   show("task \(late.task) usually takes \(late.usual)")
/// }
/// ```
public struct GraphForecast: Sendable {
  /// The order in which ready tasks start.
  public enum Order: Hashable, Sendable {
    /// The task that has been ready for the longest time starts first.
    case firstReady
    /// By priority, then by the expected critical-path length, the longest first, then by index.
    case longestPath
  }

  /// A forecast at a time.
  public struct Answer: Hashable, Sendable {
    /// The fraction of the run that is done, from 0 to 1; it may decrease: show it through `ShownProgress`.
    public var fraction: Double
    /// The remaining time, nil if there is no estimate.
    public var remaining: RemainingTime?
    /// Whether the forecast uses earlier runs.
    public var hasHistory: Bool

    /// Creates a forecast that was made elsewhere.
    package init(fraction: Double, remaining: RemainingTime?, hasHistory: Bool) {
      self.fraction = fraction
      self.remaining = remaining
      self.hasHistory = hasHistory
    }
  }

  /// The state of a task.
  enum State: UInt8, Sendable {
    case waiting, ready, running, ended

    var isBeforeStart: Bool { self == .waiting || self == .ready }
  }

  /// The data of the tasks, by index.
  struct Tasks: Sendable {
    var states = ContiguousArray<State>()
    var kinds = ContiguousArray<Int32>()
    var priorities = ContiguousArray<Int>()
    /// The expected logarithm of the seconds, before this run is considered.
    var centers = ContiguousArray<Double>()
    /// The standard deviation of that.
    var spreads = ContiguousArray<Double>()
    /// The source of this estimate.
    var sources = ContiguousArray<DurationModel.Source>()
    /// The logarithm of the task's own usual duration in seconds, NaN if it is unknown.
    var medians = ContiguousArray<Float>()
    /// The second level of the few tasks whose latest duration was far from the others.
    var secondLevels: [Int: SecondLevel] = [:]
    /// The change of the center once the task is retried.
    var retryShifts: [Int: Double] = [:]
    /// The tasks that only group others.
    var groups: Set<Int> = []
    /// The start of each running task, in seconds, later by what it has waited for processors.
    var starts = ContiguousArray<Double>()
    /// How long each running task has waited for processors.
    var waits: [Int: Double] = [:]
    /// The tasks of which an attempt has failed.
    var retried: Set<Int> = []
    /// The fraction that each running task has reported, and when.
    var reports: [Int: (fraction: Double, time: Double)] = [:]

    var count: Int { states.count }
    var indices: Range<Int> { states.indices }
  }

  /// The kinds of tasks.
  struct Kinds: Sendable {
    var indices: [String: Int] = [:]
    var priors: [DurationModel.KindPrior] = []
  }

  /// The progress of the run.
  struct Progress: Sendable {
    /// The tasks in the order in which they became ready, including tasks that have started since.
    var ready: [Int32] = []
    /// The tasks that started, including tasks that have ended since.
    var running: [Int32] = []
    /// The unfinished tasks by index, including tasks that have ended since.
    var unfinished = ContiguousArray<Int32>()
    /// The number of unfinished tasks.
    var unfinishedCount = 0
    /// The number of tasks that were not skipped or removed.
    var countedCount = 0
    /// The number of those that have ended.
    var endedCount = 0
    /// The sum of the expected seconds of all tasks.
    var expectedSeconds = 0.0
    /// Whether there is an estimate for any task before it runs.
    var hasHistory = false
  }

  /// The working memory of simulations.
  struct Workspace: Sendable {
    /// A task that has not started.
    struct Task: Sendable {
      /// The expected logarithm of its seconds, without the shift of its kind.
      var center: Double
      /// The scale of its distribution.
      var scale: Double
      var index: Int32
      var kind: Int32
      /// The index of its first random number.
      var randomStart: Int32
    }

    var schedule = ListSchedule()
    /// The durations of one simulation, by task.
    var durations = ContiguousArray<Double>()
    var notStarted = ContiguousArray<Task>()
    /// The change of the logarithms of each kind in one simulation.
    var shifts = ContiguousArray<Double>()
    /// The tasks in topological order; empty until `updateOrder()`.
    var order: [Int32] = []
    /// The unfinished tasks in topological order, if some may be up to date.
    var remainingOrder: [Int32] = []
  }

  /// The cached forecasts.
  struct Answers: Sendable {
    /// The latest forecast, nil if something has happened since.
    var current: (time: Double, forecast: Answer)? {
      didSet { if case nil = current { outlook = nil } }
    }
    /// The latest forecast, even if something has happened since.
    var recent: (time: Double, forecast: Answer)?
    /// The latest outlook, nil if something has happened since.
    var outlook: (time: Double, outlook: RunOutlook)?
  }

  /// The order in which ready tasks start.
  package let order: Order
  let parameters: ForecastParameters
  let model: DurationModel
  var kinds = Kinds()
  var tasks = Tasks()
  var progress = Progress()
  var hosts = Hosts()
  /// The durations of tasks that have finished in this run.
  var observations = RunObservations(kindCount: 0)
  var remainingGraph = RemainingGraph()
  /// The number of processors of the machine, nil if it is unknown.
  let processors: Int?
  /// The largest share of its time in which a task computes.
  private(set) var largestShare = 0.0
  /// How much longer each task usually takes in this run than with a processor to itself; empty if there are enough of
  /// them.
  var usualPaces = ContiguousArray<Float>()
  /// Which tasks will run, if some may be up to date.
  var upToDate = UpToDateModel()
  /// Whether the graph has changed since `updateOrder()`.
  var isOrderStale = true
  var workspace = Workspace()
  var answers = Answers()
  /// The latest time, in seconds.
  var latest = 0.0
  /// The number of forecasts that were computed and of tasks that were simulated for them, for tests of the cost.
  package private(set) var cost = (forecasts: 0, simulatedTasks: 0)

  /// Creates the forecast of a run that has not begun.
  ///
  /// - Parameters:
  ///   - graph: The tasks and their dependencies.
  ///   - workers: The number of tasks that run at once; less than 1 counts as 1.
  ///   - history: The earlier runs of the plan.
  ///   - order: The order in which ready tasks start.
  ///   - processors: The number of processors of the machine, nil if unknown: tasks that compute take longer while there
  ///     are more of them.
  /// - Complexity: O(tasks + edges + samples).
  public init(
    _ graph: ForecastInput, workers: Int, history: DurationHistory = DurationHistory(),
    order: Order = .longestPath, processors: Int? = nil
  ) {
    self.init(
      graph, workers: workers, history: history, order: order, processors: processors,
      parameters: ForecastParameters())
  }

  init(
    _ graph: ForecastInput, workers: Int, history: DurationHistory, order: Order,
    processors: Int? = nil, parameters: ForecastParameters
  ) {
    self.order = order
    self.parameters = parameters
    model = DurationModel(history, parameters)
    self.processors = processors
    remainingGraph.workers = max(1, workers)
    remainingGraph.poolLimits = ContiguousArray(
      graph.poolLimits.map { Int32(clamping: max(1, $0)) })
    for task in graph.tasks { append(task) }
    remainingGraph.graph = TaskGraph(
      taskCount: tasks.count, edges: graph.edges.filter { isKnown($0) })
    for index in tasks.indices {
      let count = remainingGraph.graph.dependencyCounts[index]
      remainingGraph.openDependencies[index] = count
      guard count == 0 else { continue }
      tasks.states[index] = .ready
      progress.ready.append(Int32(index))
    }
    if !upToDate.isEmpty {
      upToDate.connect((graph.fileEdges ?? graph.edges).filter { isKnown($0) })
      learnChanges(graph, history)
    }
    findUsualPaces()
  }

  /// Learns from earlier runs which tasks will run.
  private mutating func learnChanges(_ graph: ForecastInput, _ history: DurationHistory) {
    var indices: [DurationHistory.Task: Int] = [:]
    for (index, task) in graph.tasks.enumerated() {
      indices[DurationHistory.Task(name: task.name, kind: task.kind)] = index
    }
    let runs = history.runs.map { run in
      var ran = [Bool?](repeating: nil, count: graph.tasks.count)
      for task in run.upToDate { if let index = indices[task] { ran[index] = false } }
      for sample in run.samples {
        let task = DurationHistory.Task(name: sample.name, kind: sample.kind)
        if let index = indices[task] { ran[index] = true }
      }
      return ran
    }
    updateOrder()
    upToDate.learn(from: runs, workspace.order, kinds: tasks.kinds, parameters)
  }

  /// Whether an edge connects two different tasks that exist.
  func isKnown(_ edge: TaskGraph.Edge) -> Bool {
    tasks.indices.contains(edge.before) && tasks.indices.contains(edge.after)
      && edge.before != edge.after
  }

  /// Adds a task without dependencies to all columns, but not to the graph.
  mutating func append(_ task: ForecastInput.Task) {
    let kind = kinds.indices[task.kind] ?? kinds.priors.count
    let prior = model.prior(of: task, parameters)
    if kind == kinds.priors.count {
      kinds.indices[task.kind] = kind
      kinds.priors.append(model.kindPrior(task.kind, parameters))
      observations.addKind()
    }
    tasks.kinds.append(Int32(kind))
    tasks.centers.append(prior.center)
    remainingGraph.shares.append(Float(prior.share))
    if prior.share > largestShare || remainingGraph.shares.count == 1 {
      largestShare = prior.share
      updateSharing()
    }
    tasks.spreads.append(prior.spread)
    tasks.sources.append(prior.source)
    tasks.medians.append(prior.own.map { Float($0) } ?? .nan)
    if let level = prior.secondLevel { tasks.secondLevels[tasks.centers.count - 1] = level }
    if let shift = prior.retryShift { tasks.retryShifts[tasks.centers.count - 1] = shift }
    // A task that only groups others takes no time.
    if task.isGroup {
      tasks.groups.insert(tasks.centers.count - 1)
    } else {
      progress.expectedSeconds += Logarithms.exp(prior.center)
    }
    progress.hasHistory = progress.hasHistory || prior.source.isExpectation
    tasks.priorities.append(task.priority)
    let limits = remainingGraph.poolLimits
    let pool = task.pool.flatMap { limits.indices.contains($0) ? Int32($0) : nil } ?? -1
    if pool >= 0, remainingGraph.pools.isEmpty {
      remainingGraph.pools = ContiguousArray(repeating: -1, count: tasks.count)
    }
    if pool >= 0 || !remainingGraph.pools.isEmpty { remainingGraph.pools.append(pool) }
    tasks.states.append(.waiting)
    tasks.starts.append(0)
    remainingGraph.openDependencies.append(0)
    workspace.durations.append(0)
    progress.unfinished.append(Int32(tasks.count - 1))
    progress.unfinishedCount += 1
    progress.countedCount += 1
    upToDate.append(task, at: tasks.count - 1, parameters)
    isOrderStale = true
  }

  /// The number of tasks, including those that were removed.
  package var taskCount: Int { tasks.count }

  /// Counts a forecast that was computed.
  mutating func count(simulatedTasks: Int) {
    cost.forecasts += 1
    cost.simulatedTasks += simulatedTasks
  }

  /// The time in seconds, at least the latest one.
  mutating func seconds(_ now: Duration) -> Double {
    let later = max(latest, now.nonnegativeSeconds)
    if remainingGraph.processors > 0, later > latest { passTime(later - latest) }
    latest = later
    return latest
  }
}
