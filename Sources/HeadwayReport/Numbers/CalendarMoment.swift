internal import HeadwaySystem

/// A date and a time of day.
struct CalendarMoment {
  /// The day, as `2026-11-21`.
  let day: String
  /// The time of day, as `19:58:48`.
  let time: String
  /// The zone, as `UTC` or `UTC+01:00`.
  let zone: String

  /// Computes the date and the time of day.
  ///
  /// - Parameters:
  ///   - milliseconds: The moment, since 1970.
  ///   - secondsFromUTC: The zone, as seconds east of Greenwich; more than a day counts as 0.
  init(milliseconds: Int64, secondsFromUTC: Int) {
    let zone = (-86_400...86_400).contains(secondsFromUTC) ? secondsFromUTC : 0
    let second = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) + Int64(zone)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    day = calendarText("%Y-%m-%d", seconds: second)
    time = calendarText("%H:%M:%S", seconds: second)
    let size = Int(zone.magnitude)
    let sign = zone < 0 ? "\u{2212}" : "+"
    self.zone = zone == 0 ? "UTC" : "UTC\(sign)\(two(size / 3600)):\(two(size / 60 % 60))"
  }
}
