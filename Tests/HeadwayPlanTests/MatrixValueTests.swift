import HeadwayPlan
import Testing

@testable import HeadwayPlan

/// Values of a matrix that are no words, and files as values.
struct MatrixValueTests {
  /// Files in memory, which match a pattern that is `*` and their end.
  private struct Files: PlanSources {
    var names: [String]
    var failure: String?
    var plan = ""

    func contents(of path: String) throws(PlanSourceError) -> [UInt8] { Array(plan.utf8) }

    func files(matching pattern: String) throws(PlanSourceError) -> [String] {
      if let failure { throw PlanSourceError(reason: failure) }
      let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
      return names.filter { $0.hasPrefix(parts[0]) && $0.hasSuffix(parts[parts.count - 1]) }
    }
  }

  private func read(
    _ text: String, _ names: [String] = [], failure: String? = nil, included: String = "",
    settings: [String] = []
  ) throws(PlanDiagnostics) -> Plan {
    try Plan.read(
      Array(text.utf8), file: "plan.yaml",
      sources: Files(names: names, failure: failure, plan: included),
      given: Plan.Given(settings: settings.compactMap(Plan.Setting.init)))
  }

  private func error(_ text: String, _ names: [String] = [], failure: String? = nil) -> String {
    do {
      return "no error in \(try read(text, names, failure: failure).tasks.count) tasks"
    } catch {
      return error.diagnostics.map { "\($0.line):\($0.column): \($0.message)" }
        .joined(separator: "\n")
    }
  }

  private let glob =
    "tasks: { show: { run: [identify, '{file}'], inputs: '{file}', matrix: { file: { glob: '*.png' } } } }\n"

  @Test(arguments: [
    ("debug", "debug"), ("a b", "a b"), ("it's", "it's"), ("-x", "-x"), ("img/a.png", "img/a.png"),
    ("a,b", "a%2Cb"), ("a[1]", "a%5B1%5D"), ("{x}", "%7Bx%7D"), ("a\nb", "a%0Ab"), ("", "\"\""),
    ("100%", "100%"), ("a%2Cb", "a%252Cb"), ("%g1", "%g1"), ("é", "é"), ("\u{1B}[0m", "%1B%5B0m"),
    ("a\u{202E}b", "a%E2%80%AEb"),
  ])
  func `The name of a variant shows its value in a form that can be typed`(
    value: String, label: String
  ) {
    #expect(VariantLabel.text(for: value) == label)
    #expect(!label.hasPrefix("\u{1B}"))
  }

  @Test func `Long values have names of their own`() {
    let long = String(repeating: "x", count: 300)
    let names = Set(["a", "b", "c"].map { VariantLabel.text(for: long + $0) })
    #expect(names.count == 3)
    #expect(names.allSatisfy { $0.utf8.count <= PlanLimits.nameBytes })
    #expect(VariantLabel.text(for: String(repeating: "x", count: 200)).utf8.count == 200)
  }

