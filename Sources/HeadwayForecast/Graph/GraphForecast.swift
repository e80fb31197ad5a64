public import HeadwayRun

/// How far the run of a graph is, and how long it still takes: from history, the clock, and a look ahead.
///
/// It is told what the launcher knows, as it happens, and answers at any `now`:
///
/// ```swift
/// var forecast = GraphForecast(graph, workers: 8, history: history)
/// forecast.start(0, at: .zero)
/// forecast.end(0, .done, at: .seconds(3))
/// forecast.forecast(at: .seconds(4)).fraction
/// ```
///
/// ```
///   history ──▶ how long each task takes, and how sure that is
///                      │
///   finished tasks ──▶ how fast this run is, and each kind in it
///                      │
///   running tasks ──▶  draws: each a run of the rest in thought, given how long they have run already
///                      │
///                      └─▶ what remains: the median of the draws, and the range that holds four in five
/// ```
///
/// Durations are log-normal in what is learned and log-logistic in what is drawn, as that law has answers in closed
/// form for a task that has run for some time. Draws use the same random numbers every time, so an answer changes
/// only when something has happened. Nothing is computed unless it is asked for, and telling costs O(1).
///
/// The time is an argument, on a line that stands still while the run is paused; one before the latest counts as that.
/// A pure value. Not thread safe; each listener keeps its own.
public struct GraphForecast: Sendable {
  /// Which of several ready tasks starts first.
  public enum Order: Hashable, Sendable {
    /// The one that has been ready for the longest time.
    case firstReady
    /// The one of the highest priority, then of the longest expected path to the end, then of the lowest place.
    case longestPath
  }

  /// What a forecast answers.
  public struct Answer: Hashable, Sendable {
    /// The raw part of the run that is done, from 0 to 1; it may go back, so show it by `ShownProgress`.
    public var fraction: Double
    /// The time that remains, nil while nothing is known.
    public var remaining: RemainingTime?
    /// Whether any of it comes from earlier runs.
    public var hasHistory: Bool
  }

  /// How a task ended.
  public enum End: Hashable, Sendable {
    /// It did its work, and its duration counts.
    case done
    /// It had nothing to do, and its duration says nothing.
    case skipped
    /// It failed or was cancelled; what fails at once or hangs says nothing of the speed of others.
    case failed
  }

  /// Where a task stands.
  enum State: UInt8, Sendable {
    /// It waits for others.
    case waiting
    /// It waits for a worker.
    case ready
    /// It runs.
    case running
    /// It is over.
    case ended
  }

  /// A task that has not begun, as the draws need it.
  struct Waiting: Sendable {
    /// Its expected logarithm without the shift of its kind.
    var center: Double
    /// The scale of its chance.
    var scale: Double
    /// Its place.
    var place: Int32
    /// Its kind.
    var kind: Int32
    /// Where its random numbers begin.
    var dice: Int32
  }

  /// Which ready task starts first.
  public let order: Order
  /// The constants.
  let law: ForecastLaw
  /// What history says.
  let model: DurationModel
  /// The places of kinds by their names.
  var kindPlaces: [String: Int] = [:]
  /// What is known of each kind as a whole.
  var kindPriors: [DurationModel.KindPrior] = []
  /// The kind of each task.
  var kinds = ContiguousArray<Int32>()
  /// The expected logarithm of seconds of each task, before the run says anything.
  var centers = ContiguousArray<Double>()
  /// How uncertain that is.
  var spreads = ContiguousArray<Double>()
  /// What each task itself usually takes, as a logarithm of seconds; no number where that is not known.
  var levels = ContiguousArray<Float>()
  /// What is added to the expected logarithms of tasks that were tried again in earlier runs when they are in this one.
  var retryShifts: [Int: Double] = [:]
  /// From what that was learned.
  var sources = ContiguousArray<DurationModel.Source>()
  /// The sum of the expected seconds of all tasks.
  var expectedSeconds = 0.0
  /// Whether anything is known beforehand of any task.
  var isWarm = false
  /// Where each task stands.
  var states = ContiguousArray<State>()
  /// The priority of each task.
  var priorities = ContiguousArray<Int>()
  /// The tasks, each before those that wait for it.
  var topological = ContiguousArray<Int32>()
  /// When each running task began.
  var begins = ContiguousArray<Double>()
  /// What running tasks tell of themselves: the part that is done, and when it was told.
  var reports: [Int: (part: Double, time: Double)] = [:]
  /// What waits for each task, as it was told.
  var edges = EdgeLists()
  /// Whether the graph has changed since the children were put in a row.
  var isStale = true
  /// The tasks that became ready, in that order; some have started since.
  var readyLog: [Int32] = []
  /// The tasks that started; some are over since.
  var runningLog: [Int32] = []
  /// The tasks that are left, by place; some are over since.
  var left = ContiguousArray<Int32>()
  /// The number of tasks that are not over.
  var leftCount = 0
  /// The number of tasks that count: all that were not skipped or removed.
  var countedCount = 0
  /// The number of those that are over.
  var endedCount = 0
  /// What finished tasks say.
  var evidence = RunEvidence(kindCount: 0)
  /// What is left, for the schedule.
  var rest = Rest()
  /// The working memory of the schedule.
  var schedule = ListSchedule()
  /// The durations of one draw.
  var durations = ContiguousArray<Double>()
  /// The tasks that have not begun, as the draws need them.
  var waiting = ContiguousArray<Waiting>()
  /// What one draw adds to the logarithms of each kind.
  var shiftsNow = ContiguousArray<Double>()
  /// The latest time that was seen.
  var latest = 0.0
  /// The latest answer, nil when something has happened since.
  var answer: (time: Double, forecast: Answer)? {
    didSet { if case nil = answer { looked = nil } }
  }
  /// What is believed of durations at the time that was looked at last, nil when something has happened since.
  var looked: (time: Double, outlook: RunOutlook)?
  /// The latest answer, also when something has happened since.
  var recent: (time: Double, forecast: Answer)?
  /// How many forecasts were computed and how many tasks were drawn for them, for tests of the cost.
  package private(set) var cost = (forecasts: 0, drawnTasks: 0)

