internal import HeadwayLaunch
internal import HeadwayLock
internal import HeadwayPlan
internal import HeadwayProgress
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayState

/// Lets other programs of the user see a run and its tasks, and pause and cancel it.
///
/// ```text
///   the run: forecast fraction, remaining time, "12 of 40 tasks"
///    ├─ a task that runs ── what its program reports, by HEADWAY_PROGRESS or ZIG_PROGRESS
///    └─ …
/// ```
///
/// The run loop calls it; `RunTasks.open(_:)` is called by the thread that serves the programs.
final class RunPublisher: Sendable {
  private struct Tasks: Sendable {
    /// The nodes of attempts that run, by their shares.
    var nodes: [Int: ProgressNode] = [:]
    /// The shares of attempts whose programs may report.
    var open: Set<Int> = []
    /// The shares for which a program has reported.
    var reported: Set<Int> = []
    /// The time of the forecast that was published last.
    var forecastTime: Duration?
    /// The services, and what of them has ended.
    var services: RunServices
    /// Why the run is not published, or something in it is not shown.
    var problems: [String] = []
  }

  /// The units of the run: fine enough for a bar, and for no one to count.
  private static let total = 1_000_000
  /// The most tasks with a node: as many as a screen shows, and more.
  private static let nodeLimit = 512

  private let top: ProgressNode
  private let plan: Plan
  private let publication: Publication
  private let state: RunTasks
  private let shares: ProcessShares

  /// The nodes, shared with the thread that serves programs.
  private final class RunTasks: Sendable {
    let tasks: Guarded<Tasks>
    let top: ProgressNode
    let plan: Plan
    let control: RunControl

    init(_ top: ProgressNode, _ plan: Plan, _ services: RunServices, _ control: RunControl) {
      (self.top, self.plan, self.control) = (top, plan, control)
      tasks = Guarded(Tasks(services: services))
    }

    /// The number of the share of an attempt.
    ///
    /// - Parameters:
    ///   - index: The index of the task.
    ///   - attempt: The number of the attempt, from 1.
    /// - Returns: The number, at least 0.
    func share(of index: Int, attempt: Int) -> Int { (attempt - 1) * plan.tasks.count + index }

    /// Notes why the run cannot be published; what watchers do wrong is not the concern of who runs the plan.
    func note(_ problem: RelayError) {
      let line: String
      switch problem {
      case .noDirectory, .otherUser, .system: line = "the run was not published: \(problem)"
      case .notZigProgress: line = "\(problem)"
      default: return
      }
      tasks.withLock { tasks in
        if tasks.problems.isEmpty { tasks.problems.append(line) }
      }
    }

    /// The node of an attempt that a program reports for, nil if the attempt does not run.
    func open(_ share: Int) -> ProgressNode? {
      let isOpen = tasks.withLock { tasks in
        guard tasks.open.contains(share) else { return false }
        tasks.reported.insert(share)
        return true
      }
      guard isOpen else { return nil }
      let node = node(share)
      node.kind = .work
      guard tasks.withLock({ !$0.open.contains(share) }) else { return node }
      // It has ended meanwhile.
      tasks.withLock { _ = $0.nodes.removeValue(forKey: share) }
      node.finish()
      return nil
    }

    /// The node of an attempt, which is made if there is none.
    func node(_ share: Int) -> ProgressNode {
      if let node = tasks.withLock({ $0.nodes[share] }) { return node }
      let (attempt, index) = share.quotientAndRemainder(dividingBy: plan.tasks.count)
      let made = top.child(plan.tasks[index].name, units: 0)
      // Tasks that always run also do if the run is cancelled; one task alone cannot be paused.
      made.isCancellable = !plan.tasks[index].isAlways
      made.isPausable = false
      // Until a program reports, nothing counts it; by that watchers know whose words the detail has.
      made.kind = tasks.withLock { $0.reported.contains(share) } ? .work : .estimated
      let (name, top, control) = (plan.tasks[index].name, top, control)
      made.onCancel {
        // The end of the run cancels its tasks, as far as they do not always run.
        guard !top.isCancelled else { return }
        control.requests.ask(.cancelTask(name)) { _ in }
      }
      if attempt > 0 { made.detail = "attempt \(attempt + 1)" }
      return tasks.withLock { tasks in
        if let node = tasks.nodes[share] { return node }
        tasks.nodes[share] = made
        return made
      }
    }
  }

  /// Publishes a run that is about to begin, on the thread of its loop.
  init(_ work: RunWork, _ graph: LaunchGraph, _ control: RunControl) {
    let top = ProgressNode(work.plan.name, total: Self.total)
    let state = RunTasks(top, work.plan, RunServices(graph), control)
    (self.top, plan, self.state) = (top, work.plan, state)
    publication = top.publish(
      kind: "run", name: work.state.run, onWatch: { control.noteWatchers() },
      requests: control.requests, onProblem: { problem in state.note(problem) })
    shares = ProcessShares(masked: work.secrets?.maskText) { state.open($0) }
  }

  /// Whether another program watches the run.
  var isWatched: Bool { publication.isWatched }

