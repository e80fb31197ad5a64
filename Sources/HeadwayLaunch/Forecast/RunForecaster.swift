public import HeadwayForecast
public import HeadwayRun

/// Folds the events of a run into its state, and forecasts its progress and remaining time.
///
/// ```
///   RunEvent ──▶ RunState, GraphForecast ──▶ raw values ──▶ ShownProgress, ShownRemaining ──▶ RunForecast
///                              ▲
///             history ─────────┘
/// ```
///
/// ```swift
/// var forecaster = RunForecaster(graph, workers: 4, history: history)
/// let events = launcher.events()  // before the run begins
/// launcher.start()
/// for await event in events {
///   forecaster.receive(event)
///   show(forecaster.forecast(at: event.time))
/// }
/// ```
///
/// To show progress between events too, ask at the time of a clock that was started with the run; the article
/// "Forecasting your own run" has an example.
///
/// Receiving an event is cheap; a forecast is computed only when asked for. The raw values depend on nothing but the
/// events and the time, so two forecasters that received the same events agree.
///
/// If a run ends early, because a task failed or it was cancelled, the fraction stops; it reaches 1 only if no task was
/// cut off.
///
/// A pure value with the time as an argument. Not thread safe. One forecaster is enough for a run: renderers and
/// recorders receive its state and forecast.
public struct RunForecaster: Sendable {
  /// The state of the run after the events received so far.
  public private(set) var state: RunState

  /// Whether the files of tasks are still being looked at, at the beginning of the run: until then, for at most a few
  /// seconds, there is no estimate, because a run in which nothing has changed is over in that time.
  public var isLooking = false {
    didSet { if isLooking != oldValue { latest = nil } }
  }

  private var graph: GraphForecast
  private var progress = ShownProgress()
  private var remaining = ShownRemaining()
  /// The services that have been ready, whose time is over for the forecast.
  private var servicesReady: Set<Int> = []
  /// The displayed progress of the running tasks, by index.
  private var tasks: [Int: RunningTaskProgress] = [:]
  /// The names of the tasks, by index.
  private var names: [String]
  private var predicted: Duration?
  /// Whether a task that has run has ended.
  private var hasEnded = false
  /// Whether one has succeeded.
  private var hasSucceeded = false
  private var latest: (time: Duration, forecast: RunForecast)?
  /// For how long nothing could run, because the machines for it had not started.
  private var idle = Duration.zero
  /// Since when that is so, nil if it is not.
  private var idleSince: Duration?
  /// The latest forecast of the run by its own process, nil if this value forecasts the run.
  private var followed: (time: Duration, forecast: RunForecast)?

  private struct RunningTaskProgress {
    /// When its attempt began.
    var start: Duration
    var progress = ShownProgress()
  }

  /// The maximum number of running tasks in a forecast: more than fit on a screen.
  private static let maximumTasks = 64
  /// The maximum time for which the files of tasks are waited for.
  private static let maximumLooking = Duration.seconds(3)

  /// Creates a forecaster for a run that has not begun.
  ///
  /// - Parameters:
  ///   - graph: The tasks; the history identifies them by name and kind.
  ///   - workers: The number of tasks that run at once.
  ///   - history: The durations of earlier runs, empty for a first run.
  ///   - expected: Expected durations by index, used for tasks without history.
  ///   - mayBeUpToDate: The indices of the tasks that do nothing if neither their files nor a dependency have changed.
  ///   - processors: The number of processors of the machine, nil if unknown: tasks that compute take longer while there
  ///     are more of them.
  /// - Complexity: O(tasks + edges + samples of the history).
  public init(
    _ graph: LaunchGraph, workers: Int, history: DurationHistory = DurationHistory(),
    expected: [Duration?] = [], mayBeUpToDate: Set<Int> = [], processors: Int? = nil
  ) {
    self.init(
      graph, workers: workers, history: history, expected: expected, mayBeUpToDate: mayBeUpToDate,
      fileEdges: nil, processors: processors)
  }

