import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// Included plans, environment inputs and the schema, through the tool.
struct IncludeCommandTests {
  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(
      plan:
        "name: includes\ninclude: { web: web/tasks.yaml }\ntasks: { all: { run: pwd, after: web:build } }\n"
    )
    sandbox.makeFolder("web")
    sandbox.write(
      "tasks: { build: { run: pwd > here, inputs: '*.c', outputs: here } }\n", to: "web/tasks.yaml")
    sandbox.write("", to: "web/a.c")
    return sandbox
  }

  private func run(_ arguments: [String], _ sandbox: Sandbox) -> (end: ProcessEnd, text: String) {
    RunningTool.run(arguments, in: sandbox)
  }

  @Test func `An included task runs in its own folder, and can be up to date`() {
    let sandbox = sandbox()
    #expect(run(["run", "plan.yaml", "web:build"], sandbox).end == .code(0))
    #expect(sandbox.read("web/here").hasSuffix("/web\n"))
    #expect(run(["run", "-n", "plan.yaml"], sandbox).text.contains("web:build  (up to date) pwd"))
    sandbox.write("x", to: "web/a.c")
    #expect(!run(["run", "-n", "plan.yaml"], sandbox).text.contains("(up to date)"))
  }

  @Test func `Errors in an included file are shown with its lines`() {
    let sandbox = sandbox()
    sandbox.write("tasks:\n  build: { rum: pwd }\n", to: "web/tasks.yaml")
    let result = run(["check", "plan.yaml"], sandbox)
    #expect(result.end == .code(2))
    #expect(
      result.text.hasPrefix(
        "web/tasks.yaml:2:12: unknown key \"rum\" in a task; did you mean \"run\"?\n  build: { rum: pwd }\n"
      ))
  }

  @Test func `An included file that others can write is refused`() {
    let sandbox = sandbox()
    unsafe chmod("\(sandbox.path)/web/tasks.yaml", 0o666)
    let result = run(["check", "plan.yaml"], sandbox)
    #expect(result.end == .code(2))
    #expect(
      result.text.contains(
        "the included file \"web/tasks.yaml\" was not used, because it can be written by other users"
      ))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `An included file of another user is refused, unless the folder is theirs, too`() {
    let sandbox = sandbox()
    let file = "\(sandbox.path)/web/tasks.yaml"
    unsafe chown(file, 65534, 65534)
    let result = run(["check", "plan.yaml"], sandbox)
    #expect(result.end == .code(2))
    #expect(result.text.contains("was not used, because it belongs to user 65534, not to you"))
    unsafe chown(sandbox.path, 65534, 65534)
    #expect(run(["check", "plan.yaml"], sandbox).end == .code(0))
    unsafe chmod(file, 0o664)
    #expect(run(["check", "plan.yaml"], sandbox).end == .code(2))
    setPermissions(0o775, ofFolder: sandbox.path)
    #expect(run(["check", "plan.yaml"], sandbox).end == .code(0))
  }

  @Test func `An included pipe or folder is an error, and is not waited for`() {
    let sandbox = sandbox()
    unsafe unlink("\(sandbox.path)/web/tasks.yaml")
    unsafe mkfifo("\(sandbox.path)/web/tasks.yaml", 0o600)
    #expect(run(["check", "plan.yaml"], sandbox).text.contains("is not a regular file"))
    sandbox.write("include: { web: web }\n", to: "plan.yaml")
    #expect(run(["check", "plan.yaml"], sandbox).text.contains("is not a regular file"))
  }

  @Test func `Variables in env_inputs decide whether a task is up to date`() {
    let sandbox = Sandbox(
      plan: "name: envinputs\ntasks: { a: { run: ./go, inputs: go, env_inputs: [CC, 'NODE_*'] } }\n"
    )
    sandbox.installProgram("#!/bin/sh\n", at: "go")
    func isUpToDate(_ variables: String) -> Bool {
      let tool = RunningTool(
        ["-c", "\(variables) '\(RunningTool.path)' run -n plan.yaml"], in: sandbox,
        program: "/bin/sh")
      #expect(tool.end() == .code(0))
      return tool.text.contains("(up to date)")
    }
    let first = RunningTool(
      ["-c", "CC=gcc '\(RunningTool.path)' run plan.yaml"], in: sandbox, program: "/bin/sh")
    #expect(first.end() == .code(0))
    #expect(isUpToDate("CC=gcc"))
    #expect(isUpToDate("CC=gcc OTHER=1"))
    #expect(!isUpToDate("CC=clang"))
    #expect(!isUpToDate(""))
    #expect(!isUpToDate("CC=gcc NODE_ENV=x"))
  }

  @Test func `The plans of this package are valid by the schema, and plans with errors are not`() {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let sandbox = Sandbox()
    sandbox.write(
      #"""
      import glob, json, re, sys
      try:
        import jsonschema, yaml
      except ImportError:
        print("not installed")
        sys.exit(0)
      schema = json.load(open("schema.json"))
      jsonschema.Draft7Validator.check_schema(schema)
      validator = jsonschema.Draft7Validator(schema)
      root = sys.argv[1]
      texts = [open(name).read() for name in glob.glob(root + "/Plans/*.yaml")]
      for page in glob.glob(root + "/docs/*.md"):
        texts += re.findall(r"```yaml\n(.*?)```", open(page).read(), re.S)
      plans = [plan for plan in map(yaml.safe_load, texts) if isinstance(plan, dict) and "tasks" in plan]
      assert len(plans) > 6
      for plan in plans:
        validator.validate(plan)
      for text in ["{}", "tasks: {a: {rum: x}}", "tasks: {a: {run: x, timeout: 30}}", "include: {a: {dir: .}}",
                   "tasks: {a: {run: x, optional: 'yes'}}", "{tasks: {a: {run: x}}, foo: 1}"]:
        assert not validator.is_valid(yaml.safe_load(text)), text
      print("valid")
      """#, to: "validate.py")
    let tool = RunningTool(
      [
        "-c",
        "'\(RunningTool.path)' schema > schema.json && { command -v python3 > /dev/null || { echo not installed; exit; }; } && python3 validate.py '\(root)'",
      ], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0))
    #expect(["valid\n", "not installed\n"].contains(tool.text), "\(tool.text)")
  }

  @Test func `A dry run explains why tasks would run`() {
    let sandbox = Sandbox(
      plan: """
        name: explain
        tasks:
          a: { run: cp in out, inputs: in, outputs: out }
          b: { run: 'true' }

        """)
    sandbox.write("1", to: "in")
    func explanation(_ options: [String] = []) -> String {
      run(["run", "-n", "--explain", "plan.yaml"] + options, sandbox).text
    }
    #expect(explanation().contains("a  (would run: no earlier success is on record) cp in out\n"))
    #expect(explanation().contains("b  (would run: it has no inputs) true\n"))
    #expect(run(["run", "plan.yaml"], sandbox).end == .code(0))
    #expect(explanation().contains("a  (up to date) cp in out\n"))
    #expect(explanation(["-f"]).contains("a  (would run: forced) cp in out\n"))
    sandbox.write("2", to: "in")
    #expect(explanation().contains("a  (would run: inputs changed) cp in out\n"))
    sandbox.write("3", to: "out")
    #expect(explanation().contains("a  (would run: inputs, outputs changed) cp in out\n"))
    unsafe unlink("\(sandbox.path)/out")
    #expect(explanation().contains("a  (would run: missing: out) cp in out\n"))
    #expect(run(["run", "plan.yaml"], sandbox).end == .code(0))
    sandbox.write(
      "name: explain\ntasks: { a: { run: cp -f in out, inputs: in, outputs: out } }\n",
      to: "plan.yaml")
    #expect(explanation().contains("(would run: command changed)"))
  }

  @Test func `A run explains why tasks ran`() {
    let sandbox = Sandbox(
      plan: "name: explained\ntasks: { a: { run: cp in out, inputs: in, outputs: out } }\n")
    sandbox.write("1", to: "in")
    func explanation(_ options: [String] = []) -> String {
      run(["run", "--explain", "--ui", "quiet", "plan.yaml"] + options, sandbox).text
    }
    #expect(explanation() == "headway: task 'a' ran: no earlier success is on record\n")
    #expect(explanation().isEmpty)
    #expect(explanation(["-f"]) == "headway: task 'a' ran: forced\n")
    sandbox.write("2", to: "in")
    #expect(explanation() == "headway: task 'a' ran: inputs changed\n")
  }

  @Test func `The schema is printed`() {
    let result = run(["schema"], Sandbox())
    #expect(result.end == .code(0))
    #expect(result.text.contains("\"$schema\": \"http://json-schema.org/draft-07/schema#\""))
    #expect(run(["schema", "x"], Sandbox()).end == .code(2))
  }
}
