#if os(Linux)
  import Glibc
  import HeadwayRun
  import HeadwayState
  import HeadwayTerminal
  import ProcessFixtures
  import Testing

  @testable import HeadwayCLI

  /// A run that goes on until the test lets it end.
  final class GatedRun {
    /// The folder of its plan.
    let sandbox: Sandbox
    /// The run.
    let tool: RunningTool

    /// A plan with a task that ends at once, one that waits for the gate, and one after that.
    static let plan = """
      name: release
      tasks:
        fetch: { run: "echo fetched" }
        build: { run: "echo one; read x < gate; echo two", after: fetch }
        test: { run: "echo tested", after: build }

      """

    /// Starts the run, and waits until its journal says that a task runs.
    init(
      plan: String = GatedRun.plan, _ arguments: [String] = [], waitingFor task: String = "build"
    ) {
      sandbox = Sandbox(plan: plan, named: "headway.yaml")
      for gate in ["gate", "other"] { unsafe mkfifo("\(sandbox.path)/\(gate)", 0o600) }
      tool = RunningTool(["run"] + arguments, in: sandbox)
      let line = #""event":"task_started""#
      let began = eventually { [sandbox] in
        sandbox.read(".headway/runs/latest/journal.jsonl").split(separator: "\n").contains {
          $0.contains(line) && $0.contains(#""task":"\#(task)""#)
        }
      }
      if !began { Issue.record("'\(task)' did not start") }
    }

    /// Lets the waiting task end, and waits for the end of the run.
    func finish() -> ProcessEnd {
      sandbox.write("go\n", to: "gate")
      return tool.end()
    }

    /// What a command prints in the folder of the plan, and how it ends.
    func headway(_ arguments: String...) -> (end: ProcessEnd, text: String) {
      RunningTool.run(arguments, in: sandbox)
    }

    /// The name of the run.
    var name: String {
      ((try? RunFolder.named(nil, in: "\(sandbox.path)/.headway")) ?? nil)?.name ?? ""
    }
  }

  /// `headway runs`.
  struct RunsTests {
    /// The lines of a text with each run of spaces as one.
    private func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `A run that goes on is listed with its forecast, and then as what it has become`() {
      let run = GatedRun()
      let name = run.name
      let during = run.headway("runs")
      #expect(during.end == .code(0))
      #expect(lines(during.text).first == "run plan state took began progress remaining tasks")
      let line = lines(during.text).last ?? ""
      #expect(line.hasPrefix("\(name) release running "))
      #expect(line.contains("─ ") && line.contains("% first run, no estimate yet "))
      #expect(line.hasSuffix(" 1 of 3: 1 succeeded"))
      #expect(run.finish() == .code(0))
      let after = lines(run.headway("runs").text)
      #expect(after.first == "run plan state took began tasks")
      #expect(after.last?.hasPrefix("\(name) release succeeded ") == true)
      #expect(after.last?.hasSuffix(" 3 succeeded") == true)
    }

    @Test func `A line of JSON says the same`() {
      let run = GatedRun()
      let during = run.headway("runs", "--json").text
      #expect(during.hasPrefix(#"{"run":"\#(run.name)","plan":"release","file":"/"#))
      #expect(during.contains(#"/headway.yaml","state":"running","began":1"#))
      #expect(during.contains(#""tasks":3,"succeeded":1,"up_to_date":0,"#))
      #expect(during.contains(#""fraction":0"#))
      _ = run.finish()
      let after = run.headway("runs", "--json").text
      #expect(after.contains(#""state":"succeeded""#))
      #expect(!after.contains("fraction"))
    }

    @Test func `A run whose processes were killed is told from one that goes on`() {
      let run = GatedRun()
      kill(run.tool.runner, SIGKILL)
      _ = run.tool.end()
      let line = lines(run.headway("runs").text).last ?? ""
      #expect(line.hasPrefix("\(run.name) release killed "))
      #expect(line.hasSuffix(" 2 of 3: 1 succeeded, 1 lost"))
    }

    @Test func `The newest runs are listed, of all plans or of one`() {
      let sandbox = Sandbox(
        plan: "name: one\ntasks: { a: { run: 'true' } }\n", named: "headway.yaml")
      sandbox.write("name: two\ntasks: { a: { run: 'false' } }\n", to: "two.yaml")
      sandbox.makeFolder("sub")
      for plan in ["headway.yaml", "two.yaml", "headway.yaml"] {
        _ = RunningTool.run(["run", plan, "--ui", "quiet"], in: sandbox)
      }
      /// The plans and states of the runs that are listed.
      func listed(_ arguments: String...) -> [String] {
        lines(RunningTool.run(["runs"] + arguments, in: sandbox).text).dropFirst().map {
          $0.split(separator: " ")[1...2].joined(separator: " ")
        }
      }
      #expect(listed() == ["one succeeded", "two failed", "one succeeded"])
      #expect(listed("--limit", "1") == ["one succeeded"])
      #expect(listed("--limit", "0") == [])
      #expect(listed("two") == ["two failed"])
      #expect(listed("two.yaml", "--limit=1") == ["two failed"])
      #expect(listed("-C", "sub", "two") == ["two failed"])
      #expect(listed("--state", ".headway").count == 3)
    }

    @Test
    func `status --usage has what each task used, in a run that goes on and in one that has ended`()
    {
      let sandbox = Sandbox(
        plan: "tasks:\n  a: { run: 'true' }\n  b: { run: 'echo on; read x < gate', after: a }\n",
        named: "headway.yaml")
      unsafe mkfifo("\(sandbox.path)/gate", 0o600)
      let tool = RunningTool(["run", "--ui", "plain", "--output", "stream"], in: sandbox)
      #expect(tool.wait(for: "on\n"))
      /// The fields of the row of a task.
      func row(_ task: String, _ options: [String]) -> [Substring] {
        lines(RunningTool.run(["status"] + options, in: sandbox).text).map {
          $0.split(separator: " ")
        }
        .first { $0.dropFirst().first ?? "" == task } ?? []
      }
      func heading(_ options: [String]) -> String {
        lines(RunningTool.run(["status"] + options, in: sandbox).text).first {
          $0.hasPrefix("task ")
        } ?? ""
      }
      #expect(heading(["--usage"]).split(separator: " ").suffix(2) == ["cpu", "memory"])
      #expect(!heading([]).contains("cpu"))
      let ended = row("a", ["--usage"])
      #expect(ended.count == 6 && ended[4].hasSuffix("ms"), "\(ended)")
      // Nothing is known of one that runs.
      #expect(row("b", ["--usage"]).dropFirst(4).first ?? "" == "–")
      sandbox.write("\n", to: "gate")
      #expect(tool.end() == .code(0))
      #expect(row("b", ["--usage"])[4].hasSuffix("ms"))
    }

    @Test func `Without runs a line says where they would be`() {
      let result = RunningTool.run(["runs"], in: Sandbox())
      #expect(result.end == .code(0))
      #expect(result.text == "no runs in .headway\n")
      #expect(RunningTool.run(["runs", "--json"], in: Sandbox()).text == "")
    }

    @Test func `A header that cannot be read costs a line, and the others are listed`() {
      let sandbox = Sandbox(plan: "tasks: { a: { run: 'true' } }\n", named: "headway.yaml")
      _ = RunningTool.run(["run"], in: sandbox)
      _ = RunningTool.run(["run"], in: sandbox)
      sandbox.write("{", to: ".headway/runs/latest/run.json")
      let result = RunningTool.run(["runs"], in: sandbox)
      #expect(result.end == .code(0))
      #expect(result.text.hasPrefix("headway: cannot read the run '"))
      #expect(lines(result.text).count == 3)
    }

    @Test(arguments: [
      (["a", "b"], "unexpected argument 'b'; name one plan, or none for all plans"),
      (["--limit", "-1"], "--limit takes a whole number from 0 to 1,000,000, not '-1'"),
    ])
    func `Wrong arguments end with 2`(arguments: [String], message: String) {
      let result = RunningTool.run(["runs"] + arguments, in: Sandbox())
      #expect(result.end == .code(2))
      #expect(result.text == "headway: \(message)\n")
    }

    @Test func `Plans that have runs are offered at Tab`() {
      let sandbox = Sandbox(plan: "name: shown\ntasks: { a: { run: 'true' } }\n")
      _ = RunningTool.run(["run", "plan.yaml"], in: sandbox)
      let result = RunningTool.run(["__complete", "zsh", "runs", "sh"], in: sandbox)
      #expect(result.text == "words:sh\nshown\tplan\n")
    }
  }

  /// `headway status`.
  struct StatusTests {
    /// The lines of a text with each run of spaces as one.
    private func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `The tasks of a run are listed with what they do and what they wait for`() {
      let run = GatedRun()
      let name = run.name
      let during = run.headway("status")
      #expect(during.end == .code(0))
      let log = "log: .headway/runs/\(name)/logs/build.log"
      let rows = lines(during.text)
      #expect(rows.count == 5)
      #expect(rows[0].hasPrefix("release \(name): running · "))
      #expect(rows[0].contains(" · 1 of 3 tasks · for "))
      #expect(rows[1] == "task state time")
      #expect(rows[2].hasPrefix("✓ fetch succeeded "))
      #expect(rows[3].hasPrefix("• build running ") && rows[3].hasSuffix("s \(log)"))
      #expect(rows[4] == "test waiting – waits for build")
      _ = run.finish()
      let after = lines(run.headway("status", "release").text)
      #expect(after[0].hasPrefix("release \(name): succeeded · 3 succeeded · "))
      #expect(after[4].hasPrefix("✓ test succeeded "))
    }

    @Test func `Lines of JSON say the same`() {
      let run = GatedRun()
      let rows = run.headway("status", "--json").text.split(separator: "\n")
      #expect(rows.count == 4)
      #expect(rows[0].hasPrefix(#"{"run":"\#(run.name)","plan":"release","#))
      #expect(rows[1].hasPrefix(#"{"task":"fetch","id":0,"phase":"ended","outcome":"succeeded""#))
      #expect(rows[2].hasPrefix(#"{"task":"build","id":1,"phase":"running","attempts":1,"#))
      #expect(rows[2].contains(#""after":["fetch"]"#))
      #expect(rows[2].hasSuffix(#"/logs/build.log"}"#))
      #expect(rows[3].hasPrefix(#"{"task":"test","id":2,"phase":"waiting""#))
      _ = run.finish()
    }

    @Test func `The tasks of a run that was killed are lost, or were not run`() {
      let run = GatedRun()
      kill(run.tool.runner, SIGKILL)
      _ = run.tool.end()
      let rows = lines(run.headway("status", "latest").text)
      #expect(rows[0].hasPrefix("release \(run.name): killed · 2 of 3 tasks · "))
      #expect(rows[3].hasPrefix("? build lost "))
      #expect(rows[4] == "test not run –")
    }

    @Test
    func `A run is found by its name, a beginning of that, or its plan; else it is the newest`()
      throws
    {
      let sandbox = Sandbox(
        plan: "name: one\ntasks: { a: { run: 'true' } }\n", named: "headway.yaml")
      sandbox.makeFolder("sub")
      sandbox.write("name: two\ntasks: { a: { run: 'false' } }\n", to: "sub/two.yaml")
      for plan in ["headway.yaml", "sub/two.yaml", "headway.yaml"] {
        _ = RunningTool.run(["run", plan, "--state", ".headway", "--ui", "quiet"], in: sandbox)
      }
      let names = try RunFolder.all(in: "\(sandbox.path)/.headway").map(\.name)
      try #require(names.count == 3)
      /// The name of the run that is shown.
      func shown(_ arguments: String...) -> String {
        let words = RunningTool.run(["status"] + arguments, in: sandbox).text.split {
          " :".contains($0)
        }
        return words.count > 1 ? String(words[1]) : ""
      }
      #expect(shown() == names[0])
      #expect(shown("latest") == names[0])
      #expect(shown(names[2]) == names[2])
      #expect(shown("two") == names[1])
      #expect(shown("sub/two.yaml", "--state", ".headway") == names[1])
      #expect(shown("one") == names[0])
      #expect(shown("-C", "sub", "two") == names[1])
      let common = zip(names[1], names[2]).prefix { $0 == $1 }.count
      let next = zip(names[1], names[0]).prefix { $0 == $1 }.count
      #expect(shown(String(names[1].prefix(max(common, next) + 1))) == names[1])
    }

    @Test func `A run that does not exist is an error`() {
      let sandbox = Sandbox()
      let none = RunningTool.run(["status"], in: sandbox)
      #expect(none.end == .code(69))
      #expect(none.text == "headway: there are no runs in '.headway'\n")
      let unknown = RunningTool.run(["status", "nope"], in: sandbox)
      #expect(unknown.end == .code(69))
      #expect(
        unknown.text == "headway: there is no run 'nope' in '.headway'; headway runs lists them\n")
    }

    @Test func `Of a named task, the table has what it waits for, directly or through others`() {
      let run = GatedRun(
        plan: """
          workers: 3
          pools: { disk: 1 }
          tasks:
            build: { run: "read x < gate", pool: disk }
            other: { run: "read x < other" }
            queued: { run: 'true', pool: disk, after: other }
            middle: { run: 'true', after: build }
            last: { run: 'true', after: [middle, queued] }

          """)
      func rows(_ task: String) -> [String] {
        Array(lines(run.headway("status", task).text).dropFirst(2))
      }
      let last = rows("last")
      #expect(last.count == 5)
      #expect(last[0].hasPrefix("• build running ") && last[1].hasPrefix("• other running "))
      #expect(last[2] == "queued waiting – waits for other")
      #expect(last[3] == "middle waiting – waits for build")
      #expect(last[4] == "last waiting – waits for queued, middle")
      #expect(rows("other").count == 1)
      run.sandbox.write("go\n", to: "other")
      #expect(
        eventually {
          rows("queued") == ["queued waiting – waits for the pool disk (limit 1)"]
        })
      let json = run.headway("status", "middle", "--json").text.split(separator: "\n")
      #expect(json.count == 3 && json[2].contains(#""reason":"waits for build""#))
      #expect(run.headway("status", "nope").end == .code(2))
      #expect(run.finish() == .code(0))
      #expect(rows("last").count == 1)
    }

    @Test func `Runs and their tasks are offered at Tab`() {
      let sandbox = Sandbox(plan: "name: shown\ntasks: { a: { run: 'true' } }\n")
      _ = RunningTool.run(["run", "plan.yaml"], in: sandbox)
      let result = RunningTool.run(["__complete", "zsh", "status", ""], in: sandbox)
      let words = result.text.split(separator: "\n").dropFirst().map { $0.prefix { $0 != "\t" } }
      #expect(words.first == "a")
      #expect(words.dropFirst(2) == ["latest", "plan.yaml", "shown"])
    }
  }

  /// `headway logs`.
  struct LogsTests {
    @Test func `What tasks have written is printed, each line with its task`() {
      let run = GatedRun()
      #expect(eventually { run.headway("logs").text.contains("build | one\n") })
      #expect(run.headway("logs").text == "fetch | fetched\nbuild | one\n")
      #expect(run.headway("logs", "build").text == "one\n")
      #expect(
        run.headway("logs", run.name, "build", "fetch").text == "fetch | fetched\nbuild | one\n")
      #expect(run.headway("logs", "test").text == "")
      _ = run.finish()
      let after = run.headway("logs", "release")
      #expect(after.end == .code(0))
      #expect(after.text == "fetch | fetched\nbuild | one\nbuild | two\ntest  | tested\n")
      #expect(
        run.headway("logs", "--tail", "1").text
          == "fetch | fetched\nbuild | two\ntest  | tested\n")
      #expect(
        run.headway("logs", "build", "--json").text
          == #"{"task":"build","id":1,"text":"one\ntwo\n"}"# + "\n")
    }

    @Test func `What comes is followed until the run has ended`() {
      let run = GatedRun()
      let follower = RunningTool(["logs", "-f"], in: run.sandbox)
      #expect(follower.wait(for: "build | one\n"))
      #expect(run.finish() == .code(0))
      #expect(follower.end() == .code(0))
      #expect(follower.text == "fetch | fetched\nbuild | one\nbuild | two\ntest  | tested\n")
    }

    @Test func `A task that is named is followed to its own end`() {
      let plan = GatedRun.plan + "  late: { run: 'read x < other', after: test }\n"
      let run = GatedRun(plan: plan)
      let follower = RunningTool(["logs", "--follow", "build", "--tail=1"], in: run.sandbox)
      #expect(follower.wait(for: "one\n"))
      run.sandbox.write("go\n", to: "gate")
      #expect(follower.end() == .code(0))
      #expect(follower.text == "one\ntwo\n")
      run.sandbox.write("go\n", to: "other")
      #expect(run.tool.end() == .code(0))
    }

    @Test func `The following ends when the run dies`() {
      let run = GatedRun()
      let follower = RunningTool(["logs", "-f"], in: run.sandbox)
      #expect(follower.wait(for: "build | one\n"))
      kill(run.tool.runner, SIGKILL)
      _ = run.tool.end()
      #expect(follower.end() == .code(0))
      #expect(follower.text.hasSuffix("headway: the run has died; what was under way is lost\n"))
    }

    @Test func `The following ends when nobody reads it, although nothing is written`() {
      let run = GatedRun()
      let follower = RunningTool(["logs", "-f"], in: run.sandbox)
      #expect(follower.wait(for: "build | one\n"))
      follower.hangUp()
      #expect(follower.end() == .signal(SIGPIPE))
      _ = run.finish()
    }

    @Test func `In a terminal, escape sequences pass only from a task that is shown alone`() {
      let plan = "tasks:\n  a: { run: \"printf '\\\\033[31mred\\\\n'\" }\n  b: { run: 'true' }\n"
      let sandbox = Sandbox(plan: plan, named: "headway.yaml")
      _ = RunningTool.run(["run"], in: sandbox)
      let size = TerminalSize(columns: 80, rows: 24)
      let all = RunningTool(["logs"], in: sandbox, terminal: size)
      #expect(all.end() == .code(0))
      #expect(all.text == "a | red\r\n")
      let one = RunningTool(["logs", "a"], in: sandbox, terminal: size)
      #expect(one.end() == .code(0))
      #expect(one.text.hasPrefix("\u{1B}[31mred\r\n"))
    }

    @Test func `The name of a matrix stands for its variants, and a run counts more than a task`() {
      let plan = """
        name: test
        tasks:
          test: { run: 'echo "$n"', matrix: { n: [1, 2] } }
          other: { run: echo 3 }

        """
      let sandbox = Sandbox(plan: plan, named: "headway.yaml")
      _ = RunningTool.run(["run", "-j1"], in: sandbox)
      /// What is printed of tasks.
      func text(_ words: String...) -> String {
        RunningTool.run(["logs"] + words, in: sandbox).text
      }
      #expect(text("latest", "test") == "test[1] | 1\ntest[2] | 2\n")
      #expect(text("test", "test[2]") == "2\n")
      #expect(text("test").contains("other   | 3\n"))
      #expect(text("other") == "3\n")
      let unknown = RunningTool.run(["logs", "othr"], in: sandbox)
      #expect(unknown.end == .code(2))
      #expect(
        unknown.text.hasPrefix("headway: run '")
          && unknown.text.hasSuffix(#"': unknown task "othr" (did you mean "other"?)"# + "\n"))
    }

    @Test func `A run that does not exist is an error`() {
      let result = RunningTool.run(["logs", "20261121-101500-4711", "a"], in: Sandbox())
      #expect(result.end == .code(69))
      #expect(
        result.text
          == "headway: there is no run '20261121-101500-4711' in '.headway'; headway runs lists them\n"
      )
    }

    @Test func `Runs and their tasks are offered at Tab`() {
      let sandbox = Sandbox(plan: "tasks: { one: { run: 'true' }, other: { run: 'true' } }\n")
      _ = RunningTool.run(["run", "plan.yaml"], in: sandbox)
      /// The words that are offered.
      func offered(_ words: String...) -> [String] {
        RunningTool.run(["__complete", "zsh", "logs"] + words, in: sandbox).text
          .split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "\t" }) }
      }
      #expect(offered("o") == ["one", "other"])
      #expect(offered("latest", "one", "") == ["other"])
      #expect(offered("l") == ["latest"])
    }
  }

  /// `headway pause`, `unpause` and `cancel` with runs of a plan, and tasks of them.
  struct SteeringTests {
    @Test func `The only run here is paused, resumed and cancelled without its name`() {
      let run = GatedRun()
      #expect(run.headway("pause").end == .code(0))
      #expect(eventually { run.headway("runs").text.contains(" paused ") })
      #expect(run.headway("unpause", "latest").end == .code(0))
      #expect(eventually { run.headway("runs").text.contains(" running ") })
      #expect(run.headway("cancel", "headway.yaml").end == .code(0))
      #expect(run.tool.end() == .signal(SIGINT))
      let over = run.headway("cancel")
      #expect(over.end == .code(69))
      #expect(
        over.text
          == "headway: no run goes on here; headway watch --once lists what is running elsewhere\n")
      #expect(run.headway("cancel", "latest").text == "headway: the run '\(run.name)' has ended\n")
    }

    @Test func `A task that runs and one that waits are cancelled alone`() {
      let plan =
        GatedRun.plan + "  other: { run: 'read x < other', after: fetch }\n"
        + "  last: { run: 'true', after: other }\n"
      let run = GatedRun(plan: plan, ["-j2"])
      #expect(run.headway("cancel", "build").end == .code(0))
      let json = run.headway("cancel", run.name, "last", "--json")
      #expect(json.end == .code(0))
      #expect(json.text.hasSuffix(#""name":"\#(run.name)","task":"last","ok":true}"# + "\n"))
      let again = run.headway("cancel", "last")
      #expect(again.end == .code(1))
      #expect(again.text == "headway: 'last' has ended: cancelled\n")
      #expect(
        run.headway("cancel", "none").text == "headway: there is no task 'none' in this run\n")
      run.sandbox.write("go\n", to: "other")
      // A task that somebody has cancelled was required.
      #expect(run.tool.end() == .code(1))
      let status = run.headway("status").text
      #expect(status.contains(": cancelled · 2 succeeded, 2 cancelled, 1 skipped · "))
    }

    @Test func `One task alone cannot be paused`() {
      let run = GatedRun()
      let result = run.headway("pause", run.name, "build")
      #expect(result.end == .code(2))
      #expect(result.text == "headway: one task alone cannot be paused; leave out 'build'\n")
      #expect(run.finish() == .code(0))
    }

    @Test func `A word that is the label of a run and a task must be said more precisely`() {
      let name = "build of \(getpid())"
      let plan = GatedRun.plan.replacing("name: release", with: "name: \(name)")
        .replacing("build:", with: "\(name):").replacing("after: build", with: "after: \(name)")
      let run = GatedRun(plan: plan, waitingFor: name)
      let result = run.headway("cancel", name)
      #expect(result.end == .code(2))
      #expect(
        result.text.hasPrefix(
          "headway: '\(name)' is running work and a task of the run here; write "))
      #expect(result.text.hasSuffix(" for the work, or \(run.name) \(name) for the task\n"))
      #expect(run.headway("cancel", name, "test").end == .code(0))
      #expect(run.finish() == .code(1))
    }

    @Test func `A run that is named in full is meant, whatever is stored in the folder here`() {
      let run = GatedRun()
      let elsewhere = Sandbox(beside: run.sandbox)
      // A stored run whose name begins so.
      let stored = ".headway/runs/\(run.name)7"
      for folder in [".headway", ".headway/runs", stored] { elsewhere.makeFolder(folder) }
      elsewhere.write(run.sandbox.read(".headway/runs/latest/run.json"), to: "\(stored)/run.json")
      #expect(RunningTool.run(["pause", run.name], in: elsewhere).end == .code(0))
      #expect(eventually { run.headway("runs").text.contains(" paused ") })
      // A state folder that cannot be used.
      setPermissions(0o777, ofFolder: "\(elsewhere.path)/.headway")
      let unpaused = RunningTool.run(["unpause", run.name], in: elsewhere)
      #expect(unpaused.end == .code(0) && unpaused.text == "")
      #expect(run.finish() == .code(0))
    }

    @Test func `A run whose process is stopped does not answer, which is said once`() {
      let run = GatedRun()
      kill(run.tool.runner, SIGSTOP)
      let result = run.headway("pause")
      #expect(result.end == .code(69))
      #expect(
        result.text
          == "headway: the run '\(run.name)' did not answer within 2 seconds; if it is stopped, continue it: kill -CONT \(run.tool.runner)\n"
      )
      kill(run.tool.runner, SIGCONT)
      #expect(run.finish() == .code(0))
    }

    @Test func `A run that is not published says so`() {
      let sandbox = Sandbox(plan: GatedRun.plan, named: "headway.yaml")
      unsafe mkfifo("\(sandbox.path)/gate", 0o600)
      let tool = RunningTool(["run"], in: sandbox, variables: ["HEADWAY_PUBLISH=off"])
      #expect(
        eventually {
          RunningTool.run(["status"], in: sandbox).text.contains("build  running")
        })
      let result = RunningTool.run(["cancel", "build"], in: sandbox)
      #expect(result.end == .code(69))
      #expect(
        result.text.contains(
          " is not published, so it cannot be asked for anything; to end it: kill \(tool.runner)\n")
      )
      sandbox.write("go\n", to: "gate")
      #expect(tool.end() == .code(0))
    }

    @Test func `The tasks that have not ended are offered at Tab`() {
      let run = GatedRun()
      func words() -> [Substring] {
        run.headway("__complete", "zsh", "cancel", "").text
          .split(separator: "\n").map { $0.prefix { $0 != "\t" } }
      }
      #expect(words().dropFirst().prefix(2) == ["build", "test"])
      // A busy machine may take longer to name its running work than completion waits for it.
      #expect(eventually { words().contains { $0 == run.name } })
      _ = run.finish()
    }
  }

  /// Runs with `--on-failure hold`, and `headway retry` and `skip`.
  struct HoldTests {
    private static let plan = """
      name: release
      tasks:
        check: { run: "echo checking; test -e fixed" }
        ship: { run: "echo shipped", after: check }

      """

    /// A run that is held.
    private func held(_ terminal: TerminalSize? = nil) -> (sandbox: Sandbox, tool: RunningTool) {
      let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
      let tool = RunningTool(
        ["run", "--on-failure", "hold"], in: sandbox, terminal: terminal)
      #expect(eventually { RunningTool.run(["runs"], in: sandbox).text.contains(" held ") })
      return (sandbox, tool)
    }

    @Test func `A failed task runs again after it was repaired`() {
      let (sandbox, tool) = held()
      let status = RunningTool.run(["status"], in: sandbox).text
      #expect(status.contains(": held · ") && status.contains(" · after the failure of check · "))
      #expect(status.contains("held") && status.contains("has failed; retry or skip it"))
      #expect(tool.wait(for: "held after a failure: no further task is started\n"))
      #expect(tool.wait(for: "    checking\n"))
      #expect(tool.wait(for: " check  run it again\n"))
      let refused = RunningTool.run(["retry", "ship"], in: sandbox)
      #expect(refused.end == .code(1))
      #expect(refused.text == "headway: 'ship' has not failed\n")
      sandbox.write("", to: "fixed")
      #expect(RunningTool.run(["retry", "check"], in: sandbox).end == .code(0))
      #expect(tool.end() == .code(0))
      #expect(tool.text.contains("check started, attempt 2\n"))
    }

    @Test func `The run goes on without a task that is skipped, and fails`() {
      let (sandbox, tool) = held()
      let result = RunningTool.run(["skip", "latest", "--json"], in: sandbox)
      #expect(result.end == .code(0))
      #expect(result.text.hasSuffix(#""ok":true}"# + "\n"))
      #expect(tool.end() == .code(1))
      #expect(tool.text.contains("1 failed, 1 skipped"))
    }

    @Test(arguments: ["r", "s", "e"])
    func `Keys decide, too`(key: String) {
      let (sandbox, tool) = held(TerminalSize(columns: 100, rows: 24))
      #expect(tool.wait(for: "held by check"))
      if key == "r" { sandbox.write("", to: "fixed") }
      let begin = tool.output.count
      tool.type("\t")
      #expect(tool.wait(for: "r retry", from: begin))
      tool.type(key)
      #expect(tool.end() == (key == "r" ? .code(0) : key == "s" ? .code(1) : .signal(SIGINT)))
    }

    @Test func `The time in which nobody decided is not learnt`() throws {
      let (sandbox, tool) = held()
      sandbox.write("", to: "fixed")
      #expect(RunningTool.run(["retry"], in: sandbox).end == .code(0))
      #expect(tool.end() == .code(0))
      let run = try #require(try RunFolder.named(nil, in: "\(sandbox.path)/.headway")).read()
      let record = try #require(run.record.records.first { $0.index == 0 })
      #expect(record.attempts == 2 && record.ran < run.state.tasks[0].ran)
    }

    @Test(arguments: [
      (
        ["--on-failure", "wait"],
        "--on-failure takes stop, keep-going, fail-fast or hold, not 'wait'"
      ),
      (["-k", "--on-failure", "hold"], "--keep-going and --on-failure exclude each other"),
      (["-k", "--fail-fast"], "--keep-going and --fail-fast exclude each other"),
    ])
    func `Wrong arguments end with 2`(arguments: [String], message: String) {
      let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
      let result = RunningTool.run(["run"] + arguments, in: sandbox)
      #expect(result.end == .code(2))
      #expect(result.text == "headway: \(message)\n")
    }

    @Test(arguments: [("stop", 1), ("keep-going", 1), ("fail-fast", 1)])
    func `The other reactions have names, too`(name: String, code: Int32) {
      let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
      #expect(RunningTool.run(["run", "--on-failure", name], in: sandbox).end == .code(code))
    }
  }
#endif