  /// Creates a forecaster that knows which tasks read the files that others write, and what the machines have: those for all tasks, and
  /// those that are made for single tasks.
  package init(
    _ graph: LaunchGraph, workers: Int, history: DurationHistory, expected: [Duration?],
    mayBeUpToDate: Set<Int>, fileEdges: [TaskGraph.Edge]?, processors: Int?,
    machines: [Resources] = [], dedicatedMachines: (most: Int, largest: Resources)? = nil
  ) {
    var poolLimits = graph.poolLimits
    var poolsOfNeeds: [Resources: Int] = [:]
    // Tasks that need the same of their machines are like those of a pool.
    func pool(of settings: TaskSettings) -> Int? {
      guard settings.pool == nil, let needs = settings.needs, !machines.isEmpty else {
        return settings.pool?.index
      }
      if let pool = poolsOfNeeds[needs] { return pool }
      poolsOfNeeds[needs] = poolLimits.count
      let made = dedicatedMachines.map { $0.largest.fits(needs) ? $0.most : 0 } ?? 0
      poolLimits.append(max(machines.reduce(made) { $0 + $1.count(of: needs) }, 1))
      return poolLimits.count - 1
    }
    let tasks = graph.names.indices.map { index in
      let settings = graph.settings(of: TaskID(index))
      var task = ForecastInput.Task(
        name: graph.names[index], kind: settings.kind, pool: pool(of: settings),
        priority: Int(settings.priority),
        hint: expected.indices.contains(index)
          ? expected[index].map { settings.bounded($0) } : nil)
      task.isGroup = settings.role == .group
      task.mayBeUpToDate =
        task.isGroup && !mayBeUpToDate.isEmpty || mayBeUpToDate.contains(index)
      return task
    }
    var input = ForecastInput(tasks: tasks, edges: graph.edges, poolLimits: poolLimits)
    input.fileEdges = fileEdges
    self.graph = GraphForecast(
      input,
      workers: workers, history: history, processors: processors)
    names = graph.names
    state = RunState(taskCount: graph.count)
  }

  /// The expected duration of a task before the run began, nil if unknown.
  ///
  /// With these as `LauncherOptions.expected`, tasks on the critical path start first.
  public func expected(_ task: TaskID) -> Duration? {
    state.tasks.indices.contains(task.index) ? graph.expected(task.index) : nil
  }

  /// The usual duration of a task in earlier runs in which it did its work, nil if unknown.
  package func usual(_ task: TaskID) -> Duration? {
    state.tasks.indices.contains(task.index) ? graph.usual(task.index) : nil
  }

  /// The number of forecasts that were computed, for tests of the cost.
  package var forecastCount: Int { graph.cost.forecasts }

  // MARK: Events

  /// Folds the next event of the run.
  ///
  /// An event of a task that is not in the run has no effect.
  ///
  /// - Parameter event: The next event of the run.
  /// - Complexity: O(1), O(running tasks + children) for the end of a task, O(tasks) after a loss of events.
  public mutating func receive(_ event: RunEvent) {
    guard state.knows(event.kind) else { return }
    latest = nil
    if case .missed(_, let state) = event.kind { return catchUp(with: state, at: event.time) }
    state.apply(event)
    noteIdleness(at: event.time)
    let now = working(event.time)
    switch event.kind {
    case .runStarted(_, let workers): graph.setWorkers(workers, at: now)
    case .taskStarted(let task, _):
      if !servicesReady.contains(task.index) { begin(task.index, at: now) }
    case .taskReady(let task, _, _):
      // Its time counts up to here.
      servicesReady.insert(task.index)
      end(task.index, .succeeded, at: now)
    case .taskRetrying(let task, _, _, _) where servicesReady.contains(task.index): break
    case .taskRetrying(let task, _, let delay, let outcome):
      tasks[task.index] = nil
      if outcome.kind == .lost { graph.loseHost(of: task.index) }
      graph.retry(task.index, after: delay, at: now)
    case .taskAdded(let task):
      names.append(task.name)
      graph.add(ForecastInput.Task(name: task.name), at: now)
    case .taskEnded(let task, let outcome, _, _):
      guard !servicesReady.contains(task.index) else { break }
      // A task that only groups others ends without having started.
      if tasks[task.index] != nil, outcome.kind != .upToDate {
        hasEnded = true
        if outcome.kind == .succeeded { hasSucceeded = true }
      }
      end(task.index, outcome, at: now)
    case .runEnded: finish()
    // What remains is something else than before, and often short: it is shown at once.
    case .runEnding: remaining = ShownRemaining()
    case .workersWaiting: graph.setWorkers(presentWorkers, at: now)
    case .taskPlaced(let task, let host):
      if !servicesReady.contains(task.index) { graph.place(task.index, on: host, at: now) }
    case .taskOverdue, .taskExtended, .taskReportedAgain, .runPaused, .runResumed,
      .runHeld, .runProceeding, .queueEmptied, .missed, .forecast:
      break
    }
  }

  /// Records the progress that a running task reports.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - part: The fraction that is done, from 0 to 1; other values and tasks that do not run are ignored.
  ///   - now: The time since the run began.
  public mutating func report(_ task: TaskID, part: Double, at now: Duration) {
    latest = nil
    graph.report(task.index, part: part, at: working(now))
  }

  /// Records what a look at the files of a task has shown before its start.
  ///
  /// - Parameters:
  ///   - task: A task that may be up to date.
  ///   - changed: Whether its inputs have changed, so that it will run; otherwise it runs only if a dependency changes
  ///     its files.
  ///   - now: The time since the run began.
  public mutating func found(_ task: TaskID, changed: Bool, at now: Duration) {
    latest = nil
    graph.found(task.index, changed: changed, at: working(now))
  }

