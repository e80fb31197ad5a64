#if os(Linux)
  import Glibc
  import ProcessFixtures
  import Testing

  /// Tasks with `progress: zig`.
  struct ZigTaskTests {
    private let folder = Folder()
    /// The name of the plan, by which a watcher knows its run among those of other tests.
    private var name: String { "zig\(folder.path.split(separator: "-").last ?? "")" }
    private static let headway = "\(PeerProcess.programs)/headway"
    private static let wait = "while test ! -e go; do sleep 0.02; done"

    /// Runs a plan.
    private func run(
      _ plan: String, _ variables: [String] = [], _ arguments: [String] = []
    ) throws -> PeerProcess {
      folder.write("plan.yaml", "name: \(name)\n\(plan)")
      return try PeerProcess(
        ["run", "\(folder.path)/plan.yaml", "--ui", "plain"] + arguments, in: folder.path,
        variables: variables, program: Self.headway)
    }

    /// The variable by which a run finds an `ssh` that runs the command for the other machine on this one.
    private func sshVariable() -> String {
      folder.installProgram(
        "ssh",
        """
        #!/bin/sh
        while test "$1" != one; do shift; done
        shift
        exec sh -c "$*"
        """)
      unsafe symlink(Self.headway, "\(folder.path)/headway")
      let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
      return "PATH=\(folder.path):\(path)"
    }

    /// The output of a task.
    private func log(_ task: String) -> [String] {
      folder.write("read.sh", "cat \(folder.path)/.headway/runs/2*/logs/\(task).log; echo end")
      let reader = try? PeerProcess(
        ["\(folder.path)/read.sh"], in: folder.path, program: "/bin/sh")
      var lines: [String] = []
      while let line = reader?.line(""), line != "end" { lines.append(line) }
      return lines
    }

    /// Waits until the run has a tree.
    private func shows(_ tree: String) throws -> Bool {
      let watcher = try PeerProcess(["watch", "kind:run"], in: folder.path)
      // Other runs may be seen as well.
      var began = ""
      while !began.contains(" \(name) run "), let line = watcher.line("began") { began = line }
      let id = try #require(began.split(separator: " ").dropFirst().first)
      return eventually {
        watcher.send("tree \(id)")
        return watcher.line("tree")?.hasSuffix(tree) == true
      }
    }

    @Test(arguments: ["48", "128"])
    func `What a program in Zig reports is shown below its task`(record: String) throws {
      let run = try run(
        """
        tasks:
          build: { run: [\(PeerProcess.programs)/RelayPeer, zig, "\(record)", sh, -c, "\(Self.wait)"], progress: zig }
        """)
      #expect(try shows("[build 0/1 [zig 0/1 [program 0/? []]]]"))
      folder.write("go", "")
      #expect(run.line("\(name): 1 succeeded") != nil)
      #expect(run.end() == 0)
    }

    @Test func `What a program in Zig reports on another machine is shown below its task`() throws {
      let run = try run(
        """
        tasks:
          build: { run: [\(PeerProcess.programs)/RelayPeer, zig, "48", sh, -c, "\(Self.wait)"], progress: zig }
          list: { run: 'test $ZIG_PROGRESS = 3 && test -e /proc/$$/fd/3', progress: zig }
          plain: { run: 'test -z "$ZIG_PROGRESS"' }
        """, [sshVariable()], ["--on", "one:3"])
      #expect(try shows("[build 0/1 [zig 0/1 [program 0/? []]]]"))
      folder.write("go", "")
      #expect(run.line("\(name): 3 succeeded") != nil)
      #expect(run.end() == 0)
    }

    @Test func `Only tasks that ask for it have the pipe, and no task has another descriptor`()
      throws
    {
      let list =
        "echo zig=$ZIG_PROGRESS; for n in 3 4 5 6 7 8 9; do test -e /proc/$$/fd/$n && echo has $n; done; true"
      let plan = """
        tasks:
          with: { run: '\(list)', progress: zig }
          plain: { run: '\(list)' }
        """
      for (variables, with) in [([], ["zig=3", "has 3"]), (["HEADWAY_ZIG=off"], ["zig="])] {
        let run = try run(plan, variables + ["ZIG_PROGRESS=7"])
        #expect(run.line("\(name): 2 succeeded") != nil)
        #expect(run.end() == 0)
        #expect(log("with").suffix(with.count) == with[...])
        #expect(log("plain").suffix(1) == ["zig="])
      }
    }

    @Test func `Bytes that are not progress are one line at the end of the run`() throws {
      let zig = "\(PeerProcess.programs)/RelayPeer zig 128 true"
      folder.write("odd.sh", "printf '\\377' >&3; while test ! -e go; do \(zig); done")
      folder.write(
        "plan.yaml", "name: \(name)\ntasks:\n  odd: { run: [sh, odd.sh], progress: zig }\n")
      folder.write("run.sh", "\(Self.headway) run \(folder.path)/plan.yaml --ui plain 2>&1")
      let run = try PeerProcess(["\(folder.path)/run.sh"], in: folder.path, program: "/bin/sh")
      // What follows is shown.
      #expect(try shows("[odd 0/1 [zig 0/1 [program 0/? []]]]"))
      folder.write("go", "")
      #expect(
        run.line("headway: what")
          == "headway: what a program has written to ZIG_PROGRESS is not progress of Zig 0.13 to 0.17 and was ignored"
      )
      #expect(run.end() == 0)
    }
  }
#endif
