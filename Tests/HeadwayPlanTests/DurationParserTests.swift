import Testing

@testable import HeadwayPlan

/// Parsing of durations.
struct DurationParserTests {
  @Test(arguments: [
    ("90s", Duration.seconds(90)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)),
    ("1.5s", .milliseconds(1500)), ("250ms", .milliseconds(250)), ("2d", .seconds(172_800)),
    ("0s", .zero), ("1h 30m", .seconds(5400)), ("1d2h3m4s5ms", .milliseconds(93_784_005)),
    ("0.5h", .seconds(1800)), ("0.000001ms", .nanoseconds(1)), ("3650d", .seconds(315_360_000)),
  ])
  func `A number with a unit is a duration`(text: String, duration: Duration) throws {
    #expect(try DurationParser.parse(text) == duration)
  }

  @Test(arguments: [
    ("30", #"duration 30 has no unit; write "30s" for seconds, or use ms, m, h or d"#),
    ("1.5", #"duration 1.5 has no unit; write "1.5s" for seconds, or use ms, m, h or d"#),
    ("5min", #"invalid duration "5min"; write "5m""#),
    ("2 hours", #"invalid duration "2 hours"; write "2h""#),
    ("5M", #"invalid duration "5M"; write "5m""#),
    ("30m1h", #"invalid duration "30m1h"; units must go from large to small, as in 1h30m"#),
    ("1h30", #"invalid duration "1h30"; write it like 250ms, 90s, 5m, 1h30m or 2d"#),
    ("", #"invalid duration ""; write it like 250ms, 90s, 5m, 1h30m or 2d"#),
    (".5s", #"invalid duration ".5s"; write it like 250ms, 90s, 5m, 1h30m or 2d"#),
    ("1.s", #"invalid duration "1.s"; write it like 250ms, 90s, 5m, 1h30m or 2d"#),
    ("-5s", #"invalid duration "-5s"; write it like 250ms, 90s, 5m, 1h30m or 2d"#),
    ("1:30", #"invalid duration "1:30"; write it like 250ms, 90s, 5m, 1h30m or 2d"#),
    ("3650d1ms", #"duration "3650d1ms" is too long; the maximum is 3650d"#),
    (
      "9223372036854775807ms",
      #"duration "9223372036854775807ms" is too long; the maximum is 3650d"#
    ),
  ])
  func `The message for another text suggests a correction`(text: String, message: String) {
    #expect(throws: DurationParser.ParseError(message: message)) {
      try DurationParser.parse(text)
    }
  }
}
