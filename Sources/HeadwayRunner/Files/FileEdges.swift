internal import HeadwayFiles
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayText

/// Which tasks of a plan read the files that others write.
///
/// A build often has a task wait for others whose files it does not read, such as a compiler for all libraries. If a
/// library is linked again, such a task remains up to date.
///
/// Files that are named literally are compared by their names, whichever tasks name them. Where patterns and directories
/// may contain a file, and for tasks that do not say what they write, the dependencies decide. A file with an absolute name in
/// one task and a relative one in another counts as two.
struct FileEdges {
  /// The tasks that write each file with a literal name.
  private var writers: [ExactText: [Int]] = [:]
  /// The directories of these files.
  private var directories: Set<ExactText> = []
  /// The beginnings of the names that each task's patterns may match, as far as it has patterns: of its outputs.
  private var openOutputs: [Int: [Substring]] = [:]
  /// The same of its inputs, and the directories among them.
  private var openInputs: [Int: [Substring]] = [:]

  /// The edges along which a change of files spreads.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - dependencies: The dependencies of its tasks.
  /// - Returns: The edges; some may occur several times.
  /// - Complexity: O(inputs + outputs + dependencies), and for dependencies between tasks with patterns, the product of their
  ///   patterns and files.
  static func of(_ plan: Plan, _ dependencies: [TaskGraph.Edge]) -> [TaskGraph.Edge] {
    var files = FileEdges()
    for (index, task) in plan.tasks.enumerated() { files.addOutputs(task.outputs, of: index) }
    var edges: [TaskGraph.Edge] = []
    for (index, task) in plan.tasks.enumerated() {
      files.addInputs(task.inputs, of: index, to: &edges)
    }
    for edge in dependencies {
      guard plan.tasks.indices.contains(edge.before), plan.tasks.indices.contains(edge.after) else {
        continue
      }
      let (outputs, inputs) = (plan.tasks[edge.before].outputs, plan.tasks[edge.after].inputs)
      // A group, or a task whose files are not known.
      if outputs.isEmpty || inputs.isEmpty || files.mayMeet(edge, outputs, inputs) {
        edges.append(edge)
      }
    }
    return edges
  }

  private mutating func addOutputs(_ outputs: [String], of task: Int) {
    for output in outputs {
      let path = Self.normalized(output)
      if Self.isPattern(path) {
        openOutputs[task, default: []].append(Self.literal(path))
        continue
      }
      writers[ExactText(path), default: []].append(task)
      var next = Self.parent(path)
      while let directory = next, directories.insert(ExactText(directory)).inserted {
        next = Self.parent(directory)
      }
    }
  }

  private mutating func addInputs(
    _ inputs: [String], of task: Int, to edges: inout [TaskGraph.Edge]
  ) {
    for input in inputs {
      let path = Self.normalized(input)
      if Self.isPattern(path) || directories.contains(ExactText(path)) {
        openInputs[task, default: []].append(Self.literal(path))
      }
      // The file, or a directory that contains it.
      var next = writers.isEmpty ? nil : path as Substring?
      while let name = next {
        for writer in writers[ExactText(name)] ?? [] where writer != task {
          edges.append(TaskGraph.Edge(before: writer, after: task))
        }
        next = Self.parent(name)
      }
    }
  }

  /// Whether a pattern or a directory of one of two tasks may contain a file of the other.
  private func mayMeet(_ edge: TaskGraph.Edge, _ outputs: [String], _ inputs: [String]) -> Bool {
    let (from, to) = (openOutputs[edge.before], openInputs[edge.after])
    if let to, outputs.contains(where: { Self.meets(Self.literal(Self.normalized($0)), to) }) {
      return true
    }
    guard let from else { return false }
    return inputs.contains { Self.meets(Self.literal(Self.normalized($0)), from) }
  }

  /// Whether a beginning of a path continues one of several others, or the other way round.
  private static func meets(_ one: Substring, _ others: [Substring]) -> Bool {
    others.contains { one.startsExactly(with: $0) || $0.startsExactly(with: one) }
  }

  /// Whether a path has characters with a meaning of their own; the current directory contains everything.
  private static func isPattern(_ path: Substring) -> Bool {
    path.isEmpty || path.utf8.contains(where: \.isPatternCharacter)
  }

  /// A path up to the first such character.
  private static func literal(_ path: Substring) -> Substring {
    path[..<(path.utf8.firstIndex(where: \.isPatternCharacter) ?? path.endIndex)]
  }

  /// A path without the parts that mean the current directory, and without a slash at its end.
  private static func normalized(_ path: String) -> Substring {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let dot = UInt8(ascii: ".")
    let isPlain = parts.indices.allSatisfy { index in
      let part = parts[index]
      return part.isEmpty ? index == 0 : part.count > 1 || part.first != dot
    }
    if isPlain, !path.isEmpty { return path[...] }
    let names = path.split(separator: "/").filter { $0 != "." }
    return (path.hasPrefix("/") ? "/" : "") + names.joined(separator: "/")[...]
  }

  /// The directory of a path, nil if it names none.
  private static func parent(_ path: Substring) -> Substring? {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] }
  }
}
