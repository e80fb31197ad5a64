#if os(Linux)
  import Glibc
  import ProcessFixtures
  import Testing

  /// Programs that report for a share of the program that has started them.
  struct ProcessShareTests {
    private let folder = Folder()

    private func publisher(_ label: String, _ variables: [String] = []) throws -> PeerProcess {
      try PeerProcess(["publish", label], in: folder.path, variables: variables)
    }

    /// Opens a share of a process, and starts another one with its variables.
    private func start(_ label: String, below parent: PeerProcess) throws -> PeerProcess {
      parent.send("share \(label)")
      let variable = try #require(parent.line("environment ")).dropFirst("environment ".count)
      #expect(parent.line("done share") != nil)
      return try publisher("in \(label)", [String(variable)])
    }

    @Test func `A program appears below the share of the one that started it, and only there`()
      throws
    {
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      let top = try publisher("top")
      #expect(watcher.line("began") != nil)
      let child = try start("step", below: top)
      child.send("complete 40")
      #expect(child.line("done") != nil)
      let grandchild = try start("part", below: child)
      grandchild.send("child leaf")
      #expect(grandchild.line("done") != nil)
      #expect(
        eventually {
          top.send("tree")
          return top.line("tree")
            == "tree top 0/100 [step 0/1 [in step 40/100 [part 0/1 [in part 0/100 [leaf 0/10 []]]]]]"
        })
      // The watcher of everything sees one publication.
      watcher.send("list")
      #expect(watcher.line("listed") != nil)
      watcher.send("list")
      #expect(watcher.line("listed") == "listed \(top.pid).1 0")
    }

    @Test func `Cancel and pause reach the programs below a share`() throws {
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      let top = try publisher("top")
      #expect(watcher.line("began") != nil)
      let child = try start("step", below: top)
      let grandchild = try start("part", below: child)
      #expect(
        eventually {
          top.send("tree")
          return top.line("tree")?.contains("part 0/1 [in part 0/100") == true
        })
      watcher.send("pause")
      #expect(top.line("paused") != nil)
      #expect(child.line("paused") != nil)
      #expect(grandchild.line("paused") != nil)
      watcher.send("resume")
      #expect(grandchild.line("resumed") != nil)
      watcher.send("cancel")
      #expect(grandchild.line("cancelled") != nil)
      // A program that comes later is cancelled, too.
      let late = try start("late", below: top)
      #expect(late.line("cancelled") != nil)
    }

    @Test func `A program that lives on without its parent publishes its work as its own`() throws {
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      let top = try publisher("top")
      #expect(watcher.line("began") != nil)
      let child = try start("step", below: top)
      #expect(watcher.line(#"state top 0 children=["step"]"#) != nil)
      top.end(SIGKILL)
      #expect(watcher.line("began")?.hasPrefix("began \(child.pid).1 in ") == true)
      let other = try publisher("other")
      #expect(watcher.line("began") != nil)
      let closed = try start("step", below: other)
      #expect(
        eventually {
          other.send("tree")
          return other.line("tree")?.contains("step 0/1 [in") == true
        })
      other.send("close")
      #expect(watcher.line("began")?.hasPrefix("began \(closed.pid).1") == true)
    }

    @Test func `The end of a program completes what it stands for`() throws {
      let top = try publisher("top")
      let child = try start("step", below: top)
      #expect(
        eventually {
          top.send("tree")
          return top.line("tree") == "tree top 0/100 [step 0/1 [in step 0/100 []]]"
        })
      child.send("finish")
      #expect(
        eventually {
          top.send("tree")
          return top.line("tree") == "tree top 0/100 [step 1/1 []]"
        })
      top.send("close")
      top.send("tree")
      #expect(top.line("tree") == "tree top 20/100 []")
    }

    @Test(arguments: [
      "HEADWAY_PROGRESS=2;token;/nowhere/1-2.sock", "HEADWAY_PROGRESS=3;x", "HEADWAY_PROGRESS=;",
    ])
    func `With a variable that leads nowhere, work is published as usual`(_ variable: String) throws
    {
      let publisher = try publisher("top", [variable])
      #expect(publisher.line("id") != nil)
      let watcher = try PeerProcess(["watch", "own"], in: folder.path)
      #expect(watcher.line("began") != nil)
    }
  }
#endif
