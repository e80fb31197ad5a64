import HeadwayTestSupport
import Testing

/// One seed, one outcome; other seeds, other orders.
struct SeedTests {
  /// Lets eleven tasks sleep, meet and be cancelled, and tells what happened in which order.
  ///
  /// - Parameter seed: What the order is drawn from.
  /// - Returns: A line for each event.
  /// - Throws: When the tasks cannot end.
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
  func `Five hundred runs of eleven tasks are one and the same`(seed: UInt64?) throws {
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

  @Test func `Without a seed the order is that of becoming ready`() throws {
    let story = try story(seed: nil)
    #expect(Array(story.prefix(4)) == (0..<4).map { "\($0 * 3) at 0.0 seconds" })
  }

  @Test func `Some seed finds an update that is lost`() throws {
    /// A counter whose users read and write in two steps.
    actor Counter {
      /// The count.
      var value = 0

      /// Sets the count.
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
