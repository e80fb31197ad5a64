import Glibc
import ProcessFixtures
import Testing

/// Which run is the newest, for every command that asks.
struct RunOrderTests {
  private func run(
    _ arguments: [String], _ sandbox: Sandbox, _ variables: [String] = []
  ) -> (end: ProcessEnd, text: String) {
    let tool = RunningTool(arguments, in: sandbox, variables: variables)
    let end = tool.end()
    return (end, tool.text)
  }

  /// The folders of the runs.
  private func names(_ sandbox: Sandbox) -> [String] {
    folderEntries("\(sandbox.path)/.headway/runs").filter { $0.first?.isNumber ?? false }.sorted()
  }

  /// Runs a plan, and finds its name.
  private func runNamed(
    _ sandbox: Sandbox, _ variables: [String], _ arguments: [String] = ["run"]
  ) -> String {
    let before = Set(names(sandbox))
    _ = run(arguments, sandbox, variables)
    return Set(names(sandbox)).subtracting(before).first ?? "none"
  }

  private static let plan = """
    name: plan
    tasks:
      a: { run: 'echo "run $N"; test -n "$GOOD"' }

    """

  /// The zones of two runs, one after the other.
  private static let zones = [
    ["Asia/Tokyo", "UTC"], ["UTC", "America/New_York"], ["America/New_York", "UTC"],
  ]

  @Test(arguments: zones)
  func `The newest run is the one that began last, in whatever time zone`(_ zones: [String]) {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    let first = runNamed(sandbox, ["TZ=\(zones[0])", "N=first"])
    let second = runNamed(sandbox, ["TZ=\(zones[1])", "N=second"])
    let header = sandbox.read(".headway/runs/latest/run.json")
    #expect(header.contains("\"run\":\"\(second)\""))
    for command in [["logs"], ["logs", "latest"], ["logs", "plan"], ["logs", "headway.yaml"]] {
      #expect(run(command, sandbox).text.contains("run second"), "\(command)")
    }
    #expect(run(["status"], sandbox).text.contains(second))
    #expect(run(["report", "-o", "-"], sandbox).text.contains(second))
    #expect(run(["report", "plan", "-o", "-"], sandbox).text.contains(second))
    let lines = run(["runs"], sandbox).text.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(lines.dropFirst().map(String.init) == [second, first])
    #expect(run(["run", "--failed"], sandbox, ["N=third"]).text.contains("resuming run \(second)"))
    let fourth = runNamed(sandbox, ["TZ=\(zones[0])", "N=fourth"])
    _ = runNamed(sandbox, ["TZ=\(zones[1])", "N=fifth"], ["run", "--state", "elsewhere"])
    #expect(run(["resume"], sandbox).text.contains("resuming run \(fourth)"))
  }

