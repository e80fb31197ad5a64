import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import HeadwayState
import ProcessFixtures
import Testing

@testable import HeadwayFiles
@testable import HeadwayRunner

/// Every way on which a text leaves a run: what goes out on it has no secrets.
struct SecretWaysTests {
  private static let value = "it's \"hunter2\" & [all]\\"
  private static let mask = SecretMask([Array(value.utf8)])

  /// Secrets with a key.
  private func secrets(_ value: String, key: UInt8 = 1) -> Secrets {
    Secrets(
      mask: SecretMask([Array(value.utf8)]), key: Array(repeating: key, count: 32), names: ["T"],
      outerNames: [], digests: ["T": KeyedDigest.text(of: Array(value.utf8), key: [key])])
  }

  /// The work of a plan with a secret.
  private func work(_ plan: Plan, _ secrets: Secrets?) throws -> RunWork {
    RunWork(
      plan: plan, state: try StateFolder(existing: LoopRun.noState, plan: "p"),
      environment: EnvironmentBlock(), secrets: secrets)
  }

  private func line(_ event: RunEvent) -> String {
    var line = JSONLine(names: ["a"])
    line.begin()
    event.write(to: &line)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      .taskPlaced(TaskID(0), host: "at \(value)"),
      .workersWaiting(
        RunEvent.WorkersWaiting(
          count: 1, reason: value, start: nil, advice: "say \(value)", places: 2)),
      .taskRetrying(
        TaskID(0), attempt: 2, delay: .zero, because: .failed(.notStarted(reason: value))),
      .taskEnded(TaskID(0), .failed(.threw("no \(value)")), attempts: 1, ran: .zero),
      .taskEnded(TaskID(0), .failed(.notStarted(reason: "no \(value)")), attempts: 1, ran: .zero),
    ] as [RunEvent.Kind])
  func `No text of an event has a secret`(kind: RunEvent.Kind) {
    let usage = ResourceUsage(cpuTime: .seconds(3), peakMemory: 1 << 20)
    let event = RunEvent(time: .seconds(1), kind: kind, usage: usage)
    #expect(line(event).contains("hunter2"))
    let masked = event.masked(by: Self.mask)
    #expect(masked.usage == usage)
    #expect(line(masked) == line(event).replacing(quotedInJSON(Self.value), with: "***"))
  }

  /// A text as it stands in a line of JSON.
  private func quotedInJSON(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  @Test(arguments: [false, true])
  func `Why an attempt could not start has no secret, here and on another machine`(
    isElsewhere: Bool
  ) throws {
    let folder = Folder()
    let run = try LoopRun([.make("a")], statePath: folder.path, secrets: ["such program"])
    if isElsewhere { run.useWorker { 7 } }
    run.machine.scripts[TaskID(0)] = [VirtualMachine.AttemptScript(cannotStart: true)]
    run.run()
    #expect(run.outcome(0) == .failed(.notStarted(reason: "no ***")))
    #expect(run.state.outcome(of: TaskID(0)) == run.outcome(0))
    let journal = String(decoding: run.journal, as: UTF8.self)
    #expect(journal.contains("no ***") && !journal.contains("such program"))
  }

  @Test func `What is shown of a plan has no secret, whatever quotes and cuts it`() throws {
    let value = Self.value
    var service = Plan.Service()
    service.readiness = .output(String(repeating: "-", count: 50) + value)
    let task = Plan.Task.make("a") {
      $0.command = .program([
        "/bin/\(value)", String(repeating: "-", count: 4_080) + value, "\(value)s",
      ])
      $0.condition = .equal("x\(value)", "y")
      $0.service = service
    }
    let work = try work(
      Plan(name: "p", workers: nil, pools: [], tasks: [task]), secrets(value))
    let record = RunRecord(
      plan: "p", name: "r", began: 0, workers: 1, machine: MachineIdentity(cores: 1),
      tasks: [TaskIdentity(name: "a", kind: "", fingerprint: 0)], graph: work.plan.tasks.graph)
    let header = work.header(record, usual: [nil], RunOptions())
    let dashes = String(repeating: "-", count: 4_080)
    #expect(header.tasks[0].command == "'/bin/***' '\(dashes)***' '***s'".utf8Prefix(4_096))
    #expect(
      work.shown.tasks[0].service?.readiness.unmet
        == "no line of its output contains \"\(dashes.prefix(50))***\"")
    #expect(work.shown.tasks[0].condition == .equal("x***", "y"))
    #expect(PlanRunner.graph(of: work.shown).settings(of: TaskID(0)).kind == "***")
    // What is carried out has it.
    #expect(work.request(for: Attempt(task: TaskID(0), number: 1))?.arguments[2] == "\(value)s")
  }

  @Test func `A digest cannot be compared with that of a guess, and the history knows the task`()
    throws
  {
    let folder = Folder(["in"])
    folder.write("in", "PIN=7305")
    func plan(_ value: String) throws -> Plan {
      let task = "run: [login, '\(value)'], env: { X: '<\(value)>' }, dir: '/\(value)'"
      let text = "tasks: { a: { \(task), inputs: '\(folder.path)/in' } }"
      return try Plan.read(Array(text.utf8), file: "p.yaml")
    }
    func record(_ value: String, _ key: UInt8?) throws -> [String] {
      let work = try work(plan(value), key.map { secrets(value, key: $0) })
      let subject = try #require(work.subject(of: TaskID(0)))
      let state = try #require(ContentsRecord.state(of: subject))
      let parts = state.parts.lines.split(separator: "\n").map { String($0) }
      return [work.digest(of: work.plan.tasks[0]), state.command, state.inputs] + parts
    }
    let known = try record("7305", 1)
    #expect(try record("7305", 1) == known)
    // Another key, as that of somebody who guesses, and none.
    for key in [2, nil] as [UInt8?] {
      let other = try record("7305", key)
      #expect(other.count == known.count)
      for (first, second) in zip(known, other) { #expect(first != second) }
    }
    let changed = try record("7306", 1)
    #expect(changed[0] != known[0] && changed[1] != known[1] && changed[2] == known[2])
    func fingerprint(_ value: String, _ key: UInt8) throws -> UInt64 {
      let work = try work(plan(value), secrets(value, key: key))
      return RunHistory(work, kinds: [""], workers: 1).run.tasks[0].fingerprint
    }
    #expect(try fingerprint("7305", 1) == fingerprint("7306", 1))
    #expect(try fingerprint("7305", 1) != fingerprint("7305", 2))
    // A command without secrets has the hash that it has in a plan without secrets.
    let plain = try work(plan("7305"), nil)
    #expect(try work(plan("7305"), secrets("9999")).fingerprint(of: 0) == plain.fingerprint(of: 0))
  }

  @Test func `Runs that begin at the same time have one key`() throws {
    let folder = Folder()
    let states = try (0..<2).map { _ in try StateFolder(path: folder.path, plan: "p") }
    let key = states[0].secretKey(creates: true)
    #expect(states[1].secretKey(creates: true) == key)
    #expect(states[1].secretKey(creates: false) == key)
  }
}

extension String {
  /// The first bytes.
  fileprivate func utf8Prefix(_ count: Int) -> String {
    String(decoding: utf8.prefix(count), as: UTF8.self)
  }
}
