// Services: tasks that stay alive while other tasks need them.

package import HeadwayRun
internal import HeadwayTime

/// What the engine knows about the services of a run, beside their entries; a run without services has none of it.
///
/// A service is needed by the tasks that depend on it, directly or through others, but not by tasks that always run, which
/// wait for its end. One that no task depends on is needed by all tasks of the run except those that prepare such services,
/// because they come before one. If there are no others, it stays until the run is ended.
struct ServiceUse: Sendable {
  /// The indices of the services, in the order of the graph.
  private(set) var services: [Int] = []
  /// The services that each task or service comes after, directly or through others; only where there are any.
  private var preceding: [Int: Set<Int>] = [:]
  /// The services that have ended.
  private var ended: Set<Int> = []
  /// For each service, the number of tasks that need it and have not ended.
  private var users: [Int: Int] = [:]
  /// For each service, the services that depend on it and have not ended.
  private var followers: [Int: Set<Int>] = [:]
  /// The services that no task depends on.
  private var general: Set<Int> = []
  /// The tasks that come before one of these services, directly or through others.
  private var preparing: Set<Int> = []
  /// The number of tasks that need these services and have not ended.
  private var tasksLeft = 0
  /// Whether the services that no task depends on stay until the run is ended, because no task of the graph needs them.
  private(set) var stay = false

  /// Finds out which tasks need which services.
  ///
  /// - Returns: Nil if there are no services.
  /// - Complexity: O(tasks), and O(tasks + edges) for each service.
  init?(_ graph: TaskGraph, count: Int, rule: (Int) -> TaskRule) {
    services = (0..<count).filter { rule($0).role == .service }
    guard !services.isEmpty else { return nil }
    for service in services {
      let dependents = LaunchCore.dependents(of: service, graph, rule: rule)
      for dependent in dependents { preceding[dependent, default: []].insert(service) }
      followers[service] = dependents.filter { rule($0).role == .service }
      let users = dependents.count { rule($0).usesServices }
      self.users[service] = users
      if users == 0 { general.insert(service) }
    }
    preparing = Self.dependencies(of: general, graph, count: count)
    tasksLeft = (0..<count).count { rule($0).usesServices && !preparing.contains($0) }
    stay = tasksLeft == 0 && !general.isEmpty
  }

  /// The tasks that some tasks depend on, directly or through others.
  ///
  /// - Complexity: O(tasks + edges).
  private static func dependencies(of tasks: Set<Int>, _ graph: TaskGraph, count: Int) -> Set<Int> {
    guard !tasks.isEmpty else { return [] }
    var before: [[Int]] = Array(repeating: [], count: count)
    for index in 0..<count {
      for position in 0..<graph.dependentCount(of: index) {
        before[graph.dependent(position, of: index)].append(index)
      }
    }
    var found: Set<Int> = []
    var open = Array(tasks)
    while let index = open.popLast() {
      for dependency in before[index] where found.insert(dependency).inserted {
        open.append(dependency)
      }
    }
    return found
  }

  /// Records a task that is added to the run.
  ///
  /// A service that nothing came after stays one that all tasks need, so that a server does not end with its first job.
  ///
  /// - Parameters:
  ///   - index: The task.
  ///   - rule: Its rule; it is not a service.
  ///   - dependencies: The tasks that it comes after.
  /// - Complexity: O(dependencies · services).
  mutating func add(_ index: Int, _ rule: TaskRule, after dependencies: [Int]) {
    var found: Set<Int> = []
    for before in dependencies {
      if followers[before] != nil { found.insert(before) }
      found.formUnion(preceding[before] ?? [])
    }
    found.subtract(ended)
    if !rule.alwaysRuns, !found.isEmpty { preceding[index] = found }
    guard rule.usesServices else { return }
    tasksLeft += 1
    for service in found { users[service, default: 0] += 1 }
  }

