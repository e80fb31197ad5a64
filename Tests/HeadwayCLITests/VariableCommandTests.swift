import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// Variables, arguments and files as values of a matrix, through the tool.
struct VariableCommandTests {
  private static let plan = """
    vars:
      LEVEL: 2
      MODE: { default: debug, values: [debug, release], description: how to build }
      VERSION: { required: true }
      a-b: 7
      LONG: "two\\nlines"
      PATH: /nowhere
    tasks:
      build: { run: 'echo "$LEVEL $MODE $a_b"; env | grep -c "^a-b=" || true', env: { a_b: '{a-b}' }, inputs: headway.yaml }
      list: { run: [printf, '<%s>', '{LEVEL}', '{args}'] }
      shell: { run: 'printf "(%s)" "$@" "$#"' }
      path: { run: 'case "$PATH" in /nowhere) exit 1;; esac' }
      own: { run: 'echo "$LEVEL"', env: { LEVEL: own } }
      release: { run: [echo, '{VERSION}'] }
      show: { run: 'printf "<%s>" "$file"', matrix: { file: { glob: '*.png' } } }

    """

  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    for name in ["a b.png", "c'd.png", "e\nf.png", "-g.png", "[h].png"] {
      sandbox.write("", to: name)
    }
    return sandbox
  }

  /// What the tasks of a run printed.
  private func output(_ arguments: [String], _ sandbox: Sandbox) -> String {
    let result = RunningTool.run(
      ["run", "--ui", "quiet", "--output", "stream"] + arguments, in: sandbox)
    #expect(result.end == .code(0), "\(result.text)")
    return result.text
  }

  private func mistake(_ arguments: [String]) -> String {
    let sandbox = sandbox()
    sandbox.write("vars: { A: x }\ntasks:\n  t: { run: 'echo {A}' }\n", to: "text.yaml")
    let result = RunningTool.run(arguments, in: sandbox)
    #expect(result.end == .code(2))
    return result.text
  }

  @Test func `A variable is in the environment and in braces, and the command line sets it`() {
    let sandbox = sandbox()
    #expect(output(["build"], sandbox) == "2 debug 7\n0\n")
    #expect(output(["LEVEL=a;b", "build", "MODE=release", "-f"], sandbox) == "a;b release 7\n0\n")
    #expect(
      output(["headway.yaml", "build", "LEVEL=9", "LEVEL=8", "-f"], sandbox) == "8 debug 7\n0\n")
    #expect(
      output(["LEVEL=a/b.yaml", "headway.yaml", "build", "-f"], sandbox) == "a/b.yaml debug 7\n0\n")
  }

  @Test func `A variable wins over the environment of the run and a dotenv file, env wins over it`()
  {
    let sandbox = sandbox()
    sandbox.write("LEVEL=dotenv\n", to: ".env")
    sandbox.write("dotenv: .env\n" + Self.plan, to: "headway.yaml")
    let tool = RunningTool(
      ["run", "--ui", "quiet", "--output", "stream", "build"], in: sandbox,
      variables: ["LEVEL=outer"])
    #expect(tool.end(within: RunningTool.usualLimit) == .code(0))
    #expect(tool.text == "2 debug 7\n0\n")
    #expect(output(["own"], sandbox) == "own\n")
  }

  @Test func `PATH is never changed by a variable`() {
    #expect(output(["path"], sandbox()) == "")
  }

  @Test func `A task that mentions a variable runs again when it changes`() {
    let sandbox = sandbox()
    _ = output(["build"], sandbox)
    #expect(output(["build"], sandbox) == "")
    #expect(output(["build", "LEVEL=3"], sandbox) == "3 debug 7\n0\n")
    let result = RunningTool.run(["run", "-n", "--explain", "build", "LEVEL=4"], in: sandbox)
    #expect(result.text.hasPrefix("build  (would run: LEVEL changed)"))
  }

  @Test func `Arguments reach lists and shells, each as one`() {
    let sandbox = sandbox()
    #expect(output(["list", "--", "a b", "-f", "--", "*"], sandbox) == "<2><a b><-f><--><*>\n")
    #expect(output(["shell", "--", "a b", "", "$X"], sandbox) == "(a b)()($X)(3)\n")
    #expect(output(["shell"], sandbox) == "(0)\n")
  }

  @Test func `Arguments decide whether a task is up to date`() {
    let sandbox = Sandbox(
      plan: "tasks: { t: { run: 'echo \"$1\"', inputs: plan.yaml } }\n", named: "plan.yaml")
    #expect(output(["plan.yaml", "--", "x"], sandbox) == "x\n")
    #expect(output(["plan.yaml", "--", "x"], sandbox) == "")
    #expect(output(["plan.yaml", "--", "y"], sandbox) == "y\n")
  }

  @Test func `A task with more output than its log may have goes on`() {
    let sandbox = Sandbox(
      plan: "tasks: { t: { run: 'yes | head -c 300000; exit 3', log_limit: 100kB } }\n",
      named: "plan.yaml")
    let result = RunningTool.run(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(result.end == .code(1))
    #expect(result.text.contains("exit 3"))
    let log = sandbox.read(".headway/runs/latest/logs/t.log")
    #expect(log.hasPrefix("y\ny\n"))
    #expect(
      log.dropFirst(100_000)
        == "[headway] the rest of the output was not stored: it exceeds the limit of 100,000 bytes\n"
    )
  }

  @Test func `Files with odd names are values of a matrix and can be selected`() {
    let sandbox = sandbox()
    #expect(output(["show[e%0Af.png]"], sandbox) == "<e\nf.png>\n")
    #expect(output(["show[-g.png]"], sandbox) == "<-g.png>\n")
    let result = RunningTool.run(["run", "--ui", "plain", "show"], in: sandbox)
    #expect(result.end == .code(0))
    for name in ["a b.png", "c'd.png", "e%0Af.png", "-g.png", "%5Bh%5D.png"] {
      #expect(result.text.contains("show[\(name)] succeeded"))
    }
  }

  @Test(arguments: [
    (["run", "LEVLE=2"], "headway: the plan has no variable \"LEVLE\"; did you mean \"LEVEL\"?"),
    (
      ["run", "MODE=x"], "headway: \"MODE\" cannot be \"x\"; valid values: \"debug\", \"release\"\n"
    ),
    (
      ["run", "release"],
      "headway: the task \"release\" needs the variable \"VERSION\"; give it on the command line: VERSION=VALUE\n"
    ),
    (["run", "biuld", "LEVEL=2"], "headway: unknown task \"biuld\" (did you mean \"build\"?)\n"),
    (
      ["run", "build", "--", "x"],
      "headway: no task of this run uses the arguments after \"--\"; write \"$@\" in a command, or {args} in a list\n"
    ),
    (["run", "=x"], "headway: unknown task \"=x\"; valid tasks:"),
    (
      ["run", "text.yaml"],
      "text.yaml:3:19: a text is the shell's, which does not know {A}; write run: echo \"$A\", or {{A} for the text itself\n"
    ),
    (["check", "LEVLE=2"], "headway: the plan has no variable \"LEVLE\""),
  ])
  func `Mistakes on the command line are told`(arguments: [String], expected: String) {
    #expect(mistake(arguments).hasPrefix(expected))
  }

  @Test func `list, check and graph need no values, and take them`() {
    let sandbox = sandbox()
    let list = RunningTool.run(["list", "LEVEL=3"], in: sandbox)
    #expect(
      list.text.hasSuffix(
        """

        Variables:
          LEVEL=2
          MODE=debug     how to build (debug, release)
          VERSION        (required)
          a-b=7
          LONG=two…
          PATH=/nowhere

        """))
    let json = RunningTool.run(["list", "--json"], in: sandbox).text
    #expect(json.contains("{\"variable\":\"LEVEL\",\"default\":\"2\"}\n"))
    #expect(
      json.contains(
        "{\"variable\":\"MODE\",\"default\":\"debug\",\"values\":[\"debug\",\"release\"],\"description\":\"how to build\"}\n"
      ))
    #expect(json.contains("{\"variable\":\"VERSION\",\"required\":true}\n"))
    #expect(RunningTool.run(["check", "LEVEL=3"], in: sandbox).end == .code(0))
    #expect(RunningTool.run(["graph", "release", "VERSION=1"], in: sandbox).text == "release\n")
  }

  @Test func `A folder with too many files is reported`() {
    let sandbox = Sandbox(
      plan: "tasks: { t: { run: x, matrix: { f: { glob: 'many/*' } } } }\n", named: "headway.yaml")
    sandbox.makeFolder("many")
    for number in 0...10_000 { sandbox.write("", to: "many/\(number)") }
    let result = RunningTool.run(["check"], in: sandbox)
    #expect(result.end == .code(2))
    #expect(
      result.text.contains(
        "\"many/*\" matches 10,001 files, and a matrix has at most 10,000 combinations"))
  }

  @Test func `Variables and their values are completed`() {
    let sandbox = sandbox()
    func candidates(_ words: [String]) -> String {
      RunningTool.run(["__complete", "zsh", "run"] + words, in: sandbox).text
    }
    #expect(candidates(["LE"]) == "words:LE\nLEVEL=\tvariable\n")
    #expect(candidates(["build", "MO"]) == "words:MO\nMODE=\thow to build\n")
    #expect(candidates(["MODE="]) == "words:MODE=\nMODE=debug\nMODE=release\n")
    #expect(candidates(["MODE=debug", "MO"]) == "words:MO\n")
    #expect(candidates(["LEVEL=3", "headway.yaml", "bu"]) == "words:bu\nbuild\n")
    let bash = RunningTool.run(["__complete", "bash", " \n=:", "headway run MO"], in: sandbox)
    #expect(bash.text == "words:MO\nMODE=\n")
  }
}
