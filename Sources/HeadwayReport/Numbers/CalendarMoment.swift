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
  /// The day comes from the number of days since 1 March of the year 0, in whose years the leap day is the last (the
  /// published algorithm of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  ///
  /// - Parameters:
  ///   - milliseconds: The moment, since 1970.
  ///   - secondsFromUTC: The zone, as seconds east of Greenwich; more than a day counts as 0.
  init(milliseconds: Int64, secondsFromUTC: Int) {
    let zone = (-86_400...86_400).contains(secondsFromUTC) ? secondsFromUTC : 0
    let seconds = Self.floor(milliseconds, 1000) + Int64(zone)
    let days = Self.floor(seconds, 86_400)
    let ofDay = Int(seconds - days * 86_400)
    let shifted = days + 719_468
    let era = Self.floor(shifted, 146_097)
    let dayOfEra = Int(shifted - era * 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let digits = String(year.magnitude)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    day = "\(year < 0 ? "-" : "")\(padded)-\(two(month))-\(two(dayOfMonth))"
    time = "\(two(ofDay / 3600)):\(two(ofDay / 60 % 60)):\(two(ofDay % 60))"
    let size = Int(zone.magnitude)
    let sign = zone < 0 ? "\u{2212}" : "+"
    self.zone = zone == 0 ? "UTC" : "UTC\(sign)\(two(size / 3600)):\(two(size / 60 % 60))"
  }

  /// A quotient rounded down.
  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient - 1 : quotient
  }
}
