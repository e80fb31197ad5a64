import HeadwayTestSupport
import Testing

/// Reproducible orders by seed.
struct SeedTests {
  /// Runs eleven tasks that sleep, meet and are cancelled, and returns a log of the events.
  ///
  /// - Parameter seed: The seed of the order.
  /// - Returns: A line for each event.
  /// - Throws: `VirtualTimeError`.
  private func story(seed: UInt64?) throws -> [String] {
    let log = Log()
    try withVirtualTime(seed: seed) { clock in
      await withTaskGroup { group in
        for number in 0..<11 {
          group.addTask {
            do {
              for round in 1...3 {
                try await clock.sleep(for: .seconds(number % 3 * round * 3_600))
                log.add("\(number) at \(clock.now)")
                await Task.yield()
              }
              try await clock.sleep(for: .seconds(20 * 3_600 + number))
              log.add("\(number) ends")
            } catch {
              log.add("\(number) cancelled")
            }
          }
        }
        for _ in 0..<4 { await group.next() }
        group.cancelAll()
      }
      log.add("all at \(clock.now)")
    }
    return log.lines
  }

  @Test(arguments: [nil, 0, 1, 2, UInt64.max])
  func `Five hundred runs of eleven tasks are identical`(seed: UInt64?) throws {
    let first = try story(seed: seed)
    #expect(first.count == 11 * 4 + 1)
    #expect(first.contains { $0.hasSuffix("cancelled") })
    for _ in 0..<499 {
      let next = try story(seed: seed)
      #expect(next == first)
    }
  }

  @Test func `Seeds lead to different orders`() throws {
    let stories = Set(try (0..<20).map { try story(seed: $0) })
    #expect(stories.count > 1)
  }

  @Test func `Without a seed jobs run in the order in which they became ready`() throws {
    let story = try story(seed: nil)
    #expect(Array(story.prefix(4)) == (0..<4).map { "\($0 * 3) at 0.0 seconds" })
  }

  @Test func `Some seed finds a lost update`() throws {
    /// A counter that is read and written in two steps.
    actor Counter {
      var value = 0

      func set(_ value: Int) { self.value = value }
    }
    let totals = try (0..<50 as Range<UInt64>).map { seed in
      try withVirtualTime(seed: seed) { _ in
        let counter = Counter()
        await withTaskGroup { group in
          for _ in 0..<2 {
            group.addTask { await counter.set(await counter.value + 1) }
          }
        }
        return await counter.value
      }
    }
    #expect(Set(totals) == [1, 2])
  }
}