  /// Creates the forecast of a run that has not begun.
  ///
  /// - Parameters:
  ///   - graph: The tasks and what waits for what.
  ///   - workers: How many tasks run at a time; less than 1 counts as 1.
  ///   - history: What earlier runs of the plan say.
  ///   - order: Which of several ready tasks starts first.
  /// - Complexity: O(tasks + edges + samples).
  public init(
    _ graph: ForecastInput, workers: Int, history: DurationHistory = DurationHistory(),
    order: Order = .longestPath
  ) {
    self.init(graph, workers: workers, history: history, order: order, law: ForecastLaw())
  }

  /// Creates a forecast with other constants.
  init(
    _ graph: ForecastInput, workers: Int, history: DurationHistory, order: Order, law: ForecastLaw
  ) {
    self.order = order
    self.law = law
    model = DurationModel(history, law)
    rest.workers = max(1, workers)
    rest.poolLimits = ContiguousArray(graph.poolLimits.map { Int32(clamping: max(1, $0)) })
    edges.reserve(tasks: graph.tasks.count, edges: graph.edges.count)
    for task in graph.tasks { append(task) }
    for edge in graph.edges where isKnown(edge) {
      edges.add(edge.before, edge.after)
      rest.waits[edge.after] += 1
    }
    for place in states.indices where rest.waits[place] == 0 {
      states[place] = .ready
      readyLog.append(Int32(place))
    }
  }

  /// Whether an edge names two different tasks that exist.
  func isKnown(_ edge: TaskGraph.Edge) -> Bool {
    states.indices.contains(edge.before) && states.indices.contains(edge.after)
      && edge.before != edge.after
  }

  /// Takes a task in, which waits for nothing yet.
  mutating func append(_ task: ForecastInput.Task) {
    let kind = kindPlaces[task.kind] ?? kindPriors.count
    let prior = model.prior(of: task, law)
    if kind == kindPriors.count {
      kindPlaces[task.kind] = kind
      kindPriors.append(model.kindPrior(task.kind, law))
      evidence.addKind()
    }
    kinds.append(Int32(kind))
    centers.append(prior.center)
    spreads.append(prior.spread)
    sources.append(prior.source)
    levels.append(prior.own.map { Float($0) } ?? .nan)
    if let shift = prior.retryShift { retryShifts[centers.count - 1] = shift }
    expectedSeconds += Logarithms.exp(prior.center)
    isWarm = isWarm || prior.source != .nothing
    priorities.append(task.priority)
    let pool = task.pool.flatMap { rest.poolLimits.indices.contains($0) ? Int32($0) : nil } ?? -1
    if pool >= 0, rest.pools.isEmpty {
      rest.pools = ContiguousArray(repeating: -1, count: states.count)
    }
    if pool >= 0 || !rest.pools.isEmpty { rest.pools.append(pool) }
    states.append(.waiting)
    begins.append(0)
    rest.waits.append(0)
    durations.append(0)
    edges.addTask()
    left.append(Int32(states.count - 1))
    leftCount += 1
    countedCount += 1
    isStale = true
  }

  /// The number of tasks, with those that were removed.
  public var taskCount: Int { states.count }

  /// Counts a forecast that was computed.
  mutating func count(drawnTasks: Int) {
    cost.forecasts += 1
    cost.drawnTasks += drawnTasks
  }

  /// The time in seconds, not before the latest that was seen.
  mutating func seconds(_ now: Duration) -> Double {
    latest = max(latest, now.wholeSeconds)
    return latest
  }
}
