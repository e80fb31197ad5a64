import HeadwaySystem
import Testing

/// The time that a call of `poll` waits.
struct PollTimeoutTests {
  @Test(
    arguments: [
      (nil, -1), (.zero, 0), (.nanoseconds(1), 1), (.microseconds(500), 1), (.milliseconds(1), 1),
      (.microseconds(1001), 2), (.seconds(60), 60_000), (.seconds(86_400), 86_400_000),
      (.seconds(Int64.max), 86_400_000),
    ] as [(Duration?, Int32)])
  func `A wait is rounded up to whole milliseconds, so that a short one is not busy`(
    limit: Duration?, milliseconds: Int32
  ) {
    #expect(PollTimeout.milliseconds(limit) == milliseconds)
  }
}
