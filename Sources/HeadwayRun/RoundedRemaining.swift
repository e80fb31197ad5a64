/// The remaining time of a run, rounded for people.
///
/// ```swift
/// func words(for remaining: RoundedRemaining) -> String {
///   switch remaining {
///   case .unknown: ""
///   case .about(let time): "about \(time)"
///   case .between(let low, let high): "\(low) to \(high)"
///   case .late: "later than expected"
///   }
/// }
/// ```
public enum RoundedRemaining: Hashable, Sendable {
  /// There is no estimate yet.
  case unknown
  /// About this long, at least one second.
  case about(Duration)
  /// Between two durations, the first less than the second; the first may be zero.
  case between(Duration, Duration)
  /// The run takes longer than every estimate.
  case late
}
