#if os(Linux)
  import Glibc
  import ProcessFixtures
  import Repetitions
  import Testing

  /// Trees that change at random in one process, and arrive in another one.
  struct TreesOfTwoProcessesTests {
    /// The number of groups of trees that are published at the same time; in a long run there are 10,000 trees.
    private static let groups = repetitions(2, real: 100)
    private static let groupSize = 100
    private static let rounds = 5

    @Test(arguments: 0..<groups)
    func `Each tree arrives as it is`(group: Int) throws {
      let folder = Folder()
      let first = group * Self.groupSize
      let publisher = try PeerProcess(
        ["trees", "\(first)", "\(Self.groupSize)"], in: folder.path)
      // Some trees are seen whole, and all of them as they change.
      for _ in 0..<(group * 7) % 40 { publisher.send("step") }
      publisher.send("publish")
      let watcher = try PeerProcess(["follow"], in: folder.path)
      for round in 0..<Self.rounds {
        for _ in 0..<10 { publisher.send("step") }
        publisher.send("digests")
        let digests = try #require(publisher.line("digests"))
        #expect(digests.split(separator: " ").count == Self.groupSize + 1)
        #expect(
          eventually {
            watcher.send("digests")
            return watcher.line("digests") == digests
          }, "round \(round)")
      }
    }
  }
#endif
