import Glibc
import HeadwayTerminal
import ProcessFixtures
import Repetitions
import Testing

/// Runs of real commands, in a pipe.
struct RunTests {
  /// Runs a plan and returns what came of it; nothing of it may be alive afterwards.
  private func run(
    _ plan: String, _ options: [String] = [], sandbox: Sandbox? = nil,
    within limit: Duration = RunningTool.usualLimit, variables: [String] = []
  ) -> (end: ProcessEnd, text: String, sandbox: Sandbox) {
    let sandbox = sandbox ?? Sandbox()
    sandbox.write(plan, to: "plan.yaml")
    let tool = RunningTool(["run", "plan.yaml"] + options, in: sandbox, variables: variables)
    let end = tool.end(within: limit)
    #expect(sandbox.survivors() == [])
    return (end, tool.text, sandbox)
  }

  @Test func `Tasks run in their order and their output is kept in their logs`() {
    let result = run(
      """
      tasks:
        second: { run: "cat one; echo two >&2", after: first }
        first: { run: "echo 1 > one" }
      """)
    #expect(result.end == .code(0))
    #expect(result.sandbox.read(".headway/runs/latest/logs/second.log") == "1\ntwo\n")
    #expect(!result.sandbox.has(".headway/runs/latest/logs/first.log"))
  }

  @Test func `A failure is told with its code, its last lines and its log, and ends with 1`() {
    let result = run(
      "tasks:\n  bad: { run: 'echo boom; exit 7' }\n  next: { run: echo, after: bad }\n")
    #expect(result.end == .code(1))
    #expect(result.text.contains("exit 7"))
    #expect(result.text.contains("boom"))
    #expect(result.text.contains("/bad.log"))
    #expect(result.text.contains("needs bad"))
  }

  @Test func `A failed optional task does not fail the run, and what needs it runs`() {
    let result = run(
      "tasks:\n  bad: { run: 'false', optional: true }\n  next: { run: touch next, after: bad }\n")
    #expect(result.end == .code(0))
    #expect(result.sandbox.has("next"))
  }

  @Test func `A time-out ends with 124 and ends grandchildren that ignore it`() {
    let result = run(
      """
      tasks:
        deaf:
          timeout: 300ms
          grace: 200ms
          run: |
            trap '' TERM INT HUP
            (trap '' TERM; sleep 300) &
            setsid sh -c "trap '' TERM; sleep 300" &
            sh -c "trap '' TERM; (sleep 300; true); true"
            true
      """)
    #expect(result.end == .code(124))
    #expect(result.text.contains("timed out"))
  }

  @Test func `A time-out whose retry succeeds is a success`() {
    let result = run(
      """
      tasks:
        slow:
          run: if [ "$HEADWAY_ATTEMPT" = 1 ]; then sleep 300; fi
          timeout: 1s
          # However slow the machine is, one of them ends in time.
          retries: { limit: 100, backoff: 10ms }
      """)
    #expect(result.end == .code(0))
    #expect(result.sandbox.read(".headway/runs/latest/logs/slow.log").contains("attempt 2"))
  }

  @Test func `What a task leaves behind is ended and named in its log`() {
    let result = run("tasks:\n  a: { run: 'sleep 300 & setsid sleep 301 & echo started' }\n")
    #expect(result.end == .code(0))
    let log = result.sandbox.read(".headway/runs/latest/logs/a.log")
    #expect(log.contains("started\n[headway] left running, now ended: "))
  }

  @Test func `A daemon that hides its environment is ended with the run`() {
    let sleep = longSleep()
    let result = run("tasks:\n  a: { run: 'setsid env -i \(sleep) & echo' }\n")
    #expect(result.end == .code(0))
    #expect(!commands().contains(sleep))
  }

