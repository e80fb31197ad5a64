import HeadwayPlan
import Testing

/// Variables of a plan, and what the command line gives.
struct VariableTests {
  private struct Files: PlanSources {
    var texts: [String: String] = [:]
    func contents(of path: String) throws(PlanSourceError) -> [UInt8] {
      guard let text = texts[path] else { throw PlanSourceError(reason: "cannot be read: gone") }
      return Array(text.utf8)
    }
    func files(matching pattern: String) throws(PlanSourceError) -> [String] { [] }
  }

  private func read(
    _ text: String, _ words: [String] = [], _ arguments: [String] = [],
    files: [String: String] = [:]
  ) throws -> Plan {
    let settings = words.compactMap(Plan.Setting.init)
    let plan = try Plan.read(
      Array(text.utf8), file: "plan.yaml", sources: Files(texts: files),
      given: Plan.Given(settings: settings, arguments: arguments))
    try plan.check(settings)
    return plan
  }

  /// The messages for a plan and a command line, without their source lines.
  private func errors(
    _ text: String, _ words: [String] = [], _ arguments: [String] = [],
    files: [String: String] = [:]
  ) -> String {
    do {
      let plan = try read(text, words, arguments, files: files)
      try plan.checkNeeds()
      return "no error"
    } catch let error as PlanDiagnostics {
      return error.diagnostics.map { "\($0.line):\($0.column): \($0.message)" }
        .joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  private let level = """
    vars:
      LEVEL: 2
      MODE: { default: debug, values: [debug, release], description: how to build }
    tasks:
      t:
        run: [make, "{LEVEL}", "{MODE}"]
        dir: "{MODE}"
        env: { A: "{LEVEL}x" }
        inputs: "{MODE}/*.c"
        outputs: "out{LEVEL}"
        when: { equal: ["{MODE}", debug] }

    """

  @Test func `The value of a variable takes the place of its braces, as that of a matrix key`()
    throws
  {
    let task = try read(level).task("t")
    #expect(task.command == .program(["make", "2", "debug"]))
    #expect(task.directory == "debug")
    #expect(task.environment.map(\.value) == ["2x"])
    #expect(task.inputs == ["debug/*.c"])
    #expect(task.outputs == ["out2"])
    #expect(task.condition == .equal("debug", "debug"))
  }

  @Test func `The command line sets a variable, and the last value counts`() throws {
    let plan = try read(level, ["LEVEL=1", "MODE=release", "LEVEL=3"])
    #expect(try plan.task("t").command == .program(["make", "3", "release"]))
    #expect(plan.exportedVariables.map(\.value) == ["3", "release"])
  }

  @Test func `A value may be empty`() throws {
    let plan = try read("vars: { A: x, B: }\ntasks: { t: { run: [p, '{A}', '{B}'] } }\n", ["A="])
    #expect(try plan.task("t").command == .program(["p", "", ""]))
  }

  @Test(arguments: [
    (
      ["LEVLE=2"],
      "the plan has no variable \"LEVLE\"; did you mean \"LEVEL\"? (valid variables: \"LEVEL\", \"MODE\")"
    ),
    (["X=2"], "the plan has no variable \"X\"; valid variables: \"LEVEL\", \"MODE\""),
    (["MODE=fast"], "\"MODE\" cannot be \"fast\"; valid values: \"debug\", \"release\""),
    (["MODE="], "\"MODE\" cannot be \"\"; valid values: \"debug\", \"release\""),
  ])
  func `A word that sets no variable, or not to this value, is an error`(
    words: [String], expected: String
  ) {
    #expect(errors(level, words) == expected)
  }

  @Test func `A plan without variables says how to define one`() {
    #expect(
      errors("tasks: { t: { run: x } }\n", ["A=1"])
        == "the plan has no variable \"A\"; define it in the plan, as in vars: { A: value }")
  }

  @Test(arguments: [
    "=x", "A", "-A=x", "a/b=c", "a b=c", "", "=", "é=1", "a[b]=c", "./a=b.yaml",
  ])
  func `Other words are no settings`(word: String) {
    #expect(Plan.Setting(word) == nil)
  }

  @Test func `A task whose name is the word wins`() throws {
    let plan = try read("vars: { A: 1 }\ntasks: { A=2: { run: [echo, '{A}'] } }\n", ["A=2"])
    #expect(try plan.task("A=2").command == .program(["echo", "1"]))
    #expect(plan.names(among: [try #require(Plan.Setting("A=2"))]) == ["A=2"])
  }

  @Test(arguments: [
    "run: [echo, '{V}']", "run: 'echo $V'", "run: x, env: { A: '{V}' }", "run: x, env_inputs: V",
    "run: x, when: 'test $V'", "run: x, dir: '{W}'",
  ])
  func `A required variable must be given if a task names it`(task: String) {
    let text =
      "vars: { V: { required: true, description: \"the version\\nof it\" }, W: 'v{V}' }\ntasks: { other: { run: x }, t: { \(task) } }\n"
    #expect(
      errors(text)
        == "the task \"t\" needs the variable \"V\" (the version); give it on the command line: V=VALUE"
    )
    #expect(errors(text, ["V=1"]) == "no error")
    #expect(errors(text, ["V="]) == "\"V\" must not be empty")
    #expect(throws: Never.self) { try read(text).selection(of: ["other"]).checkNeeds() }
  }

