#if os(Linux)
  import Glibc
  import ProcessFixtures
  import Testing

  /// Two real processes: one publishes, the other one watches.
  struct TwoProcessesTests {
    private let folder = Folder()

    private func publisher(_ words: String..., variables: [String] = []) throws -> PeerProcess {
      try PeerProcess(["publish"] + words, in: folder.path, variables: variables)
    }

    private func watcher(_ filter: String = "own") throws -> PeerProcess {
      let watcher = try PeerProcess(["watch", filter], in: folder.path)
      #expect(watcher.line("watching") != nil)
      return watcher
    }

    /// The sockets that there are.
    private var sockets: [String] { folderEntries(folder.path + "/headway") }

    @Test func `A watcher sees work from its beginning to its end`() throws {
      let watcher = try watcher()
      // Whoever sees this work is watching, so that what is published next is new.
      let earlier = try self.publisher("earlier")
      #expect(watcher.line("began \(earlier.pid).1") != nil)
      let publisher = try publisher("copy")
      let id = try #require(publisher.line("id ")).dropFirst(3)
      #expect(id == "\(publisher.pid).1")
      let began = try #require(watcher.line("began \(id)"))
      #expect(began.hasPrefix("began \(id) copy kind-"))
      #expect(began.hasSuffix("old=false pid=\(publisher.pid)"))
      publisher.send("child first")
      publisher.send("complete 40")
      #expect(
        watcher.line("state copy 40")
          == #"state copy 40 children=["first"] cancelled=false paused=false"#)
      publisher.send("finish")
      #expect(watcher.line("ended") == "ended copy finished")
      publisher.send("exit")
      #expect(publisher.end() == 0)
      earlier.send("exit")
      #expect(earlier.end() == 0)
      #expect(sockets == [])
    }

    @Test func `Work that was published before is found, and is old`() throws {
      let publisher = try publisher("copy")
      #expect(publisher.line("id") != nil)
      publisher.send("complete 7")
      #expect(publisher.line("done") != nil)
      // Another thread creates the socket.
      #expect(eventually { !sockets.isEmpty })
      let watcher = try watcher()
      #expect(watcher.line("began")?.hasSuffix("old=true pid=\(publisher.pid)") == true)
      #expect(watcher.line("state copy 7") != nil)
      watcher.send("list")
      #expect(watcher.line("listed") == "listed \(publisher.pid).1 7")
    }

    @Test func `Cancel, pause and resume reach the publisher, and so does its answer`() throws {
      let (publisher, watcher) = (try publisher("copy"), try watcher())
      #expect(watcher.line("began") != nil)
      watcher.send("pause")
      #expect(publisher.line("paused") != nil)
      #expect(watcher.line("done") != nil)
      watcher.send("resume")
      #expect(publisher.line("resumed") != nil)
      #expect(watcher.line("done") != nil)
      publisher.send("refuse")
      #expect(publisher.line("done") != nil)
      watcher.send("cancel")
      #expect(watcher.line("refused") == "refused: this work cannot be cancelled")
      let other = try self.publisher("other")
      #expect(watcher.line("began") != nil)
      watcher.send("cancel \(other.pid).1")
      #expect(other.line("cancelled") != nil)
      #expect(watcher.line("done") == "done cancel")
    }

    @Test func `A watcher is told when a process dies, unpublishes or exits`() throws {
      let watcher = try watcher()
      let killed = try publisher("killed")
      #expect(watcher.line("began") != nil)
      killed.end(SIGKILL)
      #expect(watcher.line("ended") == "ended killed died")
      let other = try publisher("other")
      #expect(watcher.line("began") != nil)
      // What was left behind is gone with the next start.
      #expect(other.line("id") != nil && sockets.count == 1)
      other.send("unpublish")
      #expect(watcher.line("ended") == "ended other unpublished")
      let quick = try publisher("quick")
      #expect(watcher.line("began") != nil)
      quick.send("finish\nexit")
      #expect(watcher.line("ended") == "ended quick finished")
      let dropped = try publisher("dropped")
      #expect(watcher.line("began") != nil)
      dropped.send("drop")
      #expect(watcher.line("ended") == "ended dropped finished")
    }

    @Test func `A process that is stopped is missing in the list, which says so`() throws {
      let (stopped, other) = (try publisher("stopped"), try publisher("other"))
      let watcher = try watcher()
      #expect(watcher.line("began") != nil && watcher.line("began") != nil)
      #expect(stopped.stop())
      watcher.send("look")
      let problem = "problem: process \(stopped.pid) did not answer"
      #expect(watcher.line(problem)?.hasPrefix(problem) == true)
      #expect(watcher.line("found")?.contains("\(stopped.pid)") == false)
      // One that is named is not waited for longer.
      watcher.send("tree \(other.pid).1")
      #expect(watcher.line("tree other ") != nil)
      kill(stopped.pid, SIGCONT)
    }

    @Test func `A tree that has to be polled is in the list`() throws {
      let publisher = try publisher("copy")
      publisher.send("poll")
      publisher.send("complete 7")
      #expect(publisher.line("done") != nil && publisher.line("done") != nil)
      let watcher = try watcher()
      #expect(watcher.line("began") != nil)
      watcher.send("list")
      #expect(watcher.line("listed") == "listed \(publisher.pid).1 7")
      publisher.send("complete 1")
      #expect(
        eventually {
          watcher.send("list")
          return watcher.line("listed") == "listed \(publisher.pid).1 8"
        })
      watcher.send("cancel")
      #expect(watcher.line("done cancel") != nil)
    }

    @Test func `The end of a watcher changes nothing for the publisher`() throws {
      let publisher = try publisher("copy")
      let watcher = try watcher()
      #expect(watcher.line("began") != nil)
      watcher.end(SIGKILL)
      publisher.send("complete 3")
      #expect(publisher.line("done complete") != nil)
      let next = try self.watcher()
      #expect(next.line("state copy 3") != nil)
    }

    @Test func `A copy made by fork neither publishes nor keeps its parent alive`() throws {
      let watcher = try watcher()
      let publisher = try publisher("copy")
      #expect(watcher.line("began") != nil)
      publisher.send("fork")
      let copy = try #require(publisher.line("copy "))
      #expect(copy.contains("a copy of a process cannot publish"))
      let child = try #require(copy.split(separator: " ").dropFirst().first.flatMap { pid_t($0) })
      publisher.end(SIGKILL)
      #expect(watcher.line("ended") == "ended copy died")
      kill(child, SIGKILL)
    }

    @Test func `Publications are chosen by kind, file and ID`() throws {
      let publisher = try publisher("copy", "/data/photos/1.jpg")
      let id = try #require(publisher.line("id ")).dropFirst(3)
      for filter in ["own", "file:/data/photos/1.jpg", "file:/data/photos", "id:\(id)"] {
        let watcher = try watcher(filter)
        #expect(watcher.line("began") != nil, "\(filter)")
      }
      let others = try ["kind:run", "file:/data", "id:1.1"].map { try watcher($0) }
      let second = try self.publisher("second", "/data")
      #expect(second.line("id") != nil)
      #expect(others[1].line("began")?.contains(" second ") == true)
      for other in [others[0], others[2]] {
        other.send("list")
        // The next line is not about a publication: none is seen.
        other.send("stop")
      }
    }

    @Test func `Publishing is turned off by the environment`() throws {
      let publisher = try publisher("copy", variables: ["HEADWAY_PUBLISH=off"])
      #expect(publisher.line("problem")?.contains("HEADWAY_PUBLISH=off") == true)
      publisher.send("complete 1")
      #expect(publisher.line("done") != nil)
      #expect(sockets == [])
    }

    @Test func `Without a usable directory the work goes on, and one sentence says why`() throws {
      folder.write("headway", "a file")
      let publisher = try publisher("copy")
      publisher.send("complete 1")
      #expect(publisher.line("done") != nil)
    }
  }
#endif
