/// A limit on how many of a group of tasks run at once.
package struct TaskPool: Hashable, Sendable {
  /// The name by which tasks refer to it.
  package var name: String
  /// How many of its tasks may run at once, at least 1.
  package var limit: Int

  /// Creates a pool.
  package init(name: String, limit: Int) {
    self.name = name
    self.limit = limit
  }
}
