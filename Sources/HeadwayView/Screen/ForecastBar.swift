internal import HeadwayBar
internal import HeadwayTerminal

/// The bar of a run or task: a model that glides between forecasts.
///
/// A pure value.
struct ForecastBar: Sendable {
  private(set) var bar: ProgressBar
  /// The fraction that was forecast or reported last, nil before the first.
  private(set) var latest: Double?
  /// Whether that was reported by a program.
  private(set) var showsReport = false
  /// The fraction that the passing of time alone does not exceed.
  private static let highestPosition = 0.99
  /// Whether it has shown a forecast.
  private var isKnown = false

  init() {
    bar = ProgressBar(source: .forecast)
    bar.isReadOnly = true
    bar.setStyle(.cells, at: 0)
  }

  /// Sets the width in columns.
  mutating func setWidth(_ columns: Int) {
    bar.layout.width = Double(columns)
    bar.layout.height = 1
  }

  /// Glides to a forecast, and continues at its rate.
  ///
  /// - Parameters:
  ///   - fraction: The fraction that is done.
  ///   - isReport: Whether a program has reported it.
  ///   - rate: The change of the fraction in a second, nil to derive it from earlier calls.
  ///   - age: The seconds since the forecast, in which the work has gone on.
  ///   - now: The time in seconds.
  mutating func show(
    _ fraction: Double, isReport: Bool = false, rate: Double?, age: Double = 0, at now: Double
  ) {
    latest = fraction
    showsReport = isReport
    let passed = max(0, age) * (rate ?? 0)
    let fraction = min(fraction + passed, max(fraction, Self.highestPosition))
    // The first value is the current position of the work, not a target.
    if !isKnown || bar.isIndeterminate { bar.setValue(fraction, at: now) }
    isKnown = true
    bar.report(fraction, rate: rate, at: now)
  }

  /// Whether a program has reported more than a forecast says: that was about a part of the work, and the bar would not go back.
  func isAhead(of forecast: Double) -> Bool { showsReport && forecast < latest ?? 0 }

  /// Shows work that continues with unknown progress.
  mutating func showUnknown() { bar.isIndeterminate = true }

  /// Shows an empty bar.
  mutating func showNothing(at now: Double) {
    bar.reset(at: now)
    isKnown = false
  }
}