  @Test func `A default may name the variables before it`() throws {
    let text = "vars: { A: 1, B: 'x{A}', C: '{B}{B}{{A}' }\ntasks: { t: { run: [p, '{C}'] } }\n"
    #expect(try read(text).task("t").command == .program(["p", "x1x1{A}"]))
    #expect(try read(text, ["A=5"]).task("t").command == .program(["p", "x5x5{A}"]))
  }

  @Test func `A value is not expanded again`() throws {
    let text = "vars: { A: 1, B: 2 }\ntasks: { t: { run: [p, '{A}'] } }\n"
    #expect(try read(text, ["A={B}"]).task("t").command == .program(["p", "{B}"]))
  }

  private static let mistakes: [(String, String)] = [
    ("vars: { A: '{A}' }", "1:12: the default of \"A\" names itself; {{A} is the text itself"),
    (
      "vars: { A: '{B}', B: 1 }",
      "1:12: the default of \"A\" names \"B\", which is defined later; move that before it"
    ),
    (
      "vars: { args: 1 }",
      "1:9: \"args\" stands for the arguments after \"--\" on the command line; use another name"
    ),
    (
      "vars: { 'a b': 1 }",
      "1:9: invalid variable \"a b\"; its name has 1 to 200 letters, digits, \"_\" or \"-\""
    ),
    ("vars: { A: { values: [x] } }", "1:9: variable \"A\" needs a \"default\", or required: true"),
    (
      "vars: { A: { default: x, required: true } }",
      "1:9: variable \"A\" is required, so its default is never used; remove one"
    ),
    (
      "vars: { A: { default: y, values: [x] } }", "1:12: \"A\" cannot be \"y\"; valid values: \"x\""
    ),
    (
      "vars: { A: { default: y, values: x } }",
      "1:34: \"values\" must be a list, such as values: [debug, release]"
    ),
    (
      "vars: { A: { default: y, values: [] } }",
      "1:34: \"values\" is empty; add at least one value or remove it"
    ),
    (
      "vars: { A: { defualt: y } }",
      "1:14: unknown key \"defualt\" in a variable; did you mean \"default\"?"
    ),
    (
      "vars: { A: [x] }",
      "1:12: the default of \"A\" must be a string; to use this as text, write \"[x]\""
    ),
    ("vars: [A]", "1:7: \"vars\" must be a map of keys and values, such as vars: { LEVEL: 2 }"),
    (
      "vars: { A: \"a\\0b\" }",
      "1:12: the default of \"A\" contains a null byte, which cannot be passed to a program; remove it"
    ),
    ("vars: { A: 1, A: 2 }", "1:15: duplicate key \"A\", first defined on line 1"),
    (
      "vars: { A: '{args}' }",
      "1:12: {args} cannot be part of a variable; {{args} is the text itself"
    ),
    (
      "secrets: A\nvars: { A: 1 }",
      "1:10: the secret \"A\" is also a variable; remove it from \"vars\", because a value in a plan or on a command line is no secret"
    ),
  ]

  @Test(arguments: mistakes)
  func `Each mistake in a definition is reported`(vars: String, expected: String) {
    #expect(errors("\(vars)\ntasks: { t: { run: x } }\n") == expected)
  }

