/// Times and shares for people: `450ms`, `3.2s`, `1m05s`, `2h03m`, `3d04h`; `3.2 %`.
enum TimeText {
  /// A duration that was measured.
  ///
  /// - Parameter seconds: The duration; what is not a positive number is zero.
  /// - Returns: The text.
  static func measured(_ seconds: Double) -> String {
    let seconds = seconds > 0 ? min(seconds, RunTimes.most) : 0
    if seconds == 0 { return "0s" }
    if seconds < 0.0005 { return "<1ms" }
    if seconds < 0.9995 { return "\(Int(seconds * 1000 + 0.5))ms" }
    let tenths = Int(seconds * 10 + 0.5)
    if tenths < 600 { return "\(tenths / 10).\(tenths % 10)s" }
    let whole = Int(seconds + 0.5)
    switch whole {
    case ..<3600: return "\(whole / 60)m\(twoDigits(whole % 60))s"
    case ..<86_400: return "\(whole / 3600)h\(twoDigits(whole / 60 % 60))m"
    default: return "\(whole / 86_400)d\(twoDigits(whole / 3600 % 24))h"
    }
  }

  /// A difference of durations with its sign.
  static func difference(_ seconds: Double) -> String {
    let size = measured(seconds.magnitude)
    if seconds == 0 || size == "<1ms" { return "±0s" }
    return (seconds < 0 ? "\u{2212}" : "+") + size
  }

  /// A part of 1 in percent, with a digit more below ten.
  static func percent(_ part: Double) -> String {
    let thousandths = Int(min(max(part, 0), 1e6) * 1000 + 0.5)
    if thousandths < 100 { return "\(thousandths / 10).\(thousandths % 10)\u{a0}%" }
    return "\((thousandths + 5) / 10)\u{a0}%"
  }

  /// A number with one digit behind the point.
  static func tenths(_ number: Double) -> String {
    let tenths = Int(min(max(number, 0), 1e12) * 10 + 0.5)
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// A count with spaces between thousands.
  static func count(_ count: Int) -> String {
    let digits = Array(String(count.magnitude))
    var text = count < 0 ? "\u{2212}" : ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place) % 3 == 0 { text.append("\u{202f}") }
      text.append(digit)
    }
    return text
  }

  /// A count with its noun.
  static func counted(_ number: Int, _ noun: String) -> String {
    "\(count(number))\u{a0}\(noun)\(number == 1 ? "" : "s")"
  }

  /// A number below 100 with two digits.
  static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A moment by the calendar.
struct CalendarMoment {
  /// The day, as `2026-11-21`.
  let day: String
  /// The time of day, as `19:58:48`.
  let time: String
  /// The zone, as `UTC` or `UTC+01:00`.
  let zone: String

  /// Reads a moment.
  ///
  /// The day comes from the number of days since 1 March of the year 0, in whose years the leap day is the last (the
  /// published way of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  ///
  /// - Parameters:
  ///   - milliseconds: The moment, since 1970.
  ///   - secondsFromUTC: The zone, as seconds east of Greenwich; more than a day counts as none.
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
    let two = TimeText.twoDigits
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
