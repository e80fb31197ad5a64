import Foundation
import HeadwayForecast

/// A formula for the remaining time from counts.
protocol RemainingTime: SendableMetatype {
  /// The name in the table.
  static var title: String { get }
  /// Creates a formula for a job that begins at zero.
  init(total: Double)
  /// Receives the count at a time.
  mutating func see(_ count: Double, at time: Double)
  /// The remaining seconds, nil if there is no estimate.
  mutating func remaining(at time: Double) -> Double?
}

/// A formula that divides the remaining units by a speed.
private protocol SpeedFormula: RemainingTime {
  /// How much there is to do.
  var total: Double { get }
  /// The last count.
  var count: Double { get }
  /// The speed in units per second, zero if it is unknown.
  func speed(at time: Double) -> Double
}

extension SpeedFormula {
  /// The remaining units, divided by the speed.
  mutating func remaining(at time: Double) -> Double? {
    let speed = speed(at: time)
    return speed == 0 ? nil : (total - count) / speed
  }
}

/// The overall mean, as in mpb's average.
struct OverallMean: RemainingTime, SpeedFormula {
  static let title = "overall mean"
  fileprivate let total: Double
  fileprivate var count = 0.0

  init(total: Double) { self.total = total }

  mutating func see(_ count: Double, at time: Double) { self.count = count }

  fileprivate func speed(at time: Double) -> Double { time > 0 ? count / time : 0 }
}

/// Exponentially weighted means of counts and of seconds, with the weight 0.3 for each update, as in tqdm.
///
/// An update needs a new count and a tenth of a second. Both means start at zero, so tqdm's correction for that is the
/// same for both and cancels out.
struct Tqdm: RemainingTime, SpeedFormula {
  static let title = "tqdm"
  /// The weight of the latest update.
  private static let smoothing = 0.3
  fileprivate let total: Double
  /// The count of the last update.
  fileprivate var count = 0.0
  /// The time of the last update.
  private var printed = 0.0
  /// The mean growth between updates.
  private var growth = 0.0
  /// The mean time between updates.
  private var gap = 0.0

  init(total: Double) { self.total = total }

  mutating func see(_ count: Double, at time: Double) {
    guard count - self.count >= 1, time - printed >= 0.1 - 1e-9 else { return }
    growth += Self.smoothing * (count - self.count - growth)
    gap += Self.smoothing * (time - printed - gap)
    (self.count, printed) = (count, time)
  }

  fileprivate func speed(at time: Double) -> Double {
    gap > 0 ? growth / gap : time > 0 ? count / time : 0
  }
}

/// The growth in the last thirty seconds, as in rich and pv.
struct SlidingWindow: RemainingTime, SpeedFormula {
  static let title = "30 s window"
  /// The length of the window, in seconds.
  private static let length = 30.0
  fileprivate let total: Double
  fileprivate var count = 0.0
  /// The times at which the count grew, and by how much.
  private var samples: [(time: Double, growth: Double)] = []

  init(total: Double) { self.total = total }

  mutating func see(_ count: Double, at time: Double) {
    if count > self.count {
      samples.append((time, count - self.count))
      self.count = count
    }
    let first = samples.firstIndex { $0.time >= time - Self.length } ?? samples.endIndex
    samples.removeFirst(first)
  }

  fileprivate func speed(at time: Double) -> Double {
    guard let first = samples.first, let last = samples.last, last.time > first.time else {
      return 0
    }
    // The growth of the first sample was before the window.
    return samples.dropFirst().reduce(0) { $0 + $1.growth } / (last.time - first.time)
  }
}

/// A speed that is smoothed twice over time and decays during stalls, as in indicatif.
struct DoubleSmoothing: RemainingTime, SpeedFormula {
  static let title = "indicatif"
  fileprivate let total: Double
  fileprivate var count = 0.0
  /// The time at which the count grew last.
  private var latest = 0.0
  /// The speed smoothed once.
  private var once = 0.0
  /// The speed smoothed twice.
  private var twice = 0.0

  init(total: Double) { self.total = total }

  /// The remaining weight after some seconds: a tenth after fifteen.
  private static func weight(_ seconds: Double) -> Double { pow(0.1, seconds / 15) }

  mutating func see(_ count: Double, at time: Double) {
    guard count > self.count, time > latest else { return }
    let gap = time - latest
    let (kept, all) = (Self.weight(gap), 1 - Self.weight(time))
    once = once * kept + (count - self.count) / gap * (1 - kept)
    twice = twice * kept + once / all * (1 - kept)
    (self.count, latest) = (count, time)
  }

  fileprivate func speed(at time: Double) -> Double {
    guard time > 0 else { return 0 }
    let (kept, all) = (Self.weight(time - latest), 1 - Self.weight(time))
    return (twice * kept + once * kept / all * (1 - kept)) / all
  }
}

/// A mean that is blended with the previous one by the completed fraction, as in GNU parallel.
///
/// The shown value does not change while it would rise by less than a ninth.
struct HeldMean: RemainingTime {
  static let title = "GNU parallel"
  /// How much there is to do.
  private let total: Double
  /// The last count.
  private var count = 0.0
  /// The time at which the count was first above zero.
  private var first: Double?
  /// The blended seconds per unit.
  private var unit: Double?
  /// The last shown value.
  private var said = 0.0

  init(total: Double) { self.total = total }

  mutating func see(_ count: Double, at time: Double) {
    if count > 0, first == nil { first = time }
    self.count = count
  }

  mutating func remaining(at time: Double) -> Double? {
    guard let first, count > 0 else { return nil }
    let (mean, done) = ((time - first) / count, count / total)
    if let before = unit, before > 0 {
      unit = (1 - done) * before + done * mean
    } else {
      unit = mean
    }
    let next = (total - count) * (unit ?? 0)
    let isHeld = next * 0.9 < said && said < next
    if !isHeld { said = next }
    return said
  }
}

/// Our estimator, as it is shown.
struct Ours: RemainingTime {
  static let title = "Headway"
  /// The estimator.
  var estimator: RateEstimator

  init(total: Double) { estimator = RateEstimator(total: total, at: .zero) }

  mutating func see(_ count: Double, at time: Double) {
    estimator.report(count, at: .seconds(time))
  }

  mutating func remaining(at time: Double) -> Double? {
    estimator.remaining(at: .seconds(time)).map { $0 / .seconds(1) }
  }
}
