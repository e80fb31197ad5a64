import Glibc
import ProcessFixtures
import Testing

/// `headway resume`, with real processes.
struct ResumeTests {
  /// Kills viewer, supervisor and runner of a run, as a power cut does, but for the tasks.
  private func killAll(_ tool: RunningTool) throws {
    let processes = [tool.runner, tool.supervisor, tool.pid]
    try #require(processes.allSatisfy { $0 > 0 })
    // The runner goes first while it cannot act: whoever is left would end the tasks.
    for pid in processes { kill(pid, SIGSTOP) }
    for pid in processes { kill(pid, SIGKILL) }
    _ = tool.end()
  }

  private func run(
    _ arguments: [String], _ sandbox: Sandbox, _ variables: [String] = []
  ) -> (end: ProcessEnd, text: String) {
    let tool = RunningTool(arguments, in: sandbox, variables: variables)
    let end = tool.end(within: RunningTool.usualLimit)
    return (end, tool.text)
  }

  /// The text between two, for messages with the name of a run.
  private static let plan = """
    tasks:
      a: { run: echo a >> log }
      b: { run: echo b >> log && test -e ok, after: a }
      c: { run: echo c >> log, after: b }

    """

  @Test func `A run that failed goes on with what is left, until nothing is`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    #expect(run(["run", "--ui", "plain"], sandbox).end == .code(1))
    let again = run(["resume", "--ui", "plain"], sandbox)
    #expect(again.end == .code(1))
    #expect(again.text.contains("which failed: 1 of 3 tasks done"))
    #expect(again.text.contains("= a     done earlier"))
    sandbox.write("", to: "ok")
    #expect(run(["resume", "--ui", "plain"], sandbox).end == .code(0))
    #expect(sandbox.read("log") == "a\nb\nb\nb\nc\n")
    for arguments in [["resume"], ["resume", "latest"], ["run", "--failed"]] {
      let rest = run(arguments, sandbox)
      #expect(rest.end == .code(0))
      #expect(rest.text.contains("nothing to do: run \(sandbox.runs[2]) succeeded"))
    }
    // The first run was gone on with, so that its name stands for the last one.
    #expect(run(["resume", sandbox.runs[0]], sandbox).text.contains("nothing to do"))
    #expect(sandbox.runs.count == 3)
  }

  @Test func `The state folder is the one of status: here, or beside the plan above`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    #expect(run(["run", "--ui", "plain"], sandbox).end == .code(1))
    sandbox.makeFolder("below")
    for command in ["status", "resume"] {
      #expect(run(["-C", "below", command], sandbox).text.contains(sandbox.runs[0]))
    }
    // Whoever sees something of that name expects it to count.
    sandbox.write("", to: "below/.headway")
    for command in ["status", "resume"] {
      let refused = run(["-C", "below", command], sandbox)
      #expect(refused.end == .code(69))
      #expect(refused.text.contains("below/.headway': it is not a directory"))
    }
  }

  @Test func `A preview says what would run again, and changes nothing`() {
    let sandbox = Sandbox(
      plan: Self.plan + "  d: { run: echo d >> log, inputs: headway.yaml }\n", named: "headway.yaml"
    )
    #expect(run(["run", "-k"], sandbox).end == .code(1))
    let log = sandbox.read("log")
    for options in [["-n"], ["--dry-run", "--explain"]] {
      let preview = run(["resume"] + options, sandbox)
      #expect(preview.end == .code(0))
      #expect(preview.text.contains("resuming run \(sandbox.runs[0]), which failed: "))
      let why = options.count > 1 ? "(would run: it was not done) " : ""
      for line in [
        "a  (done earlier) echo a >> log", "b  \(why)echo b >> log", "c  \(why)echo c >> log",
        "d  (up to date) echo d >> log",
      ] {
        #expect(preview.text.contains("\(line)"), "\(preview.text)")
      }
    }
    let again = run(["resume", "-n", "--explain", "--again", "a", "--done", "b"], sandbox)
    #expect(again.text.contains("a  (would run: --again names it) echo a"), "\(again.text)")
    #expect(again.text.contains("b  (done earlier) echo b"), "\(again.text)")
    #expect(sandbox.runs.count == 1 && sandbox.read("log") == log)
    sandbox.write("", to: "ok")
    #expect(run(["resume"], sandbox).end == .code(0))
    #expect(run(["resume", "-n"], sandbox).text.contains("nothing to do"))
  }

  @Test func `A task of a run that succeeded can be run again`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    sandbox.write("", to: "ok")
    #expect(run(["run"], sandbox).end == .code(0))
    let again = run(["resume", "--again", "c", "--ui", "plain"], sandbox)
    #expect(again.end == .code(0))
    #expect(again.text.contains("which succeeded: 2 of 3 tasks done"))
    #expect(sandbox.read("log") == "a\nb\nc\nc\n")
    #expect(run(["resume", "--again", "x"], sandbox).end == .code(2))
  }

  @Test func `run --failed goes on with the newest run of the plan, with its tasks and options`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    #expect(run(["run", "b", "--ui", "plain"], sandbox).end == .code(1))
    sandbox.write("", to: "ok")
    let again = run(["run", "--failed", "--ui", "plain"], sandbox)
    #expect(again.end == .code(0))
    #expect(again.text.contains("1 of 2 tasks done"))
    #expect(sandbox.read("log") == "a\nb\nb\n")
    #expect(run(["run", "--failed", "c"], sandbox).end == .code(2))
    #expect(run(["run", "--failed", "--force"], sandbox).end == .code(2))
  }

  @Test func `What a killed run has left is ended before its tasks run again`() throws {
    let sleep = longSleep()
    let sandbox = Sandbox(
      plan: """
        tasks:
          done: { run: echo done >> log }
          lost:
            after: done
            # Its child outlives the end of the runner, and ignores SIGTERM.
            run: |
              echo lost >> log
              if test -e second; then exit 0; fi
              (trap '' TERM; \(sleep); \(sleep)) & wait

        """, named: "headway.yaml")
    let tool = RunningTool(["run", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "lost started"))
    #expect(eventually { sandbox.survivors().contains { $0.contains(sleep) } })
    try killAll(tool)
    #expect(eventually { sandbox.survivors().contains { $0.contains(sleep) } })
    sandbox.write("", to: "second")
    let again = run(["resume", "--ui", "plain"], sandbox)
    #expect(again.end == .code(0))
    #expect(again.text.contains("had left"))
    #expect(again.text.contains("which died: 1 of 2 tasks done"))
    #expect(again.text.contains("under way when it died, and run again: 'lost'"))
    #expect(sandbox.read("log") == "done\nlost\nlost\n")
    #expect(sandbox.survivors() == [])
  }

  @Test func `A task that runs once is not run again until a person decides`() throws {
    let sandbox = Sandbox(
      plan: """
        tasks:
          deploy: { run: "echo deploy >> log; \(longSleep())", once: true }
          tell: { run: echo tell >> log, after: deploy }
          other: { run: echo other >> log, after: start }
          start: { run: 'true' }

        """, named: "headway.yaml")
    let tool = RunningTool(["run", "-j2", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "other succeeded"))
    #expect(eventually { sandbox.read("log").contains("deploy") })
    try killAll(tool)
    let again = run(["resume", "--ui", "plain"], sandbox)
    #expect(again.end == .code(75))
    let name = sandbox.runs[1]
    #expect(again.text.contains("the outcome of 'deploy' is unknown"))
    #expect(again.text.contains("headway resume \(name) --done deploy\n"))
    #expect(again.text.contains("headway resume \(name) --again deploy\n"))
    #expect(sandbox.read("log").filter { $0 == "d" }.count == 1)
    #expect(!sandbox.read("log").contains("tell"))
    #expect(sandbox.survivors() == [])
    #expect(run(["resume", "--done", "depoy"], sandbox).text.contains("did you mean deploy?"))
    #expect(run(["resume", "--done", "deploy", "--again", "deploy"], sandbox).end == .code(2))
    #expect(run(["resume", name, "--done", "deploy"], sandbox).end == .code(0))
    #expect(sandbox.read("log").contains("tell"))
  }

  @Test func `A run that goes on is not resumed, nor is one that is being resumed`() throws {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: test -e second && read x < gate }\n", named: "headway.yaml")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    #expect(run(["run"], sandbox).end == .code(1))
    sandbox.write("", to: "second")
    let first = RunningTool(["resume", "--ui", "plain"], in: sandbox)
    #expect(first.wait(for: "a started"))
    let going = run(["resume"], sandbox)
    #expect(going.end == .code(69))
    let name = sandbox.runs[1]
    #expect(going.text.contains("'\(name)': it still goes on; to see it: headway attach \(name)"))
    // By the name of the first, and if nothing says yet which run goes on with it.
    #expect(run(["resume", sandbox.runs[0]], sandbox).end == .code(69))
    unsafe unlink("\(sandbox.path)/.headway/runs/\(sandbox.runs[0])/resumed")
    let locked = run(["resume", sandbox.runs[0]], sandbox)
    #expect(locked.end == .code(69))
    #expect(locked.text.contains("it is being resumed already, by run \(name)"))
    sandbox.write("go\n", to: "gate")
    #expect(first.end() == .code(0))
  }

  @Test func `Of many that resume a run at the same moment, one does`() {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: 'test -e second && echo a >> log && read x < gate' }\n",
      named: "headway.yaml")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    #expect(run(["run"], sandbox).end == .code(1))
    sandbox.write("", to: "second")
    let name = sandbox.runs[0]
    let tools = (0..<6).map { _ in RunningTool(["resume", name, "--ui", "plain"], in: sandbox) }
    #expect(eventually { sandbox.read("log") == "a\n" })
    var waiting = tools
    // All but one are refused, also those that come late.
    while waiting.count > 1 {
      for tool in waiting { tool.read(for: 10) }
      waiting.removeAll { $0.isOver }
    }
    sandbox.write("go\n", to: "gate")
    let ends = tools.map { $0.end() }
    #expect(ends.filter { $0 == .code(0) }.count == 1)
    #expect(ends.filter { $0 == .code(69) }.count == 5)
    #expect(sandbox.read("log") == "a\n")
  }

  @Test func `Secrets come from the environment again, and are nowhere in the run`() throws {
    let secret = "open-sesame-\(getpid())"
    let sandbox = Sandbox(
      plan: """
        secrets: [HW_KEY]
        tasks:
          a: { run: 'echo "$HW_KEY" > key; test -e ok' }

        """, named: "headway.yaml")
    #expect(run(["run"], sandbox, ["HW_KEY=\(secret)"]).end == .code(1))
    sandbox.write("", to: "ok")
    let without = run(["resume"], sandbox)
    #expect(without.end == .code(69) && without.text.contains("HW_KEY"))
    #expect(run(["resume"], sandbox, ["HW_KEY=\(secret)"]).end == .code(0))
    #expect(sandbox.read("key") == "\(secret)\n")
    for name in sandbox.runs {
      for file in ["run.json", "journal.jsonl"] {
        #expect(!sandbox.read(".headway/runs/\(name)/\(file)").contains(secret))
      }
    }
  }

  @Test func `A run whose arguments had a secret is not resumed with something else in its place`()
  {
    let sandbox = Sandbox(
      plan:
        "secrets: [HW_KEY]\ntasks: { a: { run: [sh, -c, 'echo \"$0\" >> keys; exit 1', '{args}'] } }\n",
      named: "headway.yaml")
    let key = ["HW_KEY=open-sesame"]
    #expect(run(["run", "--", "open-sesame"], sandbox, key).end == .code(1))
    let resumed = run(["resume"], sandbox, key)
    #expect(resumed.end == .code(69) && resumed.text.contains("had a secret"))
    #expect(sandbox.read("keys") == "open-sesame\n")
  }

  @Test func `A changed plan is told: what runs again, what is new, and what is gone`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: echo a >> log }
          b: { run: echo b >> log, after: a }
          gone: { run: echo gone >> log }
          bad: { run: test -e ok }

        """, named: "headway.yaml")
    #expect(run(["run", "-k"], sandbox).end == .code(1))
    sandbox.write(
      """
      tasks:
        a: { run: echo A >> log }
        b: { run: echo b >> log, after: a }
        new: { run: echo new >> log, after: b }
        bad: { run: test -e ok }

      """, to: "headway.yaml")
    sandbox.write("", to: "ok")
    let again = run(["resume", "--ui", "plain", "-j1"], sandbox)
    #expect(again.end == .code(0))
    #expect(again.text.contains("run again, as the command has changed: 'a'"))
    #expect(again.text.contains("run again, as something before them does: 'b' after 'a'"))
    #expect(again.text.contains("new in the plan: 'new'"))
    #expect(again.text.contains("no longer in the plan: 'gone'"))
    #expect(sandbox.read("log").hasSuffix("A\nb\nnew\n"))
  }

  @Test func `A plan that cannot be read any more, and a run that does not exist, are errors`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    let none = run(["resume"], sandbox)
    #expect(none.end == .code(69) && none.text.contains("there are no runs in"))
    #expect(run(["run"], sandbox).end == .code(1))
    #expect(run(["resume", "20260101-000000-1"], sandbox).end == .code(69))
    #expect(run(["resume", "../x"], sandbox).end == .code(69))
    #expect(run(["resume", "a", "b"], sandbox).end == .code(2))
    sandbox.write("tasks:\n  a: { rum: x }\n", to: "headway.yaml")
    #expect(run(["resume"], sandbox).end == .code(2))
    unsafe unlink("\(sandbox.path)/headway.yaml")
    let gone = run(["resume"], sandbox)
    #expect(gone.end == .code(2) && gone.text.contains("cannot read the plan"))
    // Nothing was begun.
    #expect(sandbox.runs.count == 1)
  }

  @Test func `A plan from standard input is resumed from what the run has kept`() {
    let sandbox = Sandbox()
    let tool = RunningTool(
      ["-c", "printf '%s' \"$PLAN\" | \(RunningTool.path) run -"], in: sandbox,
      program: "/bin/sh", variables: ["PLAN=\(Self.plan)"])
    #expect(tool.end() == .code(1))
    sandbox.write("", to: "ok")
    #expect(run(["resume"], sandbox).end == .code(0))
    #expect(sandbox.read("log") == "a\nb\nb\nc\n")
  }

  @Test func `A journal that is damaged or torn costs only what it has lost`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    #expect(run(["run"], sandbox).end == .code(1))
    let path = ".headway/runs/\(sandbox.runs[0])/journal.jsonl"
    let lines = sandbox.read(path).split(separator: "\n").map(String.init)
    let damaged = lines.map { $0.contains("\"task_ended\",") && $0.contains("\"a\"") ? "x" : $0 }
    sandbox.write(damaged.joined(separator: "\n") + "\n{\"event\":\"ru", to: path)
    sandbox.write("", to: "ok")
    let again = run(["resume", "--ui", "plain"], sandbox)
    #expect(again.end == .code(0))
    #expect(again.text.contains("of the journal of run"))
    #expect(sandbox.read("log").hasSuffix("b\nc\n"))
    sandbox.write("{", to: ".headway/runs/\(sandbox.runs[1])/run.json")
    let broken = run(["resume", sandbox.runs[1]], sandbox)
    #expect(broken.end == .code(69) && broken.text.contains("its header is incomplete"))
    // As if it had been killed before its first task: the run before it goes on.
    let before = run(["resume", "--ui", "plain"], sandbox)
    #expect(before.end == .code(0) && before.text.contains("resuming run \(sandbox.runs[0])"))
  }

  @Test func `The events say which run goes on, and which tasks were done`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    #expect(run(["run"], sandbox).end == .code(1))
    sandbox.write("", to: "ok")
    let events = run(["resume", "--ui", "json", "--junit", "junit.xml"], sandbox)
    #expect(events.end == .code(0))
    #expect(events.text.contains("\"resumes\":\"\(sandbox.runs[0])\""))
    #expect(events.text.contains("\"outcome\":\"up_to_date\",\"earlier\":true"))
    #expect(events.text.contains("\"done_earlier\":1"))
    #expect(sandbox.read("junit.xml").contains("tests=\"3\" failures=\"0\""))
    #expect(sandbox.read(".headway/runs/\(sandbox.runs[1])/run.json").contains("\"resumes\":"))
  }
}
