#if os(Linux)
  import Glibc
  import HeadwaySystem
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Watchers and publishers that break the protocol: the other side goes on, and says in one line what it has refused.
  struct BadPeerTests {
    private let folder = Folder()

    /// A watcher that breaks the protocol.
    struct BadWatcher: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let bytes: [UInt8]
      /// What the publisher says and answers, nil if it answers and goes on.
      var problem: String? = nil
      /// A part of the answer, nil if none is expected.
      var answer: String? = nil

      init(_ name: String, _ text: String, problem: String? = nil, answer: String? = nil) {
        (testDescription, bytes) = (name, Array("\(text)\n".utf8))
        (self.problem, self.answer) = (problem, answer)
      }
    }

    private static let badWatchers = [
      BadWatcher(
        "5 MB", String(repeating: "x", count: 5_000_000),
        problem: "a request has more than 8192 bytes"),
      BadWatcher("no JSON", "give me all", problem: "it is not JSON"),
      BadWatcher("a list", "[1]", problem: ""),
      BadWatcher("nothing", "", problem: ""),
      BadWatcher("no number", #"{"request":"subscribe"}"#, problem: "'id' is missing"),
      BadWatcher("-1", #"{"request":"subscribe","id":-1}"#, problem: "id"),
      BadWatcher("2^64", #"{"request":"subscribe","id":18446744073709551616}"#, problem: ""),
      BadWatcher("1e400", #"{"request":"subscribe","id":1,"interval":1e400}"#, problem: ""),
      BadWatcher("a key twice", #"{"request":"subscribe","id":1,"id":1}"#, problem: ""),
      BadWatcher(
        "4,000 levels",
        #"{"request":"subscribe","id":1,"x":"# + String(repeating: "[", count: 4_000)
          + String(repeating: "]", count: 4_000) + "}", problem: ""),
      BadWatcher("an open list", String(repeating: "[", count: 8_000), problem: ""),
      BadWatcher(
        "2,000 levels",
        #"{"request":"subscribe","id":1,"x":"# + String(repeating: "[", count: 2_000)
          + String(repeating: "]", count: 2_000) + "}",
        answer: #""id":1,"ok":true"#),
      BadWatcher(
        "1e300 seconds", #"{"request":"subscribe","id":1,"interval":1e300}"#, answer: #""id":1,"ok":"#),
      BadWatcher(
        "node -1", #"{"request":"cancel","id":1,"publication":"x","node":-1}"#,
        answer: #""id":1,"ok":false,"error":"invalid""#),
      BadWatcher(
        "node 2^32", #"{"request":"cancel","id":1,"publication":"x","node":4294967296}"#,
        answer: #""id":1,"ok":false,"error":"invalid""#),
      BadWatcher(
        "unknown", #"{"request":"dance\u001b[2J","id":9223372036854775807}"#,
        answer: #""id":9223372036854775807,"ok":false,"error":"unknown_request""#),
      BadWatcher(
        "unknown share", #"{"request":"tell","id":3,"share":"x","total":9223372036854775807}"#,
        answer: #""id":3,"ok":false,"error":"unknown_share""#),
    ]

    @Test(arguments: badWatchers)
    func `A publisher goes on whatever a watcher sends`(_ bad: BadWatcher) throws {
      let publisher = try PeerProcess(["publish", "work"], in: folder.path)
      #expect(publisher.line("id") != nil)
      let good = try #require(RawPeer(to: folder))
      #expect(good.send(#"{"request":"subscribe","id":1}"#))
      #expect(good.line(#""event":"answer""#) != nil)
      let descriptors = publisher.descriptors
      var peer = RawPeer(to: folder)
      #expect(peer?.line("hello") != nil)
      _ = peer?.send(bad.bytes)
      if let problem = bad.problem {
        let start = "problem: 'a watcher' sent a line that is not valid, and was disconnected: "
        let line = try #require(publisher.line("problem"))
        #expect(line.hasPrefix(start) && line.dropFirst(start.count).contains(problem), "\(line)")
        #expect(line.utf8.count < 500)
        #expect(peer?.waitForEnd() == true)
      } else if let answer = bad.answer {
        let line = peer?.line(#""event":"answer""#)
        #expect(line?.contains(answer) == true, "\(line ?? "no line")")
        #expect(line?.contains("\u{1b}") == false)
      }
      peer = nil
      #expect(eventually { publisher.descriptors == descriptors })
      publisher.send("complete 5")
      #expect(publisher.line("") == "done complete", "a second line about it")
      #expect(good.line(#""completed":5"#) != nil)
    }

    @Test func `A watcher that hangs up in the middle of a line or says nothing leaves nothing behind`() throws {
      let publisher = try PeerProcess(["publish", "work"], in: folder.path)
      #expect(publisher.line("id") != nil)
      let good = try #require(RawPeer(to: folder))
      #expect(good.send(#"{"request":"subscribe","id":1}"#))
      #expect(good.line(#""event":"answer""#) != nil)
      let descriptors = publisher.descriptors
      for text in ["", #"{"request":"#, #"{"request":"subscribe","id":1}"#] {
        var peer = RawPeer(to: folder)
        #expect(peer?.line("hello") != nil)
        _ = peer?.send(Array(text.utf8))
        peer = nil
        // Without waiting for the greeting.
        peer = RawPeer(to: folder)
        _ = peer?.send(Array(text.utf8))
        peer = nil
      }
      #expect(eventually { publisher.descriptors == descriptors })
      publisher.send("complete 5")
      #expect(publisher.line("") == "done complete")
      #expect(good.line(#""completed":5"#) != nil)
    }

    @Test func `A watcher that never reads holds up neither the work nor the other watchers`() throws {
      let publisher = try PeerProcess(["publish", "work"], in: folder.path)
      #expect(publisher.line("id") != nil)
      let good = try #require(RawPeer(to: folder))
      #expect(good.send(#"{"request":"subscribe","id":1}"#))
      #expect(good.line(#""event":"answer""#) != nil)
      let descriptors = publisher.descriptors
      var deaf = RawPeer(to: folder)
      // It asks and asks until the publisher reads no more, and takes no answer.
      let name = String(repeating: "x", count: 200)
      let request = #"{"request":"\#(name)","id":1}"# + "\n"
      let requests = [UInt8](String(repeating: request, count: 20_000).utf8)
      let sender = Task { [deaf] in deaf?.sendSome(requests) }
      _ = sender
      for number in 1...20 {
        publisher.send("complete 1")
        #expect(publisher.line("done") != nil)
        #expect(good.line(#""completed":\#(number)"#) != nil)
      }
      deaf = nil
      sender.cancel()
      #expect(eventually { publisher.descriptors == descriptors })
      publisher.send("finish")
      #expect(good.line("publication_ended") != nil)
    }
  }
#endif
