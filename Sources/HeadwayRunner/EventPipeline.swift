internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayState

/// The events of a run on their way from the engine to those who keep and show them.
///
/// ```
///   LaunchCore ─▶ receive ─▶ secrets are hidden, the state is folded, a forecast is made if one is due
///                    │
///                    ▼ several events together, at most every 20 ms
///                 update ─▶ Journal ─▶ RunPublisher, ViewStream, RunListener ─▶ answers to requests
/// ```
///
/// The journal comes first, so that nothing is shown that is not kept. Not thread safe: it belongs to the run loop.
struct EventPipeline {
  /// The minimum time between two updates: events closer together than that share one.
  static let updateInterval = Duration.milliseconds(20)

  private let work: RunWork
  /// Writes the events down; nil if they are not kept.
  private let journal: Journal?
  /// Collects what is stored of the run; nil if it is not stored.
  private let history: RunHistory?
  /// Lets other programs see the run; nil if it is not published.
  private let publisher: RunPublisher?
  /// The stream to the view that has started the run; nil if there is none.
  private let view: ViewStream?
  private let listener: any RunListener
  /// Folds the events and forecasts the run.
  private var emitter: ForecastEmitter
  /// The events since the last update.
  private var pending: [RunEvent] = []
  /// The requests that were carried out since then.
  private var granted: [RequestQueue.Entry] = []
  /// Whether something has happened since the last update.
  private var isUpdateDue = false
  /// The earliest time of the next update.
  private var nextUpdate = Duration.zero
  /// Whether some tasks run once, so that the disk has their starts and ends before anybody hears of them.
  private let hasOnce: Bool
  /// Whether the journal has to be on the disk before the next update is passed on.
  private var needsSync = false
  /// How long each service took to become ready, the first time.
  private(set) var readyAfter: [TaskID: Duration] = [:]

  /// Creates a pipeline without events.
  ///
  /// - Parameters:
  ///   - work: The commands of the tasks, and the secrets to hide.
  ///   - emitter: Folds the events and forecasts the run.
  ///   - journal: Writes the events down.
  ///   - history: Collects what is stored of the run.
  ///   - publisher: Lets other programs see the run.
  ///   - view: The stream to the view that has started the run.
  ///   - listener: Hears of the events.
  init(
    _ work: RunWork, _ emitter: ForecastEmitter, journal: Journal?, history: RunHistory?,
    publisher: RunPublisher?, view: ViewStream?, listener: any RunListener
  ) {
    self.work = work
    self.emitter = emitter
    self.journal = journal
    self.history = history
    self.publisher = publisher
    self.view = view
    self.listener = listener
    hasOnce = work.plan.tasks.contains(where: \.isOnce)
  }

  /// The state of the run after the events received so far.
  var state: RunState { emitter.state }

  /// The predicted duration of the run, nil if unknown.
  var predicted: Duration? { emitter.latest?.predicted }

  /// When the next forecast or update is due, nil if none is.
  var next: Duration? { earliest(emitter.next, isUpdateDue ? nextUpdate : nil) }

  // MARK: Receiving

  /// Folds the next event of the run.
  mutating func receive(_ event: RunEvent) {
    // Nothing behind this line sees a secret; without secrets, the event is not copied.
    let event = work.secrets == nil ? event : work.masked(event)
    // A service that is started again keeps its first time.
    if case .taskReady(let task, _, let time) = event.kind {
      readyAfter[task] = readyAfter[task] ?? time
    }
    if hasOnce, let task = event.kind.task, work.plan.tasks[task.index].isOnce { needsSync = true }
    history?.collect(event, before: emitter.state)
    emitter.receive(event)
    pending.append(event)
    isUpdateDue = true
  }

  /// Forecasts the run if a forecast is due.
  mutating func forecast(at now: Duration) {
    guard let (forecast, isEvent) = emitter.forecast(at: now) else { return }
    isUpdateDue = true
    guard isEvent else { return }
    let event = RunEvent(time: now, kind: .forecast(forecast))
    history?.collect(event, before: emitter.state)
    pending.append(event)
  }

  /// Notes a request that was carried out; it is answered after the update that shows what it has changed, which is due now.
  mutating func grant(_ request: RequestQueue.Entry, at now: Duration) {
    granted.append(request)
    isUpdateDue = true
    nextUpdate = min(nextUpdate, now)
  }

  // MARK: Updates

  /// Passes on what has happened if an update is due.
  ///
  /// - Parameters:
  ///   - now: The time since the run began.
  ///   - isUrgent: Whether neither this update nor the next one waits: the run is over, or its clock reaches no later moment.
  mutating func updateIfDue(at now: Duration, isUrgent: Bool) {
    if isUrgent || now >= nextUpdate { update(at: now, isUrgent: isUrgent) }
  }

  /// Passes on what has happened, if anything has.
  ///
  /// - Parameters:
  ///   - now: The time since the run began.
  ///   - isUrgent: Whether the next update does not wait, either.
  /// - Returns: 0, or the error because of which not all is in the journal.
  @discardableResult
  mutating func update(at now: Duration, isUrgent: Bool) -> Int32 {
    guard isUpdateDue else { return journal?.failure ?? 0 }
    isUpdateDue = false
    // The end of a pause is announced at once.
    nextUpdate = isUrgent ? now : now + Self.updateInterval
    let lines = journal?.write(pending) ?? []
    if needsSync {
      journal?.sync()
      needsSync = false
    }
    publisher?.update(pending, emitter.state, emitter.latest)
    if let view, !lines.isEmpty { view.send(lines: lines, areKept: journal?.failure == 0) }
    listener.show(pending, emitter.state, emitter.latest)
    pending.removeAll(keepingCapacity: true)
    for entry in granted { entry.answer(nil) }
    granted.removeAll()
    return journal?.failure ?? 0
  }

  // MARK: Forecasts

  /// Forecasts the run more often while somebody watches it.
  mutating func noteWatchers(at now: Duration) {
    emitter.setWatched(publisher?.isWatched ?? false, at: now)
  }

  /// Notes whether the files of tasks are still being looked at.
  mutating func setLooking(_ isLooking: Bool, at now: Duration) {
    emitter.setLooking(isLooking, at: now)
  }

  /// Records what a look at the files of a task has shown before its start.
  mutating func found(_ task: TaskID, changed: Bool, at now: Duration) {
    emitter.found(task, changed: changed, at: now)
  }

  /// Records whether a task has changed its outputs, before its end.
  mutating func foundOutputs(of task: TaskID, changed: Bool, at now: Duration) {
    emitter.foundOutputs(of: task, changed: changed, at: now)
  }
}
