#if os(Linux)
  import Glibc
  import HeadwayLock
  import HeadwayProgress
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Programs below a share that report as those written in Zig do.
  struct ZigInputTests {
    /// Prepares a process for a test of its own, because the environment is one for all threads.
    static func prepare(_ folder: Folder) {
      unsafe setenv("XDG_RUNTIME_DIR", folder.path, 1)
      for name in ["HEADWAY_PROGRESS", "HEADWAY_PUBLISH", "HEADWAY_ZIG", "ZIG_PROGRESS"] {
        unsafe unsetenv(name)
      }
    }

    /// A share, and a second descriptor for its pipe, as a program would have it.
    static func open(_ label: String = "step") -> (share: ProcessShare, pipe: Int32) {
      let share = ProcessShare(ProgressNode(label))
      let pipe = share.withZigDescriptor { descriptor in descriptor.map { dup($0) } ?? -1 }
      return (share, pipe)
    }

    static func write(_ bytes: [UInt8], _ pipe: Int32) -> Bool {
      unsafe Glibc.write(pipe, bytes, bytes.count) == bytes.count
    }

    /// The labels and counts of a tree.
    static func picture(_ node: ProgressNode) -> String { picture(node.snapshot()) }

    private static func picture(_ tree: ProgressSnapshot) -> String {
      let children = tree.children.map { picture($0) }.joined(separator: ", ")
      return "\(tree.label) \(tree.completed)/\(tree.total.map { "\($0)" } ?? "?") [\(children)]"
    }

    static func shows(_ share: ProcessShare, _ text: String) -> Bool {
      eventually { picture(share.node) == text }
    }

    @Test(arguments: 0..<ZigCapture.steps.count)
    func `The tree of a program appears below its share, and ends with the program`(
      layout: Int
    ) async {
      await #expect(processExitsWith: .success) { [layout = layout as Int] in
        let folder = Folder()
        Self.prepare(folder)
        let (share, pipe) = Self.open()
        let packets = ZigCapture.steps[layout].packets
        #expect(Self.write(packets[0], pipe))
        #expect(Self.shows(share, "step 0/1 [peer 1/4 [found 5/? [], step 2 2/3 []]]"))
        #expect(Self.write(packets[1] + packets[2], pipe))
        #expect(Self.shows(share, "step 0/1 [peer 3/4 [found 11/? [], step 4 2/3 []]]"))
        close(pipe)
        #expect(Self.shows(share, "step 1/1 []"))
        share.finish()
      }
    }

    @Test func `The names of a program are masked`() async {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        Self.prepare(folder)
        let node = ProgressNode("step")
        let inCapitals: TextMask = { text, _ in text.uppercased() }
        let shares = ProcessShares(masked: inCapitals) { _ in node }
        let pipe = shares.openZigPipe(of: 0) ?? -1
        #expect(Self.write(ZigCapture.steps[0].packets[0], pipe))
        #expect(
          eventually {
            Self.picture(node) == "step 0/1 [PEER 1/4 [FOUND 5/? [], STEP 2 2/3 []]]"
          })
        shares.finish()
      }
    }

    @Test func `A program that rewrites its tree changes nothing`() async {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        Self.prepare(folder)
        let (share, pipe) = Self.open()
        let packets = ZigCapture.steps[1].packets
        #expect(Self.write(packets[0], pipe))
        #expect(Self.shows(share, "step 0/1 [peer 1/4 [found 5/? [], step 2 2/3 []]]"))
        let changes = HeadwayLock.Semaphore()
        let observer = TreeObserver(share.node) { changes.post(1) }
        _ = observer.snapshot(limit: 10)
        #expect(!observer.arm())
        for _ in 0..<20 { #expect(Self.write(packets[0], pipe)) }
        // What is written to another pipe later has arrived.
        let other = Self.open("other")
        #expect(Self.write(packets[0], other.pipe))
        #expect(Self.shows(other.share, "other 0/1 [peer 1/4 [found 5/? [], step 2 2/3 []]]"))
        #expect(observer.disarm())
      }
    }

    @Test func `Bytes of something else are one problem, and packets that follow are shown`() async
    {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        Self.prepare(folder)
        let problems = Guarded<[RelayError]>([])
        let published = ProgressNode("published")
        published.publish { problem in problems.withLock { $0.append(problem) } }
        let (share, pipe) = Self.open()
        #expect(Self.write([255, 10], pipe))
        #expect(eventually { problems.withLock { $0 } == [.notZigProgress] })
        #expect(Self.write([0], pipe))
        let packets = ZigCapture.steps[0].packets
        // It may be read together with what comes before.
        #expect(
          eventually {
            Self.write(packets[0], pipe)
              && Self.picture(share.node).hasPrefix("step 0/1 [peer 1/4 [")
          })
        #expect(problems.withLock { $0 } == [.notZigProgress])
        published.finish()
      }
    }

    @Test func `The end of a share ends its pipe, with what was written before`() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_IGN)
        let folder = Folder()
        Self.prepare(folder)
        let packets = ZigCapture.steps[1].packets
        func useShare() {
          let (share, pipe) = Self.open()
          #expect(Self.write(packets[0], pipe))
          share.finish()
          #expect(eventually { !Self.write(packets[1], pipe) && errno == EPIPE })
          #expect(share.node.isFinished)
          close(pipe)
        }
        // Some descriptors are there for good after the first time.
        useShare()
        let kept = ProcessShare(ProgressNode())
        #expect(!kept.environment.isEmpty)
        let before = openDescriptors(of: "self")
        for _ in 0..<10 { useShare() }
        #expect(eventually { openDescriptors(of: "self") == before })
        kept.finish()
      }
    }

    @Test func `Each program has a pipe of its own, and the first stands for the share`() async {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        Self.prepare(folder)
        let (share, first) = Self.open()
        let second = share.withZigDescriptor { descriptor in dup(descriptor ?? -1) }
        #expect(Self.write(ZigCapture.steps[0].packets[0], first))
        #expect(Self.shows(share, "step 0/1 [peer 1/4 [found 5/? [], step 2 2/3 []]]"))
        #expect(Self.write(ZigPacket([ZigPacket.Node("b", parent: nil)]).encoded(.long), second))
        #expect(
          Self.shows(share, "step 0/1 [peer 1/4 [found 5/? [], step 2 2/3 []], b 0/? []]"))
        close(first)
        #expect(Self.shows(share, "step 1/1 [b 0/? []]"))
        let child = share.node.snapshot().children.first
        #expect(child?.isCancellable == false && child?.isPausable == false)
      }
    }

    @Test func `The descriptor is closed when a program is started, and never waits`() async {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        Self.prepare(folder)
        let share = ProcessShare(ProgressNode("step"))
        let number = share.withZigDescriptor { descriptor in
          let descriptor = descriptor ?? -1
          #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
          #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
          // F_GETPIPE_SZ.
          #expect(fcntl(descriptor, 1_032) == Int32(ZigPacket.Layout.ownCapacity))
          return descriptor
        }
        #expect(fcntl(number, F_GETFD) == -1)
      }
    }

    @Test(arguments: ["HEADWAY_ZIG", "HEADWAY_PUBLISH"])
    func `The environment turns it off`(name: String) async {
      await #expect(processExitsWith: .success) { [name = name as String] in
        let folder = Folder()
        Self.prepare(folder)
        unsafe setenv(name, "off", 1)
        let share = ProcessShare(ProgressNode("step"))
        #expect(share.withZigDescriptor { $0 } == nil)
      }
    }

    @Test func `A program does not report through the pipe of the one that has started it`() async {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        Self.prepare(folder)
        let share = ProcessShare(ProgressNode("step"))
        #expect(share.environment.keys.sorted() == ["HEADWAY_PROGRESS"])
        unsafe setenv("ZIG_PROGRESS", "3", 1)
        #expect(share.environment["ZIG_PROGRESS"] == "")
      }
    }
  }
#endif
