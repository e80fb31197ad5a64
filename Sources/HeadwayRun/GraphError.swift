/// What can be wrong with a graph.
@nonexhaustive
public enum GraphError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Tasks wait for each other in a circle: each names the one that it waits for, and the last the first.
  case cycle([TaskID])
  /// Two tasks have one name.
  case duplicateName(first: TaskID, second: TaskID)
  /// A task waits for one that is not there.
  case unknownTask(String, neededBy: TaskID)

  /// The error in words.
  public var description: String {
    switch self {
    case .cycle(let path):
      let names = (path + path.prefix(1)).map { "'\($0.name)'" }.joined(separator: " needs ")
      return "tasks wait for each other in a circle: \(names); take one of these edges out"
    case .duplicateName(let first, let second):
      return
        "two tasks are called '\(first.name)', numbers \(first.index) and \(second.index): rename one"
    case .unknownTask(let name, let task):
      return
        "task '\(task.name)' waits for '\(name)', which is not in the graph: add it, or correct the name"
    }
  }
}
