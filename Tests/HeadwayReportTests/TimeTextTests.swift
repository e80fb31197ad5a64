import Testing

@testable import HeadwayReport

/// Numbers in words.
struct `Times and counts as text` {
  @Test(arguments: [
    (0, "0s"), (-3, "0s"), (.nan, "0s"), (0.0002, "<1ms"), (0.0005, "1ms"), (0.45, "450ms"),
    (0.9994, "999ms"), (0.9996, "1.0s"), (3.24, "3.2s"), (59.94, "59.9s"), (59.95, "1m00s"),
    (65, "1m05s"), (3599.6, "1h00m"), (7380, "2h03m"), (273_600, "3d04h"),
    (365.0 * 86_400, "365d00h"), (1e300, "1157407d09h"), (.infinity, "1157407d09h"),
  ])
  func `A duration`(seconds: Double, text: String) {
    #expect(TimeText.measured(seconds) == text)
  }

  @Test func `A difference has a sign, and none where nothing is seen`() {
    #expect(TimeText.difference(2.1) == "+2.1s")
    #expect(TimeText.difference(-2.1) == "\u{2212}2.1s")
    #expect(TimeText.difference(0) == "±0s")
    #expect(TimeText.difference(-0.0001) == "±0s")
  }

  @Test func `Shares and counts`() {
    #expect(TimeText.percent(0.032) == "3.2\u{a0}%")
    #expect(TimeText.percent(0.0996) == "10\u{a0}%")
    #expect(TimeText.percent(1) == "100\u{a0}%")
    #expect(TimeText.percent(-1) == "0.0\u{a0}%")
    #expect(TimeText.count(1_234_567) == "1\u{202f}234\u{202f}567")
    #expect(TimeText.count(-1234) == "\u{2212}1\u{202f}234")
    #expect(TimeText.count(Int.min).hasPrefix("\u{2212}9\u{202f}223"))
    #expect(TimeText.counted(1, "task") == "1\u{a0}task")
    #expect(TimeText.counted(2, "task") == "2\u{a0}tasks")
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
    (-62_167_219_200_000, 0, "0000-01-01 00:00:00 UTC"),
  ])
  func `A moment by the calendar`(milliseconds: Int64, zone: Int, text: String) {
    let moment = CalendarMoment(milliseconds: milliseconds, secondsFromUTC: zone)
    #expect("\(moment.day) \(moment.time) \(moment.zone)" == text)
  }

  @Test func `Any number is a moment`() {
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
  func `Marks of an axis`(span: Double, labels: String) {
    let ticks = TimeTicks(span: span, most: 10)
    #expect(ticks.values.map(ticks.label).joined(separator: " ") == labels)
  }

  @Test func `Marks are never more than asked for, and never fewer than a few`() {
    var span = 1e-6
    while span < RunTimes.most {
      for most in [5, 6, 10] {
        let ticks = TimeTicks(span: span, most: most)
        #expect(ticks.values.count <= most + 1)
        #expect(ticks.values.count > most / 5, "\(span)")
        #expect(Set(ticks.values.map(ticks.label)).count == ticks.values.count, "\(span)")
      }
      span *= 1.37
    }
  }
}