  /// Records the end of a task.
  mutating func end(_ index: Int, _ rule: TaskRule) {
    if rule.role == .service {
      ended.insert(index)
      for service in services { followers[service]?.remove(index) }
    } else if rule.usesServices {
      if !preparing.contains(index) { tasksLeft -= 1 }
      for service in preceding[index] ?? [] { users[service, default: 1] -= 1 }
    }
  }

  /// Whether nothing needs a service any more.
  ///
  /// - Parameters:
  ///   - service: The index of the service.
  ///   - isRunEnding: Whether the run ends early, which also ends services that stay.
  /// - Returns: Whether it can be ended.
  func isIdle(_ service: Int, isRunEnding: Bool) -> Bool {
    guard followers[service]?.isEmpty ?? true else { return false }
    guard general.contains(service) else { return users[service] == 0 }
    return tasksLeft == 0 && (!stay || isRunEnding)
  }
}

extension LaunchCore {
  /// Records that a service is ready: what waits for it may start, and its worker is free again.
  ///
  /// Nothing happens if the service is being ended, or is ready already.
  ///
  /// - Parameters:
  ///   - id: A service with an attempt under way.
  ///   - now: The time since the run began.
  /// - Returns: Whether it is ready for the first time, and not after a restart.
  @discardableResult
  package mutating func serviceReady(_ id: TaskID, at now: Duration) -> Bool {
    let index = id.index
    precondition(rule(index).role == .service, "task '\(names[index])' is no service")
    guard entries[index].phase == .running else { return false }
    let now = nanoseconds(now)
    // The time limit is that for getting ready.
    disarm(index)
    release(index)
    entries[index].phase = .serving
    entries[index].isServing = true
    let took = Duration.nanoseconds(now - entries[index].latestStart)
    emit(.taskReady(self.id(index), attempt: Int(entries[index].attempt), after: took), at: now)
    // After a restart they have started already.
    let isFirst = !entries[index].wasReady
    if isFirst {
      entries[index].wasReady = true
      releaseDependents(of: index, which: .needReady, at: now)
    }
    endIdleServices(at: now)
    return isFirst
  }

  /// The tasks that depend on a service, directly or through others, without those that always run.
  func dependents(ofService service: Int) -> Set<Int> {
    Self.dependents(of: service, graph) { rule($0) }
  }

  /// The tasks that depend on a task, directly or through others, without those that always run.
  static func dependents(of task: Int, _ graph: TaskGraph, rule: (Int) -> TaskRule) -> Set<Int> {
    var found: Set<Int> = []
    var open = [task]
    while let index = open.popLast() {
      for position in 0..<graph.dependentCount(of: index) {
        let dependent = graph.dependent(position, of: index)
        guard !rule(dependent).alwaysRuns, found.insert(dependent).inserted else { continue }
        open.append(dependent)
      }
    }
    return found
  }

  /// Ends the services that nothing needs any more; those that others depend on come last.
  mutating func endIdleServices(at now: Int64) {
    guard let services else { return }
    let isRunEnding = endReason != nil
    for index in services.services where services.isIdle(index, isRunEnding: isRunEnding) {
      switch entries[index].phase {
      case .serving:
        entries[index].cause = .idle
        startEnding(index, at: now)
      case .backingOff where entries[index].wasReady:
        disarm(index)
        settle(index, .succeeded, at: now)
      case .ready where entries[index].wasReady:
        settle(index, .succeeded, at: now)
      case .backingOff where entries[index].attempt == 0:
        // Nothing has to be started after its delay.
        disarm(index)
        settle(index, .cancelled, at: now)
      case .running:
        // One that was ready before has done what it was for.
        if entries[index].cause == .none {
          entries[index].cause = entries[index].wasReady ? .idle : .cancel
        }
        startEnding(index, at: now)
      case .waiting, .ready, .handedOut, .ending, .killing, .settling, .backingOff, .ended:
        break
      }
    }
  }

  /// The outcome of a service that has ended by itself, which no service may.
  func outcomeOfEndedService(_ index: Int, _ result: Outcome) -> Outcome {
    guard result == .succeeded else { return result }
    return .failed(
      .threw("a service must stay in the foreground, but its command ended with exit code 0"))
  }
}
