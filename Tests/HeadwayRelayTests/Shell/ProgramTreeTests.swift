#if os(Linux)
  import Glibc
  import ProcessFixtures
  import Repetitions
  import Testing

  /// Programs of all kinds below each other, as one tree.
  struct ProgramTreeTests {
    private let folder = Folder()

    /// The programs that show the one they start as Zig does: with `HEADWAY_REAL=1`, also one that is written in Zig.
    static let programs: [[String]] = {
      let peer = "\(PeerProcess.programs)/RelayPeer"
      let standIns = ["48", "128"].map { [peer, "zig", $0] }
      guard isLongRun else { return standIns }
      let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
      return standIns + [["/\(root)/Benchmarks/.build/peers/zig_progress", "run"]]
    }()

    @Test(arguments: programs)
    func
      `A script, a program in Zig and one in Swift are one tree below the program that started them`(
        zig: [String]
      ) throws
    {
      let peer = "\(PeerProcess.programs)/RelayPeer"
      folder.write(
        "bottom.sh",
        """
        { echo complete 40; echo child leaf; while test ! -e '\(folder.path)/go'; do sleep 0.02; done; } |
          \(peer) publish bottom
        """)
      folder.write(
        "script.sh",
        """
        set -e
        \(PeerProcess.programs)/headway tell 3/10 copying
        \(zig.joined(separator: " ")) sh \(folder.path)/bottom.sh
        \(PeerProcess.programs)/headway tell 10
        """)
      let top = try PeerProcess(["publish", "top"], in: folder.path)
      #expect(top.line("id ") != nil)
      top.send("start script sh \(folder.path)/script.sh")
      #expect(top.line("done start") != nil)
      let name = zig.last == "run" ? "runner" : "zig"
      let tree =
        "tree top 0/100 [script 3/10 [\(name) 0/1 [bottom 4000/10000 [leaf 0/10 []]]]]"
      var last = ""
      #expect(
        eventually {
          top.send("tree")
          last = top.line("tree") ?? ""
          return last == tree
        }, "\(last)")
      // Whoever watches sees one publication.
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("began")?.hasPrefix("began \(top.pid).1 top") == true)
      watcher.send("list")
      #expect(watcher.line("listed") == "listed \(top.pid).1 0")
      #expect(watcher.line("done list") != nil)
      folder.write("go", "")
      #expect(
        eventually {
          top.send("tree")
          return top.line("tree") == "tree top 0/100 [script 10/10 []]"
        })
      top.send("close")
      top.send("tree")
      #expect(top.line("tree") == "tree top 20/100 []")
    }
  }
#endif
