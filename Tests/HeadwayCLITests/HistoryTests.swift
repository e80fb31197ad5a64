import Glibc
import HeadwayForecast
import HeadwayRun
import HeadwayState
import ProcessFixtures
import Testing

/// `headway history`.
struct HistoryTests {
  /// A sandbox with a history of two plans.
  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(plan: "name: release\ntasks:\n  a: { run: echo hi }\n")
    sandbox.makeFolder(".headway")
    let store = HistoryStore(path: "\(sandbox.path)/.headway/\(HistoryStore.fileName)")
    for (plan, seconds) in [("release", [2, 4, 3]), ("ni\u{1b}ght", [1])] {
      for (number, time) in seconds.enumerated() {
        // Of runs of the same name, one is stored.
        let name = plan == "release" ? "ru\u{1b}n \(number)" : "night"
        var run = RunRecord(
          plan: plan, name: name, began: 1_800_000_000_000, workers: 4,
          machine: MachineIdentity(cores: 8, host: 1),
          tasks: [
            TaskIdentity(name: "compile", kind: "", fingerprint: 1),
            TaskIdentity(name: "slow, retried", kind: "", fingerprint: 2),
          ])
        run.forecasts = [
          ForecastRecord(
            at: .zero, fraction: 0,
            remaining: RemainingTime(low: .seconds(1), median: .seconds(3), high: .seconds(3)))
        ]
        run.records = [
          TaskRecord(
            index: 0, outcome: number == 2 ? .failed : .succeeded, ran: .seconds(time), attempts: 1,
            usage: ResourceUsage(
              cpuTime: .seconds(2 * time), peakMemory: 700_000_000 + 1_000_000 * number))
        ]
        if number == 1 {
          run.records.append(
            TaskRecord(
              index: 1, outcome: .succeeded, ran: .seconds(90), took: .seconds(30),
              attempts: 3))
        }
        (run.total, run.outcome) = (.seconds(time), number == 2 ? .failed : .succeeded)
        store.store(run)
      }
    }
    return sandbox
  }

  /// The lines of a text with each run of spaces as one.
  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test func `All plans are listed, and names cannot control the terminal`() {
    let sandbox = sandbox()
    let result = RunningTool.run(["history"], in: sandbox)
    #expect(result.end == .code(0))
    let lines = lines(result.text)
    #expect(lines.first == "plan runs tasks records last run")
    #expect(lines.dropFirst().first?.hasPrefix("ni\u{FFFD}ght 1 1 1 2027-01-1") == true)
    #expect(lines.dropFirst(2).first?.hasPrefix("release 3 2 4 2027-01-1") == true)
    #expect(lines.last?.hasSuffix("kB in .headway/history.sqlite") == true)
  }

  @Test(arguments: ["plan.yaml", "release"])
  func `The runs, tasks and forecasts of a plan are listed`(plan: String) {
    let sandbox = sandbox()
    let result = RunningTool.run(["history", plan], in: sandbox)
    #expect(result.end == .code(0))
    let lines = lines(result.text)
    #expect(lines.first == "release: 3 runs")
    #expect(lines.dropFirst().first == "run began workers tasks took first forecast outcome")
    #expect(lines.contains("task usual min max cpu memory runs failed"))
    let tasks = lines.drop { !$0.hasPrefix("task usual") }
    #expect(tasks.dropFirst().first == "slow, retried 1m30s 1m30s 1m30s - - 1 0")
    #expect(lines.contains("compile 3.0s 2.0s 4.0s 6.0s 702 MB 2 1"))
    #expect(
      lines.contains {
        $0.hasPrefix("ru\u{FFFD}n 0 2027-01-1") && $0.hasSuffix(" 4 1 2.0s +50% succeeded")
      })
    #expect(
      lines.contains { $0.hasPrefix("ru\u{FFFD}n 1 ") && $0.hasSuffix(" 4 2 4.0s -25% succeeded") })
    #expect(
      lines.contains { $0.hasPrefix("ru\u{FFFD}n 2 ") && $0.hasSuffix(" 4 1 3.0s 0.0% failed") })
    #expect(
      lines.last
        == "forecasts: off by 25% of the run (median of 3); the actual time was inside the predicted range 67% of "
        + "the time")
  }

  @Test(arguments: [(20, nil), (21, "and 1 earlier run"), (23, "and 3 earlier runs")])
  func `The newest 20 runs are listed, the others counted`(count: Int, line: String?) {
    let sandbox = Sandbox()
    sandbox.makeFolder(".headway")
    let store = HistoryStore(path: "\(sandbox.path)/.headway/\(HistoryStore.fileName)")
    for number in 0..<count {
      store.store(
        RunRecord(
          plan: "release", name: "run-\(number)", began: 1_800_000_000_000 + Int64(number) * 1000,
          workers: 4, machine: MachineIdentity(cores: 8, host: 1),
          tasks: [TaskIdentity(name: "a", kind: "", fingerprint: 1)], total: .seconds(1),
          outcome: .succeeded))
    }
    let lines = lines(RunningTool.run(["history", "release"], in: sandbox).text)
    #expect(lines.count { $0.hasPrefix("run-") } == 20)
    #expect(lines.first { $0.hasPrefix("and ") } == line)
  }

  @Test func `A run is stored with its moment, and a task that never ran without one`() throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'false' }\n  b: { run: 'true', after: a }\n")
    func now() -> Int64 {
      var time = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
    let before = now()
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(1))
    let store = HistoryStore(
      path: "\(sandbox.path)/.headway/\(HistoryStore.fileName)", creates: false)
    let run = try #require(store.run(named: nil))
    #expect((before...now()).contains(run.began))
    let records = run.records.sorted { $0.index < $1.index }
    try #require(records.count == 2)
    #expect(records[0].began != nil && records[1].began == nil)
  }

  @Test func `One plan is cleared, then all`() {
    let sandbox = sandbox()
    #expect(
      RunningTool.run(["history", "clear", "release"], in: sandbox).text == "3 runs deleted\n")
    #expect(
      RunningTool.run(["history", "release"], in: sandbox).text
        == "no runs of release in .headway/history.sqlite\n")
    #expect(
      RunningTool.run(["history", "clear", "--all"], in: sandbox).text == "1 run deleted\n")
    #expect(
      RunningTool.run(["history"], in: sandbox).text
        == "no runs in .headway/history.sqlite\n")
  }

  @Test func `Nothing is deleted unless it is named`() {
    let sandbox = sandbox()
    for (arguments, line) in [
      (["clear"], "name the plan whose runs to delete, or delete all with --all"),
      (["clear", "release", "--all"], "name a plan or --all, not both"),
      (["--all"], "--all is an option of `history clear` only"),
    ] {
      let result = RunningTool.run(["history"] + arguments, in: sandbox)
      #expect(result.end == .code(2))
      #expect(result.text == "headway: \(line)\n")
    }
    #expect(lines(RunningTool.run(["history"], in: sandbox).text).count == 4)
  }

  /// Writes the folder of a run that has begun a task, as `docs/journal.md` describes it.
  private func begin(
    _ name: String, in sandbox: Sandbox, process: pid_t = getpid(), started: String? = nil,
    boot: String? = nil, host: UInt64 = MachineIdentity(cores: 8).host
  ) {
    func words(_ path: String) -> [Substring] {
      String(decoding: bytes(ofFile: path), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }
    let usualBoot = words("/proc/sys/kernel/random/boot_id").first
    // The name of the program may contain spaces.
    let start = started ?? String(words("/proc/self/stat").suffix(31).first ?? "")
    sandbox.makeFolder(".headway")
    sandbox.makeFolder(".headway/runs")
    sandbox.makeFolder(".headway/runs/\(name)")
    sandbox.write(
      """
      {"version":1,"run":"\(name)","plan":"release","folder":"/","workers":4,"policy":"stop",\
      "began":1800000000000,"host":"\(String(host, radix: 16))","cores":8,\
      "boot":"\(boot ?? String(usualBoot ?? ""))","pid":\(process),"started":\(start),\
      "identity":"\(name)","tasks":[{"name":"a"}]}

      """, to: ".headway/runs/\(name)/run.json")
  }

  @Test func `A run that has not ended is running, or was killed`() {
    let sandbox = Sandbox()
    // The process of the tests stands for that of a run.
    let running = "20270115-080000-\(getpid())"
    begin(running, in: sandbox)
    // A process that was started later, or after the machine was booted again, has only reused the number.
    let killed = ["20270115-080001-1", "20270115-080002-2", "20270115-080003-2147483647"]
    begin(killed[0], in: sandbox, started: "1")
    begin(killed[1], in: sandbox, boot: "another")
    begin(killed[2], in: sandbox, process: 2_147_483_647)
    let foreign = "20270115-080004-4"
    begin(foreign, in: sandbox, host: 1)
    let lines = lines(RunningTool.run(["history", "release"], in: sandbox).text)
    #expect(lines.contains { $0.hasPrefix(running) && $0.hasSuffix(" - - running") })
    for run in killed {
      #expect(lines.contains { $0.hasPrefix(run) && $0.hasSuffix(" - - killed") })
    }
    #expect(!lines.contains { $0.hasPrefix(foreign) })
    let words =
      [(running, "running"), (foreign, "running or killed")] + killed.map { ($0, "killed") }
    for (run, word) in words {
      _ = RunningTool.run(["report", run], in: sandbox)
      let page = sandbox.read(".headway/reports/\(run).html")
      #expect(page.contains("</span> \(word)</span></h1>"))
    }
  }

  @Test func `Without a history nothing is made, and there is no error`() {
    let sandbox = Sandbox()
    let result = RunningTool.run(["history", "--state", "records"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text == "no runs in records/history.sqlite\n")
    #expect(!sandbox.has("records"))
  }

  @Test func `A history that cannot be used costs one line and exit code 69`() {
    let sandbox = Sandbox()
    sandbox.makeFolder(".headway")
    sandbox.makeFolder(".headway/history.sqlite")
    let result = RunningTool.run(["history", "clear", "--all"], in: sandbox)
    #expect(result.end == .code(69))
    #expect(result.text.hasPrefix("headway: history: '.headway/history.sqlite' cannot be used"))
    #expect(result.text.split(separator: "\n").count == 1)
  }

  @Test func `More than one plan is an error`() {
    let result = RunningTool.run(["history", "clear", "a", "b"], in: Sandbox())
    #expect(result.end == .code(2))
    #expect(
      result.text == "headway: unexpected argument 'b'; name one plan, or none for all plans\n")
  }
}
