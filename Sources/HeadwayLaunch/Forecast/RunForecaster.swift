public import HeadwayForecast
public import HeadwayRun

/// Says how far a run is and how long it still takes: a listener that folds events and is asked at any time.
///
/// ```
///   RunEvent ──▶ GraphForecast ──▶ raw fraction, remaining time ──▶ ShownProgress, ShownRemaining ──▶ RunForecast
///                        ▲
///      history ──────────┘
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
/// To show it between events as well, ask at the time of a clock that was started with the run; the page
/// "Forecasting your own run" has an example.
///
/// Receiving an event costs next to nothing; a forecast is reckoned when it is asked for, and only then. What is raw
/// depends on the events and the time alone, so two that were told the same say the same.
///
/// The fraction stops where it is when a run begins to end early, because a task failed or somebody asked for it, and is
/// full in the end only when no task was cut off.
///
/// A pure value with the time as an argument. Not thread safe; each listener keeps its own.
public struct RunForecaster: Sendable {
  /// The forecast of the graph.
  private var graph: GraphForecast
  /// What is shown of the whole run.
  private var progress = ShownProgress()
  /// What is shown of the remaining time.
  private var remaining = ShownRemaining()
  /// What is shown of the tasks that run.
  private var tasks: [Int: RunningTaskProgress] = [:]
  /// Where the tasks stand.
  private var state: RunState
  /// The names of the tasks, by place.
  private var names: [String]
  /// The latest forecast, and its time.
  private var latest: (time: Duration, forecast: RunForecast)?

  /// What is shown of a task that runs.
  private struct RunningTaskProgress {
    /// When its attempt began.
    var start: Duration
    /// The value that never goes back.
    var progress = ShownProgress()
  }

  /// Creates the forecast of a run that has not begun.
  ///
  /// - Parameters:
  ///   - graph: The tasks. Their names and kinds are what history knows them by.
  ///   - workers: How many tasks run at a time.
  ///   - history: What earlier runs say; nothing for a first run.
  ///   - expected: How long tasks are expected to take by who should know, by place; used where history is silent.
  /// - Complexity: O(tasks + edges + samples of the history).
  public init(
    _ graph: LaunchGraph, workers: Int, history: DurationHistory = DurationHistory(),
    expected: [Duration?] = []
  ) {
    let tasks = graph.names.indices.map { place in
      let settings = graph.settings(of: TaskID(place))
      return ForecastInput.Task(
        name: graph.names[place], kind: settings.kind, pool: settings.pool?.index,
        priority: Int(settings.priority),
        hint: expected.indices.contains(place)
          ? expected[place].map { settings.bounded($0) } : nil)
    }
    self.graph = GraphForecast(
      ForecastInput(tasks: tasks, edges: graph.edges, poolLimits: graph.poolLimits),
      workers: workers,
      history: history)
    names = graph.names
    state = RunState(taskCount: graph.count)
  }

  /// How long a task was expected to take before the run said anything; nil where neither history nor anybody knows.
  public func expected(_ task: TaskID) -> Duration? {
    state.tasks.indices.contains(task.index) ? graph.expected(task.index) : nil
  }

  /// How long a task usually took in earlier runs when it did its work; nil where that is not known.
  public func usual(_ task: TaskID) -> Duration? {
    state.tasks.indices.contains(task.index) ? graph.usual(task.index) : nil
  }

  /// How many forecasts were reckoned, for tests of what they cost.
  package var forecastCount: Int { graph.cost.forecasts }

  // MARK: Events

  /// Takes the next event of the run in.
  ///
  /// What is told of a task that the run does not have changes nothing.
  ///
  /// - Parameter event: The next event of the run.
  /// - Complexity: O(1), O(running tasks + children) for the end of a task, O(tasks) after a loss of events.
  public mutating func receive(_ event: RunEvent) {
    guard state.knows(event.kind) else { return }
    latest = nil
    let now = event.time
    if case .missed(_, let state) = event.kind { return catchUp(with: state, at: now) }
    state.apply(event)
    switch event.kind {
    case .runStarted(_, let workers): graph.setWorkers(workers, at: now)
    case .taskStarted(let task, _): begin(task.index, at: now)
    case .taskRetrying(let task, _, let delay, _):
      tasks[task.index] = nil
      graph.retry(task.index, after: delay, at: now)
    case .taskAdded(let task):
      names.append(task.name)
      graph.add(ForecastInput.Task(name: task.name), at: now)
    case .taskEnded(let task, let outcome, _, _): end(task.index, outcome, at: now)
    case .runEnded: finish()
    case .taskOverdue, .taskExtended, .taskReportedAgain, .runEnding, .runPaused, .runResumed,
      .runHeld, .runProceeding, .queueEmptied, .missed, .forecast:
      break
    }
  }

  /// Tells how far a running task says it is.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - part: The part that is done, from 0 to 1; anything else is ignored, and so is a task that does not run.
  ///   - now: The time since the run began.
  public mutating func report(_ task: TaskID, part: Double, at now: Duration) {
    latest = nil
    graph.report(task.index, part: part, at: now)
  }

  /// Takes in that an attempt at a task began.
  private mutating func begin(_ place: Int, at now: Duration) {
    graph.start(place, at: now)
    tasks[place] = RunningTaskProgress(start: now)
  }

