internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayText

extension Machine {
  /// The variable with the numbers of the GPUs that a program may use; ROCm reads it, too.
  static let gpuVariable = "CUDA_VISIBLE_DEVICES"

  /// What tasks may take of this machine, or of the job of a cluster in which this process runs.
  ///
  /// - Parameter cpus: The number of CPUs.
  /// - Returns: The resources.
  static func resources(cpus: Int) -> Resources {
    let environment = EnvironmentBlock()
    return Resources(
      cpus: cpus, memory: memory(environment, cpus: cpus), gpus: gpus(environment).count)
  }

  /// The memory in bytes: the least of that of the machine, of the control group and of the job.
  private static func memory(_ environment: EnvironmentBlock, cpus: Int) -> Int {
    func job(_ name: String) -> Int? { environment[name].flatMap { Int($0) }.map { $0 << 20 } }
    let limits = [
      physicalMemory, groupFile("memory.max").flatMap { Int($0.prefix { $0.isNumber }) },
      job("SLURM_MEM_PER_NODE"),
      job("SLURM_MEM_PER_CPU").map { $0 * cpus },
    ]
    // A job without a limit has 0.
    return limits.compactMap { $0 }.filter { $0 > 0 }.min() ?? 0
  }

  /// The memory of the machine in bytes, nil if unknown.
  private static var physicalMemory: Int? {
    let text = String(decoding: readFile("/proc/meminfo", most: 4096), as: UTF8.self)
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemTotal:") }),
      let number = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return number << 10
  }

  /// The GPUs as programs name them.
  static func gpus(_ environment: EnvironmentBlock) -> [String] {
    if let visible = environment[gpuVariable] {
      return visible.split(separator: ",").map { String($0) }.prefix { $0 != "-1" }
    }
    if environment["SLURM_JOB_ID"] != nil {
      let count = environment["SLURM_GPUS_ON_NODE"].flatMap { Int($0) } ?? 0
      return (0..<max(count, 0)).map { "\($0)" }
    }
    var count = 0
    while FileStatus("/dev/nvidia\(count)") != nil {
      count += 1
    }
    return (0..<count).map { "\($0)" }
  }
}

extension Resources {
  /// What a machine has, in words.
  ///
  /// - Parameter needs: What a task needs; only what it mentions is named.
  /// - Returns: The words.
  func words(for needs: Resources) -> String {
    var words = [counted(cpus, "CPU")]
    if needs.memory > 0 { words.append("\(byteCount(memory)) of memory") }
    if needs.gpus > 0 { words.append(gpus == 0 ? "no GPU" : counted(gpus, "GPU")) }
    if !needs.labels.allSatisfy(labels.contains) {
      words.append(labels.isEmpty ? "no label" : "the labels \(labels.joined(separator: ", "))")
    }
    return words.joined(separator: ", ")
  }
}

extension PlanRunner {
  /// Checks that each task fits on one of the machines of a run.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - machines: What the machines have, with their names.
  ///   - isElsewhere: Whether these are other machines, on which services do not run.
  /// - Throws: `RunnerError.doesNotFit`.
  static func checkNeeds(
    of plan: Plan, _ machines: [(name: String, has: Resources)], isElsewhere: Bool
  ) throws(RunnerError) {
    for task in plan.tasks where task.isPlaced(isElsewhere: isElsewhere) {
      guard let needs = task.needs, !machines.contains(where: { $0.has.fits(needs) }) else {
        continue
      }
      let shown = machines.prefix(3).map { "\($0.name) has \($0.has.words(for: needs))" }
      var advice = ""
      if machines.count == 1, machines[0].name == thisRun, let has = machines.first?.has,
        has.cpus < needs.cpus,
        Resources(cpus: .max, memory: has.memory, gpus: has.gpus, labels: has.labels).fits(needs)
      {
        advice = "; with -j\(needs.cpus) it runs"
      }
      let more = machines.count > 3 ? ["\(machines.count - 3) more have no room for it"] : []
      throw .doesNotFit(task.name, needs.needWords, (shown + more).joined(separator: "; ") + advice)
    }
  }
}

extension Plan.Task {
  /// Whether a machine has to be found for it: services stay on that of the run while other machines carry out the other tasks.
  ///
  /// - Parameter isElsewhere: Whether other machines carry out the tasks.
  /// - Returns: False also for a task without a command.
  func isPlaced(isElsewhere: Bool) -> Bool {
    command != nil && !(isElsewhere && service != nil)
  }
}
