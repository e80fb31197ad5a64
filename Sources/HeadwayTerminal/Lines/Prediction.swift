internal import HeadwayForecast
internal import HeadwayLaunch
internal import HeadwayRun

/// How long a run was to take: the first forecast that knew, as it was told before the first task was over.
struct Prediction {
  /// The time that the run was to take in all, nil where nobody knew in time.
  private(set) var total: Duration?
  /// Whether a task is over, after which a forecast is not one of the whole run any more.
  private var isLate = false

  /// Creates the prediction of a run that has not begun.
  init() {}

  /// Takes the next event of the run in.
  mutating func receive(_ event: RunEvent) {
    switch event.kind {
    case .taskEnded: isLate = true
    case .forecast(let forecast) where !isLate && total == nil:
      total = forecast.remaining.map { event.time + $0.median }
    default: break
    }
  }
}
