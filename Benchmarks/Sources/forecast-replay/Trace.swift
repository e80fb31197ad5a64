import Foundation

/// All recorded runs of one plan, as a trace file holds them.
struct Trace: Decodable {
  /// A task that was recorded.
  struct Task: Decodable {
    /// Its name, the same in every run.
    var name: String
    /// Its kind.
    var kind: String
    /// The places of the tasks that it waited for.
    var parents: [Int]
    /// How long it took, in seconds.
    var seconds: Double

    /// The names of the fields in the file.
    private enum CodingKeys: String, CodingKey {
      case name
      case kind
      case parents
      case seconds = "runtime_s"
    }
  }

  /// A run that was recorded.
  struct Run: Decodable {
    /// Its name.
    var name: String
    /// How many tasks ran at a time, where it is known.
    var workers: Int?
    /// Its tasks; each stands behind those that it waited for.
    var tasks: [Task]
  }

  /// The name of the plan.
  var group: String
  /// Its runs.
  var runs: [Run]

  /// Reads a file.
  init(file: URL) throws {
    self = try JSONDecoder().decode(Trace.self, from: Data(contentsOf: file))
  }
}

/// A recorded run as a graph in columns.
struct Plan {
  /// The names of the tasks.
  let names: [String]
  /// The names of the kinds.
  let kindNames: [String]
  /// The kind of each task.
  let kinds: [Int]
  /// How long each task took, in seconds.
  let durations: [Double]
  /// The tasks that each waited for.
  let parents: [[Int]]
  /// The tasks that waited for each.
  let children: [[Int]]

  /// The number of tasks.
  var count: Int { names.count }

  /// Reads a run.
  init(_ run: Trace.Run) {
    names = run.tasks.map(\.name)
    let kindNames = Set(run.tasks.map(\.kind)).sorted()
    let places = Dictionary(uniqueKeysWithValues: zip(kindNames, kindNames.indices))
    self.kindNames = kindNames
    kinds = run.tasks.map { places[$0.kind] ?? 0 }
    durations = run.tasks.map { max(0, $0.seconds) }
    parents = run.tasks.map(\.parents)
    var children = Array(repeating: [Int](), count: run.tasks.count)
    for (place, task) in run.tasks.enumerated() {
      for parent in task.parents { children[parent].append(place) }
    }
    self.children = children
  }
}
