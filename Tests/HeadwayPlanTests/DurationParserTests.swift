import Testing

@testable import HeadwayPlan

/// Durations as people write them.
struct DurationParserTests {
  /// Texts with their durations.
  @Test(arguments: [
    ("90s", Duration.seconds(90)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)),
    ("1.5s", .milliseconds(1500)), ("250ms", .milliseconds(250)), ("2d", .seconds(172_800)),
    ("0s", .zero), ("1h 30m", .seconds(5400)), ("1d2h3m4s5ms", .milliseconds(93_784_005)),
    ("0.5h", .seconds(1800)), ("0.000001ms", .nanoseconds(1)), ("3650d", .seconds(315_360_000)),
  ])
  func `A number with its unit is a duration`(text: String, duration: Duration) throws {
    #expect(try DurationParser.parse(text) == duration)
  }

  /// Texts with what is told about them.
  @Test(arguments: [
    ("30", #"30 has no unit; write "30s" for seconds, or 250ms, 90s, 5m, 1h30m or 2d"#),
    ("1.5", #"1.5 has no unit; write "1.5s" for seconds, or 250ms, 90s, 5m, 1h30m or 2d"#),
    ("5min", #""5min" is not a duration; write "5m""#),
    ("2 hours", #""2 hours" is not a duration; write "2h""#),
    ("5M", #""5M" is not a duration; write "5m""#),
    ("30m1h", #""30m1h" does not go from large units to small ones; write it like 1h30m"#),
    ("1h30", #""1h30" is not a duration; write 250ms, 90s, 5m, 1h30m or 2d"#),
    ("", #""" is not a duration; write 250ms, 90s, 5m, 1h30m or 2d"#),
    (".5s", #"".5s" is not a duration; write 250ms, 90s, 5m, 1h30m or 2d"#),
    ("1.s", #""1.s" is not a duration; write 250ms, 90s, 5m, 1h30m or 2d"#),
    ("-5s", #""-5s" is not a duration; write 250ms, 90s, 5m, 1h30m or 2d"#),
    ("1:30", #""1:30" is not a duration; write 250ms, 90s, 5m, 1h30m or 2d"#),
    ("3650d1ms", #""3650d1ms" is longer than 3650d, the longest duration"#),
    (
      "9223372036854775807ms",
      #""9223372036854775807ms" is longer than 3650d, the longest duration"#
    ),
  ])
  func `Other texts are told with what to write`(text: String, message: String) {
    #expect(throws: DurationParser.ParseError(message: message)) {
      try DurationParser.parse(text)
    }
  }
}