  /// The variable by which the programs of an attempt report, nil if they cannot; called when it is about to start.
  ///
  /// What they report ends with the attempt: the next one begins anew, and the processes of an earlier one change nothing.
  func variable(of attempt: Attempt) -> (name: String, value: String)? {
    let share = state.share(of: attempt.task.index, attempt: attempt.number)
    state.tasks.withLock { _ = $0.open.insert(share) }
    return shares.variable(of: share)
  }

  /// Opens the pipe through which the programs of an attempt report as those written in Zig do.
  ///
  /// - Returns: The writing end, which the caller closes once the task has it; nil if the plan does not ask for it, or it cannot
  ///   be opened.
  func progressPipe(of attempt: Attempt) -> Int32? {
    switch plan.tasks[attempt.task.index].progress {
    case .zig:
      shares.openZigPipe(of: state.share(of: attempt.task.index, attempt: attempt.number))
    case nil: nil
    }
  }

  /// Shows what has happened.
  ///
  /// - Parameters:
  ///   - events: The events since the last call.
  ///   - run: The state after them.
  ///   - forecast: The latest forecast, nil if there is none.
  func update(_ events: [RunEvent], _ run: RunState, _ forecast: RunForecast?) {
    let (hasOnlyServices, isNew) = state.tasks.withLock { tasks in
      for event in events {
        if case .taskEnded(let task, _, _, _) = event.kind { tasks.services.end(task) }
      }
      let isNew = forecast?.time != tasks.forecastTime
      tasks.forecastTime = forecast?.time
      return (tasks.services.areLeftAlone, isNew)
    }
    var begun: [Int: Int] = [:]
    var hosts: [Int: String] = [:]
    var ended: [ProgressNode] = []
    var isEvent = false
    for event in events {
      switch event.kind {
      case .forecast: isEvent = true
      case .taskStarted(let task, let attempt):
        begun[task.index] = state.share(of: task.index, attempt: attempt)
      case .taskPlaced(let task, let host): hosts[task.index] = host
      case .taskRetrying(let task, let next, _, _):
        begun[task.index] = nil
        end(state.share(of: task.index, attempt: next - 1), into: &ended)
      case .taskEnded(let task, _, let attempts, _):
        begun[task.index] = nil
        end(state.share(of: task.index, attempt: max(attempts, 1)), into: &ended)
      case .runPaused: top.pause()
      case .runResumed: top.resume()
      default: break
      }
    }
    for node in ended { node.finish() }
    // Those who watch get all of them, and whoever begins to watch the newest of the events.
    if let forecast, isNew, !hasOnlyServices, isEvent || publication.isWatched {
      publication.update(forecast)
    }
    if !begun.isEmpty {
      // In the order of the plan, so that a list of them does not jump.
      let room = Self.nodeLimit - state.tasks.withLock { $0.nodes.count }
      for (index, share) in begun.sorted(by: { $0.key < $1.key }).prefix(max(room, 0)) {
        let node = state.node(share)
        // What a program reports is more than where it runs.
        guard let host = hosts[index],
          state.tasks.withLock({ !$0.reported.contains(share) })
        else { continue }
        node.detail = (node.detail.map { "\($0), " } ?? "") + "on \(host)"
      }
    }
    let count = run.tasks.count
    let done = run.counts.ended
    let fraction = forecast?.fraction ?? (count > 0 ? Double(done) / Double(count) : 0)
    top.detail = "\(done) of \(count) tasks"
    if hasOnlyServices {
      // They have neither a percentage nor a remaining time.
      if top.total != nil {
        top.total = nil
        top.remainingTime = nil
        publication.update(RunForecast(fraction: fraction, shown: .unknown, remaining: nil))
      }
    } else {
      if top.total == nil { top.total = Self.total }
      top.setCompleted(max(top.completed, Int(fraction * Double(Self.total))))
      if let middle = forecast?.remaining?.median { top.remainingTime = middle }
    }
  }

  /// Shows that the run ends because it was asked to.
  func showCancelled() { top.cancel() }

  /// Ends the share of an attempt that has ended.
  private func end(_ share: Int, into ended: inout [ProgressNode]) {
    let (node, hasReported) = state.tasks.withLock { tasks in
      tasks.open.remove(share)
      return (tasks.nodes.removeValue(forKey: share), tasks.reported.remove(share) != nil)
    }
    if let node { ended.append(node) }
    if hasReported { shares.close(share) }
  }

  /// Ends the publication, as the run has ended.
  ///
  /// - Parameters:
  ///   - run: The state at the end.
  ///   - wasCancelled: Whether a signal or another program asked for the end.
  /// - Returns: Why the run was not published, or something in it was not shown, each a line.
  func finish(_ run: RunState, wasCancelled: Bool) -> [String] {
    shares.finish()
    for node in state.tasks.withLock({ Array($0.nodes.values) }) { node.finish() }
    let failed = plan.tasks.indices.count { index in
      !plan.tasks[index].isOptional && run.outcome(of: TaskID(index))?.isFailure ?? false
    }
    if failed > 0 {
      top.detail = "\(failed) of \(run.tasks.count) tasks failed"
      publication.fail()
    }
    if wasCancelled { showCancelled() }
    top.finish()
    return state.tasks.withLock { $0.problems }
  }
}
