import Foundation

/// Tasks on other machines: what a task costs over ssh, in a job of a Slurm cluster, and with many workers.
///
/// `Scripts/machines` provides hosts and a cluster on this machine, so nothing is faster than the processes themselves: a
/// run here, with as many tasks at once, is the bound. All tasks do nothing.
enum Machines: Area {
  static let name = "machines"
  static let needsRoot = true

  static func measure(_ options: Options) throws -> [Row] {
    let headway = URL(filePath: options.headway).standardizedFileURL.path
    guard FileManager.default.isExecutableFile(atPath: headway) else {
      throw Trouble("\(headway) does not exist: pass --headway PATH, or use make bench")
    }
    let field = try MachineField(tasks: options.isQuick ? 500 : 5_000, headway: headway)
    defer { field.remove() }
    let rounds = try Rounds(
      options.rounds,
      [
        { try field.ours("local", ["-j2"]) }, { try field.ours("ssh", ["--on", "h1:2"]) },
        { try field.ours("Slurm", ["--on", "slurm:2"]) },
        { try field.ours("Slurm and TCP", ["--on", "slurm:2", "--tcp"]) }, field.parallel,
        field.dask,
      ] + [1, 10, 100].map { count in { try field.many(count) } })
    // One job takes a tenth of a second, so a few are enough, once.
    let jobs = try field.jobs()
    let snakemake = try field.snakemake()
    var rows: [Row] = []
    for (place, goal) in [("Slurm", 1.2), ("Slurm and TCP", 1.2), ("ssh", 2.0)] {
      rows.append(
        Row(
          area: name, name: "a task over \(place)", unit: "ms", value: rounds.least(place) ?? .nan,
          goal: goal))
      for (peer, value) in [
        ("here, -j2", rounds.least("local")), ("GNU parallel --sshlogin", rounds.least("parallel")),
        ("Dask", rounds.least("dask")), ("one sbatch a task", jobs),
        ("Snakemake, Slurm executor", snakemake),
      ] {
        rows.append(
          Row(
            area: name, name: "a task over \(place)", unit: "ms",
            value: rounds.least(place) ?? .nan, peer: peer, peerValue: value))
      }
    }
    for count in [1, 10, 100] {
      rows.append(
        Row(
          area: name, name: "\(count) workers", unit: "tasks/s",
          value: rounds.greatest("many \(count)") ?? .nan))
    }
    return rows
  }
}

/// The hosts, the cluster and the plan of the benchmark.
private struct MachineField {
  private let folder: URL
  private let tasks: Int
  private let headway: String
  private let lab: String
  /// The tasks of peers that take long for each.
  private static let fewTasks = 60

  init(tasks: Int, headway: String) throws {
    self.tasks = tasks
    self.headway = headway
    folder = FileManager.default.temporaryDirectory.appending(
      path: "headway-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    lab = folder.appending(path: "lab").path
    let plan = (0..<tasks).reduce(into: "tasks:\n") { $0 += "  t\($1): { run: ['true'] }\n" }
    try Data(plan.utf8).write(to: folder.appending(path: "plan.yaml"))
    // In place of ssh for many workers, so that only Headway is measured, not a hundred servers.
    let local = folder.appending(path: "local")
    try FileManager.default.createDirectory(at: local, withIntermediateDirectories: true)
    let script = """
      #!/bin/sh
      while [ "$1" != -- ]; do shift; done
      shift 2
      exec sh -c "$*"

      """
    let ssh = local.appending(path: "ssh")
    try Data(script.utf8).write(to: ssh)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: ssh.path)
    try FileManager.default.createSymbolicLink(
      at: local.appending(path: "headway"), withDestinationURL: URL(filePath: headway))
    guard FileManager.default.isExecutableFile(atPath: "Scripts/machines"),
      getuid() == 0, Tools.find("slurmctld") != nil, Tools.find("sshd") != nil
    else {
      throw Trouble(
        "machines needs root, slurm-wlm, munge and openssh-server, and to be started at the root of the repository: Scripts/install-packages machines"
      )
    }
    try machines("up")
  }

