import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// The commands that run nothing, and what the tool says to slips.
struct CommandTests {
  /// A right plan of two tasks.
  private let plan = "tasks:\n  a: { run: echo hi }\n  b: { run: 'cat x > y', after: a }\n"

  /// A plan of two tasks that succeed.
  private let good = "tasks:\n  a: { run: echo hi }\n  b: { run: echo there, after: a }\n"

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

  @Test func `A plan whose name begins with a dash is given after two dashes`() {
    let sandbox = Sandbox(plan: plan, named: "-plan.yaml")
    let result = RunningTool.run(["check", "--", "-plan.yaml"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text == "-plan.yaml: 2 tasks, no errors\n")
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
    (["run"], "no headway.yaml in this folder or above it; name a plan: headway run PLAN.yaml"),
    (["run", "none.yaml"], "cannot read the plan 'none.yaml': No such file or directory"),
    (["plan.yaml"], "missing command; to run the plan: headway run plan.yaml"),
    (["rum"], "unknown command 'rum'; did you mean run?"),
    (["help", "rum"], "unknown command 'rum'; did you mean run?"),
    (["rum", "--help"], "unknown command 'rum'; did you mean run?"),
    (
      ["frobnicate"],
      "unknown command 'frobnicate'; valid commands: \(Command.all.map(\.name).joined(separator: ", "))"
    ),
    (["completion"], "completion takes one of bash, zsh and fish"),
    (["completion", "tcsh"], "completion takes one of bash, zsh and fish, not 'tcsh'"),
    (["run", "--state", ""], "the value of --state must not be empty"),
    (["run", "--worker", "2"], "unknown option --worker; did you mean --workers?"),
    (["run", "--wrokers", "2"], "unknown option --wrokers; did you mean --workers?"),
    (["graph", "--svg"], "unknown option --svg; valid options: --dot, --mermaid, --directory"),
    (["check", "--svg"], "unknown option --svg; valid options: --directory"),
    (["run", "--workers", "0"], "--workers takes a whole number from 1 to 100,000, not '0'"),
    (["run", "--keep-runs", "0"], "--keep-runs takes a whole number from 1 to 100,000, not '0'"),
    (
      ["run", "--keep-size", "2"],
      "--keep-size: size \"2\" has no unit; write it like 500kB, 10MB or 2GiB"
    ),
    (
      ["run", "--keep-size=0MB"],
      "--keep-size must be greater than 0; write \"none\" for no limit"
    ),
    (["run", "--workers"], "--workers needs a value: --workers N"),
    (["run", "--ui", "loud"], "--ui takes live, plain, json or quiet, not 'loud'"),
    (["run", "-k", "--fail-fast"], "--keep-going and --fail-fast exclude each other"),
    (["run", "-j", "2", "--workers", "3"], "--workers is given twice; give it once"),
    (["graph", "plan.yaml", "--dot", "--dot"], "--dot is given twice; give it once"),
    (["run", "plan.yaml", "c"], "unknown task"),
  ])
  func `A slip is answered with one line and the code 2`(arguments: [String], line: String) {
    let result = RunningTool.run(arguments, in: Sandbox(plan: plan))
    #expect(result.end == .code(2))
    #expect(result.text.hasPrefix("headway: "))
    #expect(result.text.contains(line))
    #expect(result.text.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    "check plan.yaml", "graph plan.yaml", "run plan.yaml -n", "history", "report -o -", "help",
    "run plan.yaml --ui json",
  ])
  func `Output that cannot be written is an error`(command: String) {
    let sandbox = Sandbox(plan: good)
    // A run for the history.
    _ = RunningTool.run(["run", "plan.yaml", "--ui", "quiet"], in: sandbox)
    let tool = RunningTool(
      ["-c", "'\(RunningTool.path)' \(command) > /dev/full"], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(69))
    #expect(tool.text == "headway: cannot write to standard output: No space left on device\n")
  }

  @Test func `A reader that has read enough is not an error, even if SIGPIPE is ignored`() {
    let sandbox = Sandbox(plan: plan)
    unsafe mkfifo("\(sandbox.path)/pipe", 0o600)
    // The shell opens both ends of the pipe and closes the one to read from.
    let pipe = "exec 5<> pipe 6> pipe 5<&-"
    let tool = RunningTool(
      ["-c", "trap '' PIPE; \(pipe); '\(RunningTool.path)' graph plan.yaml >&6"], in: sandbox,
      program: "/bin/sh")
    #expect(tool.end() == .code(0))
    #expect(tool.text == "")
  }

  @Test(arguments: ["graph plan.yaml", "run plan.yaml --ui json"])
  func `A command whose output is closed exits with 69`(command: String) {
    let sandbox = Sandbox(plan: good)
    let tool = RunningTool(
      ["-c", "'\(RunningTool.path)' \(command) >&-"], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(69))
    #expect(tool.text == "headway: cannot write to standard output: Bad file descriptor\n")
  }

  @Test func `A run shows itself on standard error and leaves standard output to its tasks`() {
    let sandbox = Sandbox(plan: good)
    let command = "'\(RunningTool.path)' run plan.yaml --ui plain"
    let words = RunningTool(["-c", "\(command) 2>/dev/null"], in: sandbox, program: "/bin/sh")
    #expect(words.end() == .code(0))
    #expect(words.text == "")
    let full = RunningTool(["-c", "\(command) 2>/dev/full"], in: sandbox, program: "/bin/sh")
    #expect(full.end() == .code(69))
  }

  @Test func `A failed run whose output cannot be written exits as a failed run`() {
    let sandbox = Sandbox(plan: "tasks: { a: { run: false } }")
    let tool = RunningTool(
      ["-c", "'\(RunningTool.path)' run plan.yaml --ui json > /dev/full"], in: sandbox,
      program: "/bin/sh")
    #expect(tool.end() == .code(1))
    #expect(tool.text == "headway: cannot write to standard output: No space left on device\n")
  }

  @Test func `Messages show no control characters of arguments and paths`() {
    let sandbox = Sandbox()
    sandbox.write("tasks: {", to: "\u{1B}[6n.yaml")
    for arguments in [["\u{1B}[6n"], ["check", "\u{1B}[6n.yaml"], ["report", "\u{1B}[6n"]] {
      #expect(!RunningTool.run(arguments, in: sandbox).text.contains("\u{1B}"))
    }
  }

  // ThreadSanitizer needs larger files itself.
  #if !TSAN
    @Test func `A limit on the size of files ends the log, not the run`() {
      let sandbox = Sandbox(
        plan: "tasks:\n  a: { run: seq 100000 }\n  b: { run: echo done, after: a }\n")
      let tool = RunningTool(
        ["-c", "ulimit -f 1; exec '\(RunningTool.path)' run plan.yaml"], in: sandbox,
        program: "/bin/bash")
      #expect(tool.end() == .code(0))
      #expect(
        tool.text.contains(
          "headway: the log of a is incomplete: the limit on the size of files is reached (ulimit -f)\n"
        ))
      #expect(tool.text.contains("2 succeeded"))
    }
  #endif

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

  @Test func `In a folder with a plan a word is a task, even if it is also a folder with a plan`() {
    let sandbox = Sandbox(plan: good, named: "headway.yaml")
    sandbox.makeFolder("b")
    sandbox.write("tasks:\n  other: { run: echo }\n", to: "b/headway.yaml")
    #expect(
      RunningTool.run(["check", "b"], in: sandbox).text == "headway.yaml: 2 tasks, no errors\n")
  }

  @Test func `A plan may be headway.yml, but not beside headway.yaml`() {
    let sandbox = Sandbox(plan: good, named: "headway.yml")
    #expect(RunningTool.run(["check"], in: sandbox).text == "headway.yml: 2 tasks, no errors\n")
    let name = sandbox.path.split(separator: "/").last ?? ""
    #expect(RunningTool.run(["run"], in: sandbox).text.contains("\n\(name): 2 succeeded"))
    sandbox.write(plan, to: "headway.yaml")
    let result = RunningTool.run(["check"], in: sandbox)
    #expect(result.end == .code(2))
    #expect(
      result.text
        == "headway: both 'headway.yaml' and 'headway.yml' exist; name one of them, or remove one\n"
    )
  }

  @Test func `A plan is also found from the folders below it`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: touch made }\n", named: "headway.yaml")
    sandbox.makeFolder("one")
    sandbox.makeFolder("one/two")
    for folder in ["one", "one/two"] {
      let tool = RunningTool(
        ["-c", "cd \(folder) && '\(RunningTool.path)' run"], in: sandbox, program: "/bin/sh")
      #expect(tool.end() == .code(0))
    }
    #expect(sandbox.has("made") && sandbox.has(".headway"))
    #expect(folderEntries("\(sandbox.path)/one") == ["two"])
    // The nearest one counts.
    sandbox.write(good, to: "one/headway.yaml")
    let check = RunningTool(
      ["-c", "cd one/two && '\(RunningTool.path)' check"], in: sandbox, program: "/bin/sh")
    #expect(check.end() == .code(0))
    #expect(check.text == "../headway.yaml: 2 tasks, no errors\n")
  }

  @Test func `The search for a plan ends at the home folder`() {
    let sandbox = Sandbox(plan: good, named: "headway.yaml")
    sandbox.makeFolder("home")
    sandbox.makeFolder("home/work")
    let tool = RunningTool(
      ["-c", "cd home/work && HOME='\(sandbox.path)/home' '\(RunningTool.path)' check"],
      in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(2))
    #expect(
      tool.text
        == "headway: no headway.yaml in this folder or above it; name a plan: headway run PLAN.yaml\n"
    )
  }

  @Test func `A plan above that others can write is not used unless it is named`() {
    let sandbox = Sandbox(plan: good, named: "headway.yaml")
    sandbox.makeFolder("below")
    unsafe chmod("\(sandbox.path)/headway.yaml", 0o666)
    func check(_ words: String) -> RunningTool {
      RunningTool(
        ["-c", "cd below && '\(RunningTool.path)' check \(words)"], in: sandbox, program: "/bin/sh")
    }
    let found = check("")
    #expect(found.end() == .code(2))
    #expect(
      found.text == """
        headway: '../headway.yaml' was not used, because it can be written by other users; \
        name it to use it: headway run ../headway.yaml

        """)
    #expect(check("../headway.yaml").end() == .code(0))
    #expect(check("..").end() == .code(0))
  }

  @Test(arguments: [
    ["check", "-C", "sub"], ["-C", "sub", "check"], ["check", "--directory=sub", "headway.yaml"],
    ["check", "-Csub/", "."],
  ])
  func `A plan is looked for in the folder of -C`(arguments: [String]) {
    let sandbox = Sandbox(plan: plan, named: "headway.yaml")
    sandbox.makeFolder("sub")
    sandbox.write("tasks:\n  a: { run: echo }\n", to: "sub/headway.yaml")
    let result = RunningTool.run(arguments, in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text.hasSuffix("headway.yaml: 1 task, no errors\n"))
    #expect(result.text.hasPrefix("sub/"))
  }

  @Test func `A folder of -C that does not exist is an error`() {
    let result = RunningTool.run(["run", "-C", "nowhere"], in: Sandbox(plan: plan))
    #expect(result.end == .code(2))
    #expect(result.text == "headway: cannot use 'nowhere' for -C: it is not a directory\n")
  }

  @Test func `A dash is a plan from standard input`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: touch made }\n")
    let tool = RunningTool(
      ["-c", "cat plan.yaml | '\(RunningTool.path)' run - a"], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("made"))
  }

  @Test func `The tasks are listed with their descriptions, in text and as JSON`() {
    let sandbox = Sandbox(
      plan: """
        description: a release
        tasks:
          fetch: { run: echo, description: get the sources }
          build:
            description: |
              compile everything
              with both compilers
            run: make CC="$cc"
            matrix: { cc: [gcc, clang] }
            after: fetch
          all: { after: [build] }

        """)
    let list = RunningTool.run(["list", "plan.yaml"], in: sandbox)
    #expect(list.end == .code(0))
    #expect(
      list.text == """
        fetch  get the sources
        build  compile everything (2 variants)
        all

        """)
    let json = RunningTool.run(["list", "plan.yaml", "--json"], in: sandbox)
    #expect(json.end == .code(0))
    #expect(
      json.text == #"""
        {"task":"fetch","description":"get the sources"}
        {"task":"build","description":"compile everything\nwith both compilers\n","after":["fetch"],"variants":["build[gcc]","build[clang]"]}
        {"task":"all","after":["build"]}

        """#)
    let mistyped = RunningTool.run(["run", "plan.yaml", "fetsch"], in: sandbox)
    #expect(mistyped.end == .code(2))
    #expect(
      mistyped.text == list.text + "headway: unknown task \"fetsch\" (did you mean \"fetch\"?)\n")
  }

  @Test func `A directory may begin with the home folder`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: touch made, dir: ~/sub }\n")
    sandbox.makeFolder("sub")
    let tool = RunningTool(
      ["-c", "HOME='\(sandbox.path)' '\(RunningTool.path)' run plan.yaml"], in: sandbox,
      program: "/bin/sh")
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("sub/made"))
  }

  @Test func `A plan chooses its shell`() {
    let sandbox = Sandbox(
      plan: """
        shell: bash
        tasks:
          a: { run: 'declare -a words=(x y); echo "${words[1]}" > a' }
          b: { run: 'false | true; echo unreached > b', shell: [bash, -e, -o, pipefail, -c] }
          c: { run: 'echo $0 > c', shell: sh, optional: true }
        """)
    #expect(RunningTool.run(["run", "-k", "plan.yaml"], in: sandbox).end == .code(1))
    #expect(sandbox.read("a") == "y\n")
    #expect(!sandbox.has("b"))
    #expect(sandbox.read("c") == "/bin/sh\n")
  }

  @Test func `A plan may be JSON, with a history of its own`() {
    let sandbox = Sandbox(plan: good)
    sandbox.write("{\n\t\"tasks\": {\n\t\t\"a\": { \"run\": \"echo\" }\n\t}\n}\n", to: "plan.json")
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0))
    #expect(RunningTool.run(["run", "plan.json"], in: sandbox).end == .code(0))
    let history = RunningTool.run(["history"], in: sandbox).text
    #expect(history.contains("plan.json ") && history.contains("plan  "))
  }

  @Test func `A plan from a pipe belongs to the current folder`() {
    let sandbox = Sandbox(plan: good)
    for input in ["cat plan.yaml |", "< plan.yaml"] {
      let tool = RunningTool(
        ["-c", "\(input) '\(RunningTool.path)' run /dev/stdin"], in: sandbox, program: "/bin/sh")
      #expect(tool.end() == .code(0))
      #expect(tool.text.contains("\nstdin: 2 succeeded"))
    }
    #expect(folderEntries("\(sandbox.path)/.headway/runs").count == 4)
  }

  @Test func `A plan from a named pipe in another folder belongs to the current folder`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: touch made }\n")
    sandbox.makeFolder("sub")
    unsafe mkfifo("\(sandbox.path)/sub/pipe.yaml", 0o600)
    let script = "cat plan.yaml > sub/pipe.yaml & '\(RunningTool.path)' run sub/pipe.yaml"
    let tool = RunningTool(["-c", script], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("made") && sandbox.has(".headway"))
    #expect(folderEntries("\(sandbox.path)/sub") == ["pipe.yaml"])
  }

  @Test func `A check warns of a directory that does not exist and that no task could create`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: x, dir: none }
          b: { run: x, dir: made, after: a }
          c: { run: x, dir: there }
        """)
    sandbox.makeFolder("there")
    let result = RunningTool.run(["check", "\(sandbox.path)/plan.yaml"], in: Sandbox())
    #expect(result.end == .code(0))
    let path = "\(sandbox.path)/plan.yaml"
    #expect(
      result.text == """
        headway: \(path):2: the directory 'none' of task 'a' does not exist
        \(path): 3 tasks, no errors

        """)
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

  @Test func `A dry run marks a script of which it shows the first line only`() {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: \"touch a\\ntouch b\\n\" }\n  b: { run: touch c, after: a }\n")
    let result = RunningTool.run(["run", "plan.yaml", "-n"], in: sandbox)
    #expect(result.text == "a  touch a …\nb  touch c\n")
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

  @Test func `A dry run goes on after services, and once`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          db: { run: sleep 300, service: { ready: { port: 1 }, restart: 3 } }
          test: { run: touch a, after: db }
          pack: { run: touch b, after: test }
          lint: { run: touch c }
        """)
    let result = RunningTool.run(["run", "plan.yaml", "-n"], in: sandbox)
    #expect(result.text == "db    sleep 300\ntest  touch a\npack  touch b\nlint  touch c\n")
  }

  @Test func `A graph is drawn as a tree, for Graphviz and for Mermaid`() {
    let sandbox = Sandbox(plan: plan)
    #expect(RunningTool.run(["graph", "plan.yaml"], in: sandbox).text == "a\n└─ b\n")
    #expect(RunningTool.run(["graph", "plan.yaml", "--dot"], in: sandbox).text.contains("digraph"))
    let mermaid = RunningTool.run(["graph", "plan.yaml", "--mermaid"], in: sandbox).text
    #expect(mermaid.contains("-->"))
  }
}
