#if os(Linux)
  import Glibc
  import HeadwayRunner
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
      unsafe mkfifo("\(sandbox.path)/gate", 0o600)
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
      #expect(RunningTool.run(["status", "a", "b"], in: sandbox).end == .code(2))
    }

    @Test func `Runs are offered at Tab`() {
      let sandbox = Sandbox(plan: "name: shown\ntasks: { a: { run: 'true' } }\n")
      _ = RunningTool.run(["run", "plan.yaml"], in: sandbox)
      let result = RunningTool.run(["__complete", "zsh", "status", ""], in: sandbox)
      let words = result.text.split(separator: "\n").dropFirst().map { $0.prefix { $0 != "\t" } }
      #expect(words.dropFirst() == ["latest", "plan.yaml", "shown"])
    }
  }
#endif
