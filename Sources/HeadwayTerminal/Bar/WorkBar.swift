internal import HeadwayBar

/// The bar of a run or a task: a model that is fed by a forecast, and glides between what it is told.
///
/// A pure value.
struct WorkBar: Sendable {
  /// The model.
  private(set) var bar: ProgressBar
  /// Whether it was told how far the work is.
  private var isKnown = false

  /// Creates the bar of work that has not begun.
  init() {
    bar = ProgressBar(source: .forecast)
    bar.isReadOnly = true
    bar.setStyle(.cells, at: 0)
  }

  /// Makes it so many columns wide.
  mutating func setWidth(_ columns: Int) {
    bar.layout.width = Double(columns)
    bar.layout.height = 1
  }

  /// Takes in how far the work is.
  ///
  /// - Parameters:
  ///   - fraction: The part that is done.
  ///   - rate: What part more is done in a second, nil for what earlier calls tell.
  ///   - now: The time in seconds.
  mutating func show(_ fraction: Double, rate: Double?, at now: Double) {
    // The first is where the work is, not where it goes to.
    if !isKnown || bar.isIndeterminate { bar.setValue(fraction, at: now) }
    isKnown = true
    bar.report(fraction, rate: rate, at: now)
  }

  /// Takes in that work goes on of which nobody knows how far it is.
  mutating func showUnknown(at now: Double) { bar.isIndeterminate = true }

  /// Takes in that there is nothing to show.
  mutating func showNothing(at now: Double) {
    bar.reset(at: now)
    isKnown = false
  }
}

extension ProgressBar {
  /// The whole per cent that are seen at a time: 100 only where it is all.
  func percent(at now: Double) -> Int { Self.percent(of: fraction(at: now)) }

  /// The whole per cent of a part of one: 100 only where it is all.
  static func percent(of fraction: Double) -> Int {
    // What rests on a whole number may lie below it by the rounding of a few operations.
    return fraction >= 1 ? 100 : min(Int(fraction * 100 + 1e-6), 99)
  }
}

extension Duration {
  /// The seconds as a number, for the model of the bar.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