  private func path(_ name: String) -> String {
    "\(FileManager.default.currentDirectoryPath)/\(name)"
  }

  /// Starts or ends the hosts and the cluster, whose daemons must not keep a pipe open.
  private func machines(_ action: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: path("Scripts/machines"))
    process.arguments = [action, lab]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["HEADWAY": headway]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Trouble("Scripts/machines \(action) has failed") }
  }

  func remove() {
    try? machines("down")
    try? FileManager.default.removeItem(at: folder)
  }

  /// A command with the hosts and the cluster in its environment.
  private func there(_ command: [String]) -> [String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ["/usr/bin/env", "PATH=\(lab)/bin:\(path)", "SLURM_CONF=\(lab)/slurm.conf"] + command
  }

  /// The time of a task in milliseconds, with the start of the run and the connections.
  func ours(_ name: String, _ arguments: [String]) throws -> [String: Double] {
    try? FileManager.default.removeItem(at: folder.appending(path: ".headway"))
    let command = [headway, "run", "plan.yaml", "--ui", "quiet"] + arguments
    return [name: try Cost(of: there(command), in: folder).wall / Double(tasks)]
  }

  /// The tasks in a second with many workers of one place each.
  func many(_ count: Int) throws -> [String: Double] {
    try? FileManager.default.removeItem(at: folder.appending(path: ".headway"))
    let hosts = (1...count).map { "w\($0):1" }.joined(separator: ",")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let cost = try Cost(
      of: [
        "/usr/bin/env", "PATH=\(folder.path)/local:\(path)", headway, "run", "plan.yaml", "--ui",
        "quiet", "--on", hosts,
      ], in: folder)
    return ["many \(count)": Double(tasks) / cost.wall * 1_000]
  }

  func parallel() throws -> [String: Double] {
    guard let program = Tools.find("parallel") else { return [:] }
    let numbers = (0..<Self.fewTasks).map { "\($0)" }
    let command = [program, "--will-cite", "-j2", "-S", "h1", "true", ":::"] + numbers
    return ["parallel": try Cost(of: there(command), in: folder).wall / Double(Self.fewTasks)]
  }

  /// A worker process with two threads, each task a process, as with the others.
  func dask() throws -> [String: Double] {
    let script = path("Benchmarks/Peers/dask_tasks.py")
    guard let python = Tools.find("python3"),
      let numbers = try Tools.numbers(python, [script, "1000"]), let time = numbers.first
    else { return [:] }
    return ["dask": time]
  }

  /// One job for each task: the time until all have ended.
  func jobs() throws -> Double? {
    let script = """
      for i in $(seq \(Self.fewTasks)); do sbatch -Q -o /dev/null --wrap true; done
      while [ -n "$(squeue -h)" ]; do sleep 0.1; done
      """
    return try Cost(of: there(["/bin/sh", "-c", script]), in: folder).wall / Double(Self.fewTasks)
  }

  func snakemake() throws -> Double? {
    guard let program = Tools.find("snakemake") else { return nil }
    let rules = """
      rule all:
          input: expand("out/{i}", i=range(\(Self.fewTasks)))
      rule task:
          output: "out/{i}"
          shell: "touch {output}"

      """
    try Data(rules.utf8).write(to: folder.appending(path: "Snakefile"))
    // Its jobs start `srun` without SLURM_CONF.
    let srun = URL(filePath: "\(lab)/bin/srun")
    try Data("#!/bin/sh\nSLURM_CONF=\(lab)/slurm.conf exec /usr/bin/srun \"$@\"\n".utf8).write(
      to: srun)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: srun.path)
    // It asks as often as it may, and not a database, which this cluster does not have. If its jobs fail, it waits for ever.
    let command = """
      timeout 300 \(program) --executor slurm --jobs \(Self.fewTasks) --slurm-status-command squeue \
        --slurm-init-seconds-before-status-checks 1 --seconds-between-status-checks 1 >/dev/null 2>&1
      """
    return try? Cost(of: there(["/bin/sh", "-c", command]), in: folder).wall / Double(Self.fewTasks)
  }
}
