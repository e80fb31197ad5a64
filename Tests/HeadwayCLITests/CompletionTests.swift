import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// What is offered at Tab, as the scripts of the shells receive it, and in the shells themselves.
struct CompletionTests {
  /// A plan whose names have characters that shells interpret.
  private static let plan = """
    tasks:
      build: { run: "true", description: "compile: everything" }
      "build:web": { run: "true", description: the page }
      "has space": { run: "true" }
      "it's $odd": { run: "true" }
      test: { run: "true", matrix: { cc: [gcc, clang] } }

    """

  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    sandbox.makeFolder("sub")
    sandbox.write("tasks:\n  deep: { run: 'true' }\n", to: "sub/my plan.yaml")
    sandbox.write("tasks:\n  other: { run: 'true' }\n", to: "sub/headway.yaml")
    sandbox.write(
      "vars: { LEVEL: 1, MODE: { default: debug, values: [debug, release] } }\ntasks: { a: { run: b } }\n",
      to: "sub/vars.yaml")
    return sandbox
  }

  /// The candidates for the last of some words, without their descriptions.
  private func candidates(_ words: [String], in sandbox: Sandbox) -> [String] {
    let result = RunningTool.run(["__complete", "zsh"] + words, in: sandbox)
    #expect(result.end == .code(0))
    return result.text.split(separator: "\n").dropFirst().map {
      String($0.prefix { $0 != "\t" })
    }
  }

  @Test(
    arguments: [
      (["r"], ["run", "resume", "runs", "report", "retry"]),
      (
        ["run", ""],
        [
          "build", "build:web", "has space", "it's $odd", "test", "test[gcc]", "test[clang]",
          "headway.yaml", "sub/",
        ]
      ),
      (["run", "build", "b"], ["build:web"]),
      (["run", "--ui", ""], ["live", "plain", "json", "quiet"]),
      (["run", "--ui=q"], ["--ui=quiet"]),
      (["run", "--keep-g"], ["--keep-going"]),
      (["run", "-k", "--keep-g"], []),
      (["run", "-j4", "has"], ["has space"]),
      (["run", "-j", ""], []),
      (["run", "build", "--dry"], ["--dry-run"]),
      (["run", "--", "--dry"], []),
      (["graph", "--", "it"], ["it's $odd"]),
      (["run", "--", "it"], []),
      (["run", "-C", "sub", "o"], ["other"]),
      (["-C", "sub", "run", "o"], ["other"]),
      (["-C", "sub", "run", "m"], ["my plan.yaml"]),
      (["run", "sub/m"], ["sub/my plan.yaml"]),
      (["run", "sub/my plan.yaml", ""], ["deep"]),
      (
        ["run", "sub", ""],
        [
          "build", "build:web", "has space", "it's $odd", "test", "test[gcc]",
          "test[clang]",
        ]
      ),
      (["history", "c"], ["clear"]),
      (["completion", ""], ["bash", "zsh", "fish"]),
      (["help", "gr"], ["graph"]),
      (["tell", "--publish"], []),
      (["nonsense", ""], []),
      (["run", "none.yaml", ""], []),
    ] as [([String], [String])])
  func `What fits is offered`(words: [String], expected: [String]) {
    #expect(candidates(words, in: sandbox()) == expected)
  }

  @Test func `Plans and runs of the history are offered`() {
    let sandbox = Sandbox(
      plan: "name: shown\ntasks:\n  a: { run: 'true' }\n", named: "headway.yaml")
    _ = RunningTool.run(["run", "--ui", "quiet"], in: sandbox)
    #expect(candidates(["history", "clear", "sh"], in: sandbox) == ["shown"])
    #expect(candidates(["report", ""], in: sandbox).count == 2)
  }

  @Test(arguments: ["", "tasks:\n  a: { runn: x }\n", "\u{0}", "tasks: ["])
  func `A plan with errors offers no tasks and prints no message`(plan: String) {
    let sandbox = Sandbox(plan: plan, named: "headway.yaml")
    let result = RunningTool.run(["__complete", "zsh", "run", "x"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text == "words:x\n")
  }

  @Test func `A plan that is a pipe is not waited for`() {
    let sandbox = Sandbox()
    unsafe mkfifo("\(sandbox.path)/headway.yaml", 0o600)
    #expect(candidates(["run", "x"], in: sandbox) == [])
    #expect(candidates(["run", "-", "x"], in: sandbox) == [])
  }

  @Test(arguments: [
    [], ["bash"], ["bash", " "], ["bash", " ", ""], ["zsh"], ["fish", "run", "-C"],
  ])
  func `Words that no script sends are answered without an error`(words: [String]) {
    #expect(RunningTool.run(["__complete"] + words, in: Sandbox()).end == .code(0))
  }

  // MARK: Real shells

  /// The lines that a script of a shell prints.
  private func run(_ shell: String, _ script: String, in sandbox: Sandbox) -> [String] {
    sandbox.write(script, to: "script")
    let folder = RunningTool.path.dropLast("/headway".count)
    let path = getenvText("PATH")
    let options = shell.hasSuffix("bash") ? ["--norc"] : shell.hasSuffix("fish") ? ["-N"] : ["-f"]
    let tool = RunningTool(
      options + ["script"], in: sandbox, program: shell,
      variables: ["PATH=\(folder):\(path)", "HOME=\(sandbox.path)"])
    #expect(tool.end() == .code(0))
    return tool.text.split(whereSeparator: \.isNewline).map { String($0) }
  }

  private func getenvText(_ name: String) -> String {
    unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
  }

  @Test(
    .enabled(if: shell("bash") != nil, "bash is not installed"),
    arguments: [
      ("headway run build:", "web "), ("headway run ha", "has\\ space "),
      ("headway run \"ha", "has space"), ("headway run it", "it\\'s\\ \\$odd "),
      ("headway run --ui=q", "quiet "), ("headway run sub/m", "sub/my\\ plan.yaml "),
      ("headway run sub/my\\ plan.yaml d", "deep "), ("headway -C sub run o", "other "),
      ("headway run --state s", "sub"), ("headway graph -- it", "it\\'s\\ \\$odd "),
      ("headway run su", "sub/"), ("headway run sub/vars.yaml LE", "LEVEL="),
      ("headway run sub/vars.yaml MODE=r", "release "),
    ])
  func `Bash completes`(line: String, reply: String) throws {
    let script = """
      set -u
      eval "$(headway completion bash)"
      complete -p headway
      COMP_LINE=$(cat line) COMP_WORDS=(headway) COMP_WORDBREAKS=$' \\t\\n"\\x27><=;|&(:'
      COMP_POINT=${#COMP_LINE}
      _headway
      printf '{%s}\\n' "${COMPREPLY[@]}"
      """
    let sandbox = sandbox()
    sandbox.write(line, to: "line")
    let lines = run(try #require(shell("bash")), script, in: sandbox)
    #expect(lines == ["complete -o nospace -F _headway headway", "{\(reply)}"])
  }

  @Test(
    .enabled(if: shell("fish") != nil, "fish is not installed"),
    arguments: [
      ("headway run build:", "build:web\tthe page"), ("headway run ha", "has space"),
      ("headway run \"ha", "has space"), ("headway run it", "it's $odd"),
      ("headway run --ui=q", "--ui=quiet"), ("headway run sub/m", "sub/my plan.yaml\tplan"),
      ("headway run sub/my\\ plan.yaml d", "deep"), ("headway -C sub run o", "other"),
      ("headway run --state s", "sub/\tDirectory"),
      ("headway run --state=s", "--state=sub/\tDirectory"),
      ("headway graph -- it", "it's $odd"),
      ("headway run sub/vars.yaml LE", "LEVEL=\tvariable"),
      ("headway run sub/vars.yaml MODE=r", "MODE=release"),
    ])
  func `Fish completes`(line: String, offer: String) throws {
    let sandbox = sandbox()
    sandbox.write(line, to: "line")
    let script = "headway completion fish | source\ncomplete -C (cat line)\n"
    #expect(run(try #require(shell("fish")), script, in: sandbox) == [offer])
  }

  @Test(
    .enabled(if: shell("zsh") != nil, "zsh is not installed"),
    arguments: [
      ("headway run build:", "headway run build:web"), ("headway run ha", "run has\\ space"),
      ("headway run 'ha", "run 'has space'"), ("headway run it", "run it\\'s\\ \\$odd"),
      ("headway run --ui=q", "--ui=quiet"), ("headway run sub/m", "sub/my\\ plan.yaml"),
      ("headway run sub/my\\ plan.yaml d", "yaml deep"), ("headway -C sub run o", "run other"),
      ("headway run --state s", "--state sub"), ("headway list --js", "list --json"),
      ("headway run build", "compile: everything"),
      ("headway run sub/vars.yaml LE", "vars.yaml LEVEL="),
      ("headway run sub/vars.yaml MODE=r", "vars.yaml MODE=release"),
    ])
  func `Zsh completes at Tab`(line: String, shown: String) throws {
    let sandbox = sandbox()
    sandbox.write(line, to: "line")
    sandbox.write(shown, to: "shown")
    let script = """
      zmodload zsh/zpty
      zpty z "\(try #require(shell("zsh"))) -f -i"
      zpty -w z 'stty columns 150 rows 50; autoload -Uz compinit; compinit -D -u; source <(headway completion zsh); print REA""DY'
      zpty -r z seen '*READY*'
      zpty -n -w z "$(<line)"$'\\t'
      zpty -r z seen "*${(b)$(<shown)}*" && print -r -- offered
      zpty -d z
      """
    #expect(run(try #require(shell("zsh")), script, in: sandbox) == ["offered"])
  }
}

/// The path of a program on the PATH, nil if it is not installed.
func shell(_ name: String) -> String? {
  ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
    .first { unsafe access($0, X_OK) == 0 }
}