  /// Records whether a task has changed its outputs, before its end; if it has not, nothing follows from it.
  ///
  /// - Parameters:
  ///   - task: A task that may be up to date.
  ///   - changed: Whether its outputs differ from those before it ran.
  ///   - now: The time since the run began.
  public mutating func foundOutputs(of task: TaskID, changed: Bool, at now: Duration) {
    latest = nil
    graph.foundOutputs(of: task.index, changed: changed, at: working(now))
  }

  /// A time of the run without the time for which nothing could run: it is no progress, and no part of the forecast.
  private func working(_ time: Duration) -> Duration { min(time, idleSince ?? time) - idle }

  /// Notes whether nothing can run, because the machines for it have not started.
  private mutating func noteIdleness(at now: Duration) {
    let isIdle = state.waiting != nil && state.active.isEmpty && state.total == nil
    if isIdle, idleSince == nil {
      idleSince = now
    } else if !isIdle, let since = idleSince {
      idle += max(now - since, .zero)
      idleSince = nil
    }
  }

  private mutating func begin(_ index: Int, at now: Duration) {
    graph.start(index, at: now)
    tasks[index] = RunningTaskProgress(start: now)
  }

  private mutating func end(_ index: Int, _ outcome: Outcome, at now: Duration) {
    tasks[index] = nil
    graph.end(index, outcome.kind, at: now)
  }

  /// Continues from a state of the run after a loss of events, and replays the lost starts and ends in order of time.
  private mutating func catchUp(with new: RunState, at now: Duration) {
    let old = state
    state = new
    noteIdleness(at: now)
    hasSucceeded = hasSucceeded || new.counts[.succeeded] > 0
    hasEnded = hasEnded || new.counts.ended > new.counts[.upToDate] + new.counts[.skipped]
    var starts: [(time: Duration, index: Int)] = []
    /// Continues with the start of an attempt, and where it runs.
    func begin(_ start: (time: Duration, index: Int)) {
      self.begin(start.index, at: start.time)
      if let host = new.tasks[start.index].host {
        graph.place(start.index, on: host, at: start.time)
      }
    }
    var ends: [(time: Duration, index: Int)] = []
    for (index, task) in new.tasks.enumerated() {
      if index == names.count {
        names.append("")
        graph.add(ForecastInput.Task(name: ""), at: .zero)
      }
      let before = old.tasks.indices.contains(index) ? old.tasks[index] : nil
      if before == task { continue }
      if task.attempts > 0, before?.latestStart != task.latestStart || before?.phase == .waiting {
        starts.append((working(task.latestStart), index))
      }
      switch task.phase {
      case .waiting, .running, .overdue, .backingOff: break
      case .ended where servicesReady.contains(index): break
      case .ended:
        ends.append((working(task.attempts > 0 ? task.firstStart + task.ran : now), index))
      }
    }
    starts.sort { $0.time < $1.time }
    ends.sort { $0.time < $1.time }
    var next = starts[...]
    for end in ends {
      while let start = next.first, start.time <= end.time {
        begin(start)
        next.removeFirst()
      }
      if let outcome = new.outcome(of: TaskID(end.index)) {
        self.end(end.index, outcome, at: end.time)
      }
    }
    for start in next { begin(start) }
    // Where a task runs may have been said after its start.
    for task in new.active where !servicesReady.contains(task.index) {
      if let host = new.tasks[task.index].host {
        graph.place(task.index, on: host, at: working(now))
      }
    }
    for (index, task) in new.tasks.enumerated() {
      guard case .backingOff(let until) = task.phase else { continue }
      tasks[index] = nil
      graph.retry(index, after: max(until - now, .zero), at: working(now))
    }
    graph.setWorkers(presentWorkers, at: working(now))
    if new.total != nil { finish() }
  }

  /// How many tasks run at once as long as the workers that wait in a queue do not start; as long as none has, as if all had.
  private var presentWorkers: Int {
    let waiting = state.waiting?.places ?? 0
    return max(waiting < state.workers ? state.workers - waiting : state.workers, 1)
  }

  /// Completes the displayed fraction if no task was cut off.
  private mutating func finish() {
    tasks.removeAll()
    let wasCutShort =
      state.ending != nil || state.counts[.cancelled] > 0
      || state.tasks.contains {
        switch $0.phase {
        case .ended(.skipped(.needs)), .ended(.skipped(.stopped)): true
        case .ended, .waiting, .running, .overdue, .backingOff: false
        }
      }
    if !wasCutShort { progress.finish() }
  }

  // MARK: Forecasts

