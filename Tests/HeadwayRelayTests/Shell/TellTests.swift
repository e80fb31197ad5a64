#if os(Linux)
  import Glibc
  import ProcessFixtures
  import Testing

  /// `headway tell`, in a task and in a script of its own.
  struct TellTests {
    private let folder = Folder()
    private static let headway = "\(PeerProcess.programs)/headway"

    /// Runs a script, which waits for lines on its standard input by `read`.
    private func script(_ text: String, variables: [String] = []) throws -> PeerProcess {
      folder.write("script.sh", "tell() { \(Self.headway) tell \"$@\"; }\n\(text)\n")
      return try PeerProcess(
        ["\(folder.path)/script.sh"], in: folder.path, variables: variables, program: "/bin/sh")
    }

    private func watcher(_ kind: String = "tell") throws -> PeerProcess {
      let watcher = try PeerProcess(["watch", "kind:\(kind)"], in: folder.path)
      #expect(watcher.line("watching") != nil)
      return watcher
    }

    /// Waits until a watcher has seen a run, among those of other tests.
    private func id(ofRun name: String, seenBy watcher: PeerProcess) throws -> Substring {
      var began = ""
      while !began.contains(" \(name) run "), let line = watcher.line("began") { began = line }
      return try #require(began.split(separator: " ").dropFirst().first)
    }

    @Test func `A script that tells its progress is seen until it ends`() throws {
      let watcher = try watcher()
      let script = try script(
        """
        tell 42/100 "copying photos" && echo told
        read line
        tell +8; tell 75%; tell --total 200 --label Photos
        read line
        """)
      #expect(script.line("told") != nil)
      #expect(watcher.line("began")?.contains(" script.sh ") == true)
      #expect(watcher.line("state script.sh 42") != nil)
      script.send("go on")
      #expect(watcher.line("state script.sh 75") != nil)
      script.send("end")
      // The publisher may end before the last change of the label is seen.
      #expect(watcher.line("ended") != nil)
      #expect(script.end() == 0)
      #expect(eventually { folderEntries("\(folder.path)/headway").isEmpty })
    }

    @Test func `Who cancels the work of a script sends it SIGTERM`() throws {
      let watcher = try watcher()
      let script = try script("trap 'echo stopped; exit 5' TERM; tell 1 && echo told; read line")
      #expect(script.line("told") != nil)
      #expect(watcher.line("began") != nil)
      watcher.send("pause")
      #expect(watcher.line("refused")?.hasSuffix("cannot be paused by another program") == true)
      watcher.send("cancel")
      #expect(script.line("stopped") != nil)
      #expect(script.end() == 5 << 8)
    }

    @Test func `The second process does not keep the pipes of a script open`() throws {
      let script = try script(
        "echo \"$(tell 5; echo inside)\"; exec 3>&1; tell 6; echo done; read line")
      #expect(script.line("inside") != nil)
      #expect(script.line("done") != nil)
    }

    @Test func `Inside of a task the task moves, with all that it starts`() throws {
      // Runs of other tests may be seen as well.
      let name = String(folder.path.split(separator: "/").last ?? "")
      folder.write(
        "plan.yaml",
        """
        name: \(name)
        tasks:
          copy:
            run: "\(Self.headway) tell 3/10 copying; sh -c '\(Self.headway) tell +4'; while test ! -e go; do sleep 0.02; done"
        """)
      let watcher = try watcher("run")
      let run = try PeerProcess(
        ["run", "\(folder.path)/plan.yaml", "--ui", "plain"], in: folder.path,
        program: Self.headway)
      let id = try self.id(ofRun: name, seenBy: watcher)
      #expect(
        eventually {
          watcher.send("tree \(id)")
          return watcher.line("tree")?.contains("[copy 7/10 []]") == true
        })
      folder.write("go", "")
      #expect(watcher.line("ended \(name)") == "ended \(name) finished")
      #expect(run.line("\(name): 1 succeeded") != nil)
      #expect(run.end() == 0)
    }

    @Test func `A task that is tried again begins anew, and a run that fails says so`() throws {
      let name = String(folder.path.split(separator: "/").last ?? "")
      folder.write(
        "plan.yaml",
        """
        name: \(name)
        tasks:
          copy:
            retries: { limit: 1, backoff: 1ms }
            run: |
              if test ! -e first; then
                touch first; \(Self.headway) tell 9/10 one --finish; exit 1
              fi
              \(Self.headway) tell +1 --total 10
              while test ! -e go; do sleep 0.02; done
              exit 3
        """)
      let watcher = try watcher("run")
      let run = try PeerProcess(
        ["run", "\(folder.path)/plan.yaml", "--ui", "plain"], in: folder.path,
        program: Self.headway)
      let id = try self.id(ofRun: name, seenBy: watcher)
      #expect(
        eventually {
          watcher.send("tree \(id)")
          return watcher.line("tree")?.contains("[copy 1/10 []]") == true
        })
      folder.write("go", "")
      #expect(watcher.line("ended \(name)") == "ended \(name) failed")
      #expect(run.end() == 1 << 8)
    }

    @Test func `After the death of its publisher, a script that tells at once has one again`()
      throws
    {
      let watcher = try watcher()
      let script = try script(
        """
        tell 1/100; echo told; read line
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do tell +1 --total 100 --for $$ & done
        wait; echo told again; read line
        """)
      #expect(script.line("told") != nil)
      let began = try #require(watcher.line("began"))
      let publisher = try #require(Int32(began.split(separator: "=").last ?? ""))
      kill(publisher, SIGKILL)
      #expect(watcher.line("ended") != nil)
      script.send("go on")
      #expect(script.line("told again") != nil)
      #expect(
        eventually {
          watcher.send("tree")
          return watcher.line("tree") == "tree script.sh 12/100 []"
        })
      #expect(
        eventually {
          let files = folderEntries("\(folder.path)/headway")
          return files.count { $0.hasSuffix(".share") } == 1
            && files.count { $0.hasSuffix(".sock") } == 1
        })
    }

    @Test func `What cannot be shown is no reason to fail`() throws {
      folder.write("file", "")
      let script = try script(
        "set -e; tell 1; HEADWAY_PROGRESS='2;x;/nowhere/1.sock' tell 2; tell --for 999999999 3 2>&1; echo end"
      )
      #expect(
        script.line("headway: cannot show the progress: there is no process 999999999") != nil)
      #expect(script.line("end") != nil)
      #expect(script.end() == 0)
      let off = try self.script("tell 1 && echo end", variables: ["HEADWAY_PUBLISH=off"])
      #expect(off.line("end") != nil)
      #expect(off.end() == 0)
    }

    @Test(arguments: [
      ("", "headway: tell needs an amount, such as 42/100, 42%, +1 or 42, or a message in quotes"),
      (
        "--lable x 1", "headway: unknown option --lable; did you mean --label?"
      ),
      (
        "--quiet 1",
        "headway: unknown option --quiet; valid options: --message, --total, --label, --finish, --for, --no-cancel"
      ),
      ("--total x 1", "headway: --total takes a whole number from 0, not 'x'"),
      ("--for 0 1", "headway: --for takes the number of a process, not '0'"),
    ])
    func `A slip is answered with one line and the code 2`(_ words: String, _ line: String) throws {
      let script = try script("tell \(words) 2>&1; echo code $?")
      #expect(script.line("headway: ") == line)
      #expect(script.line("code") == "code 2")
    }

    @Test func `Texts and numbers that a script has computed are no mistakes`() throws {
      let watcher = try watcher()
      let long = String(repeating: "长", count: 2_000)
      let script = try script(
        """
        set -e
        tell 1/10 -x.jpg; tell +1 -- --help; tell +1 --message --odd; tell +1 --message ""
        tell +1 "\(long)" --label "\(long)"; tell 0x10%; tell 101%; tell 99999999999999999999
        tell 3/10; echo told; read line
        """)
      #expect(script.line("told") != nil)
      let label = String(repeating: "长", count: 85)
      #expect(
        eventually {
          watcher.send("tree")
          return watcher.line("tree") == "tree \(label) 3/10 []"
        })
    }

    @Test func `Inside of a directory whose name has a semicolon, a script is seen, too`() throws {
      let other = "\(folder.path)/a;b"
      unsafe mkdir(other, 0o700)
      let script = try script("tell 1 2>&1; echo end", variables: ["XDG_RUNTIME_DIR=\(other)"])
      #expect(script.line("") == "end")
    }

    @Test func `The largest numbers do no harm`() throws {
      let watcher = try watcher()
      let script = try script(
        "tell --total 9223372036854775807 100%; tell +9223372036854775807; tell 7/0; echo told; read line"
      )
      #expect(script.line("told") != nil)
      #expect(watcher.line("state script.sh 7") != nil)
    }
  }
#endif
