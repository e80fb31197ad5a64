internal import HeadwayLaunch
internal import HeadwayRun

/// Tells what is to be expected of a run into the stream of its events: at its beginning, and then now and then.
///
/// A second passes between two forecasts at first, and a hundredth of the run later, at most ten seconds: often enough
/// for a bar that somebody else draws, and cheap for a run of a day. What forecasts cost is at most a fiftieth of the time,
/// however large the graph is.
struct ForecastTeller {
  /// The time between two forecasts at the beginning.
  static let shortest = Duration.seconds(1)
  /// The most time between two forecasts.
  static let longest = Duration.seconds(10)
  /// The least time between two forecasts as a multiple of what the last one took.
  static let patience = 50

  /// Says how far the run is.
  private var forecaster: RunForecaster
  /// When the next forecast is due, nil when none is: before the run, and after it.
  private(set) var next: Duration?
  /// A clock for what a forecast takes.
  private let clock: () -> Duration

  /// Creates the teller of a run that has not begun.
  ///
  /// - Parameters:
  ///   - forecaster: Says how far the run is.
  ///   - clock: A clock for what a forecast takes, from any beginning.
  init(_ forecaster: RunForecaster, clock: @escaping () -> Duration) {
    self.forecaster = forecaster
    self.clock = clock
  }

  /// Takes the next event of the run in.
  mutating func receive(_ event: RunEvent) {
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
  mutating func tell(at now: Duration) -> RunEvent? {
    guard let next, now >= next else { return nil }
    let begin = clock()
    let forecast = forecaster.forecast(at: now)
    let cost = clock() - begin
    self.next = now + max(min(max(now / 100, Self.shortest), Self.longest), cost * Self.patience)
    return RunEvent(time: now, kind: .forecast(forecast))
  }
}
