/// What waits for what in a run, as it is kept.
///
/// Tasks are named by their places, from 0, as everywhere in a launcher.
package struct GraphRecord: Hashable, Sendable {
  /// A pair of tasks of which one waits for the other.
  package struct Need: Hashable, Sendable {
    /// The place of the task that waits.
    package var task: Int
    /// The place of the task that comes first.
    package var before: Int

    /// Creates a need.
    ///
    /// - Parameters:
    ///   - task: The place of the task that waits.
    ///   - before: The place of the task that comes first.
    package init(task: Int, before: Int) {
      self.task = task
      self.before = before
    }
  }

  /// The tasks, by place.
  package var tasks: [TaskIdentity]
  /// What waits for what; pairs with a place that does not exist are not kept.
  package var needs: [Need]

  /// Creates a graph.
  ///
  /// - Parameters:
  ///   - tasks: The tasks, by place.
  ///   - needs: What waits for what.
  package init(tasks: [TaskIdentity] = [], needs: [Need] = []) {
    self.tasks = tasks
    self.needs = needs
  }
}
