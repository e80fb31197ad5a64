import Glibc
import HeadwayLaunch
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// The journals that `headway run` writes, and what other commands make of them.
struct JournalCommandTests {
  /// The run of a name, read from its folder.
  private func read(_ name: String, in sandbox: Sandbox) throws -> StoredRun {
    let folder = try RunFolder.named(name, in: "\(sandbox.path)/.headway")
    return try #require(folder).read()
  }

  /// The lines of a text with each run of spaces as one.
  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test func `A run is in its folder as it was asked for and as it went`() throws {
    let sandbox = Sandbox(
      plan: """
        name: release
        secrets: [TOKEN]
        vars: { LEVEL: 1 }
        tasks:
          a: { run: "echo $TOKEN \\"$@\\"", env: { COPY: a-hidden-b } }
          b: { run: "exit 3", after: a, optional: true }

        """)
    let tool = RunningTool(
      ["-c", "TOKEN=hidden '\(RunningTool.path)' run plan.yaml b LEVEL=2 -k -- x hidden"],
      in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0), "\(tool.text)")
    let name = try #require(sandbox.runs.first)
    let run = try read("latest", in: sandbox)
    #expect(run.header.run == name && run.header.plan == "release")
    #expect(
      run.header.invocation.words == ["b"]
        && run.header.invocation.file == sandbox.path + "/plan.yaml")
    #expect(run.header.invocation.settings == ["LEVEL=2"])
    #expect(run.header.arguments == ["x", "***"] && run.header.policy == .keepGoing)
    #expect(run.header.tasks.map(\.name) == ["a", "b"] && run.header.tasks[1].isOptional)
    #expect(run.isRunning == false && run.hasEnded && run.warnings == [])
    #expect(run.state.outcome(of: TaskID(1)) == .failed(.exited(code: 3)))
    #expect(run.record.outcome == .succeeded)
    for file in ["run.json", "journal.jsonl", "logs/a.log"] {
      #expect(!sandbox.read(".headway/runs/\(name)/\(file)").contains("hidden"))
    }
    let folder = "\(sandbox.path)/.headway/runs/\(name)"
    var status = stat()
    #expect(unsafe stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test
  func
    `Of a run of which every process was killed, the next command knows what was done and what was lost`()
    throws
  {
    let sandbox = Sandbox(
      plan:
        "tasks:\n  a: { run: echo hi }\n  b: { run: '\(longSleep())', after: a }\n  c: { run: echo, after: b }\n"
    )
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "b started"))
    let name = try #require(sandbox.runs.first)
    #expect(try read(name, in: sandbox).isRunning == true)
    #expect(
      lines(RunningTool.run(["history", "plan"], in: sandbox).text)
        .contains { $0.hasPrefix(name) && $0.hasSuffix(" running") })
    let supervisor = tool.supervisor
    let runner = RunningTool.firstChild(of: supervisor)
    try #require(supervisor > 0 && runner > 0)
    // None of them may notice the end of another one.
    for process in [runner, supervisor, tool.pid] { kill(process, SIGSTOP) }
    #expect(eventually { [runner, supervisor, tool.pid].allSatisfy { state(of: $0) == "T" } })
    for process in [supervisor, runner, tool.pid] { kill(process, SIGKILL) }
    #expect(tool.end() == .signal(SIGKILL))
    endSurvivors(of: sandbox)
    #expect(eventually { (try? read(name, in: sandbox))?.isRunning == false })
    let run = try read(name, in: sandbox)
    #expect(run.state.outcome(of: TaskID(0)) == .succeeded)
    #expect(run.state.outcome(of: TaskID(1)) == .lost && run.state.outcome(of: TaskID(2)) == nil)
    let history = lines(RunningTool.run(["history", "plan"], in: sandbox).text)
    #expect(history.contains { $0.hasPrefix(name) && $0.hasSuffix(" killed") })
    #expect(history.contains { $0.hasPrefix("a ") })
    #expect(RunningTool.run(["report", name], in: sandbox).end == .code(0))
    #expect(sandbox.read(".headway/reports/\(name).html").contains("lost"))
  }

  @Test func `A history that was removed is built again, and what was cleared stays away`() {
    let sandbox = Sandbox(plan: "tasks: { a: { run: echo } }\n")
    for _ in 0..<2 { #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0)) }
    let before = RunningTool.run(["history", "plan"], in: sandbox).text
    #expect(before.hasPrefix("plan: 2 runs\n"))
    for ending in ["", "-wal", "-shm"] {
      unsafe unlink("\(sandbox.path)/.headway/history.sqlite\(ending)")
    }
    #expect(RunningTool.run(["history", "plan"], in: sandbox).text == before)
    #expect(
      RunningTool.run(["history", "clear", "plan"], in: sandbox).text == "2 runs deleted\n")
    #expect(RunningTool.run(["history", "plan"], in: sandbox).text.hasPrefix("no runs of plan"))
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0))
    #expect(RunningTool.run(["history", "plan"], in: sandbox).text.hasPrefix("plan: 1 run\n"))
    #expect(sandbox.runs.count == 3)
  }

  @Test func `Two runs at once have a folder each`() throws {
    let sandbox = Sandbox(
      plan: "tasks: { a: { run: 'until [ -e gate ]; do sleep 0.01; done' } }\n")
    let tools = (0..<2).map { _ in
      RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    }
    for tool in tools { #expect(tool.wait(for: "a started")) }
    #expect(try sandbox.runs.map { try read($0, in: sandbox).isRunning } == [true, true])
    sandbox.write("", to: "gate")
    for tool in tools { #expect(tool.end() == .code(0)) }
    for run in try sandbox.runs.map({ try read($0, in: sandbox) }) {
      #expect(run.hasEnded && run.warnings == [] && run.record.outcome == .succeeded)
    }
    #expect(RunningTool.run(["history", "plan"], in: sandbox).text.hasPrefix("plan: 2 runs\n"))
  }

  @Test(arguments: ["rm -r", "mv -t ."])
  func `The folder of a run that is removed or moved during it is named, and the run goes on`(
    command: String
  ) throws {
    let sandbox = Sandbox(
      plan:
        "tasks:\n  a: { run: '\(command) .headway/runs/2*' }\n  b: { run: echo b, after: a }\n")
    let result = RunningTool.run(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(result.end == .code(0) && result.text.contains("2 succeeded"))
    #expect(
      result.text.contains(" was removed during the run; its journal and its logs are lost\n"))
    #expect(sandbox.runs == [])
    guard command.hasPrefix("mv") else { return }
    let moved = try #require(folderEntries(sandbox.path).first { $0.hasPrefix("2") })
    #expect(sandbox.read("\(moved)/journal.jsonl").contains("\"event\":\"run_ended\""))
  }

  @Test func `The number of runs that are kept is that of the option, and else that of the plan`() {
    let sandbox = Sandbox(plan: "keep: { runs: 2 }\ntasks: { a: { run: echo } }\n")
    for _ in 0..<4 { #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0)) }
    #expect(sandbox.runs.count == 2)
    for _ in 0..<2 {
      _ = RunningTool.run(["run", "plan.yaml", "--keep-runs", "3"], in: sandbox)
    }
    #expect(sandbox.runs.count == 3)
    _ = RunningTool.run(
      ["run", "plan.yaml", "--keep-size", "1kB", "--keep-runs", "9"], in: sandbox)
    // The newest of the earlier runs, and the new one.
    #expect(sandbox.runs.count == 2)
    // The history has more.
    #expect(RunningTool.run(["history", "plan"], in: sandbox).text.hasPrefix("plan: 7 runs\n"))
  }

  // ThreadSanitizer needs larger files itself.
  #if !TSAN
    @Test func `A full disk ends the journal with a whole line, not the run`() throws {
      let sandbox = Sandbox(
        plan:
          "tasks:\n  a: { run: exit 1, retries: { limit: 40, interval: 1ms }, optional: true }\n")
      // 4 KiB: enough for the header.
      let tool = RunningTool(
        ["-c", "ulimit -f 4; exec '\(RunningTool.path)' run plan.yaml --ui quiet"], in: sandbox,
        program: "/bin/bash")
      #expect(tool.end() == .code(0))
      #expect(
        tool.text.contains(
          "headway: the journal of this run is incomplete: the limit on the size of files is reached (ulimit -f); `headway resume` may repeat tasks\n"
        ))
      let journal = sandbox.read(".headway/runs/latest/journal.jsonl")
      #expect(journal.hasSuffix("\"}\n") && journal.utf8.count <= 4096)
      let run = try read("latest", in: sandbox)
      #expect(run.warnings == [] && !run.hasEnded && run.isRunning == false)
      // Under way, or between two attempts.
      let outcome = run.state.outcome(of: TaskID(0))
      #expect(outcome == .lost || outcome == .failed(.exited(code: 1)))
    }
  #endif
}
