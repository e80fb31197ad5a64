/// An error in a graph of tasks.
///
/// ```swift
/// do throws(GraphError) {
///   try graph.validate()
/// } catch {
///   show("\(error)")  // names the tasks that wait for each other
/// }
/// ```
@nonexhaustive
public enum GraphError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Tasks depend on each other in a cycle: each one depends on the next, and the last one on the first.
  case cycle([TaskID])
  /// Two tasks have one name.
  case duplicateName(first: TaskID, second: TaskID)
  /// A task depends on one that does not exist.
  case unknownTask(String, neededBy: TaskID)

  /// A message with advice.
  public var description: String {
    switch self {
    case .cycle(let path):
      let names = (path + path.prefix(1)).map { "'\($0.name)'" }.joined(separator: " needs ")
      return "dependency cycle: \(names); remove one of these dependencies"
    case .duplicateName(let first, let second):
      return
        "tasks \(first.index) and \(second.index) have the same name '\(first.name)': rename one"
    case .unknownTask(let name, let task):
      return
        "task '\(task.name)' depends on '\(name)', which is not in the graph: add it, or correct the name"
    }
  }
}
