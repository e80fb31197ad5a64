/// A remaining time that is rounded to its precision and does not flicker between two steps.
///
/// The steps are those that people use for times that are not known exactly, a tenth to a half of the time:
///
/// | up to | 10 s | 1 min | 10 min | 1 h | 3 h | 6 h | 1 day | 10 days | |
/// |---|---|---|---|---|---|---|---|---|---|
/// | step | 1 s | 5 s | 1 min | 5 min | 15 min | 30 min | 1 h | 12 h | 1 day |
///
/// The shown step changes when the time is 0.65 steps away from it, not 0.5. So changes of less than 0.3 steps do not
/// flicker, and a time that counts down shows each step for an equal time.
struct ReadableTime: Hashable, Sendable {
  /// The maximum distance from the shown time, in steps; 0.5 would be plain rounding.
  private static let reach = 0.65
  /// The times up to which the steps apply, and the steps, in seconds.
  private static let bands: [(end: Int, step: Int)] = [
    (10, 1), (60, 5), (600, 60), (3_600, 300), (10_800, 900), (21_600, 1_800), (86_400, 3_600),
    (864_000, 43_200), (.max, 86_400),
  ]

  /// The shown seconds, nil at first.
  private(set) var seconds: Int?
  /// The step to which they were rounded.
  private var step = 1

  /// Shows a time, rounded to the step for its size.
  ///
  /// - Parameter exact: The seconds, from zero to a hundred years.
  /// - Returns: The seconds on a step, at least one.
  /// - Complexity: O(1).
  mutating func show(_ exact: Double) -> Int {
    if let seconds {
      let (above, below) = (Self.step(above: seconds), Self.step(below: seconds))
      if holds(exact, seconds, above: above, below: below) { return seconds }
    }
    step = Self.step(below: Int(exact.rounded(.up)))
    let rounded = max(1, Int((exact / Double(step)).rounded()) * step)
    seconds = rounded
    return rounded
  }

  /// Shows a time, rounded to a given step, such as that of the upper end of a range.
  ///
  /// If the step becomes smaller, the shown time stays until the exact one has decreased to it, so that it does not
  /// increase only because it is more precise.
  ///
  /// - Parameters:
  ///   - exact: The seconds, from zero to a hundred years.
  ///   - step: The step in seconds, above zero.
  /// - Returns: The rounded seconds, zero if the time is far below one step.
  /// - Complexity: O(1).
  mutating func show(_ exact: Double, step: Int) -> Int {
    if let seconds, holds(exact, seconds, above: self.step, below: step) { return seconds }
    let rounded = Int((exact / Double(step)).rounded()) * step
    self.step = step
    seconds = rounded
    return rounded
  }

  /// Whether a time is close enough to the shown time.
  private func holds(_ exact: Double, _ seconds: Int, above: Int, below: Int) -> Bool {
    exact <= Double(seconds) + Self.reach * Double(above)
      && exact >= Double(seconds) - Self.reach * Double(below)
  }

  /// The step down to the next lower time, also if the time is between two steps.
  static func step(below seconds: Int) -> Int {
    bands.first { seconds <= $0.end }?.step ?? 1
  }

  /// The step up to the next higher time.
  static func step(above seconds: Int) -> Int {
    bands.first { seconds < $0.end }?.step ?? 1
  }
}
