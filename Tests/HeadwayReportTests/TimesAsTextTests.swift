import HeadwayText
import Testing

@testable import HeadwayReport

/// Times as text.
struct `Times as text` {
  @Test(arguments: [
    (0, "0.0s"), (-3, "0.0s"), (.nan, "0.0s"), (0.0002, "1ms"), (0.03, "30ms"), (0.0994, "99ms"),
    (0.0996, "0.1s"), (0.45, "0.5s"), (3.24, "3.2s"), (59.94, "59.9s"), (59.95, "1m00s"),
    (65, "1m05s"), (3599.96, "1h00m"), (7380, "2h03m"), (273_600, "3d04h"),
    (365.0 * 86_400, "365d00h"), (1e300, "1157407d09h"), (.infinity, "1157407d09h"),
  ])
  func `A number of seconds is a duration`(seconds: Double, text: String) {
    #expect(DurationText.measured(seconds) == text)
  }

  @Test func `A difference has a sign unless it is negligible`() {
    #expect(DurationText.difference(2.1) == "+2.1s")
    #expect(DurationText.difference(-2.1) == "\u{2212}2.1s")
    #expect(DurationText.difference(0) == "±0s")
    #expect(DurationText.difference(-0.0001) == "±0s")
  }

  @Test(arguments: [
    (0, 0, "1970-01-01 00:00:00 UTC"),
    (951_782_399_999, 0, "2000-02-28 23:59:59 UTC"),
    (951_782_400_000, 0, "2000-02-29 00:00:00 UTC"),
    (1_795_291_128_000, 0, "2026-11-21 19:58:48 UTC"),
    (1_795_291_128_000, 19_800, "2026-11-22 01:28:48 UTC+05:30"),
    (1_795_291_128_000, -12_600, "2026-11-21 16:28:48 UTC\u{2212}03:30"),
    (-1, 0, "1969-12-31 23:59:59 UTC"),
    (0, 1_000_000, "1970-01-01 00:00:00 UTC"),
  ])
  func `A date and a time of day`(milliseconds: Int64, zone: Int, text: String) {
    let moment = CalendarMoment(milliseconds: milliseconds, secondsFromUTC: zone)
    #expect("\(moment.day) \(moment.time) \(moment.zone)" == text)
  }

  @Test func `Any number is a date`() {
    let far = CalendarMoment(milliseconds: .max, secondsFromUTC: 86_400)
    #expect(far.day.hasPrefix("2922"))
    #expect(CalendarMoment(milliseconds: .min, secondsFromUTC: -86_400).day.hasPrefix("-"))
  }

  @Test(arguments: [
    (10, "0 1s 2s 3s 4s 5s 6s 7s 8s 9s 10s"), (44.5, "0 5s 10s 15s 20s 25s 30s 35s 40s"),
    (0.3, "0 50ms 100ms 150ms 200ms 250ms 300ms"),
    (1.7, "0 200ms 400ms 600ms 800ms 1s 1.2s 1.4s 1.6s"),
    (0.000_02, "0 2µs 4µs 6µs 8µs 10µs 12µs 14µs 16µs 18µs 20µs"),
    (110, "0 20s 40s 60s 80s 100s"), (130, "0 30s 1m 1m30s 2m"), (1500, "0 5m 10m 15m 20m 25m"),
    (9000, "0 30m 1h 1h30m 2h 2h30m"), (200_000, "0 12h 1d 1d12h 2d"),
    (31_536_000, "0 50d 100d 150d 200d 250d 300d 350d"), (0, "0"),
  ])
  func `Ticks of an axis`(span: Double, labels: String) {
    let ticks = TimeTicks(span: span, limit: 10)
    #expect(ticks.values.map(ticks.label).joined(separator: " ") == labels)
  }

  @Test func `Ticks are never more than the limit, and never too few`() {
    var span = 1e-6
    while span < RunTimes.maxSeconds {
      for limit in [5, 6, 10] {
        let ticks = TimeTicks(span: span, limit: limit)
        #expect(ticks.values.count <= limit + 1)
        #expect(ticks.values.count > limit / 5, "\(span)")
        #expect(Set(ticks.values.map(ticks.label)).count == ticks.values.count, "\(span)")
      }
      span *= 1.37
    }
  }
}
