import CToolDriver
import Glibc
import HeadwayRunner
import HeadwayTerminal
import ProcessFixtures
import Testing

/// Real runs of `headway run --watch`.
struct RepeatedRunTests {
  private static let plan = """
    tasks:
      build: { run: "cat src/*.txt > out.txt", inputs: src, outputs: out.txt }
      test: { run: "cat out.txt >> tested.txt", inputs: out.txt, after: build }
    """

  /// A folder with a plan and one source.
  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    sandbox.makeFolder("src")
    sandbox.write("a", to: "src/a.txt")
    return sandbox
  }

  /// Writes a file at once, so that nothing sees a part of it.
  private func place(_ text: String, at name: String, in sandbox: Sandbox) {
    sandbox.write(text, to: "new")
    unsafe rename("\(sandbox.path)/new", "\(sandbox.path)/\(name)")
  }

  /// Waits for the line that ends a run, after a place in the output.
  ///
  /// - Returns: The end of the line, nil if it did not come.
  private func waits(_ tool: RunningTool, from start: Int = 0) -> Int? {
    tool.wait(for: "waiting for changes", from: start) ? tool.output.count : nil
  }

  @Test func `A changed input runs what needs it again, and what the run writes does not`() throws {
    let sandbox = sandbox()
    let tool = RunningTool(["run", "--watch"], in: sandbox)
    let first = try #require(waits(tool))
    #expect(sandbox.read("tested.txt") == "a")
    place("b", at: "src/b.txt", in: sandbox)
    let second = try #require(waits(tool, from: first))
    #expect(sandbox.read("tested.txt") == "aab")
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGINT))
    // Another run would have begun with a line about its first task.
    #expect(!tool.wait(for: "build started", from: second))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A file in a new folder is noticed`() throws {
    let sandbox = sandbox()
    let tool = RunningTool(["run", "--watch"], in: sandbox)
    let first = try #require(waits(tool))
    sandbox.makeFolder("src/deep")
    sandbox.write("c", to: "src/deep/c.txt")
    #expect(waits(tool, from: first) != nil)
    kill(tool.pid, SIGTERM)
    #expect(tool.end() == .signal(SIGTERM))
  }

  @Test func `A plan that has become invalid is shown with its errors, and the watching goes on`()
    throws
  {
    let sandbox = sandbox()
    let tool = RunningTool(["run", "--watch"], in: sandbox)
    let first = try #require(waits(tool))
    place("tasks: { build: { rum: x } }", at: "headway.yaml", in: sandbox)
    let second = try #require(waits(tool, from: first))
    #expect(tool.text.contains("did you mean \"run\"?"))
    place(
      "tasks: { other: { run: touch made, inputs: src } }", at: "headway.yaml", in: sandbox)
    #expect(waits(tool, from: second) != nil)
    #expect(sandbox.has("made"))
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGINT))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `A signal during a run ends the run in order, and then the watching`(_ signal: Int32) {
    let sandbox = Sandbox(
      plan: """
        tasks:
          long: { run: "echo started > begun; exec sleep 300", inputs: plan.yaml }
          last: { run: touch cleaned, always: true, after: long }
        """)
    let tool = RunningTool(["run", "plan.yaml", "--watch"], in: sandbox)
    #expect(eventually { sandbox.has("begun") })
    kill(tool.pid, signal)
    #expect(tool.end() == .signal(signal))
    #expect(sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A change during a run is followed by another run`() throws {
    let sandbox = Sandbox(
      plan: """
        tasks:
          once: { run: "cat source >> seen; touch begun; while ! test -e go; do sleep 0.01; done", inputs: source }
        """)
    sandbox.write("1", to: "source")
    let tool = RunningTool(["run", "plan.yaml", "--watch"], in: sandbox)
    #expect(eventually { sandbox.has("begun") })
    sandbox.write("2", to: "source")
    sandbox.write("", to: "go")
    #expect(waits(tool) != nil)
    #expect(sandbox.read("seen") == "12")
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGINT))
  }

  @Test(arguments: [
    (["--watch"], "--watch needs tasks with `inputs`, whose files it watches"),
    (["--watch", "--dry-run"], "--watch and --dry-run exclude each other"),
  ])
  func `What cannot be watched is refused`(_ options: [String], _ message: String) {
    let sandbox = Sandbox(plan: "tasks: { hello: { run: echo hello } }")
    let result = RunningTool.run(["run", "plan.yaml"] + options, in: sandbox)
    #expect(result.end == .code(2))
    #expect(result.text.contains(message))
  }

  @Test func `A plan on standard input cannot be watched`() {
    let sandbox = Sandbox()
    let result = RunningTool.run(["run", "-", "--watch"], in: sandbox)
    #expect(result.end == .code(2))
  }

  /// A task and a service of whose start there is a line in `begun`.
  private static let services = """
    tasks:
      build: { run: "cp source built", inputs: source, outputs: built }
      server: { run: "echo begun >> begun; exec sleep 300", after: build, service: true }
    """

  /// How the end of the watching is asked for.
  enum Request: CaseIterable {
    case interrupt, termination, hangUp, key

    /// The signal by which the watching ends.
    var signal: Int32 {
      switch self {
      case .interrupt, .key: SIGINT
      case .termination: SIGTERM
      case .hangUp: SIGHUP
      }
    }

    /// Asks for the end.
    func send(to tool: RunningTool) {
      if self == .key { tool.type("\u{3}") } else { kill(tool.pid, signal) }
    }
  }

  @Test(arguments: Request.allCases, [false, true])
  func `One request ends the watching of services, also if a file has changed`(
    _ request: Request, _ hasChanged: Bool
  ) {
    let sandbox = Sandbox(plan: Self.services)
    sandbox.write("1", to: "source")
    let tool = RunningTool(
      ["run", "plan.yaml", "--watch"], in: sandbox,
      terminal: request == .key ? TerminalSize(columns: 80, rows: 24) : nil)
    // It is ready, so that the run can succeed, which a service is before it has written anything.
    #expect(eventually { sandbox.read(Self.journal).contains("task_ready") })
    #expect(eventually { sandbox.read("begun") == "begun\n" })
    if hasChanged { place("2", at: "source", in: sandbox) }
    request.send(to: tool)
    #expect(tool.end(within: .seconds(60)) == .signal(request.signal))
    #expect(sandbox.read("begun") == "begun\n")
    #expect(sandbox.survivors() == [])
  }

  private static let journal = ".headway/runs/latest/journal.jsonl"

  /// A task that changes its own input, so that short runs follow each other.
  private static let shortRuns = """
    tasks:
      loop: { run: "echo run >> source", inputs: source }
    """

  @Test(arguments: Request.allCases)
  func `One request ends short runs that follow each other, whenever it comes`(
    _ request: Request
  ) {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<8 {
      let sandbox = Sandbox(plan: Self.shortRuns)
      sandbox.write("", to: "source")
      let tool = RunningTool(
        ["run", "plan.yaml", "--watch"], in: sandbox,
        terminal: request == .key ? TerminalSize(columns: 80, rows: 24) : nil)
      #expect(eventually { sandbox.read("source").count > 8 })
      pauseAtRandom(upTo: .milliseconds(40), using: &random)
      request.send(to: tool)
      #expect(tool.end(within: .seconds(60)) == .signal(request.signal))
      #expect(sandbox.survivors() == [])
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func `A signal that comes as a run succeeds ends the watching`(_ signal: Int32) {
    let sandbox = Sandbox(
      plan: """
        tasks:
          loop: { run: "until test -s watch; do sleep 0.01; done; echo run >> source; kill -\(signal) $(cat watch)", inputs: source }
        """)
    sandbox.write("", to: "source")
    let tool = RunningTool(["run", "plan.yaml", "--watch"], in: sandbox)
    place("\(tool.pid)", at: "watch", in: sandbox)
    #expect(tool.end(within: .seconds(60)) == .signal(signal))
    #expect(sandbox.read("source") == "run\n")
  }

  @Test func `A signal that was ignored at the start is ignored between runs and during them`()
    throws
  {
    let sandbox = sandbox()
    let tool = RunningTool(
      ["-c", "trap '' INT HUP; exec \(RunningTool.path) run --watch"], in: sandbox,
      program: "/bin/sh")
    let first = try #require(waits(tool))
    kill(tool.pid, SIGINT)
    kill(tool.pid, SIGHUP)
    place("b", at: "src/b.txt", in: sandbox)
    _ = try #require(waits(tool, from: first))
    #expect(sandbox.read("tested.txt") == "aab")
    kill(tool.pid, SIGTERM)
    #expect(tool.end() == .signal(SIGTERM))
  }

  // ThreadSanitizer delays signals to the next call that it knows, and so to another moment.
  #if !TSAN
    /// The moments at which a signal can come while the process of a run is made.
    enum ForkMoment: CaseIterable, Codable { case before, afterInParent, afterInChild }

    @Test(arguments: ForkMoment.allCases, [false, true])
    func `A signal that comes while the process of a run is made reaches it, and ends the watching`(
      _ moment: ForkMoment, _ isFromTerminal: Bool
    ) async {
      let sandbox = Sandbox()
      let file = "\(sandbox.path)/begun"
      await #expect(processExitsWith: .signal(SIGINT)) {
        [moment, isFromTerminal, file = file as String] in
        let fromProgram: @convention(c) () -> Void = { td_interrupt_self(false) }
        let fromTerminal: @convention(c) () -> Void = { td_interrupt_self(true) }
        let send = isFromTerminal ? fromTerminal : fromProgram
        switch moment {
        case .before: pthread_atfork(send, nil, nil)
        case .afterInParent: pthread_atfork(nil, send, nil)
        case .afterInChild: pthread_atfork(nil, nil, send)
        }
        try Supervisor.inChild {
          _exit(unsafe creat(file, 0o644) >= 0 ? 0 : 1)
        }
      }
      // A key that is pressed later has reached the run as well.
      if moment != .afterInParent { #expect(!sandbox.has("begun")) }
    }
  #endif
}
