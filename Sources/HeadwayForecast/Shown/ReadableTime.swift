/// A remaining time rounded to what can be said of it, which does not flicker between two steps.
///
/// The steps are those in which people say a time that is not known exactly, a tenth to a half of it:
///
/// | up to | 10 s | 1 min | 10 min | 1 h | 3 h | 6 h | 1 day | 10 days | |
/// |---|---|---|---|---|---|---|---|---|---|
/// | step | 1 s | 5 s | 1 min | 5 min | 15 min | 30 min | 1 h | 12 h | 1 day |
///
/// A step is left when the time is 0.65 steps away from it, not 0.5: what comes back by less than 0.3 steps changes
/// nothing, and a time that runs down shows each step for as long as it is.
struct ReadableTime: Hashable, Sendable {
  /// How far from what is shown the time may be, in steps; 0.5 is plain rounding.
  private static let reach = 0.65
  /// Where the steps change, in seconds, and the steps below.
  private static let bands: [(end: Int, step: Int)] = [
    (10, 1), (60, 5), (600, 60), (3_600, 300), (10_800, 900), (21_600, 1_800), (86_400, 3_600),
    (864_000, 43_200), (.max, 86_400),
  ]

  /// The seconds that are shown, nil before the first.
  private(set) var seconds: Int?
  /// The step with which they were rounded.
  private var step = 1

  /// Shows a time on the steps of its size.
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

  /// Shows a time on given steps, such as those of the upper end of a range.
  ///
  /// Where the step becomes smaller, what is shown stays until the time has run down to it, so that it does not rise
  /// because it can be said more exactly.
  ///
  /// - Parameters:
  ///   - exact: The seconds, from zero to a hundred years.
  ///   - step: The step in seconds, above zero.
  /// - Returns: The seconds on a step, zero where the time is far below one.
  /// - Complexity: O(1).
  mutating func show(_ exact: Double, step: Int) -> Int {
    if let seconds, holds(exact, seconds, above: self.step, below: step) { return seconds }
    let rounded = Int((exact / Double(step)).rounded()) * step
    self.step = step
    seconds = rounded
    return rounded
  }

  /// Whether a time is near enough to what is shown.
  private func holds(_ exact: Double, _ seconds: Int, above: Int, below: Int) -> Bool {
    exact <= Double(seconds) + Self.reach * Double(above)
      && exact >= Double(seconds) - Self.reach * Double(below)
  }

  /// The step to the next lower time; that of the time itself where it is on no step.
  static func step(below seconds: Int) -> Int {
    bands.first { seconds <= $0.end }?.step ?? 1
  }

  /// The step to the next higher time.
  static func step(above seconds: Int) -> Int {
    bands.first { seconds < $0.end }?.step ?? 1
  }
}
