/// The largest numbers that are accepted, so that every result is finite.
///
/// A larger number counts as the limit, or is ignored where the method says so.
enum BarLimits {
  /// The largest value in its unit, so that every integer of 64 bits is one: 18 million terabytes in bytes.
  static let value = 0x1p64
  /// The latest time, in seconds: thirty thousand years.
  static let time = 1e12
  /// The shortest duration, in seconds: far less than any frame.
  static let shortest = 1e-9
  /// The greatest length, in points: wider than any screen.
  static let length = 1e9
  /// The highest playback rate.
  static let playbackRate = 1e6
}
