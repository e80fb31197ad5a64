import HeadwayRun
import Testing

@testable import HeadwayPlan

/// The contents of a plan that was read from a file.
struct PlanReadingTests {
  private static let release = #"""
    name: release                     # optional; the file's name otherwise
    workers: 4
    defaults: { timeout: 10m, grace: 7s, retries: 1 }
    pools: { disk: 1, net: 3 }
    env: { KEY: value }
    tasks:
      fetch:
        run: curl -fsS "$URL" -o src.tar
        env: { URL: "http://127.0.0.1:8000/src.tar" }
        timeout: 30s
        retries: { limit: 3, backoff: 2s }
      unpack: { run: [tar, xf, src.tar], after: fetch }
      test:
        run: [make, test, "VARIANT={variant}"]
        matrix: { variant: [debug, release] }
        after: [unpack]
        pool: disk
        inputs: ["src/**/*.c"]
        outputs: ["build/{variant}.log"]
      lint: { run: ./lint.sh, after: unpack, optional: true, dir: tools, timeout: none, detach: true }
      sweep: { run: rm -rf scratch, always: true, after: [test, lint], grace: 250ms }
    """#

  @Test func `Keys that begin with x- are the author's own`() throws {
    let plan = try plan(
      """
      x-common: &common { timeout: 5s, x-note: any }
      tasks:
        a: { <<: *common, run: x, retries: { limit: 1, x-why: flaky } }
      """)
    #expect(plan.tasks[0].timeout == .seconds(5))
  }

  @Test func `A plan and its tasks have descriptions`() throws {
    let plan = try plan(
      "description: all of it\ntasks:\n  a: { run: x, description: 'one, two' }\n  b: { run: y }\n")
    #expect(plan.description == "all of it")
    #expect(plan.tasks.map(\.description) == ["one, two", nil])
  }

  @Test func `Pauses before retries grow or are constant`() throws {
    let plan = try plan(
      """
      tasks:
        a: { run: x, retries: { limit: 3, backoff: 2s } }
        b: { run: x, retries: { limit: 3, interval: 2s } }
      """)
    #expect(plan.tasks.map(\.backoff) == [.seconds(2), .seconds(2)])
    #expect(plan.tasks.map(\.backoffFactor) == [2, 1])
  }

  @Test func `A shell is a name or the words before the text`() throws {
    let plan = try plan(
      """
      shell: bash
      tasks:
        a: { run: x }
        b: { run: x, shell: sh }
        c: { run: x, shell: [zsh, -eu, -c] }
      """)
    #expect(plan.tasks.map(\.shell) == [["bash"], nil, ["zsh", "-eu", "-c"]])
  }

  @Test func `A plan has its name, its workers and its pools`() throws {
    let plan = try plan(Self.release)
    #expect(plan.name == "release")
    #expect(plan.workers == 4)
    #expect(plan.pools == [TaskPool(name: "disk", limit: 1), TaskPool(name: "net", limit: 3)])
  }

  @Test func `Tasks are in the order of the file, with matrices expanded`() throws {
    let plan = try plan(Self.release)
    let names = ["fetch", "unpack", "test[debug]", "test[release]", "lint", "sweep"]
    #expect(plan.tasks.map(\.name) == names)
    #expect(plan.tasks.map(\.base) == ["fetch", "unpack", "test", "test", "lint", "sweep"])
    #expect(plan.tasks.map(\.after) == [[], [0], [1], [1], [1], [2, 3, 4]])
    #expect(plan.tasks.map(\.line) == [7, 12, 13, 13, 20, 21])
  }

  @Test func `A task has the values of its keys`() throws {
    let task = try plan(Self.release).task("fetch")
    #expect(task.command == .shell("curl -fsS \"$URL\" -o src.tar"))
    let url = Plan.Variable(name: "URL", value: "http://127.0.0.1:8000/src.tar")
    #expect(task.environment == [Plan.Variable(name: "KEY", value: "value"), url])
    #expect(task.timeout == .seconds(30))
    #expect(task.grace == .seconds(7))
    #expect(task.retryLimit == 3)
    #expect(task.backoff == .seconds(2))
    #expect(!task.isOptional && !task.isAlways && !task.isDetached)
  }

  @Test func `A list is a program, and a task inherits defaults`() throws {
    let plan = try plan(Self.release)
    let unpack = try plan.task("unpack")
    #expect(unpack.command == .program(["tar", "xf", "src.tar"]))
    #expect(unpack.timeout == .seconds(600))
    #expect(unpack.retryLimit == 1)
    #expect(unpack.backoff == .seconds(1))
    let lint = try plan.task("lint")
    #expect(lint.timeout == nil)
    #expect(lint.isOptional && lint.isDetached)
    #expect(lint.directory == "tools")
    let sweep = try plan.task("sweep")
    #expect(sweep.isAlways)
    #expect(sweep.grace == .milliseconds(250))
  }

  @Test func `A task names the protocol in which its programs report their progress`() throws {
    let plan = try plan("tasks:\n  a: { run: x, progress: zig }\n  b: { run: x }\n")
    #expect(plan.tasks.map(\.progress) == [.zig, nil])
  }

  @Test func `A task that runs once is not retried, whatever the defaults say`() throws {
    let plan = try plan(
      "defaults: { retries: 3 }\ntasks:\n  a: { run: x, once: true }\n  b: { run: x }\n")
    #expect(plan.tasks.map(\.isOnce) == [true, false])
    #expect(plan.tasks.map(\.retryLimit) == [0, 3])
  }

  @Test func `A task has a kind and an expected duration`() throws {
    let plan = try plan("tasks:\n  a: { run: x, kind: compile, expect: 1m 30s }\n  b: { run: x }\n")
    #expect(plan.tasks.map(\.kind) == ["compile", nil])
    #expect(plan.tasks.map(\.expect) == [.seconds(90), nil])
  }

  @Test func `A variant has its own texts and shares the rest`() throws {
    let task = try plan(Self.release).task("test[release]")
    #expect(task.command == .program(["make", "test", "VARIANT=release"]))
    #expect(task.inputs == ["src/**/*.c"])
    #expect(task.outputs == ["build/release.log"])
    #expect(task.pool == 0)
  }

  @Test(arguments: [
    ("plan.yaml", "plan"), ("a/b/release.yml", "release"), ("release", "release"),
    (".yaml", ".yaml"),
    ("a.b.yaml", "a.b"), ("", "plan"), ("a/release.json", "release.json"),
  ])
  func `A plan without a name has the name of its file`(file: String, name: String) throws {
    let bytes = Array("tasks: { a: { run: x } }".utf8)
    #expect(try Plan.read(bytes, file: file).name == name)
  }

  @Test func `A variable of a task replaces that of the plan`() throws {
    let plan = try plan(
      "env: { A: 1, B: 2 }\ntasks:\n  a: { run: x, env: { B: 3, C: yes, D: ~, E: } }\n")
    let names = ["A", "B", "C", "D", "E"]
    #expect(plan.tasks[0].environment.map(\.name) == names)
    #expect(plan.tasks[0].environment.map(\.value) == ["1", "3", "yes", "~", ""])
  }

  @Test func `A block of text keeps its lines`() throws {
    let plan = try plan("tasks:\n  a:\n    run: |\n      make\n      make test\n")
    #expect(plan.tasks[0].command == .shell("make\nmake test\n"))
  }

  @Test func `A task without a command groups others`() throws {
    let plan = try plan("tasks:\n  all: { after: [b, a] }\n  a: { run: x }\n  b: { run: x }\n")
    #expect(plan.tasks[0].command == nil)
    #expect(plan.tasks[0].after == [1, 2])
  }

  @Test func `An always task without after depends on every task that is not always`() throws {
    let text = "tasks:\n  a: { run: x }\n  c: { run: x, always: true }\n  b: { run: x }\n"
    let plan = try plan(
      text + "  d: { run: x, always: true }\n  e: { run: x, always: true, after: a }\n")
    #expect(plan.tasks.map(\.after) == [[], [0, 2], [], [0, 2], [0]])
  }

  @Test func `Aliases repeat values and merge keys fill maps`() throws {
    let text = """
      tasks:
        a: &a { run: x, timeout: 3s, env: &e { A: "1", B: "2" } }
        b: { run: y, env: { <<: *e, B: "3" } }
        c: { <<: *a, after: a }
        d: { <<: [ { run: z }, *a ], timeout: 4s }
      """
    let plan = try plan(text)
    #expect(plan.tasks.map(\.timeout) == [.seconds(3), nil, .seconds(3), .seconds(4)])
    #expect(try plan.task("d").command == .shell("z"))
    #expect(try plan.task("b").environment.map(\.value) == ["3", "1"])
    #expect(try plan.task("c").environment == plan.tasks[0].environment)
  }

  @Test func `A byte order mark and Windows line breaks are not part of the text`() throws {
    let plan = try plan("\u{FEFF}tasks:\r\n  a: { run: x }\r\n")
    #expect(plan.tasks.map(\.command) == [.shell("x")])
    let error = """
      unknown key "rnu" in a task; did you mean "run"?
        a: { rnu: x }
             ^
      """
    #expect(diagnostics(in: "tasks:\r\n  a: { rnu: x }\r\n") == "plan.yaml:2:8: \(error)")
    let first = "tsks: { a: { run: x } }\n"
    #expect(diagnostics(in: "\u{FEFF}\(first)") == diagnostics(in: first))
  }

  @Test(arguments: [(8, ""), (9, " and 1 more"), (1008, " and 1,000 more")])
  func `Of many names the first eight are listed`(count: Int, rest: String) {
    let pools = (1...count).map { "p\($0): 1" }.joined(separator: ", ")
    let text = diagnostics(in: "pools: { \(pools) }\ntasks: { a: { run: x, pool: no-such } }\n")
    let names = (1...8).map { "\"p\($0)\"" }.joined(separator: ", ")
    #expect(text.contains("valid pools: \(names)\(rest)\n"))
  }

  @Test func `The advice to quote a value leaves its comment outside`() {
    let text = diagnostics(in: "tasks:\n  a:\n    run: \"x\" y#z # why\n")
    #expect(text.contains("must be quoted: write '\"x\" y#z'\n"))
  }

  @Test func `Standard tags change nothing`() throws {
    let plan = try plan("tasks: !!map { a: { run: !!str 5, after: !!seq [] } }")
    #expect(plan.tasks[0].command == .shell("5"))
  }
}
