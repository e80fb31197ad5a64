#if os(Linux)
  import Glibc
  import HeadwayCollections
  import ProcessFixtures
  import Repetitions
  import Testing

  @testable import HeadwayRelay

  /// Processes that are killed at random moments, and what the others say of it.
  @Suite(.serialized)
  struct RelayKillTests {
    /// The number of kills: few under ThreadSanitizer, because what is killed cannot report a race.
    private static let kills = repetitions(20, real: 1_000, underSanitizer: 6)

    private let folder = Folder()

    private func start(_ words: String...) throws -> PeerProcess {
      try PeerProcess(words, in: folder.path)
    }

    /// The longest time until a kill.
    private static let longest = Duration.milliseconds(20)

    /// The sockets of processes that are dead.
    ///
    /// A socket that is not complete yet has a hidden name, and is removed a minute later.
    private var leftovers: [String] {
      folderEntries(folder.path + "/headway").filter { name in
        guard !name.hasPrefix("."), let process = RuntimeDirectory.process(of: name) else {
          return false
        }
        return kill(process, 0) != 0
      }
    }

    /// Kills a publisher, and checks what its watcher says.
    private func killPublisher(_ random: inout SplitMix64, afterFirstLine: Bool) throws {
      let watcher = try start("watch", "own")
      if Bool.random(using: &random) { try #require(watcher.line("watching") != nil) }
      let units = Int.random(in: 1...60, using: &random)
      let killed = try start("count", "killed", "\(units)")
      if afterFirstLine { try #require(killed.line("id") != nil) }
      pauseAtRandom(upTo: Self.longest, using: &random)
      killed.end(SIGKILL)

      // The watcher goes on, and the next start removes what is left.
      let next = try start("count", "next")
      try #require(next.line("id") != nil)
      #expect(eventually { leftovers.isEmpty }, "\(leftovers)")
      var (hasBegun, hasEnded, isNextSeen) = (false, false, false)
      let (id, nextID) = ("\(killed.pid).1", "\(next.pid).1")
      while !isNextSeen || hasBegun != hasEnded {
        // In vain for two minutes if the watcher hangs.
        let line = try #require(watcher.line(""), "began: \(hasBegun), next: \(isNextSeen)")
        if line.hasPrefix("began \(id) ") {
          #expect(!hasBegun)
          hasBegun = true
        } else if line.hasPrefix("began \(nextID) ") {
          isNextSeen = true
        } else if line.hasPrefix("ended killed ") {
          #expect(hasBegun && !hasEnded)
          #expect(["ended killed died", "ended killed finished"].contains(line))
          hasEnded = true
        } else {
          #expect(!line.hasPrefix("problem"), "\(line)")
        }
      }
      next.end(SIGKILL)
    }

    /// Kills a watcher, and checks that the publisher goes on and is seen by the next one.
    private func killWatcher(_ random: inout SplitMix64, afterFirstLine: Bool) throws {
      let publisher = try start("count", "counter")
      if Bool.random(using: &random) { try #require(publisher.line("id") != nil) }
      let killed = try start("watch", "own")
      if afterFirstLine { try #require(killed.line("") != nil) }
      pauseAtRandom(upTo: Self.longest, using: &random)
      killed.end(SIGKILL)

      let watcher = try start("watch", "own")
      #expect(watcher.line("began \(publisher.pid).1 ") != nil)
      var counts: Set<Substring> = []
      while counts.count < 3 {
        let line = try #require(watcher.line("state counter "))
        counts.insert(line.dropFirst("state counter ".count).prefix { $0 != " " })
      }
      publisher.end(SIGKILL)
      #expect(watcher.line("ended counter") == "ended counter died")
    }

    @Test func `Whoever is killed at whatever moment, the others go on and say what has happened`()
      throws
    {
      for round in 0..<Self.kills {
        var random = SplitMix64(seed: UInt64(round))
        let afterFirstLine = round & 2 == 0
        if round & 1 == 0 {
          try killPublisher(&random, afterFirstLine: afterFirstLine)
        } else {
          try killWatcher(&random, afterFirstLine: afterFirstLine)
        }
      }
      // One more start, and nothing of the dead is left.
      let last = try start("count", "last")
      #expect(last.line("id") != nil)
      #expect(
        eventually {
          folderEntries(folder.path + "/headway").count { !$0.hasPrefix(".") } == 1
            && leftovers.isEmpty
        }, "\(leftovers)")
    }
  }
#endif
