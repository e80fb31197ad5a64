import HeadwayTime
import Testing

/// Conversions of durations to nanoseconds.
struct NanosecondsTests {
  @Test(arguments: [
    (Duration.zero, UInt64(0), UInt64(0)),
    (.nanoseconds(7), 7, 7),
    (Duration(attoseconds: 7_000_000_001), 8, 7),
    (Duration(attoseconds: 1), 1, 0),
    (Duration(attoseconds: -1), 0, 0),
    (.seconds(9), 9_000_000_000, 9_000_000_000),
    (.seconds(3_600) + Duration(attoseconds: 1), 3_600_000_000_001, 3_600_000_000_000),
    (Duration(attoseconds: 1 << 73), 9_444_732_965_740, 9_444_732_965_739),
    (Duration(attoseconds: 1 << 73 - 1), 9_444_732_965_740, 9_444_732_965_739),
    (Duration(attoseconds: (1 << 73) - 1), 9_444_732_965_740, 9_444_732_965_739),
    (Duration(attoseconds: 1_000_000_512), 2, 1),
    (.seconds(Int64.max), .max, .max),
    (.seconds(Int64.min), 0, 0),
    (Duration(attoseconds: .max), .max, .max),
    (Duration(attoseconds: .min), 0, 0),
    (Duration(attoseconds: Int128(UInt64.max) * 1_000_000_000), .max, .max),
    (Duration(attoseconds: Int128(UInt64.max) * 1_000_000_000 - 1), .max, .max - 1),
  ])
  func `Nanoseconds are rounded and clamped`(duration: Duration, up: UInt64, down: UInt64) {
    #expect(duration.nanosecondsUp == up)
    #expect(duration.nanosecondsDown == down)
  }
}
