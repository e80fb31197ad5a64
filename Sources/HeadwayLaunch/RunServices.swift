package import HeadwayRun

/// Knows when only services are left of a run, which then has neither a percentage nor a remaining time.
///
/// What cleans up at the end waits for the services, so it is not among the tasks that have to end before. A pure value.
package struct RunServices: Sendable {
  /// The tasks that are services.
  private let services: Set<TaskID>
  /// The tasks for which services stay, empty without services.
  private let users: Set<TaskID>
  /// The number of services that have ended.
  package private(set) var ended = 0
  /// The number of tasks that have ended of those for which services stay.
  private var endedUsers = 0

  /// Creates the services of a run that has not begun.
  ///
  /// - Parameters:
  ///   - services: The tasks that are services.
  ///   - users: The tasks for which services stay.
  package init(_ services: Set<TaskID>, users: Set<TaskID>) {
    (self.services, self.users) = (services, services.isEmpty ? [] : users)
  }

  /// Creates the services of a run of a graph that has not begun.
  ///
  /// - Complexity: O(tasks).
  package init(_ graph: LaunchGraph) {
    let tasks = (0..<graph.count).map { TaskID($0) }
    self.init(
      Set(tasks.filter { graph.settings(of: $0).role == .service }),
      users: Set(tasks.filter { graph.settings(of: $0).usesServices }))
  }

  /// Notes the end of a task, once.
  ///
  /// - Complexity: O(1).
  package mutating func end(_ task: TaskID) {
    if services.contains(task) { ended += 1 }
    if users.contains(task) { endedUsers += 1 }
  }

  /// Whether some services are left, and nothing for which they stay.
  package var areLeftAlone: Bool { ended < services.count && endedUsers == users.count }
}
