import Testing

@testable import HeadwayPlan

/// Dotenv files, the environment of a plan, and the names of its secrets.
struct DotenvTests {
  /// Files in memory.
  private struct Files: PlanSources {
    var texts: [String: String]

    func contents(of path: String) throws(PlanSourceError) -> [UInt8] {
      guard let text = texts[path] else {
        throw PlanSourceError(reason: "cannot be read: gone", isMissing: true)
      }
      return Array(text.utf8)
    }

    func files(matching pattern: String) throws(PlanSourceError) -> [String] { [] }
  }

  private static let tasks = "\ntasks: { a: { run: x } }\n"

  private func read(_ settings: String, _ files: [String: String] = [:]) throws -> Plan {
    try Plan.read(
      Array((settings + Self.tasks).utf8), file: "dir/plan.yaml", sources: Files(texts: files))
  }

  /// The errors of a plan, and how they are shown.
  private func errors(_ settings: String, _ files: [String: String] = [:]) -> (
    list: String, shown: String
  ) {
    do {
      return ("no error in \(try read(settings, files).name)", "")
    } catch let error as PlanDiagnostics {
      let list = error.diagnostics.map {
        "\($0.file ?? error.file):\($0.line):\($0.column): \($0.message)"
      }
      return (list.joined(separator: "\n"), error.rendered())
    } catch {
      return ("\(error)", "")
    }
  }

  /// The variables of a file.
  private func variables(_ text: String) -> [String] {
    let parser = DotenvParser(Array(text.utf8))
    return parser.variables.map { "\($0.name)=\($0.value)" }
      + parser.errors.first().map { "\($0.line):\($0.column): \($0.message)" }
  }

  @Test(arguments: [
    ("A=1\nB=2", ["A=1", "B=2"]), ("\u{FEFF}A=1\r\n\r\nB = 2 \r\n", ["A=1", "B=2"]),
    ("# c\n  # d\n\n \t\nA=1", ["A=1"]), ("export A=1\nexport\tB=2", ["A=1", "B=2"]),
    ("export=1\nexported=2", ["export=1", "exported=2"]),
    ("A=", ["A="]), ("A=   ", ["A="]), ("A= # c", ["A="]), ("A=# c", ["A=# c"]),
    ("A=x#y z # c", ["A=x#y z"]), ("A='x # y' # c", ["A=x # y"]),
    ("A='\\n $B'", ["A=\\n $B"]), ("A=\"\\n\\t\\r\\\"\\\\\\$\\x\"", ["A=\n\t\r\"\\$\\x"]),
    ("A=$B${C}$(d)`e`", ["A=$B${C}$(d)`e`"]), ("A=\"$B\"", ["A=$B"]),
    ("A=\"x\ny\r\nz\"\nB=1", ["A=x\ny\nz", "B=1"]), ("A='x\ny'", ["A=x\ny"]),
    ("A=it's\nB=a\"b\"", ["A=it's", "B=a\"b\""]), ("A=1\nA=2", ["A=1", "A=2"]),
    ("LD_PRELOAD=x\nPATH=y", ["LD_PRELOAD=x", "PATH=y"]), ("A=\"\"", ["A="]),
    ("A=x=y", ["A=x=y"]), ("", []),
  ])
  func `A file is read by the usual rules`(text: String, expected: [String]) {
    #expect(variables(text) == expected)
  }

  @Test(arguments: [
    ("A", "1:1: expected NAME=value"), ("\n  a b=c", "2:3: expected NAME=value"),
    ("export A", "1:8: expected NAME=value"), ("A-B=c", "1:1: expected NAME=value"),
    (
      "=x",
      "1:1: a variable name has letters, digits and \"_\", and does not start with a digit"
    ),
    ("1A=x", "1:1: a variable name has letters, digits and \"_\", and does not start with a digit"),
    ("HEADWAY_TASK_ID=x", "1:1: \"HEADWAY_TASK_ID\" is set by headway itself; remove it"),
    ("ZIG_PROGRESS=3", "1:1: \"ZIG_PROGRESS\" is set by headway itself; remove it"),
    ("\nA=\"x\ny", "2:3: the double quote is never closed"),
    ("A='x", "1:3: the single quote is never closed"),
    ("A='x\n\n' y", "3:3: text after the closing quote; put the whole value in quotes"),
    (
      "A=x\u{0}",
      "1:1: the value of \"A\" has a null byte or is not valid UTF-8; remove these bytes"
    ),
  ])
  func `A mistake in a file is reported`(text: String, expected: String) {
    #expect(variables(text).last == expected)
  }

