internal import HeadwayConsole
internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem

extension RunDescription {
  /// Describes a run that stores its logs.
  ///
  /// - Parameters:
  ///   - name: The name of the plan.
  ///   - graph: The tasks.
  ///   - usual: How long they usually took in earlier runs, by index.
  ///   - failureHooks: The tasks that run after a failure only.
  ///   - logs: The logs.
  ///   - output: How the output of tasks is shown.
  ///   - screen: The descriptor on which the run is shown.
  init(
    _ name: String, _ graph: LaunchGraph, usual: [Duration?], failureHooks: Set<TaskID>,
    logs: RunLogs, output: OutputOptions, screen: Int32
  ) {
    let tasks = (0..<graph.count).map { TaskID($0) }
    self.init(
      name: name, names: graph.names, timeouts: tasks.map { graph.settings(of: $0).timeout },
      optional: tasks.map { graph.settings(of: $0).isOptional }, usual: usual,
      tail: { logs.tail($0, most: $1) }, logPath: { logs.shownPath($0) })
    log = logs.reader
    shortLogPath = { logs.shortPath($0) }
    self.failureHooks = failureHooks
    services = Set(tasks.filter { graph.settings(of: $0).role == .service })
    if !services.isEmpty {
      serviceUsers = Set(tasks.filter { graph.settings(of: $0).usesServices })
      servicesStay = graph.servicesStay
    }
    logSize = { logs.size(of: $0) }
    self.output = output
    if output.mode == .stream { logGrowth = logs.growth }
    if !isSameFile(STDOUT_FILENO, screen) { self.output.output = STDOUT_FILENO }
  }
}

extension RunLogs {
  /// Reads the logs for one display.
  var reader: EventStream.Reader {
    let reader = LogReader(self)
    return { reader.bytes(of: $0, from: $1, most: $2) }
  }

  /// Notifies one display when a log grows, nil if the system cannot give a watch.
  var growth: LogGrowth? {
    guard let watch = watch() else { return nil }
    return LogGrowth(descriptor: watch.descriptor) { watch.clear() }
  }
}
