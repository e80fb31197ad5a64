import Foundation

/// The overhead of a task: 10,000 tasks that do nothing, two at a time.
///
/// The peers run the same commands in the same round. The bare loop is the minimum that the kernel needs for the
/// processes; the one with a shell has two pipes and a process group for each child, as each of our tasks has. In the
/// shell case both headway and ninja draw on a terminal.
///
/// Our own processor time is that of headway's process tree, minus the minimum that the children of the bare loop took
/// in the same rounds: the tasks are the same program, so the rest is ours.
enum Spawn: Area {
  static let name = "spawn"

  static func measure(_ options: Options) throws -> [Row] {
    let headway = URL(filePath: options.headway).standardizedFileURL.path
    guard FileManager.default.isExecutableFile(atPath: headway) else {
      throw Trouble(
        "\(headway) does not exist: pass --headway PATH, or use make bench")
    }
    if options.counts { return try counts(headway) }
    let field = try Field(tasks: options.tasks, headway: headway)
    defer { field.remove() }
    let rounds = try Rounds(
      options.rounds,
      [
        field.bareLoop, field.headwayPlain, field.ninjaPlain, field.makePlain, field.xargsPlain,
        field.bareShell, field.headwayShell, field.ninjaShell, field.makeShell, field.version,
        field.headwayStream, field.headwayGroup,
      ])
    let streams = try Streams(megabytes: options.isQuick ? 100 : 1_000, headway: headway)
    defer { streams.remove() }
    let streamed = try Rounds(options.rounds, [streams.ours, streams.theirs])
    try field.failing()
    let resumed = try Rounds(options.rounds, [field.resume])
    let goal = options.tasks == 10_000 ? 1000.0 : nil
    let resume = Row(
      area: name, name: "resume of \(options.tasks * 10) tasks to the first child", unit: "ms",
      value: resumed.least("resumed child") ?? .nan, goal: goal)
    return rows(rounds, tasks: Double(options.tasks)) + Streams.rows(streamed) + [resume]
  }

  /// The rows of the measured values.
  private static func rows(_ rounds: Rounds, tasks: Double) -> [Row] {
    var rows: [Row] = []
    let sets = [
      ("plain", "plain command", ["bare loop": 1.15, "ninja": 0.55]),
      ("shell", "shell, pipes, logs, live bar", ["bare loop": 1.2, "ninja": 1.15]),
    ]
    // What they print is shown: the peers are those of the shell case.
    for mode in ["stream", "group"] {
      for (peer, goal) in [("bare loop", 1.2), ("ninja", 1.15)] {
        rows.append(
          Row(
            area: name, name: "shell, --output \(mode)", unit: "ms/task",
            value: (rounds.least("headway \(mode)") ?? .nan) / tasks, peer: peer,
            peerValue: rounds.least("\(peer) shell").map { $0 / tasks }, goal: goal))
      }
    }
    for (set, title, goals) in sets {
      for peer in ["bare loop", "ninja", "make -j2"] + (set == "plain" ? ["xargs -P2"] : []) {
        rows.append(
          Row(
            area: name, name: title, unit: "ms/task",
            value: (rounds.least("headway \(set)") ?? .nan) / tasks, peer: peer,
            peerValue: rounds.least("\(peer) \(set)").map { $0 / tasks }, goal: goals[peer]))
      }
    }
    func alone(_ title: String, _ unit: String, _ value: Double?, goal: Double) {
      rows.append(Row(area: name, name: title, unit: unit, value: value ?? .nan, goal: goal))
    }
    for (set, title, _) in sets {
      let own =
        (rounds.least("headway cpu \(set)") ?? .nan) - (rounds.least("children cpu \(set)") ?? .nan)
      rows.append(
        Row(
          area: name, name: "own CPU, \(title)", unit: "µs/task", value: own / tasks,
          goal: set == "plain" ? 90 : nil))
    }
    alone("peak memory", "MB", rounds.greatest("headway memory"), goal: 20)
    alone("start to the first child", "ms", rounds.least("first child"), goal: 35)
    alone("headway --version", "ms", rounds.least("version"), goal: 5)
    return rows
  }
}

/// The plans of the benchmark, and its runs.
private struct Field {
  /// The folder of all files, removed at the end.
  let folder: URL
  /// The number of tasks.
  let tasks: Int
  /// The binary that is measured.
  let headway: String

  /// Writes the plans of all programs.
  init(tasks: Int, headway: String) throws {
    self.tasks = tasks
    self.headway = headway
    folder = FileManager.default.temporaryDirectory.appending(
      path: "headway-bench-\(ProcessInfo.processInfo.processIdentifier)")
    for (set, command) in [("plain", "/bin/true"), ("shell", "/bin/true;")] {
      let place = folder.appending(path: set)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      // The first task records the time at which the first child runs.
      let plan = (1..<tasks).reduce(
        into: "tasks:\n  t0: { run: ['\(Tools.helper)', stamp, stamp] }\n"
      ) { $0 += "  t\($1): { run: '\(command)' }\n" }
      let ninja = (0..<tasks).reduce(into: "rule t\n  command = \(command)\n") {
        $0 += "build t\($1): t\n"
      }
      let names = (0..<tasks).map { "t\($0)" }.joined(separator: " ")
      let make = ".PHONY: all \(names)\nall: \(names)\n\(names):\n\t@\(command)\n"
      let lines = (0..<tasks).map { "t\($0)\n" }.joined()
      for (file, text) in [
        ("plan.yaml", plan), ("build.ninja", ninja), ("Makefile", make), ("lines", lines),
      ] {
        try Data(text.utf8).write(to: place.appending(path: file))
      }
    }
  }