  @Test func `What a detached task leaves behind lives on`() {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: 'setsid sleep 302 & echo $! > pid', detach: true }\n")
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0))
    #expect(eventually { sandbox.survivors().contains { $0.hasSuffix("sleep 302 ") } })
    endSurvivors(of: sandbox)
  }

  @Test func `A task that closes its descriptors ends like any other`() {
    let result = run("tasks:\n  a: { run: 'exec 0<&- 1>&- 2>&-; : ; exit 3' }\n")
    #expect(result.end == .code(1))
    #expect(result.text.contains("exit 3"))
  }

  @Test func `A task gets three descriptors and no more`() {
    let result = run("tasks:\n  a: { run: [ls, /proc/self/fd] }\n")
    // The fourth is the folder that ls itself reads.
    #expect(result.sandbox.read(".headway/runs/latest/logs/a.log") == "0\n1\n2\n3\n")
  }

  @Test func `A task starts with the signals as it expects them`() {
    let plan = """
      tasks:
        quiet: { run: "sh -c 'yes | head -n 1'" }
        signals: { run: "grep -E '^Sig(Blk|Ign)' /proc/self/status" }
      """
    let result = run(plan)
    #expect(result.end == .code(0))
    #expect(result.sandbox.read(".headway/runs/latest/logs/quiet.log") == "y\n")
    let log = result.sandbox.read(".headway/runs/latest/logs/signals.log").split(separator: "\n")
    #expect(log.first == "SigBlk:\t0000000000000000")
    // What was ignored before stays so; headway itself ignores these two.
    let ignored = log.last?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? .max
    #expect(ignored & (1 << (SIGPIPE - 1) | 1 << (SIGXFSZ - 1)) == 0)
  }

  @Test func `SIGQUIT ends a command that has no use for it`() {
    let run = GatedRun()
    let logs = RunningTool(["logs", "-f", "build"], in: run.sandbox)
    #expect(logs.wait(for: "one"))
    kill(logs.pid, SIGQUIT)
    #expect(logs.end() == .signal(SIGQUIT))
    #expect(run.finish() == .code(0))
  }

  @Test func `A run that inherits an ignored SIGCHLD hears of the end of its tasks`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'true' }\n  b: { run: exit 3, after: a }\n")
    let tool = RunningTool(
      ["-c", "trap '' CHLD; exec '\(RunningTool.path)' run plan.yaml"], in: sandbox,
      program: "/bin/bash")
    #expect(tool.end() == .code(1))
    #expect(tool.text.contains("exit 3"))
  }

  @Test func `A task that was ended by a signal is reported with that signal`() {
    let result = run("tasks:\n  a: { run: 'kill -KILL $$; true' }\n")
    #expect(result.end == .code(1))
    #expect(result.text.contains("SIGKILL"))
  }

  @Test func `Output in a file has no colors, and in a terminal it has`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'false' }\n")
    let words = ["run", "plan.yaml", "--ui", "plain"]
    let pipe = RunningTool(words, in: sandbox, variables: ["NO_COLOR="])
    #expect(pipe.end() == .code(1))
    #expect(!pipe.text.contains("\u{1B}"))
    let terminal = RunningTool(
      words, in: sandbox, terminal: TerminalSize(columns: 80, rows: 24), variables: ["NO_COLOR="])
    #expect(terminal.end() == .code(1))
    #expect(terminal.text.contains("\u{1B}["))
  }

  @Test func `A missing program is reported by name`() {
    let result = run("tasks:\n  a: { run: no-such-program --now }\n")
    #expect(result.end == .code(1))
    #expect(result.text.contains("command not found: no-such-program"))
  }

  @Test func `A script without an interpreter line is run by the shell`() {
    let sandbox = Sandbox()
    sandbox.installProgram("echo from $1 > made", at: "script")
    #expect(run("tasks:\n  a: { run: ./script here }\n", sandbox: sandbox).end == .code(0))
    #expect(sandbox.read("made") == "from here\n")
  }

  @Test func `A script of several lines stops at its first failure`() {
    let result = run("tasks:\n  a:\n    run: |\n      false\n      touch went-on\n")
    #expect(result.end == .code(1))
    #expect(!result.sandbox.has("went-on"))
  }

  @Test func `A task whose files are as after its last success is up to date`() {
    let plan = """
      tasks:
        copy: { run: "cat in > out; echo x >> ran", inputs: [in], outputs: [out] }
      """
    let sandbox = Sandbox()
    sandbox.write("1", to: "in")
    #expect(run(plan, sandbox: sandbox).text.contains("1 succeeded"))
    #expect(run(plan, sandbox: sandbox).text.contains("1 up to date"))
    sandbox.write("2", to: "in")
    #expect(run(plan, sandbox: sandbox).text.contains("1 succeeded"))
    sandbox.write("changed by hand", to: "out")
    #expect(run(plan, sandbox: sandbox).text.contains("1 succeeded"))
    #expect(run(plan, sandbox: sandbox).text.contains("1 up to date"))
    #expect(sandbox.read("ran") == "x\nx\nx\n")
  }

  @Test func `A task runs again when a variable that its command mentions has changed`() {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: 'echo $LEVEL > out', inputs: [plan.yaml], outputs: [out] }\n")
    for (level, line) in [
      (["LEVEL=0"], "1 succeeded"), (["LEVEL=0"], "1 up to date"), (["LEVEL=2"], "1 succeeded"),
      (["LEVEL="], "1 succeeded"), ([], "1 succeeded"), ([], "1 up to date"),
    ] {
      let tool = RunningTool(["run", "plan.yaml"], in: sandbox, variables: level)
      #expect(tool.end() == .code(0))
      #expect(tool.text.contains(line))
    }
  }

  @Test func `Files that do not exist after a success are told at the end`() {
    let result = run(
      """
      tasks:
        a: { run: "true", inputs: "none.*", outputs: [out, "*.\\e"] }
        b: { run: "true", inputs: plan.yaml }
      """)
    #expect(result.end == .code(0))
    #expect(
      result.text.contains(
        "headway: task 'a' will run again next time: no file matches none.*, out, *.\u{FFFD}\n"))
    #expect(!result.text.contains("task 'b'"))
  }

  @Test func `A selection runs what always runs after it`() {
    let result = run(
      """
      tasks:
        up: { run: echo up >> trace }
        test: { run: "echo test >> trace; false", after: up }
        deploy: { run: echo deploy >> trace, after: test }
        down: { run: echo down >> trace, always: true, after: [deploy, test] }
      """, ["test"])
    #expect(result.end == .code(1))
    #expect(result.sandbox.read("trace") == "up\ntest\ndown\n")
  }

  @Test func `A task knows its name, also inside a task of another run`() {
    let sandbox = Sandbox()
    sandbox.write(
      "tasks:\n  inner: { run: 'echo $HEADWAY_TASK > inner', matrix: { v: [x] } }\n",
      to: "inner.yaml")
    let result = run(
      """
      tasks:
        outer: { run: "echo $HEADWAY_TASK > outer; '\(RunningTool.path)' run inner.yaml" }
      """, sandbox: sandbox)
    #expect(result.end == .code(0))
    #expect(sandbox.read("outer") == "outer\n")
    #expect(sandbox.read("inner") == "inner[x]\n")
  }

  @Test func `A failure counts more than a time-out`() {
    // The failure comes first, and then the time-out.
    let result = run(
      "tasks:\n  a: { run: exit 3 }\n  b: { run: sleep 300, timeout: 300ms }\n",
      ["--keep-going", "--workers", "1"])
    #expect(result.text.contains("timed out"))
    #expect(result.end == .code(1))
  }

  @Test func `Too few descriptors for a task are told, and nothing runs`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: touch ran }\n")
    let tool = RunningTool(
      ["-c", "ulimit -n 20; exec '\(RunningTool.path)' run plan.yaml"], in: sandbox,
      program: "/bin/sh")
    #expect(tool.end() == .code(69))
    #expect(
      tool.text
        == "headway: the limit on open files is 20, and headway needs 32; raise it with ulimit -n\n"
    )
    #expect(!sandbox.has("ran"))
  }

  @Test func `The name of a stray cannot control the terminal`() {
    let sandbox = Sandbox()
    let program = "\u{1B}[31m\(getpid())"
    let result = run(
      """
      tasks:
        a:
          run: |
            ln -s "$(command -v sleep)" "$(printf '\\033[31m\(getpid())')"
            setsid env -i "./$(printf '\\033[31m\(getpid())')" 304 &
            # Until it is a process of its own.
            until grep -q 31m /proc/$!/comm; do :; done
      """, sandbox: sandbox)
    #expect(result.end == .code(0))
    #expect(!result.text.contains(program))
    #expect(
      result.text.contains("ended processes that belong to no task: ?[31m\(getpid()) ("))
  }

  @Test func `A task that ran out of time is not up to date, whatever it answers`() {
    let plan = """
      tasks:
        t:
          run: trap "exit 0" TERM; echo partial > out; sleep 300 & wait
          inputs: [in]
          outputs: [out]
          timeout: 300ms
      """
    let sandbox = Sandbox()
    sandbox.write("1", to: "in")
    #expect(run(plan, sandbox: sandbox).end == .code(124))
    #expect(run(plan, sandbox: sandbox).end == .code(124))
  }

  @Test func `A forced run runs what is up to date`() {
    let plan = "tasks:\n  a: { run: 'echo x >> ran', inputs: [in] }\n"
    let sandbox = Sandbox()
    sandbox.write("1", to: "in")
    _ = run(plan, sandbox: sandbox)
    #expect(run(plan, ["--force"], sandbox: sandbox).text.contains("1 succeeded"))
    #expect(sandbox.read("ran") == "x\nx\n")
  }

  @Test func `A task has no terminal to wait for`() {
    let result = run("tasks:\n  a: { run: 'read x < /dev/tty', timeout: 60s }\n")
    #expect(result.end == .code(1))
  }

  @Test func `What hides and ignores a time-out is ended before the next attempt`() {
    let sandbox = Sandbox()
    let sleep = longSleep()
    sandbox.installProgram(
      """
      #!/bin/sh
      hidden() { cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' ' | grep -c "[s]\(sleep.dropFirst()) "; }
      if [ "$HEADWAY_ATTEMPT" = 2 ]; then hidden > seen; exit 0; fi
      env -i setsid sh -c "trap '' TERM; exec \(sleep)" &
      until [ "$(tr '\\0' ' ' < /proc/$!/cmdline)" = "\(sleep) " ]; do sleep 0.01; done
      hidden > hides
      sleep 300
      """, at: "hide")
    // The time-out is what is tested: until then the first attempt has to hide, and the second one has to look.
    let result = run(
      """
      tasks:
        a: { run: ./hide, timeout: 10s, grace: 100ms, retries: { limit: 1, backoff: 10ms } }
      """, sandbox: sandbox)
    #expect(result.end == .code(0), "\(result.text)")
    #expect(sandbox.read("hides") == "1\n")
    #expect(sandbox.read("seen") == "0\n")
    #expect(!commands().contains(sleep))
  }

  @Test func `A daemon of a detached task lives on although it hides`() {
    let sleep = longSleep()
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: 'env -i setsid \(sleep) & echo', detach: true }\n")
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0))
    #expect(eventually { commands().contains(sleep) })
    endProcesses(named: sleep)
  }

  @Test func `A run without standard streams runs`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: touch ran }\n")
    let shell = RunningTool(
      ["-c", "\(RunningTool.path) run plan.yaml <&- >&- 2>&-; exec echo code=$? >&8"], in: sandbox,
      program: "/bin/sh")
    _ = shell.end()
    #expect(sandbox.has("ran"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A state folder that was there gets no file that hides it from git`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: echo }\n")
    sandbox.write("", to: "x")
    #expect(RunningTool.run(["run", "plan.yaml", "--state", "."], in: sandbox).end == .code(0))
    #expect(!sandbox.has(".gitignore"))
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0))
    #expect(sandbox.read(".headway/.gitignore") == "*\n")
  }

  @Test func `A state folder that is removed during the run is reported`() {
    let result = run(
      "tasks:\n  a: { run: rm -r .headway }\n  b: { run: echo lost, after: a }\n")
    #expect(result.end == .code(0))
    #expect(
      result.text.contains(
        "/.headway' was removed during the run; its journal, its logs and its history are lost\n"))
    #expect(!result.sandbox.has(".headway"))
  }

  @Test func `A task that failed is not up to date`() {
    let plan = "tasks:\n  a: { run: 'echo x >> ran; false', inputs: [in] }\n"
    let sandbox = Sandbox()
    sandbox.write("1", to: "in")
    _ = run(plan, sandbox: sandbox)
    #expect(run(plan, sandbox: sandbox).end == .code(1))
    #expect(sandbox.read("ran") == "x\nx\n")
  }

  @Test func `Only the named tasks and what they need are run`() {
    let result = run(
      "tasks:\n  a: { run: touch a }\n  b: { run: touch b, after: a }\n  c: { run: touch c }\n",
      ["b"])
    #expect(result.end == .code(0))
    #expect(result.sandbox.has("a") && result.sandbox.has("b") && !result.sandbox.has("c"))
  }

  @Test func `Quiet says nothing about a success`() {
    #expect(run("tasks:\n  a: { run: echo }\n", ["--ui", "quiet"]).text == "")
  }

  @Test func `A folder that cannot be written is told, and nothing runs`() {
    let result = run("tasks:\n  a: { run: touch ran }\n", ["--state", "/proc/headway"])
    #expect(result.end == .code(69))
    #expect(result.text.contains("name another folder with --state DIR"))
    #expect(!result.sandbox.has("ran"))
  }

  @Test func `Megabytes of output are kept whole`() {
    let size = repetitions(20_000_000, real: 100_000_000)
    let result = run("tasks:\n  a: { run: 'yes 0123456789abcdef | head -c \(size)' }\n")
    #expect(result.end == .code(0))
    let log = bytes(ofFile: "\(result.sandbox.path)/.headway/runs/latest/logs/a.log")
    #expect(log.count == size)
    let line = Array("0123456789abcdef\n".utf8)
    #expect(Array(log.prefix(line.count)) == line)
    // All lines are equal if each byte is the one a line before it. memcmp, because a loop takes 10 s here.
    let isRepeated = unsafe log.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count > line.count else { return false }
      return unsafe memcmp(start, start + line.count, bytes.count - line.count) == 0
    }
    #expect(isRepeated)
  }

  @Test func `Hundreds of tasks keep to a limit of 64 and leak no descriptor`() {
    let variants = (0..<repetitions(300, real: 1_000)).map { "v\($0)" }.joined(separator: ", ")
    let result = run(
      """
      tasks:
        zeroth: { run: /bin/true }
        first: { run: "ls /proc/$PPID/fd | wc -l > open", after: zeroth }
        many:
          after: first
          run: echo begin "$n" >> trace; ls /proc/$PPID/fd | wc -l; echo end "$n" >> trace
          matrix: { n: [\(variants)] }
        # What is open for a moment only is waited for; a leak never goes away.
        last:
          run: until [ $(ls /proc/$PPID/fd | wc -l) -le $(cat open) ]; do sleep 0.01; done
          after: many
          timeout: 60s
      """, ["--workers", "64"], within: .seconds(600),
      // A program that watches, such as one of another test, has a descriptor, too.
      variables: ["HEADWAY_PUBLISH=off"])
    #expect(result.end == .code(0), "\(result.text.suffix(800))")
    var running = 0
    var most = 0
    for line in result.sandbox.read("trace").split(separator: "\n") {
      running += line.hasPrefix("begin") ? 1 : -1
      most = max(most, running)
    }
    #expect(most <= 64 && most > 1)
  }

  @Test func `A plan of thousands of tasks runs to its end`() {
    let count = repetitions(2_000, real: 10_000, underSanitizer: 500)
    let tasks = (0..<count).map { "  t\($0): { run: /bin/true }\n" }.joined()
    let result = run("tasks:\n" + tasks, within: .seconds(600))
    #expect(result.end == .code(0), "\(result.text.suffix(800))")
    let text = result.text.filter { $0 != "," }
    #expect(text.contains("\(count) succeeded"))
  }
}