  @Test(arguments: ["UTC", "Asia/Tokyo", "America/New_York"])
  func `The name of a run says in UTC when it began`(_ zone: String) throws {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    let name = runNamed(sandbox, ["TZ=\(zone)"])
    let header = sandbox.read(".headway/runs/\(name)/run.json")
    let began = header.split(separator: "\"began\":").last?.prefix { $0.isNumber }
    var seconds = time_t(try #require(began.flatMap { Int($0) }) / 1000)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    let hour = Int(unsafe parts.tm_hour)
    let named = Int(name.dropFirst(9).prefix(2)) ?? -1
    // The folder is there before the run begins, and the hour may end in between.
    #expect(named == hour || (named + 1) % 24 == hour)
  }

  @Test func `The newest runs are kept, in whatever time zones they began`() {
    let sandbox = Sandbox(plan: "keep: { runs: 3 }\n\(Self.plan)", named: "headway.yaml")
    let zones = ["Asia/Tokyo", "UTC", "Pacific/Honolulu", "Asia/Tokyo", "UTC", "Pacific/Honolulu"]
    let runs = zones.map { runNamed(sandbox, ["TZ=\($0)"]) }
    #expect(Set(names(sandbox)) == Set(runs.suffix(3)))
  }

  @Test func `What was done once is not done again by a resumption in another time zone`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          prep: { run: 'test -e ok' }
          deploy: { run: 'echo "by run $N" >> deployed', once: true, after: prep }
          post: { run: 'test -e ok2', after: deploy }

        """, named: "headway.yaml")
    _ = run(["run"], sandbox, ["TZ=Asia/Tokyo", "N=first"])
    sandbox.write("", to: "ok")
    _ = run(["run"], sandbox, ["TZ=UTC", "N=second"])
    sandbox.write("", to: "ok2")
    #expect(run(["resume"], sandbox, ["TZ=UTC", "N=third"]).end == .code(0))
    #expect(sandbox.read("deployed") == "by run second\n")
  }

  /// Changes the name of a run, and what its header says of it.
  private func rename(
    _ run: String, to name: String, in sandbox: Sandbox, change: (String) -> String
  ) {
    let runs = "\(sandbox.path)/.headway/runs"
    unsafe Glibc.rename("\(runs)/\(run)", "\(runs)/\(name)")
    sandbox.write(
      change(sandbox.read(".headway/runs/\(name)/run.json")), to: ".headway/runs/\(name)/run.json")
  }

  @Test func `A run of an older version, named in local time, is found and is no newer than it is`()
  {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    let old = "20991231-235959-1"
    rename(runNamed(sandbox, ["N=old"]), to: old, in: sandbox, change: Self.withoutOrder)
    let new = runNamed(sandbox, ["N=new"])
    #expect(run(["logs"], sandbox).text.contains("run new"))
    #expect(run(["logs", old], sandbox).text.contains("run old"))
    #expect(run(["logs", "2099"], sandbox).text.contains("run old"))
    let again = run(["resume"], sandbox).text
    #expect(again.contains("resuming run \(new)"))
  }

  /// A header as older versions wrote it.
  private static func withoutOrder(_ header: String) -> String {
    guard let start = header.firstRange(of: "\"order\":") else { return header }
    let rest = header[start.upperBound...].drop { $0.isNumber }
    return String(header[..<start.lowerBound] + rest.dropFirst())
  }

  @Test func `A run from before the clock was set back is no newer than the next one`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    // It began in the year 2099, as the clock went.
    rename(runNamed(sandbox, ["N=old"]), to: "20991231-235959-1", in: sandbox) { header in
      let began = header.firstRange(of: "\"began\":")
      guard let began else { return header }
      let rest = header[began.upperBound...].drop { $0.isNumber }
      return Self.withoutOrder(String(header[..<began.upperBound] + "4102444799000" + rest))
    }
    let new = runNamed(sandbox, ["N=new"])
    let newer = runNamed(sandbox, ["N=newer"])
    #expect(run(["logs"], sandbox).text.contains("run newer"))
    let lines = run(["runs"], sandbox).text.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(lines.dropFirst().map(String.init) == [newer, new, "20991231-235959-1"])
    #expect(run(["resume"], sandbox).text.contains("resuming run \(newer)"))
  }

  /// How a header can be damaged so that its run cannot be read.
  private static let damages: [@Sendable (String) -> String] = [
    { _ in "{\"version\":1,\n" }, { _ in "\n" },
    { $0.replacing("\"tasks\":[", with: "\"tasks\":[[") },
    { $0.replacing("\"version\":1,", with: "\"version\":99,") },
  ]

  @Test(arguments: damages.indices, [["resume"], ["run", "--failed"]])
  func `If the newest run cannot be read, no older one goes on instead`(
    _ damage: Int, _ command: [String]
  ) {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    let first = runNamed(sandbox, ["TZ=Asia/Tokyo", "N=first"])
    let second = runNamed(sandbox, ["TZ=America/New_York", "N=second"])
    let header = ".headway/runs/\(second)/run.json"
    sandbox.write(Self.damages[damage](sandbox.read(header)), to: header)
    let result = run(command, sandbox)
    #expect(result.end == .code(69))
    #expect(result.text.contains(second), "\(result.text)")
    #expect(names(sandbox).count == 2)
    // Whoever knows better names the run.
    #expect(run(["resume", first], sandbox).text.contains("resuming run \(first)"))
  }

  /// The commands that show the newest run, of all plans or of one.
  private static let showing = [
    ["logs"], ["logs", "latest"], ["logs", "plan"], ["logs", "headway.yaml"],
    ["logs", "plan", "a"],
    ["status"], ["status", "plan"], ["status", "headway.yaml"], ["report", "-o", "-"],
    ["report", "plan", "-o", "-"], ["report", "headway.yaml", "-o", "-"],
  ]

  @Test(arguments: damages.indices)
  func `If the newest run cannot be read, no older one is shown instead`(_ damage: Int) {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    let first = runNamed(sandbox, ["N=first"])
    let second = runNamed(sandbox, ["N=second"])
    let header = ".headway/runs/\(second)/run.json"
    sandbox.write(Self.damages[damage](sandbox.read(header)), to: header)
    let refusal = run(["resume"], sandbox).text
    #expect(refusal.hasPrefix("headway: cannot read the run '\(second)': "), "\(refusal)")
    for command in Self.showing {
      let result = run(command, sandbox)
      #expect(result.end == .code(69), "\(command)")
      #expect(result.text == refusal, "\(command)")
    }
    #expect(run(["logs", first], sandbox).text.contains("run first"))
    // A later run that can be read is the newest one again.
    _ = runNamed(sandbox, ["N=third"])
    for command in Self.showing {
      #expect(run(command, sandbox).end == .code(0), "\(command)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `A run in a folder of another user is not passed over`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    _ = runNamed(sandbox, ["N=first"])
    let second = runNamed(sandbox, ["N=second"])
    unsafe chown("\(sandbox.path)/.headway/runs/\(second)", 65534, 65534)
    let words = "cannot read the run '\(second)': it belongs to another user (uid 65534)"
    for command in Self.showing + [["resume"], ["run", "--failed"], ["logs", second]] {
      let result = run(command, sandbox)
      #expect(result.end == .code(69), "\(command)")
      #expect(result.text.contains(words), "\(command): \(result.text)")
    }
    let list = run(["runs"], sandbox)
    #expect(list.end == .code(0))
    #expect(list.text.contains("\(words)\n") && list.text.contains("failed"), "\(list.text)")
  }

  @Test func `A run inside of others is taken if the plan has no other`() {
    let sandbox = Sandbox(
      plan: """
        name: plan
        tasks:
          a: { run: '"\(RunningTool.path)" run inner.yaml' }

        """, named: "headway.yaml")
    sandbox.write("name: inner\ntasks: { b: { run: 'echo from b' } }\n", to: "inner.yaml")
    #expect(run(["run"], sandbox).end == .code(0))
    #expect(run(["logs", "inner"], sandbox).text == "from b\n")
    #expect(run(["status"], sandbox).text.hasPrefix("plan "))
    _ = run(["run", "inner.yaml"], sandbox)
    #expect(run(["run"], sandbox).end == .code(0))
    // Its own run is older than the inner one.
    let own = names(sandbox)[2]
    #expect(run(["status", "inner"], sandbox).text.hasPrefix("inner \(own): "))
  }

  @Test
  func `A run that died while it wrote its header has done nothing, and an older one goes on`() {
    let sandbox = Sandbox(plan: Self.plan, named: "headway.yaml")
    let first = runNamed(sandbox, ["N=first"])
    let second = runNamed(sandbox, ["N=second"])
    sandbox.write("{\"version\":1,", to: ".headway/runs/\(second)/run.json")
    for command in [["run", "--failed"], ["resume"]] {
      #expect(run(command, sandbox).text.contains("resuming run \(first)"))
      for run in names(sandbox) where run != first && run != second {
        sandbox.write("{", to: ".headway/runs/\(run)/run.json")
        unsafe unlink("\(sandbox.path)/.headway/runs/\(first)/resumed")
      }
    }
  }
}
