import Testing

/// The commands that run nothing, and what the tool says to slips.
struct CommandTests {
  /// A right plan of two tasks.
  private let plan = "tasks:\n  a: { run: echo hi }\n  b: { run: 'cat x > y', after: a }\n"

  @Test func `The version is one line`() {
    let result = RunningTool.run(["--version"], in: Sandbox())
    #expect(result.end == .code(0))
    #expect(result.text == "headway 0.1.0\n")
  }

  @Test(arguments: [[], ["help"], ["--help"], ["run", "--help"], ["help", "run"]])
  func `Help is printed and is not an error`(arguments: [String]) {
    let result = RunningTool.run(arguments, in: Sandbox())
    #expect(result.end == .code(0))
    #expect(result.text.contains("headway run [PLAN] [TASK…]"))
  }

  @Test func `Checking a valid plan prints one line`() {
    let result = RunningTool.run(["check", "plan.yaml"], in: Sandbox(plan: plan))
    #expect(result.end == .code(0))
    #expect(result.text == "plan.yaml: 2 tasks, no errors\n")
  }

  @Test func `All errors in a plan are reported with their lines, and the exit code is 2`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: x, tiemout: 5s }\n  b: { run: y, after: c }\n")
    let result = RunningTool.run(["check", "plan.yaml"], in: sandbox)
    #expect(result.end == .code(2))
    #expect(result.text.contains("plan.yaml:2:"))
    #expect(result.text.contains("plan.yaml:3:"))
    #expect(result.text.hasSuffix("headway: 2 errors in plan.yaml\n"))
  }

  @Test func `Errors that are not listed are counted`() {
    let tasks = (0..<120).map { "  t\($0): { run: x, bad: 1 }\n" }.joined()
    let result = RunningTool.run(["check", "plan.yaml"], in: Sandbox(plan: "tasks:\n" + tasks))
    #expect(result.text.hasSuffix("and 20 more errors\nheadway: 120 errors in plan.yaml\n"))
  }

  @Test func `A plan with errors is not run`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: touch ran }\n  b: { runn: x }\n")
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(2))
    #expect(!sandbox.has("ran"))
  }

  @Test(arguments: [
    (["run"], "no headway.yaml in this folder; name a plan: headway run PLAN.yaml"),
    (["run", "none.yaml"], "cannot read the plan 'none.yaml': No such file or directory"),
    (["plan.yaml"], "missing command; to run the plan: headway run plan.yaml"),
    (
      ["rum"],
      "unknown command 'rum'; valid commands: run, check, graph, history, report, demo, help"
    ),
    (["run", "--state", ""], "the value of --state must not be empty"),
    (["run", "--worker", "2"], "unknown option --worker; did you mean --workers?"),
    (["run", "--wrokers", "2"], "unknown option --wrokers; did you mean --workers?"),
    (["graph", "--svg"], "unknown option --svg; valid options: --dot, --mermaid"),
    (["check", "--svg"], "unknown option --svg; this command has no options"),
    (["run", "--workers", "0"], "--workers takes a whole number from 1 to 10000, not '0'"),
    (["run", "--workers"], "--workers needs a value: --workers N"),
    (["run", "--ui", "loud"], "--ui takes live, plain, json or quiet, not 'loud'"),
    (["run", "-k", "--fail-fast"], "--keep-going and --fail-fast exclude each other"),
    (["run", "plan.yaml", "c"], "unknown task"),
  ])
  func `A slip is answered with one line and the code 2`(arguments: [String], line: String) {
    let result = RunningTool.run(arguments, in: Sandbox(plan: plan))
    #expect(result.end == .code(2))
    #expect(result.text.hasPrefix("headway: "))
    #expect(result.text.contains(line))
    #expect(result.text.split(separator: "\n").count == 1)
  }

  @Test(arguments: ["check plan.yaml", "graph plan.yaml", "run plan.yaml -n", "history", "help"])
  func `Output that cannot be written is an error`(command: String) {
    let sandbox = Sandbox(plan: plan)
    // A run for the history.
    _ = RunningTool.run(["run", "plan.yaml", "--ui", "quiet"], in: sandbox)
    let tool = RunningTool(
      ["-c", "'\(RunningTool.path)' \(command) > /dev/full"], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(69))
    #expect(tool.text == "headway: cannot write to standard output: No space left on device\n")
  }

  @Test func `A plan without an end is refused`() {
    let result = RunningTool.run(["check", "/dev/zero"], in: Sandbox())
    #expect(result.end == .code(2))
    #expect(result.text.contains("the file is larger than 64 MiB"))
  }

  @Test func `A folder stands for its plan, and a number may join its letter`() {
    let sandbox = Sandbox()
    sandbox.makeFolder("sub")
    sandbox.write(plan, to: "sub/headway.yaml")
    let result = RunningTool.run(["run", "sub", "-j8"], in: sandbox)
    // A plan in headway.yaml has the name of its folder.
    #expect(result.text.contains("\nsub: "))
    #expect(sandbox.has("sub/.headway"))
  }

  @Test func `A dry run tells of inputs that match nothing and that no task would create`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: touch made, inputs: ["*.none", plan.yaml] }
          b: { run: "true", inputs: made, after: a }
        """)
    let result = RunningTool.run(["run", "plan.yaml", "-n"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(
      result.text == "a  touch made\nb  true\nheadway: task 'a': no file matches *.none\n")
  }

  @Test func `A dry run shows no escapes, and with --force nothing is up to date`() {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: \"touch ran '\\x1b[31m'\", inputs: [plan.yaml], outputs: [ran] }\n"
    )
    _ = RunningTool.run(["run", "plan.yaml"], in: sandbox)
    #expect(
      RunningTool.run(["run", "plan.yaml", "-n"], in: sandbox).text
        == "a  (up to date) touch ran '\u{FFFD}[31m'\n")
    #expect(
      RunningTool.run(["run", "plan.yaml", "-n", "-f"], in: sandbox).text
        == "a  touch ran '\u{FFFD}[31m'\n")
  }

  @Test func `A dry run tells the commands in order and runs nothing`() {
    let sandbox = Sandbox(plan: "tasks:\n  b: { run: touch b, after: a }\n  a: { run: touch a }\n")
    let result = RunningTool.run(["run", "plan.yaml", "--dry-run"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text == "a  touch a\nb  touch b\n")
    #expect(!sandbox.has("a"))
    #expect(!sandbox.has(".headway"))
  }

  @Test func `A graph is drawn as a tree, for Graphviz and for Mermaid`() {
    let sandbox = Sandbox(plan: plan)
    #expect(RunningTool.run(["graph", "plan.yaml"], in: sandbox).text == "a\n└─ b\n")
    #expect(RunningTool.run(["graph", "plan.yaml", "--dot"], in: sandbox).text.contains("digraph"))
    let mermaid = RunningTool.run(["graph", "plan.yaml", "--mermaid"], in: sandbox).text
    #expect(mermaid.contains("-->"))
  }
}
