/// Identifies a task of a graph or a run by its index.
///
/// Two identifiers are equal if their indices are; the name is for people and may be missing.
///
/// ```swift
/// var graph = LaunchGraph()
/// let compile: TaskID = graph.add("compile") { _ in }
/// show("\(compile.name) is task \(compile.index)")  // compile is task 0
/// ```
public struct TaskID: Hashable, Comparable, Sendable {
  /// The index of the task, from 0, in the order in which tasks were added.
  public let index: Int
  /// The name of the task, empty if it is unknown.
  public let name: String

  /// Creates the identifier of the task at an index.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - name: The name.
  public init(_ index: Int, name: String = "") {
    self.index = index
    self.name = name
  }

  /// Compares the indices.
  public static func == (left: TaskID, right: TaskID) -> Bool { left.index == right.index }

  /// Hashes the index.
  public func hash(into hasher: inout Hasher) { hasher.combine(index) }

  /// Orders tasks by index.
  public static func < (left: TaskID, right: TaskID) -> Bool { left.index < right.index }
}
