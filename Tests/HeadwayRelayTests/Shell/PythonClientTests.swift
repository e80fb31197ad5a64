#if os(Linux)
  import DocumentedPages
  import ProcessFixtures
  import Testing

  /// `Examples/relay_client.py`, which needs no library.
  struct PythonClientTests {
    private let folder = Folder()
    private let pages = DocumentedPages(of: "HeadwayRelay")

    /// Runs the client, and returns its process.
    private func client(_ words: String...) throws -> PeerProcess {
      let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
      return try PeerProcess(
        ["python3", "/\(root)/Examples/relay_client.py"] + words, in: folder.path,
        program: "/usr/bin/env")
    }

    @Test func `It has at most 40 lines`() throws {
      let lines = try pages.lines(of: "Examples/relay_client.py")
      // After the last line end, there is no line.
      #expect(lines.last == "" && lines.count - 1 <= 40)
    }

    @Test func `It draws what is published, and cancels one`() throws {
      let publisher = try PeerProcess(["publish", "copy"], in: folder.path)
      let id = String(try #require(publisher.line("id ")).dropFirst(3))
      publisher.send("child part")
      publisher.send("complete 45")
      #expect(publisher.line("done complete") != nil)
      let bar = "\(id)  [#########           ]  45%  'copy'"
      #expect(try client().line("\(id) ") == bar)
      let second = try client("cancel", id)
      #expect(second.line("\(id) ") == bar)
      #expect(publisher.line("cancelled") != nil)
      #expect(second.line("cancelled") != nil)
      publisher.send("refuse")
      #expect(publisher.line("done refuse") != nil)
      #expect(try client("cancel", id).line("this work") == "this work cannot be cancelled")
      publisher.send("finish")
      #expect(publisher.line("done finish") != nil)
      #expect(try client().line("\(id) ") == nil)
    }
  }
#endif
