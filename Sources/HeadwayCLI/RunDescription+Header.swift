internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayView

extension RunDescription {
  /// Describes a run that has a folder.
  ///
  /// - Parameters:
  ///   - header: What was asked for.
  ///   - logs: The logs.
  ///   - output: How the output of tasks is shown.
  ///   - screen: The descriptor on which the run is shown.
  /// - Complexity: O(tasks), O(tasks + edges) with services.
  init(
    _ header: RunHeader, logs: RunLogs, output: OutputOptions = OutputOptions(), screen: Int32
  ) {
    self.init(
      name: header.plan, names: header.tasks.map(\.name), timeouts: header.tasks.map(\.timeout),
      optional: header.tasks.map(\.isOptional), usual: header.tasks.map(\.usual),
      logs: LogReader(logs))
    run = header.run
    resumes = header.resumes
    if header.tasks.contains(where: { $0.pool != nil }) {
      limits.pools = header.pools
      limits.poolOf = header.tasks.map(\.pool)
    }
    if header.tasks.contains(where: { $0.needs != nil }) {
      limits.needs = header.tasks.map(\.needs)
    }
    limits.always = Set(
      header.tasks.indices.filter { header.tasks[$0].isAlways }.map { TaskID($0) })
    failureHooks = Set(
      header.tasks.indices.filter { header.tasks[$0].hook == .onFailure }.map { TaskID($0) })
    if header.tasks.contains(where: \.isService) {
      let graph = header.launchGraph
      let tasks = header.tasks.indices.map { TaskID($0) }
      services = Set(tasks.filter { graph.settings(of: $0).role == .service })
      serviceUsers = Set(tasks.filter { graph.settings(of: $0).usesServices })
      servicesStay = graph.servicesStay
    }
    self.output = output
    if output.mode == .stream { logWatch = logs.watch() }
    let printed = FileStatus(descriptor: STDOUT_FILENO)?.identity
    if printed == nil || printed != FileStatus(descriptor: screen)?.identity {
      self.output.output = STDOUT_FILENO
    }
  }
}
