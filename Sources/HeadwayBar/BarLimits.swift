/// How large numbers may be, so that what is computed of them is a number.
///
/// What is larger counts as the limit, or is ignored where the method says so.
enum BarLimits {
  /// The largest value, in its unit: a million terabytes in bytes, thirty billion years in seconds.
  static let value = 1e18
  /// The latest time, in seconds: thirty thousand years.
  static let time = 1e12
  /// The shortest duration, in seconds: far less than any frame.
  static let shortest = 1e-9
  /// The longest length, in points: wider than any screen.
  static let length = 1e9
  /// The fastest rate at which a source plays.
  static let playbackRate = 1e6
  /// The fastest that time passes for a bar.
  static let speed = 1e3
}