  /// Takes in that a task is over.
  private mutating func end(_ place: Int, _ outcome: Outcome, at now: Duration) {
    tasks[place] = nil
    let end: GraphForecast.End =
      switch outcome {
      case .succeeded: .done
      case .skipped: .skipped
      case .failed, .timedOut, .cancelled: .failed
      }
    graph.end(place, end, at: now)
  }

  /// Goes on from a state of the run after a loss of events: plays what it tells of them, in the order of time.
  private mutating func catchUp(with new: RunState, at now: Duration) {
    let old = state
    state = new
    var starts: [(time: Duration, place: Int)] = []
    var ends: [(time: Duration, place: Int)] = []
    for (place, task) in new.tasks.enumerated() {
      if place == names.count {
        names.append("")
        graph.add(ForecastInput.Task(name: ""), at: .zero)
      }
      let before = old.tasks.indices.contains(place) ? old.tasks[place] : nil
      if before == task { continue }
      if task.attempts > 0, before?.latestStart != task.latestStart || before?.phase == .waiting {
        starts.append((task.latestStart, place))
      }
      switch task.phase {
      case .waiting, .running, .overdue, .backingOff: break
      case .ended: ends.append((task.attempts > 0 ? task.firstStart + task.ran : now, place))
      }
    }
    starts.sort { $0.time < $1.time }
    ends.sort { $0.time < $1.time }
    var next = starts[...]
    for end in ends {
      while let start = next.first, start.time <= end.time {
        begin(start.place, at: start.time)
        next.removeFirst()
      }
      if let outcome = new.outcome(of: TaskID(end.place)) {
        self.end(end.place, outcome, at: end.time)
      }
    }
    for start in next { begin(start.place, at: start.time) }
    for (place, task) in new.tasks.enumerated() {
      guard case .backingOff(let until) = task.phase else { continue }
      tasks[place] = nil
      graph.retry(place, after: max(until - now, .zero), at: now)
    }
    graph.setWorkers(max(new.workers, 1), at: now)
    if new.total != nil { finish() }
  }

  /// Ends what is shown: full where every task had its turn, where it stands otherwise.
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

  // MARK: Answers

  /// What is to be shown of the run.
  ///
  /// - Parameter now: The time since the run began; one before the latest counts as that.
  /// - Returns: The forecast.
  /// - Complexity: That of `GraphForecast.forecast(at:)`; O(1) when nothing happened and no time went by.
  public mutating func forecast(at now: Duration) -> RunForecast {
    if let latest, latest.time >= now { return latest.forecast }
    var told = RunForecast(fraction: progress.fraction)
    if state.total == nil {
      let answer = graph.forecast(at: now)
      // A run that ends early gets no further: what is left of it is no progress.
      if state.ending == nil {
        told.fraction = progress.advance(
          to: now, target: answer.fraction, remaining: answer.remaining?.median)
      }
      // Of a run without history something is known once a task has done its work.
      let isKnown = answer.hasHistory || state.counts[.succeeded] > 0
      told.shown = remaining.advance(
        to: now, forecast: isKnown ? answer.remaining : nil, hasHistory: answer.hasHistory)
      // What is not good enough for a person is told to nobody.
      told.remaining = told.shown == .unknown ? nil : answer.remaining
      told.late = late(at: now)
    } else {
      told.remaining = RemainingTime(low: .zero, median: .zero, high: .zero)
      told.shown = .about(.zero)
    }
    latest = (now, told)
    return told
  }

  /// The task that is late.
  private mutating func late(at now: Duration) -> RunForecast.LateTask? {
    graph.overdue(at: now).map {
      RunForecast.LateTask(
        task: TaskID($0.task, name: names[$0.task]), elapsed: $0.elapsed, usual: $0.usual)
    }
  }

  /// The part of a running task that is done, as part of its time; nil where nothing is known of it.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - now: The time since the run began.
  /// - Returns: A value that never goes back while an attempt runs, and stays below 1.
  public mutating func fraction(of task: TaskID, at now: Duration) -> Double? {
    guard var running = tasks[task.index], let left = remaining(of: task, at: now) else {
      return nil
    }
    let elapsed = max(now - running.start, .zero)
    let whole = elapsed + left.median
    guard whole > .zero else { return nil }
    let part = running.progress.advance(
      to: elapsed, target: elapsed / whole, remaining: left.median)
    tasks[task.index] = running
    return part
  }

  /// The time that a running task still takes, given how long it has run; nil where nothing is known of it.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - now: The time since the run began.
  /// - Returns: The time that remains, with its range.
  public mutating func remaining(of task: TaskID, at now: Duration) -> RemainingTime? {
    tasks[task.index] == nil ? nil : graph.remaining(of: task.index, at: now)
  }

  /// The tasks of the longest chain that is left, each with the one behind it that waits for it.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The chain, its first task first; empty at the end.
  /// - Complexity: O(tasks + edges).
  public mutating func criticalPath(at now: Duration) -> [TaskID] {
    graph.criticalPath(at: now).map { TaskID($0, name: names[$0]) }
  }
}

extension TaskSettings {
  /// An expectation that is not longer than all attempts may take.
  fileprivate func bounded(_ expected: Duration) -> Duration {
    guard let timeout else { return expected }
    return min(expected, timeout * (min(max(retries.limit, 0), 1_000) + 1))
  }
}