  @Test func `A key of a matrix is no variable and no name of the arguments`() {
    #expect(
      errors("vars: { A: 1 }\ntasks: { t: { run: x, matrix: { A: [1] } } }\n")
        == "2:33: \"A\" is a key of the matrix and a variable of the plan; rename one")
    #expect(
      errors("tasks: { t: { run: x, matrix: { args: [1] } } }\n")
        == "1:33: \"args\" stands for the arguments after \"--\" on the command line; use another name"
    )
  }

  @Test func `10,000 variables are read, and their whole size is limited`() throws {
    var text = "vars:\n  V0: x\n"
    for number in 1..<10_000 { text += "  V\(number): '{V\(number - 1)}'\n" }
    let plan = try read(text + "tasks: { t: { run: [echo, '{V9999}'] } }\n", ["V0=y"])
    #expect(try plan.task("t").command == .program(["echo", "y"]))
    let kilobyte = String(repeating: "x", count: 1024)
    let large = (0..<1100).map { "  V\($0): \(kilobyte)\n" }.joined()
    #expect(
      errors("vars:\n\(large)tasks: { t: { run: x } }\n")
        == "1:1: the variables have more than 1 MiB in all, too much for the environment of a program; put data into files"
    )
  }

  @Test func `A value that no program can be given is an error`() {
    let megabyte = String(repeating: "x", count: 1 << 20)
    #expect(
      errors("vars:\n  A: \(megabyte)\ntasks: { t: { run: x } }\n")
        == "1:1: the variables have more than 1 MiB in all, too much for the environment of a program; put data into files\n2:6: the value of \"A\" has 1,048,576 bytes, more than Linux passes to a program (131,072 with its name); put it into a file"
    )
    #expect(
      errors("tasks: { t: { run: [p, '{A}'], matrix: { A: [\(megabyte)] } } }\n").contains(
        "the value of \"A\" has 1,048,5"))
    let half = String(repeating: "x", count: 70_000)
    #expect(
      errors("vars: { A: \(half) }\ntasks: { t: { run: [p, '{A}{A}'] } }\n")
        == "2:20: with the values put in, a text has 140,000 bytes; Linux passes at most 131,071 to a program, so put the text into a file"
    )
  }

  // MARK: Values

  @Test func `A name of a task in an included file does not win`() throws {
    let web = "vars: { A: 1 }\ntasks: { A=2: { run: [u, '{A}'] } }\n"
    let plan = try read(include, ["A=2"], files: ["w.yaml": web])
    #expect(try plan.task("web:A=2").command == .program(["u", "2"]))
  }

  @Test func `In a pattern, a value matches itself only`() throws {
    let text = "vars: { A: x }\ntasks: { t: { run: make, inputs: '{A}/*.c', outputs: '{A}' } }\n"
    let task = try read(text, ["A=a[1]*?"]).task("t")
    #expect(task.inputs == ["a\\[1]\\*\\?/*.c"])
    #expect(task.outputs == ["a\\[1]\\*\\?"])
  }

  // MARK: The environment

  @Test(arguments: [
    ("LEVEL", true), ("_a9", true), ("a-b", false), ("9a", false), ("PATH", false), ("IFS", false),
    ("LD_PRELOAD", false), ("DYLD_X", false), ("BASH_ENV", false), ("ENV", false),
    ("HEADWAY_TASK", false), ("SHELLOPTS", false), ("BASHOPTS", false), ("PS4", false),
    ("PWD", false), ("ZIG_PROGRESS", false), ("PATHS", true),
  ])
  func `Variables and keys are in the environment, but for names that change what a shell does`(
    name: String, isExported: Bool
  ) throws {
    let plan = try read("vars: { \(name): 1 }\ntasks: { t: { run: [x, '{\(name)}'] } }\n")
    #expect(plan.exportedVariables.map(\.name) == (isExported ? [name] : []))
    #expect(try plan.task("t").command == .program(["x", "1"]))
    let matrix = try read("tasks: { t: { run: x, matrix: { \(name): [1] } } }\n").tasks[0]
    #expect(matrix.environment.map(\.name) == (isExported ? [name] : []))
  }

  @Test func `env wins over a key of the matrix, and a secret is no key`() throws {
    let text =
      "env: { A: plan }\ntasks: { t: { run: x, env: { B: own }, matrix: { A: [1], B: [2], C: [3] } } }\n"
    let task = try read(text).tasks[0]
    #expect(task.environment.map { "\($0.name)=\($0.value)" } == ["C=3", "A=plan", "B=own"])
    #expect(
      errors("secrets: K\ntasks: { t: { run: x, matrix: { K: [1] } } }\n").contains(
        "the secret \"K\" is also set"))
  }

  // MARK: Arguments

  @Test func `{args} in a list is several arguments, or none`() throws {
    let text = "tasks: { t: { run: [p, '{args}', q], when: [test, '{args}'] } }\n"
    #expect(
      try read(text, [], ["a b", "", "{args}"]).task("t").command
        == .program(["p", "a b", "", "{args}", "q"]))
    #expect(try read(text).task("t").command == .program(["p", "q"]))
    #expect(try read(text, [], ["x"]).task("t").condition == .command(.program(["test", "x"])))
    #expect(errors(text, [], ["x"]) == "no error")
  }

  @Test(arguments: [
    (
      "run: 'p {args}'",
      "1:23: a text is the shell's, which does not know {args}; write run: p \"$@\", or {{args} for the text itself"
    ),
    (
      "run: [p, 'x{args}']",
      "1:20: {args} stands for several arguments, so it must be an entry of a list in \"run\" or \"when\"; {{args} is the text itself"
    ),
    (
      "run: p, dir: '{args}'",
      "1:10: {args} stands for several arguments, so it must be an entry of a list in \"run\" or \"when\"; {{args} is the text itself"
    ),
  ])
  func `{args} elsewhere is an error`(task: String, expected: String) {
    #expect(errors("tasks: { t: { \(task) } }\n") == expected)
  }

  @Test func `Other braces around args are text`() throws {
    let plan = try read("tasks: { t: { run: ['{{args}', '${args}', '{ args }'] } }\n")
    #expect(try plan.task("t").command == .program(["{args}", "${args}", "{ args }"]))
  }

  @Test(arguments: [
    ("p \"$@\"", true), ("p $*", true), ("echo $#", true), ("echo $1", true), ("echo ${9}", true),
    ("${@:2}", true),
    ("${#@} x", true), ("${#}", true), ("echo $0", false), ("echo ${#A}", false),
    ("echo $A", false), ("p", false), ("$", false),
  ])
  func `A text uses the arguments if it mentions them`(text: String, uses: Bool) {
    let plan = "tasks: { t: { run: '\(text)' } }\n"
    #expect(
      errors(plan, [], ["x"])
        == (uses
          ? "no error"
          : "no task of this run uses the arguments after \"--\"; write \"$@\" in a command, or {args} in a list")
    )
    #expect(errors(plan) == "no error")
  }

  @Test func `Arguments that only on_end uses are an error`() {
    #expect(errors("on_end: 'echo $@'\ntasks: { t: { run: x } }\n", [], ["x"]).hasPrefix("no task"))
  }

  // MARK: Included files

  private let include = "include: { web: w.yaml }\n"

  @Test func `An included file defines variables of its own, which the command line sets, too`()
    throws
  {
    let web = "vars: { PORT: 80 }\ntasks: { up: { run: [serve, '{PORT}', '{A}'] } }\n"
    let text = include + "vars: { A: 1 }\ntasks: { t: { run: [x, '{PORT}', '{A}'] } }\n"
    let plan = try read(text, ["PORT=81"], files: ["w.yaml": web])
    #expect(try plan.task("web:up").command == .program(["serve", "81", "{A}"]))
    #expect(try plan.task("t").command == .program(["x", "{PORT}", "1"]))
    #expect(plan.definitions.map(\.name) == ["A", "PORT"])
  }

  @Test func `Equal definitions are one variable, others are an error`() throws {
    let web = "vars: { A: { default: 1, description: x } }\ntasks: { up: { run: [u, '{A}'] } }\n"
    let plan = try read(include + "vars: { A: 1 }\n", ["A=2"], files: ["w.yaml": web])
    #expect(try plan.task("web:up").command == .program(["u", "2"]))
    #expect(plan.definitions.count == 1)
    #expect(
      errors(include + "vars: { A: 2 }\n", files: ["w.yaml": web])
        == "1:12: the variable \"A\" is defined differently in \"w.yaml\"; make the definitions equal, or rename one"
    )
  }

  @Test func `A secret of one file is no variable of another`() {
    #expect(
      errors(
        include + "secrets: A\ntasks: { t: { run: x } }\n",
        files: ["w.yaml": "vars: { A: 1 }\ntasks: { u: { run: x } }\n"]
      )
      .hasPrefix("2:10: the secret \"A\" is also a variable"))
    #expect(
      errors(
        include + "vars: { A: 1 }\n", files: ["w.yaml": "secrets: A\ntasks: { u: { run: x } }\n"]
      )
      .hasPrefix("1:1: the secret \"A\" is also a variable"))
  }
}