  /// Forecasts the run.
  ///
  /// - Parameter now: The time since the run began; a time before the latest one counts as the latest one.
  /// - Returns: The forecast of the run and of its running tasks.
  /// - Complexity: That of `GraphForecast.forecast(at:)`; O(1) if nothing happened and no time passed.
  public mutating func forecast(at now: Duration) -> RunForecast {
    if let latest, latest.time >= now { return latest.forecast }
    let time = now
    let now = working(time)
    var forecast = RunForecast(fraction: progress.fraction)
    if state.total == nil, isLooking, now < Self.maximumLooking {
      forecast.tasks = state.active.prefix(Self.maximumTasks).map { self.forecast($0, at: now) }
    } else if state.total == nil {
      let answer = answer(at: now)
      // A run that ends early makes no further progress.
      if state.ending == nil {
        forecast.fraction =
          followed != nil
          ? progress.follow(answer.fraction)
          : progress.advance(
            to: now, target: answer.fraction, remaining: answer.remaining?.median)
      }
      // Without history there is an estimate once a task has succeeded.
      let isKnown = answer.hasHistory || hasSucceeded
      forecast.shown =
        followed?.forecast.shown
        ?? remaining.advance(to: now, forecast: isKnown ? answer.remaining : nil)
      forecast.remaining = forecast.shown == .unknown ? nil : answer.remaining
      forecast.late = late(at: now)
      forecast.tasks = state.active.prefix(Self.maximumTasks).map { self.forecast($0, at: now) }
      if !hasEnded, predicted == nil {
        predicted = forecast.remaining.map { now + $0.median }
      }
    } else {
      forecast.remaining = RemainingTime(low: .zero, median: .zero, high: .zero)
      forecast.shown = .about(.zero)
    }
    forecast.time = time
    forecast.predicted = predicted
    latest = (time, forecast)
    return forecast
  }

  /// The raw forecast of the whole run.
  private mutating func answer(at now: Duration) -> GraphForecast.Answer {
    guard let (time, forecast) = followed else { return graph.forecast(at: now) }
    return GraphForecast.Answer(
      fraction: forecast.fraction, remaining: forecast.remaining,
      hasHistory: forecast.remaining != nil
    ).countedDown(from: time / .seconds(1), to: now / .seconds(1))
  }

  private mutating func late(at now: Duration) -> RunForecast.LateTask? {
    if let (time, forecast) = followed {
      var late = forecast.late.flatMap { state.active.contains($0.task) ? $0 : nil }
      late?.elapsed += max(now - time, .zero)
      return late
    }
    return graph.overdue(at: now).map {
      RunForecast.LateTask(
        task: TaskID($0.task, name: names[$0.task]), elapsed: $0.elapsed, usual: $0.usual)
    }
  }

  /// Forecasts an active task; there is no forecast between two attempts.
  private mutating func forecast(_ task: TaskID, at now: Duration) -> RunForecast.Task {
    guard let running = tasks[task.index],
      let remaining = graph.remaining(of: task.index, at: now)
    else { return RunForecast.Task(task) }
    let elapsed = max(now - running.start, .zero)
    let whole = elapsed + remaining.median
    guard whole > .zero else { return RunForecast.Task(task, remaining: remaining) }
    let fraction = tasks[task.index]?.progress.advance(
      to: elapsed, target: elapsed / whole, remaining: remaining.median)
    return RunForecast.Task(task, fraction: fraction, remaining: remaining)
  }

  /// Follows the forecasts of a run of another process.
  ///
  /// From now on the forecasts of the whole run are those of that process, counted down between two of them besides the words
  /// about the remaining time; only those of the running tasks are computed here. So two displays of a run agree, although
  /// this value does not know which files the run has looked at.
  ///
  /// - Parameters:
  ///   - forecast: A forecast of that process.
  ///   - time: When it was made, not before the latest event.
  ///   - isShown: Whether a forecast was already shown, below which the fraction does not go.
  package mutating func follow(_ forecast: RunForecast, at time: Duration, isShown: Bool) {
    latest = nil
    followed = (working(time), forecast)
    progress.follow(forecast.fraction, isFirst: !isShown)
  }

  /// The critical path of the remaining tasks.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The tasks from first to last, empty at the end.
  /// - Complexity: O(tasks + edges).
  package mutating func criticalPath(at now: Duration) -> [TaskID] {
    graph.criticalPath(at: working(now)).map { TaskID($0, name: names[$0]) }
  }
}

extension TaskSettings {
  /// The expectation, limited to the time that all attempts may take.
  fileprivate func bounded(_ expected: Duration) -> Duration {
    guard let timeout else { return expected }
    return min(expected, timeout * (min(max(retries.limit, 0), 1_000) + 1))
  }
}
