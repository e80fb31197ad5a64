internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem

extension RunWork {
  /// The maximum number of bytes of a command in a header.
  private static let maxCommandBytes = 4096

  /// The header of the run.
  ///
  /// - Parameters:
  ///   - record: The run without its records.
  ///   - usual: The usual durations of the tasks, by index.
  ///   - options: The options of the run.
  /// - Returns: The header.
  /// - Complexity: O(bytes of the plan).
  func header(_ record: RunRecord, usual: [Duration?], _ options: RunOptions) -> RunHeader {
    var header = RunHeader(
      run: record.name, plan: record.plan, folder: currentFolder(), workers: record.workers,
      began: record.began, machine: record.machine, process: .current, identity: identity)
    header.order = state.order
    header.resumes = options.earlier?.runs[0].header.run
    header.done = options.earlier?.done.sorted() ?? []
    header.again = options.earlier?.again.sorted() ?? []
    header.invocation = options.invocation
    // The values of secrets are nowhere; `NAME=VALUE` may set one.
    header.invocation.settings = options.invocation.settings.map { setting in
      let name = setting.prefix { $0 != "=" }
      return plan.secrets.contains(String(name)) ? String(name) : setting
    }
    header.machines = options.machines
    header.arguments = plan.arguments
    header.policy = options.policy
    header.output = plan.output
    header.isForced = isForced
    header.hidesOuterSecrets = secrets?.outerNames.isEmpty == false
    header.pools = plan.pools
    header.tasks = plan.tasks.indices.map { index in
      let planned = plan.tasks[index]
      var task = RunHeader.Task(name: planned.name)
      task.kind = record.tasks[index].kind
      task.fingerprint = record.tasks[index].fingerprint
      let command = DryRun.words(shown.tasks[index].command)
      task.command =
        command.utf8.count <= Self.maxCommandBytes
        ? command : String(decoding: command.utf8.prefix(Self.maxCommandBytes), as: UTF8.self)
      task.digest = digest(of: planned)
      task.after = planned.after
      task.isOptional = planned.isOptional
      task.isAlways = planned.isAlways
      task.isService = planned.service != nil
      task.isOnce = planned.isOnce
      task.hook = planned.hook
      task.timeout = planned.timeout
      task.usual = usual.indices.contains(index) ? usual[index] : nil
      task.pool = planned.pool
      task.needs = planned.needs
      return task
    }
    return header
  }
}