  @Test func `A value that no program can be started with is an error at its first line`() {
    let long = String(repeating: "x\n", count: 70_000)
    #expect(
      variables("\nA='\(long)'").last
        == "2:1: the value of \"A\" is too long for the environment of a program")
    let most = String(repeating: "x", count: (128 << 10) - 3)
    #expect(variables("A=\(most)") == ["A=\(most)"])
    #expect(variables("A=\(most)x").count == 1)
  }

  @Test func `Of several files the last one counts, and optional ones may be missing`() throws {
    let files = [".env": "A=1\nB=1", "/abs": "B=2", "web/.env": "A=web\nC=web"]
    let plan = try read("dotenv: [.env, /abs, { file: gone, optional: true }]", files)
    #expect(plan.dotenv.map { "\($0.name)\($0.value)" } == ["A1", "B2"])
    #expect(try read("dotenv: { file: gone, optional: true }", files).dotenv.isEmpty)
  }

  @Test func `Variables and secrets of an included file are those of the run`() throws {
    let web = "dotenv: .env\nsecrets: [T, S]" + Self.tasks
    let files = [".env": "A=1", "web/.env": "A=web\nC=web", "web/p.yaml": web]
    let plan = try read("dotenv: .env\nsecrets: S\ninclude: { web: web/p.yaml }", files)
    #expect(plan.dotenv.map { "\($0.name)\($0.value)" } == ["A1", "Cweb"])
    #expect(plan.secrets == ["S", "T"])
    var broken = files
    broken["web/.env"] = "A\n"
    #expect(
      errors("include: { web: web/p.yaml }", broken).list
        == "dir/web/.env:1:1: expected NAME=value")
  }

  @Test func `Mistakes in files are in the list with those of the plan, without the text`() {
    let found = errors("wrokers: 2\ndotenv: [.env, /e]", [".env": "A=1\nhunter2 x", "/e": "'"])
    #expect(
      found.list == """
        dir/plan.yaml:1:1: unknown key "wrokers" in a plan; did you mean "workers"?
        dir/.env:2:1: expected NAME=value
        /e:1:1: expected NAME=value
        """)
    #expect(!found.shown.contains("hunter2"))
  }

  @Test(arguments: [
    (
      "dotenv: .env",
      "1:9: the dotenv file \".env\" cannot be read: gone; create it, or write { file: .env, optional: true }"
    ),
    ("dotenv: [big]", "1:10: the dotenv file \"big\" is larger than 1 MiB; is it the right file?"),
    ("dotenv: { optional: true }", "1:9: an entry of \"dotenv\" needs a \"file\""),
    ("dotenv: { fil: x }", "1:11: unknown key \"fil\" in \"dotenv\"; did you mean \"file\"?"),
    ("dotenv: ''", "1:9: \"dotenv\" is empty; give it a value or remove it"),
    (
      "secrets: [hunter-2]",
      "1:11: an entry of \"secrets\" is not the name of a variable; list names, such as [API_TOKEN], and set their values in the environment or in a dotenv file"
    ),
    (
      "env: { T: x }\nsecrets: T",
      "2:10: the secret \"T\" is also set by \"env\"; remove it there, because a value in a plan is no secret"
    ),
  ])
  func `A mistake in the plan is reported`(settings: String, expected: String) {
    let found = errors(settings, ["big": String(repeating: "#", count: (1 << 20) + 1)])
    #expect(found.list == "dir/plan.yaml:\(expected)")
  }

  @Test func `An empty value keeps a secret from a task`() throws {
    #expect(try read("env: { T: '' }\nsecrets: [T, T]").secrets == ["T"])
  }

  @Test func `The variables of defaults are those of the plan, which wins`() throws {
    let settings = "env: { A: plan, C: c }\ndefaults: { env: { A: default, B: default } }"
    let plan = try read(settings)
    #expect(
      plan.tasks[0].environment.map { "\($0.name)=\($0.value)" } == ["A=plan", "B=default", "C=c"])
  }
}
