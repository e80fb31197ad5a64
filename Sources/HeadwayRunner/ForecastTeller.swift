internal import HeadwayLaunch

/// Tells what is to be expected of a run into the stream of its events: at its beginning, and then now and then.
///
/// A second passes between two forecasts at first, and a hundredth of the run later, at most ten seconds: often enough
/// for a bar that somebody else draws, and cheap for a run of a day.
struct ForecastTeller {
  /// The time between two forecasts at the beginning.
  static let shortest = Duration.seconds(1)
  /// The most time between two forecasts.
  static let longest = Duration.seconds(10)

  /// Says how far the run is.
  private var forecaster: RunForecaster
  /// When the next forecast is due, nil when none is: before the run, and after it.
  private(set) var next: Duration?

  /// Creates the teller of a run that has not begun.
  init(_ forecaster: RunForecaster) { self.forecaster = forecaster }

  /// Takes the next event of the run in.
  mutating func receive(_ event: LaunchEvent) {
    forecaster.receive(event)
    switch event.kind {
    case .runStarted: next = event.time
    case .runEnded: next = nil
    default: break
    }
  }

  /// Tells a forecast where one is due.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The event, nil where none is due.
  mutating func tell(at now: Duration) -> LaunchEvent? {
    guard let next, now >= next else { return nil }
    self.next = now + min(max(now / 100, Self.shortest), Self.longest)
    return LaunchEvent(time: now, kind: .forecast(forecaster.forecast(at: now)))
  }
}
