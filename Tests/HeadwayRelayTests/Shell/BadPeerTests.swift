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
      BadWatcher("no JSON", "give me all", problem: "not JSON"),
      BadWatcher("a list", "[1]", problem: ""),
      BadWatcher("nothing", "", problem: ""),
      BadWatcher("no number", #"{"request":"subscribe"}"#, problem: "'id' is missing"),
      BadWatcher("-1", #"{"request":"subscribe","id":-1}"#, problem: "id"),
      BadWatcher("2^64", #"{"request":"subscribe","id":18446744073709551616}"#, problem: ""),
      BadWatcher(
        "1e400", #"{"request":"subscribe","id":1,"interval":1e400}"#,
        answer: #""id":1,"ok":false"#),
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
        "1e300 seconds", #"{"request":"subscribe","id":1,"interval":1e300}"#,
        answer: #""id":1,"ok":"#),
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

    @Test
    func `A watcher that hangs up in the middle of a line or says nothing leaves nothing behind`()
      throws
    {
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

    @Test func `A watcher that never reads holds up neither the work nor the other watchers`()
      throws
    {
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
      let sent = try #require(deaf?.flood(Array(request.utf8)))
      #expect(sent < 50_000_000)
      for number in 1...20 {
        publisher.send("complete 1")
        #expect(publisher.line("done") != nil)
        #expect(good.line(#""completed":\#(number)"#) != nil)
      }
      deaf = nil
      #expect(eventually { publisher.descriptors == descriptors })
      publisher.send("finish")
      #expect(good.line("publication_ended") != nil)
    }

    // MARK: Publishers

    /// A publisher that breaks the protocol after its greeting.
    struct BadPublisher: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let bytes: [UInt8]
      /// A part of what the watcher says, nil if it finds nothing wrong.
      let problem: String?

      init(_ name: String, _ text: String, _ problem: String?) {
        self.init(name, Array("\(text)\n".utf8), problem)
      }

      init(_ name: String, _ bytes: [UInt8], _ problem: String?) {
        (testDescription, self.bytes, self.problem) = (name, bytes, problem)
      }
    }

    private static let hello = FakePublisher.hello + "\n"
    /// The beginning of a publication without its tree.
    private static let start =
      #"{"event":"publication_began","time":0,"publication":"1.1","kind":"test","accepts":[]}"#
      + "\n"
    /// The beginning of a publication of one node.
    private static let tree = hello + began("1.1") + "\n"

    /// A change of that publication.
    private static func change(_ nodes: String, _ more: String = "") -> String {
      #"{"event":"progress_changed","time":1,"publication":"1.1","nodes":[\#(nodes)]\#(more)}"#
    }

    /// A chain of nodes, each below the one before, in lines of 500.
    private static func chain(_ count: Int) -> String {
      stride(from: 1, through: count, by: 500).map { start in
        let nodes = (start..<min(start + 500, count + 1)).map { node in
          #"{"node":\#(node),"parent":\#(node - 1),"units":1}"#
        }
        return change(nodes.joined(separator: ","))
      }.joined(separator: "\n")
    }

    /// Many nodes below the first one, in lines of 500.
    private static func flat(lines: Int, _ more: String = "") -> String {
      (0..<lines).map { line in
        let nodes = (1...500).map { #"{"node":\#(line * 500 + $0),"parent":0,"units":1}"# }
        return change(nodes.joined(separator: ","), more)
      }.joined(separator: "\n")
    }

    /// Many whole trees of 1,000 nodes each, one after the other.
    private static func trees(_ count: Int) -> String {
      let nodes = (1...499).map { #"{"node":\#($0),"parent":0,"units":1}"# }.joined(separator: ",")
      let rest = (500...999).map { #"{"node":\#($0),"parent":0,"units":1}"# }.joined(separator: ",")
      return (1...count).map { number in
        start.replacing("1.1", with: "1.\(number)")
          + #"{"event":"progress","time":1,"publication":"1.\#(number)","nodes":[{"node":0},\#(nodes)],"more":true}"#
          + "\n" + change(rest).replacing("\"1.1\"", with: "\"1.\(number)\"")
      }.joined(separator: "\n")
    }

    private static func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    private static let badPublishers = [
      BadPublisher(
        "version 3", #"{"event":"hello","time":0,"version":3}"#,
        "problem: 'a publisher' speaks version 3 of the protocol"),
      BadPublisher(
        "version 3 with control characters",
        #"{"event":"hello","time":0,"version":3,"program":"\u001b]0;x\u0007\u202e"}"#,
        "speaks version 3 of the protocol"),
      BadPublisher("no greeting", began("1.1"), "it did not greet"),
      BadPublisher("two greetings", hello + hello, "it greeted twice"),
      BadPublisher(
        "a number that is not whole",
        #"{"event":"hello","time":0,"version":2,"pid":1e9,"program":""}"#, "pid"),
      BadPublisher("not JSON", hello + "hello", ""),
      BadPublisher(
        "5 MB", hello + String(repeating: "x", count: 5_000_000), "more than 262144 bytes"),
      BadPublisher(
        "10,000 lists in lists", hello + #"{"event":"x","time":0,"x":\#(nested(10_000))}"#, ""),
      BadPublisher("10,000 open lists", hello + String(repeating: "[", count: 10_000), ""),
      BadPublisher(
        "2,000 lists in lists", hello + #"{"event":"x","time":0,"x":\#(nested(2_000))}"#, nil),
      BadPublisher("1e400", hello + #"{"event":"x","time":1e400}"#, ""),
      BadPublisher("2^64", tree + change(#"{"node":0,"completed":18446744073709551616}"#), ""),
      BadPublisher(
        "bytes that are not UTF-8",
        Array((hello + #"{"event":"x"#).utf8) + [0xff, 0xfe] + Array("\",\"time\":0}\n".utf8), ""),
      BadPublisher(
        "a long ID",
        hello + start.replacing("1.1", with: String(repeating: "x", count: 257)),
        "must have at most 256 bytes"),
      BadPublisher("the same again", tree + start, "1.1 began twice"),
      BadPublisher(
        "an unknown publication", hello + change(#"{"node":0}"#), "there is no publication '1.1'"),
      BadPublisher(
        "a change before the tree", hello + start + change(#"{"node":0,"completed":1}"#),
        "came before its tree"),
      BadPublisher("a million nodes", tree + flat(lines: 2_000), "there are more than 1000 nodes"),
      BadPublisher(
        "a million nodes at once", tree + flat(lines: 2_000, #","more":true"#),
        "more than 1000 nodes"),
      BadPublisher("many large trees", hello + trees(25), "there are more than 20000 nodes"),
      BadPublisher("10,000 levels", tree + chain(10_000), "is below level"),
      BadPublisher(
        "a cycle by a move", tree + chain(2) + "\n" + change(#"{"node":1,"parent":2,"units":1}"#),
        "cannot get another parent"),
      BadPublisher(
        "a node below itself", tree + change(#"{"node":5,"parent":5,"units":1}"#), "has no parent"),
      BadPublisher(
        "a second first node", tree + change(#"{"node":5,"label":"x"}"#), "there is no node 5"),
      BadPublisher(
        "the end of the first node", tree + change("", #","ended":[0]"#), "there is no node 0"),
      BadPublisher(
        "an answer to nothing", tree + #"{"event":"answer","time":0,"id":99,"ok":true}"#,
        "which nobody made"),
      BadPublisher(
        "a farewell with control characters",
        tree
          + #"{"event":"answer","time":0,"ok":false,"error":"x","message":"bye\u001b[2J\nproblem: x"}"#,
        "closed the connection: bye"),
    ]

    @Test(arguments: badPublishers)
    func `A watcher goes on whatever a publisher sends`(_ bad: BadPublisher) throws {
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("watching") != nil)
      let first = try PeerProcess(["publish", "first"], in: folder.path)
      #expect(watcher.line("began \(first.pid).1 ") != nil)
      let descriptors = watcher.descriptors
      var fake: FakePublisher? = try FakePublisher(in: folder)
      var peer = fake?.accept()
      #expect(peer?.line(#""request":"subscribe""#) != nil)
      _ = peer?.send(bad.bytes)
      if let problem = bad.problem {
        let line = try #require(watcher.line("problem"))
        #expect(line.contains(problem) && line.utf8.count < 700, "\(line)")
        #expect(!line.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202e }, "\(line)")
        #expect(peer?.waitForEnd() == true)
      }
      fake?.remove()
      (fake, peer) = (nil, nil)
      let second = try PeerProcess(["publish", "second"], in: folder.path)
      while true {
        let line = try #require(watcher.line(""))
        // One sentence, not two.
        #expect(!line.hasPrefix("problem"), "\(line)")
        if line.hasPrefix("began \(second.pid).1 ") { break }
      }
      first.send("complete 9")
      #expect(watcher.line("state first 9") != nil)
      second.end(SIGKILL)
      #expect(watcher.line("ended second died") != nil)
      // A watcher also follows what other programs of this user publish in `/tmp`, so it may have had more at the beginning.
      #expect(eventually { watcher.descriptors <= descriptors })
    }

    @Test func `Numbers at their limits end no watcher`() throws {
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("watching") != nil)
      let most = Int.max
      let changes = [
        #"{"node":0,"completed":\#(most),"total":\#(most)}"#,
        #"{"node":4294967295,"parent":0,"units":\#(most),"completed":\#(most),"total":1}"#,
        #"{"node":2147483648,"parent":0,"units":\#(most),"completed":\#(most)}"#,
        #"{"node":2147483649,"parent":2147483648,"units":\#(most),"completed":0,"total":\#(most)}"#,
        #"{"node":2147483650,"parent":2147483648,"units":\#(most),"completed":\#(most),"total":0}"#,
        #"{"node":0,"completed":0,"total":0}"#,
      ]
      let others = [
        #"{"event":"progress_changed","time":1e300,"publication":"1.1","nodes":[{"node":0,"completed":7}]}"#,
        #"{"event":"forecast","time":1,"publication":"1.1","remaining":1e300}"#,
        #"{"event":"forecast","time":-1e300,"publication":"1.1"}"#,
        #"{"event":"x","time":1e300}"#,
      ]
      // Whatever of it is refused: the watcher goes on.
      let whole = ([changes.joined(separator: ",")] + changes).map { Self.change($0) }
      for (number, line) in (whole + others).enumerated() {
        let fake = try FakePublisher(in: folder)
        let peer = try #require(fake.accept())
        peer.send(Self.tree + line + "\n" + Self.change(#"{"node":0,"label":"again"}"#))
        let next = try PeerProcess(["publish", "next"], in: folder.path)
        #expect(watcher.line("began \(next.pid).1 ") != nil, "\(number): \(line)")
        fake.remove()
      }
    }

    @Test func `What a publisher leaves unfinished when it hangs up is dropped`() throws {
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("watching") != nil)
      for end in [
        "", Self.change(#"{"node":0,"completed":9}"#),
        #"{"event":"publication_ended","time":1,"publication":"1.1","reason":"finished"}"#,
      ] {
        let fake = try FakePublisher(in: folder)
        var peer = fake.accept()
        #expect(peer?.line("subscribe") != nil)
        _ = peer?.send(Array((Self.tree + end).utf8))
        fake.remove()
        peer = nil
        while true {
          let line = try #require(watcher.line(""))
          #expect(!line.hasPrefix("state root 9"), "a line without its end was taken")
          if line.hasPrefix("ended") {
            #expect(line == "ended root died")
            break
          }
        }
      }
    }

    @Test func `A publisher that accepts nobody or says nothing holds up nobody`() throws {
      let deaf = try FakePublisher(in: folder)
      let silent = try FakePublisher(in: folder)
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("watching") != nil)
      let peer = silent.accept()
      let good = try PeerProcess(["publish", "good"], in: folder.path)
      #expect(watcher.line("began \(good.pid).1 ") != nil)
      watcher.send("list")
      #expect(watcher.line("listed") == "listed \(good.pid).1 0")
      good.send("finish")
      #expect(watcher.line("ended good finished") != nil)
      withExtendedLifetime((deaf, peer)) {}
    }
  }
#endif
