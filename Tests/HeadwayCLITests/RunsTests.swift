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
#endif
