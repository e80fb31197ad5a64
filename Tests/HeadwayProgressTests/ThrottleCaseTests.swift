import HeadwayProgress
import HeadwayTestSupport
import Testing

/// Cases of swift-async-algorithms' throttled sequences (`Tests/AsyncAlgorithmsTests/TestThrottle.swift`) for the feeds of
/// nodes, which deliver the latest state once in each frame; a comment names each case.
struct ThrottleCaseTests {
  /// The counts that a feed delivers, each with its time in half seconds.
  ///
  /// - Parameters:
  ///   - count: The number of counts.
  ///   - gap: The seconds from count to count; each comes half a second before a full one.
  ///   - frame: The seconds of a frame.
  /// - Returns: The counts, without the state at the beginning and that at the end.
  /// - Throws: The reason why the clock could not go on.
  private func delivered(_ count: Int, every gap: Int, frame: Duration) throws -> [[Int]] {
    let frames = try withVirtualTime { clock in
      let node = ProgressNode(total: count)
      async let frames = node.feed(every: frame, clock: clock).reduce(into: [] as [[Int]]) {
        $0.append([Int(clock.now.offset / .milliseconds(500)), $1.completed])
      }
      try await clock.sleep(for: .seconds(gap) - .milliseconds(500))
      for number in 1...count {
        node.complete(1)
        if number < count { try await clock.sleep(for: .seconds(gap)) }
      }
      try await clock.sleep(for: .seconds(100))
      node.finish()
      return await frames
    }
    #expect(frames.first == [0, 0] && frames.last?.last == count)
    return Array(frames.dropFirst().dropLast())
  }

  // test_rate_0, test_emission_3_rate_2: nothing is held back when frames are short enough.
  @Test(arguments: [(1, Duration.zero), (1, .milliseconds(500)), (3, .seconds(2))])
  func `Counts that are further apart than frames are all delivered at once`(
    gap: Int, frame: Duration
  ) throws {
    let frames = try delivered(7, every: gap, frame: frame)
    #expect(frames == (1...7).map { [2 * gap * $0 - 1, $0] })
  }

  // test_rate_2, test_rate_3, test_trailing_delay_with_latest.
  @Test(arguments: [2, 3])
  func `Of the counts of a frame the latest is delivered at its end, and the last one always`(
    frame: Int
  ) throws {
    let frames = try delivered(11, every: 1, frame: .seconds(frame))
    var expected = (1...).prefix { frame * $0 <= 11 }.map { [2 * frame * $0, frame * $0] }
    if expected.last?.last != 11 { expected.append([2 * frame * (expected.count + 1), 11]) }
    #expect(frames == expected)
  }

  // test_rate_1, test_emission_2_rate_1, test_emission_2_rate_2.
  @Test(arguments: [1, 2])
  func `Counts that come once in a frame or less are all delivered`(frame: Int) throws {
    let frames = try delivered(11, every: 2, frame: .seconds(frame))
    #expect(frames.map { $0[1] } == Array(1...11))
  }

  // test_emission_2_rate_3.
  @Test func `Counts that come a little more often than frames are combined now and then`() throws {
    let frames = try delivered(11, every: 2, frame: .seconds(3))
    #expect(frames.map { $0[0] / 6 } == Array(1...frames.count))
    #expect(frames.count < 11 && frames.last?.last == 11)
    #expect(frames.map { $0[1] } == frames.map { $0[1] }.sorted())
  }

  // The cases *_leading_edge deliver the first count of a frame.
  @Test func `A feed never delivers an old count when there is a newer one`() throws {
    let old = try withVirtualTime { clock in
      let node = ProgressNode(total: 40)
      async let old = node.feed(every: .seconds(3), clock: clock).reduce(into: 0) {
        if $1.completed != node.completed { $0 += 1 }
      }
      for _ in 0..<40 {
        try await clock.sleep(for: .milliseconds(700))
        node.complete(1)
      }
      node.finish()
      return await old
    }
    #expect(old == 0)
  }
}
