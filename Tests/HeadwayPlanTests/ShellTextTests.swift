import HeadwayPlan
import Testing

/// Texts belong to the shell: a value in braces in a text is an error that says what to write.
struct ShellTextTests {
  private struct Files: PlanSources {
    var included = ""
    func contents(of path: String) throws(PlanSourceError) -> [UInt8] { Array(included.utf8) }
    func files(matching pattern: String) throws(PlanSourceError) -> [String] { [] }
  }

  /// The messages for a plan, each with its place.
  private func errors(_ text: String, included: String = "", settings: [String] = []) -> String {
    do {
      let plan = try Plan.read(
        Array(text.utf8), file: "plan.yaml", sources: Files(included: included),
        given: Plan.Given(settings: settings.compactMap(Plan.Setting.init)))
      return "no error in \(plan.tasks.count) tasks"
    } catch {
      return error.diagnostics.map {
        "\($0.file.map { "\($0):" } ?? "")\($0.line):\($0.column): \($0.message)"
      }.joined(separator: "\n")
    }
  }

  /// The place of `{A}` in a text.
  private func place(in text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      Array(line.unicodeScalars)
    }
    for (number, line) in lines.enumerated() {
      for column in line.indices where line[column...].starts(with: "{A}".unicodeScalars) {
        return "\(number + 1):\(column + 1)"
      }
    }
    return "nowhere"
  }

  private func message(_ advice: String, key: String = "A") -> String {
    "a text is the shell's, which does not know {\(key)}; write \(advice), or {{\(key)} for the text itself"
  }

  /// What the message for a text says between the name that the shell does not know and the literal brace.
  private func advice(for text: String, keys: String = "A: [1], B: [2]", more: String = "")
    -> String
  {
    let block = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "      \($0)\n" }.joined()
    let errors = errors(
      "tasks:\n  t:\n    matrix: { \(keys) }\n    \(more)\n    run: |-\n\(block)")
    let pattern =
      #/^[0-9:]+: a text is the shell's, which does not know {([^}]*)}(.*), or {{(.*)} for the text itself$/#
    guard let match = errors.wholeMatch(of: pattern), match.1 == match.3 else { return errors }
    return String(match.2)
  }

  // MARK: Places

  @Test(arguments: [
    ("t: { run: 'p {A};' }", "run: p \"$A\";"),
    ("t: { run: \"p 'x' {A}\" }", "run: p 'x' \"$A\""),
    ("t: { run: p, when: 'q {A}' }", "when: q \"$A\""),
    ("t: { run: p, service: { ready: { run: 'q {A}' } } }", "run: q \"$A\""),
    ("t: { run: 'p {A}', shell: bash }", "run: p \"$A\""),
    ("t: { run: 'p {A}', shell: [ssh, host, zsh, -c] }", "run: p \"$A\""),
    ("t: { <<: { run: 'p {A}' } }", "run: p \"$A\""),
    ("t: { run: p, after: u }\n  u:\n    run: p {A}", "run: p \"$A\""),
    ("t:\n    run: >\n      p\n      {A}\n      q", "run: p \"$A\" q"),
    ("t:\n    run: |\n      p\n\n      é {A}\n", "this line as é \"$A\""),
    ("t:\n    run: p\n      {A}", "run: p \"$A\""),
    ("t: { run: p, x-a: &a 'p {A}' }\n  u: { run: *a }", "run: p \"$A\""),
    ("t: { run: 'p {A} {args}' }", "run: p \"$A\" \"$@\""),
    ("t: { run: '{A} x' }", "run: '\"$A\" x'"),
    ("t: { run: 'p: {A}' }", "run: 'p: \"$A\"'"),
    ("t: { run: 'p {A} ''x'' #y' }", "run: 'p \"$A\" ''x'' #y'"),
  ])
  func `A value in a text is an error at its place`(task: String, advice: String) {
    let plan = "vars: { A: 1 }\ntasks:\n  \(task)\n"
    #expect(errors(plan) == "\(place(in: plan)): \(message(advice))")
  }

  @Test(arguments: [
    ("on_end: 'p {A}'\n", "on_end: p \"$A\""), ("on_failure: { run: 'p {A}' }\n", "run: p \"$A\""),
  ])
  func `A value in a text of the plan itself is an error`(hook: String, advice: String) {
    let plan = "\(hook)vars: { A: 1 }\ntasks: { t: { run: x } }\n"
    #expect(errors(plan) == "\(place(in: plan)): \(message(advice))")
  }

  @Test func `A value in a text of an included file is an error there`() {
    let web = "vars: { A: 1 }\ntasks: { t: { run: 'p {A}' } }\n"
    #expect(
      errors("include: { web: w.yaml }\n", included: web)
        == "w.yaml:2:23: \(message("run: p \"$A\""))")
  }

  @Test func `A brace that is written as an escape is reported where its text begins`() {
    #expect(
      errors("vars: { A: 1 }\ntasks: { t: { run: \"p \\x7bA}\" }, u: { run: [p, '{A}'] } }\n")
        == "2:20: \(message("run: p \"$A\""))")
  }

  @Test func `Each line of a script has one error, and other errors are reported beside it`() {
    #expect(
      errors(
        "tasks:\n  t:\n    matrix: { A: [1], B: [2] }\n    run: |\n      p {A} {B}\n      p\n      q {B}\n    timeout: 3\n"
      )
        == """
        5:9: \(message("this line as p \"$A\" \"$B\""))
        7:9: \(message("this line as q \"$B\"", key: "B"))
        8:14: duration 3 has no unit; write "3s" for seconds, or use ms, m, h or d
        """)
  }

  @Test(arguments: ["1", "", "2", "a b", "$(x)", "A=1", "é"])
  func `Whether a text is an error does not depend on the value`(value: String) {
    let plan = "vars: { A: x }\ntasks: { t: { run: 'make {A}' } }\n"
    #expect(errors(plan, settings: ["A=\(value)"]) == "2:26: \(message("run: make \"$A\""))")
    let required = "vars: { A: { required: true } }\ntasks: { t: { run: 'make {A}' } }\n"
    #expect(errors(required) == "2:26: \(message("run: make \"$A\""))")
  }

  @Test func `The place is that of the value, not of an escape or an expansion before it`() {
    #expect(
      errors("tasks:\n  t: { run: 'p {{A} ${A} {B} {A}', matrix: { A: [1] } }\n")
        == "2:30: \(message("run: 'p {{A} ${A} {B} \"$A\"'"))")
  }

  // MARK: What to write

  @Test(arguments: [
    ("p {A}", "run: p \"$A\""), ("p x{A}y{B}", "run: p x\"$A\"y\"$B\""), ("{A}", "run: '\"$A\"'"),
    ("p \"{A}\" \"x{A}y\" \"{A}.c\"", "run: 'p \"$A\" \"x${A}y\" \"$A.c\"'"),
    ("p 'a' {A} \"it's {B}\"", "run: p 'a' \"$A\" \"it's $B\""),
    ("p \\' {A} \\\"", "run: p \\' \"$A\" \\\""), ("p $(q {A})", "run: p $(q \"$A\")"),
    ("p {A} # isn't {B}", "run: 'p \"$A\" # isn''t \"$B\"'"), ("p {args}", "run: p \"$@\""),
    ("p \"{args}\"", "run: p \"$@\""), ("p \"all: {args}\"", "run: 'p \"all: $*\"'"),
    ("p > {A}", "run: p > \"$A\""),
  ])
  func `A text is corrected outside of quotes and in double ones`(text: String, corrected: String) {
    #expect(advice(for: text) == "; write \(corrected)")
  }

  @Test(arguments: [
    ("awk '{print {A}}' f", "; write run: [awk, \"{print {A}}\", f]"),
    ("p '{A}'", "; write run: [p, \"{A}\"]"),
    ("p '{A}' \"b c\" x{B}", "; write run: [p, \"{A}\", \"b c\", \"x{B}\"]"),
    ("p 'say \"{A}\"' ''", "; write run: [p, 'say \"{A}\"', \"\"]"),
    (
      "p '{A}' | q",
      "; write \"$A\" outside of them, or a list, as in run: [echo, \"{A}\"]"
    ),
    (
      "p '{A}' *.c",
      "; write \"$A\" outside of them, or a list, as in run: [echo, \"{A}\"]"
    ),
    (
      "cd '{A}'",
      "; write \"$A\" outside of them, or a list, as in run: [echo, \"{A}\"]"
    ),
  ])
  func `In single quotes, where a shell expands nothing, a list is right`(
    text: String, advice: String
  ) {
    #expect(self.advice(for: text) == " and expands nothing in single quotes\(advice)")
  }

  @Test(arguments: [
    "cat <<E\n{A}\nE", "p \"$(q \"{A}\")\"", "p $(({A} + 1))", "p \"`q {A}`\"",
    "p {A} \(String(repeating: "x", count: 300))",
  ])
  func `Where the quotes are not simple, the words to write are enough`(text: String) {
    #expect(advice(for: text) == "; write \"$A\" in its place, or $A where quotes are open")
  }

  @Test(arguments: [
    ("a-b", "a_b"), ("9a", "_9a"), ("PATH", "VALUE_PATH"), ("LD_X", "VALUE_LD_X"), ("1", "_1"),
  ])
  func `A name that no shell knows is given another one by env`(name: String, variable: String) {
    #expect(
      advice(for: "p {\(name)}", keys: "\(name): [1]")
        == "; write env: { \(variable): \"{\(name)}\" } and run: p \"$\(variable)\"")
  }

  @Test func `A variable that env hides is given another name, too`() {
    #expect(
      advice(for: "p {A}", more: "env: { A: x, VALUE_A: y }")
        == "; write env: { VALUE_A_: \"{A}\" } and run: p \"$VALUE_A_\"")
    #expect(advice(for: "p {A}", more: "env: { A: '{A}' }") == "; write run: p \"$A\"")
  }

  @Test func `An interpreter finds a value in its environment`() {
    let plan = "tasks: { t: { run: 'print({A})', shell: [python3, -c], matrix: { A: [1] } } }\n"
    #expect(
      errors(plan)
        == "1:27: a text is for python3, which does not know {A}; read the variable A of its environment in it, or {{A} for the text itself"
    )
  }

  /// A small generator of numbers that are the same in every run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64 = 1
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
    }
  }

  @Test func `Every text with a value is an error, and what the message says to write is none`()
    throws
  {
    let pieces = [
      "{A}", "{A}", "{B-C}", "{args}", "{X}", "{{", "{", "}", "${A}", "$A", "'", "\"", "\\", " ",
      "\n", "#", " #", "$(", "((", ")", "`", "<<E", "p", "é", ": ", ", ", "[", "]", "|", "=", "-",
    ]
    let definitions = "vars: { A: 1, B-C: 2 }\n"
    var numbers = Numbers()
    var corrected = 0
    for _ in 0..<2_000 {
      let text =
        "p"
        + (0..<Int.random(in: 1...12, using: &numbers)).map { _ in
          pieces.randomElement(using: &numbers) ?? ""
        }.joined()
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let block = lines.map { "      \($0)\n" }.joined()
      let found = errors("\(definitions)tasks:\n  t:\n    run: |-\n\(block)")
      // Each pair of braces is one, before the next character is looked at.
      let values = text.replacing("{{", with: "_").replacing("${", with: "_")
        .matches(of: #/{(A|B-C|args)}/#).count
      guard values > 0 else {
        #expect(found == "no error in 1 tasks", "\(text)")
        continue
      }
      for message in found.split(separator: "\n") {
        let name = message.firstMatch(of: #/does not know {([^}]*)}/#).map { String($0.1) } ?? ""
        #expect(message.hasSuffix(", or {{\(name)} for the text itself"), "\(text)")
        guard let start = message.firstRange(of: "; write run: "), lines.count == 1 else {
          continue
        }
        let advice = message[start.upperBound...].dropLast(
          ", or {{\(name)} for the text itself".count)
        corrected += 1
        #expect(
          errors("\(definitions)tasks: { t: { run: \(advice) } }\n") == "no error in 1 tasks",
          "\(text)")
      }
    }
    #expect(corrected > 100)
  }

  // MARK: What is no value

  @Test(arguments: [
    "echo ${A} $A", "awk '{print $1}'", "echo '{\"A\":1}'", "echo {a,b}{1..3}",
    "find . -exec p {} +",
    "echo {X} { A } {A {a}", "f() { p; }", "git show HEAD@{1}",
  ])
  func `Other braces are the shell's`(text: String) throws {
    let plan = "vars: { A: 1 }\ntasks:\n  t:\n    run: |-\n      \(text)\n"
    #expect(errors(plan) == "no error in 1 tasks")
    #expect(try HeadwayPlanTests.plan(plan).task("t").command == .shell(text))
  }

  @Test func `A doubled brace before a name is the text itself`() throws {
    let plan = try plan(
      "vars: { count: 1 }\ntasks: { t: { run: \"awk '{{count} {{args}'\", when: 'x {{count}' } }\n")
    #expect(try plan.task("t").command == .shell("awk '{count} {args}'"))
    #expect(try plan.task("t").condition == .command(.shell("x {count}")))
  }

  @Test func `A value in a list, and wherever no shell reads it, is put in`() throws {
    let plan = try plan(
      "vars: { A: 'a b' }\ntasks: { t: { run: [p, '{A}'], when: [q, '{A}'], dir: '{A}', env: { B: '{A}' } } }\n"
    )
    let task = try plan.task("t")
    #expect(task.command == .program(["p", "a b"]))
    #expect(task.condition == .command(.program(["q", "a b"])))
    #expect(task.directory == "a b")
    #expect(task.environment.map(\.value) == ["a b"])
  }
}
