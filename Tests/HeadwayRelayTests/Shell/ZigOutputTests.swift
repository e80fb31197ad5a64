#if os(Linux)
  import Glibc
  import HeadwayProgress
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Programs whose work is shown by one that is written in Zig.
  struct ZigOutputTests {
    private let folder = Folder()

    /// The pipe of a program in Zig, and what it has read.
    private final class Parent {
      let pipe = Pipe()
      private(set) var packets: [ZigPacket] = []
      private let layout: ZigPacket.Layout
      private var unread: [UInt8] = []
      private var hasEnded = false

      init(_ layout: ZigPacket.Layout, capacity: Int? = nil) {
        self.layout = layout
        // F_SETPIPE_SZ, as Zig does since 0.16.
        if let capacity = capacity ?? (layout == .long ? 32_768 : nil) {
          _ = fcntl(pipe.writer, 1_031, Int32(capacity))
        }
        for end in [pipe.reader, pipe.writer] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      }

      deinit {
        end()
        close(pipe.writer)
      }

      /// Reads no more.
      func end() {
        // Closed once, as another test may get the number.
        guard !hasEnded else { return }
        hasEnded = true
        close(pipe.reader)
      }

      /// Reads what is there, which must be whole packets.
      func read() {
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(pipe.reader, &room, room.count)
        unread += room.prefix(max(count, 0))
        while let first = unread.first {
          let size = layout.packetSize(nodes: Int(first))
          guard unread.count >= size else { return }
          let packet = ZigPacket(unread[..<size], layout: layout)
          #expect(packet != nil)
          if let packet { packets.append(packet) }
          unread.removeFirst(size)
        }
      }

      /// Waits until the last packet is a tree.
      func shows(_ picture: [String]) -> Bool {
        eventually {
          read()
          return packets.last.map { Self.picture($0) } == picture
        }
      }

      /// The nodes, each with its counts and the number of its parent.
      private static func picture(_ packet: ZigPacket) -> [String] {
        packet.nodes.map { node in
          "\(node.name) \(node.completed)/\(node.total.map { "\($0)" } ?? "?")"
            + (node.parent.map { " in \($0)" } ?? "")
        }
      }
    }

    private func publisher(
      _ label: String, _ parent: Parent?, _ variables: [String] = []
    ) throws -> PeerProcess {
      try PeerProcess(
        ["publish", label], in: folder.path, variables: variables, progress: parent?.pipe.writer)
    }

    @Test(arguments: ZigPacket.Layout.allCases)
    func `A tree is written in the layout of the reader`(layout: ZigPacket.Layout) throws {
      let parent = Parent(layout)
      let publisher = try publisher("work", parent)
      #expect(parent.shows(["work 0/100"]))
      publisher.send("complete 20")
      #expect(parent.shows(["work 20/100"]))
      publisher.send("child part")
      #expect(parent.shows(["work 2000/10000", "part 0/10 in 0"]))
      // Nothing is written twice, and it is watched.
      for (one, next) in zip(parent.packets, parent.packets.dropFirst()) { #expect(one != next) }
      publisher.send("watched")
      #expect(publisher.line("watched") == "watched true")
      // The process lives on.
      publisher.send("finish")
      #expect(parent.shows(["work 100/100"]))
    }

    @Test func `Work that is not published any more is not shown any more`() throws {
      let parent = Parent(.long)
      let publisher = try publisher("work", parent)
      publisher.send("child part")
      #expect(parent.shows(["work 0/10000", "part 0/10 in 0"]))
      publisher.send("unpublish")
      #expect(parent.shows([" 0/?"]))
    }

    @Test func `The layout can be chosen where the pipe has another size`() throws {
      let parent = Parent(.long, capacity: 65_536)
      let publisher = try publisher("work", parent, ["HEADWAY_ZIG_RECORD=128"])
      #expect(publisher.line("id") != nil)
      #expect(parent.shows(["work 0/100"]))
    }

    @Test func `Other programs see the work as well, if no process shows the whole tree`() throws {
      let parent = Parent(.long)
      let publisher = try publisher("work", parent)
      #expect(parent.shows(["work 0/100"]))
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("began")?.hasPrefix("began \(publisher.pid).1 work") == true)
    }

    /// Starts a program with the variables of a share, whose pipe has another size.
    private func start(below top: PeerProcess, _ parent: Parent) throws -> PeerProcess {
      top.send("share step")
      let variable = try #require(top.line("environment ")).dropFirst("environment ".count)
      return try publisher("work", parent, [String(variable)])
    }

    @Test func `Below a program in Zig, the work is a part of that program's tree only`() throws {
      let top = try publisher("top", nil)
      let parent = Parent(.long)
      let publisher = try start(below: top, parent)
      #expect(parent.shows(["work 0/100"]))
      top.send("tree")
      #expect(top.line("tree") == "tree top 0/100 [step 0/? []]")
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("began")?.hasPrefix("began \(top.pid).1 top") == true)
      // When that program ends, the work is published as any other.
      parent.end()
      publisher.send("complete 5")
      #expect(publisher.line("done complete") != nil)
      #expect(watcher.line("began")?.hasPrefix("began \(publisher.pid).1 work") == true)
      publisher.send("complete 5")
      #expect(publisher.line("done complete") != nil)
    }

    @Test func `With the pipe of a share, the share itself is the better way`() throws {
      let top = try publisher("top", nil)
      let parent = Parent(.long, capacity: ZigPacket.Layout.ownCapacity)
      let publisher = try start(below: top, parent)
      publisher.send("complete 5")
      #expect(
        eventually {
          top.send("tree")
          return top.line("tree") == "tree top 0/100 [step 0/1 [work 5/100 []]]"
        })
      parent.read()
      #expect(parent.packets.isEmpty)
    }

    @Test func `Without the socket of the share, its pipe shows the work`() throws {
      let parent = Parent(.long, capacity: ZigPacket.Layout.ownCapacity)
      let publisher = try publisher(
        "work", parent, ["HEADWAY_PROGRESS=2;token;\(folder.path)/1-2.sock"])
      #expect(publisher.line("id") != nil)
      #expect(parent.shows(["work 0/100"]))
    }

    @Test(arguments: [
      "HEADWAY_ZIG=off", "ZIG_PROGRESS=0", "ZIG_PROGRESS=77", "ZIG_PROGRESS=x", "ZIG_PROGRESS=",
      "ZIG_PROGRESS=99999999999",
    ])
    func `Without a pipe to write to, work is published as usual`(variable: String) throws {
      let parent = Parent(.long)
      let publisher = try publisher("work", variable.contains("off") ? parent : nil, [variable])
      #expect(publisher.line("id") != nil)
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("began") != nil)
      publisher.send("complete 5")
      #expect(watcher.line("state work 5") != nil)
      parent.read()
      #expect(parent.packets.isEmpty)
    }

    @Test func `A run is shown, too`() throws {
      let parent = Parent(.long)
      folder.write(
        "plan.yaml",
        """
        tasks:
          wait: { run: "while test ! -e go; do sleep 0.02; done" }
        """)
      let run = try PeerProcess(
        ["run", "\(folder.path)/plan.yaml", "--ui", "plain"], in: folder.path,
        progress: parent.pipe.writer, program: "\(PeerProcess.programs)/headway")
      #expect(
        eventually {
          parent.read()
          return parent.packets.last?.nodes.map(\.name) == ["plan", "wait"]
        })
      folder.write("go", "")
      #expect(run.line("plan: 1 succeeded") != nil)
      #expect(run.end() == 0)
    }
  }
#endif