  /// Removes the folder.
  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Removes what an earlier round has left, so that all rounds are alike.
  private func forget(_ set: String) {
    for file in [".headway", ".ninja_log", ".ninja_deps", "stamp"] {
      try? FileManager.default.removeItem(at: folder.appending(path: "\(set)/\(file)"))
    }
  }

  /// The wall time of a peer, nil if it is not installed.
  private func peer(
    _ name: String, _ command: [String], _ set: String, terminal: Bool = false
  ) throws -> [String: Double] {
    guard let program = Tools.find(command[0]) else { return [:] }
    forget(set)
    let cost = try Cost(
      of: [program] + command.dropFirst(), in: folder.appending(path: set), terminal: terminal)
    return ["\(name) \(set)": cost.wall]
  }

  /// A bare loop of the helper program.
  private func loop(_ mode: String, _ set: String) throws -> [String: Double] {
    let numbers = try Tools.helper([mode, "\(tasks)", "2"], in: folder)
    return ["bare loop \(set)": numbers[0] / 1e6, "children cpu \(set)": numbers[2]]
  }

  /// A run of headway.
  private func run(
    _ set: String, terminal: Bool, output: [String] = []
  ) throws -> [String: Double] {
    forget(set)
    let place = folder.appending(path: set)
    let cost = try Cost(
      of: [headway, "run", "plan.yaml", "--workers", "2"] + output, in: place, terminal: terminal)
    let text = try? String(contentsOf: place.appending(path: "stamp"), encoding: .utf8)
    guard let stamp = text.flatMap({ Double($0.trimmingCharacters(in: .newlines)) }) else {
      throw Trouble("\(headway) ended with 0 and did not run the first task of the plan")
    }
    if let mode = output.last { return ["headway \(mode)": cost.wall] }
    return [
      "headway \(set)": cost.wall, "headway cpu \(set)": cost.cpu, "headway memory": cost.memory,
      "first child": (stamp - cost.start) / 1e6,
    ]
  }

  /// The bare loop.
  func bareLoop() throws -> [String: Double] { try loop("direct", "plain") }
  /// The bare loop with a shell, pipes and groups.
  func bareShell() throws -> [String: Double] { try loop("shell", "shell") }
  /// Headway with commands that need no shell.
  func headwayPlain() throws -> [String: Double] { try run("plain", terminal: false) }
  /// Headway with commands that need one, drawing on a terminal.
  func headwayShell() throws -> [String: Double] { try run("shell", terminal: true) }
  /// The same, with the output of the tasks as it comes.
  func headwayStream() throws -> [String: Double] {
    try run("shell", terminal: true, output: ["--output", "stream"])
  }
  /// The same, with the output of each task when it ends.
  func headwayGroup() throws -> [String: Double] {
    try run("shell", terminal: true, output: ["--output", "group"])
  }
  /// ninja, which always uses a shell.
  func ninjaPlain() throws -> [String: Double] { try peer("ninja", ["ninja", "-j2"], "plain") }
  /// ninja on a terminal.
  func ninjaShell() throws -> [String: Double] {
    try peer("ninja", ["ninja", "-j2"], "shell", terminal: true)
  }
  /// make, which omits the shell if possible.
  func makePlain() throws -> [String: Double] { try peer("make -j2", ["make", "-j2"], "plain") }
  /// make with commands that need a shell.
  func makeShell() throws -> [String: Double] { try peer("make -j2", ["make", "-j2"], "shell") }
  /// xargs, with a child for each line.
  func xargsPlain() throws -> [String: Double] {
    try peer("xargs -P2", ["xargs", "-a", "lines", "-P2", "-n1", "/bin/true"], "plain")
  }

  /// Runs a plan of ten times the tasks, of which the last one fails.
  func failing() throws {
    let place = folder.appending(path: "resume")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let plan = (1..<tasks * 10).reduce(into: "tasks:\n") { $0 += "  t\($1): { run: /bin/true }\n" }
    let last = "test -e repaired && exec \(Tools.helper) stamp stamp"
    try Data("\(plan)  last: { run: '\(last)' }\n".utf8)
      .write(to: place.appending(path: "plan.yaml"))
    // It ends with 1.
    _ = try? Cost(
      of: [headway, "run", "plan.yaml", "--workers", "2", "--ui", "quiet"], in: place)
    try Data().write(to: place.appending(path: "repaired"))
    try FileManager.default.moveItem(
      at: place.appending(path: ".headway"), to: place.appending(path: "failed"))
  }

  /// The time until `headway resume` runs the only task that is left of that run.
  func resume() throws -> [String: Double] {
    let place = folder.appending(path: "resume")
    for file in [".headway", "stamp"] {
      try? FileManager.default.removeItem(at: place.appending(path: file))
    }
    try FileManager.default.copyItem(
      at: place.appending(path: "failed"), to: place.appending(path: ".headway"))
    let cost = try Cost(of: [headway, "resume", "--ui", "quiet"], in: place)
    let text = try String(contentsOf: place.appending(path: "stamp"), encoding: .utf8)
    guard let stamp = Double(text.trimmingCharacters(in: .newlines)) else { return [:] }
    return ["resumed child": (stamp - cost.start) / 1e6]
  }

  /// The start-up time of headway alone, the minimum of many.
  func version() throws -> [String: Double] {
    let walls = try (0..<50).map { _ in try Cost(of: [headway, "--version"], in: folder).wall }
    return ["version": walls.min() ?? .nan]
  }
}