  @Test func `A matrix holds any text, each as one argument`() throws {
    let text = """
      tasks:
        a: { run: [p, "{v}"], matrix: { v: ["x y", "a,b", "", "--", "'; rm"] } }
        b: { run: q, after: "a[{v}]", matrix: { v: ["a,b", "x y"] } }
      """
    let plan = try read(text)
    #expect(
      plan.tasks.prefix(5).map(\.name) == ["a[x y]", "a[a%2Cb]", "a[\"\"]", "a[--]", "a['; rm]"])
    #expect(plan.tasks[1].command == .program(["p", "a,b"]))
    #expect(plan.tasks[1].environment == [Plan.Variable(name: "v", value: "a,b")])
    #expect(try plan.dependencies(of: "b[a%2Cb]") == ["a[a%2Cb]"])
    #expect(try plan.selection(of: ["a['; rm]"]).tasks.count == 1)
  }

  @Test func `Values that share a comma still have two names`() throws {
    let plan = try read("tasks: { t: { run: x, matrix: { a: ['1', '1,2'], b: ['2,3', '3'] } } }\n")
    #expect(Set(plan.tasks.map(\.name)).count == 4)
  }

  @Test func `Files that match a pattern are values`() throws {
    let plan = try read(glob, ["a.png", "b c.png", "d[1].png", "e.txt"])
    #expect(plan.tasks.map(\.name) == ["show[a.png]", "show[b c.png]", "show[d%5B1%5D.png]"])
    #expect(plan.tasks.map(\.command).last == .program(["identify", "d[1].png"]))
    #expect(plan.tasks.last?.inputs == ["d\\[1].png"])
  }

  @Test func `Several patterns give each file once, and variables are expanded in them`() throws {
    let text =
      "vars: { DIR: a }\ntasks: { t: { run: x, matrix: { f: { glob: ['{DIR}*', '*.c'] } } } }\n"
    #expect(try read(text, ["a.c", "b.c"]).tasks.map(\.name) == ["t[a.c]", "t[b.c]"])
    #expect(
      try read(text, ["a.c", "b.c"], settings: ["DIR=b"]).tasks.map(\.name) == ["t[b.c]", "t[a.c]"])
  }

  @Test(arguments: [
    ("c[1]", #"c\[1]"#), ("c?", #"c\?"#), ("c*", #"c\*"#), (#"c\d"#, #"c\\d"#), ("c", "c"),
  ])
  func `A value in a pattern of files matches itself only`(folder: String, pattern: String) {
    let text =
      "vars: { DIR: '\(folder)' }\ntasks: { t: { run: [x, '{f}'], matrix: { f: { glob: '{DIR}/*.c' } } } }\n"
    #expect(error(text).contains("no file matches \"\(pattern)/*.c\""))
  }

  /// Texts that Unicode calls equal, and whose bytes differ: é, Å, and 가 in one character or in parts.
  private static let twins = [
    ("\u{E9}", "e\u{301}"), ("\u{C5}", "\u{212B}"), ("\u{AC00}", "\u{1100}\u{1161}"),
  ]

  /// The commands of a plan, byte by byte.
  private func arguments(_ plan: Plan) -> [[UInt8]] {
    plan.tasks.compactMap(\.command?.texts.last).map { Array($0.utf8) }
  }

  @Test(arguments: twins)
  func `Files whose names are equal for Unicode only are all values`(
    _ first: String, _ second: String
  ) throws {
    let files = ["\(first).png", "\(second).png", "plain.png"]
    let plan = try read(glob, files)
    #expect(arguments(plan) == files.map { Array($0.utf8) })
    #expect(Set(plan.tasks.map(\.name)).count == 3)
    #expect(plan.tasks[2].name == "show[plain.png]")
    // By two patterns, each is found once.
    let twice = glob.replacing("'*.png'", with: "['*.png', '*g']")
    #expect(arguments(try read(twice, files)) == files.map { Array($0.utf8) })
  }

  @Test(arguments: twins)
  func `Values that are equal for Unicode only are two, and can be depended on`(
    _ first: String, _ second: String
  ) throws {
    let plan = try read(
      """
      tasks:
        a: { run: [p, "{v}"], matrix: { v: ["\(first)", "\(second)"] } }
        b: { run: [q, "{v}"], after: "a[{v}]", matrix: { v: ["\(first)", "\(second)"] } }
      """)
    let values = [first, second].map { Array($0.utf8) }
    #expect(arguments(plan) == values + values)
    for index in 0..<2 { #expect(plan.tasks[2 + index].after == [index]) }
    #expect(
      error("tasks: { t: { run: x, matrix: { f: [\(first), \(first)] } } }\n").contains(
        "duplicate value"))
  }

  @Test(arguments: twins)
  func `A variable may have a value only in the form that the plan lists`(
    _ first: String, _ second: String
  ) throws {
    let text = "vars: { V: { default: \(first), values: [\(first)] } }\ntasks: { t: { run: x } }\n"
    let plan = try read(text)
    try plan.check([try #require(Plan.Setting("V=\(first)"))])
    #expect(throws: Plan.GivenError.self) {
      try plan.check([try #require(Plan.Setting("V=\(second)"))])
    }
    #expect(Plan.Condition.equal(first, second).value == false)
    #expect(Plan.Condition.notEqual(first, second).value == true)
  }

  @Test(arguments: twins)
  func `Definitions whose values are equal for Unicode only differ`(
    _ first: String, _ second: String
  ) {
    let text = "vars: { V: \(first) }\ninclude: { w: web/p.yaml }\n"
    #expect(throws: PlanDiagnostics.self) {
      try read(text, included: "vars: { V: \(second) }\ntasks: { t: { run: x } }\n")
    }
    #expect(throws: Never.self) {
      try read(text, included: "vars: { V: \(first) }\ntasks: { t: { run: x } }\n")
    }
  }

  @Test func `An accent after a character of a pattern does not hide it`() throws {
    let plan = try read(glob, ["a*\u{301}.png"])
    #expect(plan.tasks[0].inputs.map { Array($0.utf8) } == [Array("a\\*\u{301}.png".utf8)])
  }

  @Test func `A pattern of a variable that is not given is looked for once it is`() throws {
    let text =
      "vars: { DIR: { required: true } }\ntasks: { t: { run: [x, '{f}', '{DIR}'], matrix: { f: { glob: '{DIR}*' } } } }\n"
    #expect(try read(text).tasks.first?.needed == "DIR")
  }

  @Test func `The patterns of an included file belong to the folder of its tasks`() throws {
    let text = "include: { w: web/p.yaml }\n"
    let plan = try read(text, ["a.png", "web/b.png"], included: glob)
    #expect(plan.tasks.map(\.name) == ["w:show[b.png]"])
    #expect(plan.tasks[0].inputs == ["web/b.png"])
  }

  @Test func `A pattern that matches nothing, or too much, is an error`() {
    #expect(
      error(glob, ["a.txt"])
        == "1:87: no file matches \"*.png\"; patterns are relative to the folder of the plan, and the files must be there before the run"
    )
    let many = (0..<10_001).map { "\($0).png" }
    #expect(
      error(glob, many)
        == "1:87: \"*.png\" matches 10,001 files, and a matrix has at most 10,000 combinations; use narrower patterns, or one task that handles many files"
    )
    #expect(error(glob, Array(many.dropLast())) == "no error in 10000 tasks")
    #expect(
      error(glob, failure: "finds more than 100000 files and folders")
        == "1:87: \"*.png\" finds more than 100000 files and folders; use a narrower pattern")
    #expect(error(glob, ["\u{FFFD}.png"]).contains("has a name that is not UTF-8; rename it"))
  }

  @Test(arguments: [
    ("{ globs: x }", "1:35: unknown key \"globs\" in \"f\"; did you mean \"glob\"?"),
    ("{ }", "1:33: \"f\" needs a pattern, as in f: { glob: \"*.png\" }"),
    ("{ glob: [] }", "1:33: \"f\" needs a pattern, as in f: { glob: \"*.png\" }"),
    ("[]", "1:33: \"f\" has no values; add at least one"),
  ])
  func `Mistakes beside a pattern are reported`(axis: String, expected: String) {
    #expect(
      error("tasks: { t: { run: x, matrix: { f: \(axis) } } }\n").hasPrefix(expected.prefix(2)))
    #expect(
      error("tasks: { t: { run: x, matrix: { f: \(axis) } } }\n").hasSuffix(
        expected.drop { $0 != " " }))
  }
}
