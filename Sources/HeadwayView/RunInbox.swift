internal import HeadwayLaunch
internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayTime

/// What a ``RunConsole`` has received and not shown yet; it also folds and forecasts a run that does not do so itself.
struct RunInbox: Sendable {
  var update = RunUpdate()
  /// The forecaster of a run that is not forecast by who shows it: of a program's own run, or of another process; nil for any
  /// other.
  var forecaster: RunForecaster?
  /// What the tasks of a program's own run report, nil for any other one.
  var reported: ReportedTasks?
  /// What the tasks of a run of another process report.
  var published: [(task: TaskID, snapshot: ProgressSnapshot)] = []
  /// The newest forecast that a run of another process has published, and when it came.
  var newest: (forecast: RunForecast, at: Duration)?
  /// Whether the forecaster has received events since its last forecast.
  var isStale = false
  /// The predicted duration of a run of another process, which all of its views take from its forecasts; nil inside if there is none.
  var predicted: Duration??
  /// Whether nothing was shown yet, so that the bar may begin anywhere.
  var isCatchingUp = true
  /// Whether older events of a run of another process are known to follow.
  var isBehind = false
  /// The clock of a run of another process, or with a forecaster: the time of the machine when the run began.
  var start = MonotonicTime.now
  /// The time at which the run was paused, nil while it is not.
  var paused: Duration? = .zero
  /// What the keys ask for.
  var keys = RunKeys()
  /// Shows why the run has not done what a key asked for.
  var onRefusal: (@Sendable (RelayError) -> Void)?

  /// From how long on without a published forecast those of the journal count.
  private static let longestSilence = Duration.seconds(2)

  /// The time since the run began, by its events.
  var now: Duration { paused ?? MonotonicTime.now - start }

  /// Follows the events of the run: the clock does, and the forecaster if there is one.
  mutating func receive(_ event: RunEvent, age: Duration) {
    let isSilent = newest.map { now - $0.at > Self.longestSilence } ?? true
    forecaster?.receive(event)
    isStale = true
    start = MonotonicTime.now - event.time - age
    switch event.kind {
    // What is published comes earlier and more often than what the journal has.
    case .forecast(let forecast) where isSilent:
      forecaster?.follow(forecast, at: event.time, isShown: !isCatchingUp)
    case .runPaused: paused = event.time
    case .runStarted, .runResumed: paused = nil
    default: if paused != nil { paused = event.time }
    }
    guard let state = forecaster?.state else { return }
    update.events.append(RunUpdate.Event(event, state))
  }

  /// Follows what a run of another process has published.
  mutating func follow(
    _ reports: [(task: TaskID, snapshot: ProgressSnapshot)], _ forecast: RunForecast?
  ) {
    published = reports
    // While the past is being read, the clock here is that of the last event, and the forecast is that of a later time.
    guard let forecast, forecast != newest?.forecast, !isCatchingUp, !isBehind,
      forecaster?.state.total == nil
    else { return }
    let now = now
    newest = (forecast, now)
    forecaster?.follow(forecast, at: now, isShown: true)
    isStale = true
  }

  /// Whether an attempt at a task runs, as far as is known here.
  private func isRunning(_ task: TaskID, in state: RunState) -> Bool {
    state.tasks.indices.contains(task.index) && state.tasks[task.index].phase == .running
  }

  /// Takes the update; a run with a forecaster is forecast first, if a forecast is due.
  mutating func take() -> RunUpdate {
    if !update.events.isEmpty { isCatchingUp = false }
    if let state = forecaster?.state {
      let now = now
      if state.total == nil, reported?.read(for: &forecaster, at: now) == true { isStale = true }
      let age = update.snapshot.forecast.map { now - $0.time } ?? .seconds(1)
      if age >= (isStale ? ScreenRegion.interval : .seconds(1)) || state.total != nil {
        update.snapshot = RunSnapshot(state, forecaster?.forecast(at: now))
        isStale = false
      } else {
        update.snapshot = RunSnapshot(state, update.snapshot.forecast)
      }
      reported?.add(to: &update.snapshot.forecast)
      for (task, snapshot) in published where isRunning(task, in: state) {
        update.snapshot.forecast?.add(snapshot, of: task, detail: snapshot.detail)
      }
    }
    if let predicted { update.snapshot.forecast?.predicted = predicted }
    keys.follow(update.snapshot)
    defer { update.events.removeAll() }
    return update
  }
}

/// The inbox as an object, which the thread and the run share.
final class SharedRunInbox: Sendable {
  let guarded: Guarded<RunInbox>

  init(_ inbox: RunInbox) { guarded = Guarded(inbox) }

  /// Notes the answer to what a key has asked for: why it was not done, nil if it was.
  func note(_ refusal: RelayError?) {
    let show = guarded.withLock { inbox in
      inbox.keys.requestWasAnswered(wasDone: refusal == nil)
      return inbox.onRefusal
    }
    if let refusal { show?(refusal) }
  }
}
