internal import HeadwayLaunch
internal import HeadwayRun

/// Folds the events of a run once, and decides when to forecast it.
///
/// There are two schedules and one computation:
///
/// - Forecasts become events of the run at its beginning, once the files of all tasks were looked at, a second later, and
///   then at intervals of a hundredth of the elapsed time, at least one second and at most ten.
/// - While the run is watched, there is also a forecast after each event, and at intervals of a fiftieth of the remaining
///   time, at most a second. There are at most ten a second: events closer together than that share one.
///
/// Forecasts take at most a fiftieth of the time, however large the graph is.
struct ForecastEmitter {
  /// When a run is forecast.
  enum Schedule {
    /// Never: the events are only folded.
    case never
    /// For its forecast events.
    case events
    /// For its forecast events, and between them for those who watch.
    case watched
  }

  /// The minimum interval between two forecast events.
  static let shortestInterval = Duration.seconds(1)
  /// The maximum interval between two forecast events.
  static let longestInterval = Duration.seconds(10)
  /// The maximum interval between two forecasts of a watched run.
  static let watchedInterval = Duration.seconds(1)
  /// The interval between two forecasts of a watched run as a part of the remaining time.
  static let watchedPart = 50
  /// The minimum interval between two forecasts of a watched run.
  static let watchedMinimum = Duration.milliseconds(100)
  /// The minimum interval as a multiple of the cost of the last forecast.
  static let costMultiple = 50

  private var forecaster: RunForecaster
  private var schedule: Schedule
  /// When the next forecast event is due, nil before and after the run.
  private var nextEvent: Duration?
  /// When the next forecast is due, as an event or for those who watch; nil before and after the run.
  private(set) var next: Duration?
  /// Before this time there is no forecast for those who watch.
  private var earliest = Duration.zero
  /// A clock that measures the cost of a forecast.
  private let clock: () -> Duration
  /// The latest forecast, nil before the first.
  private(set) var latest: RunForecast?

  /// Creates the emitter of a run that has not begun.
  ///
  /// - Parameters:
  ///   - forecaster: The forecaster of the run.
  ///   - schedule: When the run is forecast.
  ///   - clock: A clock that measures the cost of a forecast, from any beginning.
  init(_ forecaster: RunForecaster, _ schedule: Schedule, clock: @escaping () -> Duration) {
    self.forecaster = forecaster
    self.schedule = schedule
    self.clock = clock
  }

  /// Notes whether the run is watched, unless it is never forecast.
  ///
  /// - Parameters:
  ///   - isWatched: Whether somebody watches.
  ///   - now: The time since the run began.
  mutating func setWatched(_ isWatched: Bool, at now: Duration) {
    let wanted: Schedule = isWatched ? .watched : .events
    guard schedule != .never, schedule != wanted else { return }
    schedule = wanted
    if let due = next, isWatched { next = min(due, max(now, earliest)) }
  }

  /// The state of the run after the events received so far.
  var state: RunState { forecaster.state }

  /// Folds the next event of the run.
  mutating func receive(_ event: RunEvent) {
    forecaster.receive(event)
    switch event.kind {
    case .runStarted where schedule != .never: (nextEvent, next) = (event.time, event.time)
    case .runEnded: (nextEvent, next) = (nil, nil)
    default: if schedule == .watched, let due = next { next = min(due, max(event.time, earliest)) }
    }
  }

  /// Records what a look at the files of a task has shown before its start.
  mutating func found(_ task: TaskID, changed: Bool, at now: Duration) {
    forecaster.found(task, changed: changed, at: now)
    if schedule == .watched, let due = next { next = min(due, max(now, earliest)) }
  }

  /// Records whether a task has changed its outputs, before its end.
  mutating func foundOutputs(of task: TaskID, changed: Bool, at now: Duration) {
    forecaster.foundOutputs(of: task, changed: changed, at: now)
  }

  /// Notes whether the files of tasks are still being looked at; once they are not, a forecast is due.
  mutating func setLooking(_ isLooking: Bool, at now: Duration) {
    guard forecaster.isLooking != isLooking else { return }
    forecaster.isLooking = isLooking
    if !isLooking, nextEvent != nil { (nextEvent, next) = (now, now) }
  }

  /// Forecasts the run if a forecast is due.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The forecast, and whether it belongs into the stream of events; nil if none is due.
  mutating func forecast(at now: Duration) -> (forecast: RunForecast, isEvent: Bool)? {
    guard let next, let event = nextEvent, now >= next else { return nil }
    let begin = clock()
    let forecast = forecaster.forecast(at: now)
    let minimum = (clock() - begin) * Self.costMultiple
    latest = forecast
    let isEvent = now >= event
    if isEvent {
      nextEvent =
        now + max(min(max(now / 100, Self.shortestInterval), Self.longestInterval), minimum)
    }
    earliest = now + max(Self.watchedMinimum, minimum)
    self.next = nextEvent
    if schedule == .watched, let nextEvent {
      // A short run moves as evenly as a long one.
      let interval = forecast.remaining.map { $0.median / Self.watchedPart }
      let due = now + min(interval ?? Self.watchedInterval, Self.watchedInterval)
      self.next = min(nextEvent, max(due, earliest))
    }
    return (forecast, isEvent)
  }
}
