import Foundation

/// All recorded runs of one plan, as in a trace file.
struct Trace: Decodable {
  /// A recorded task.
  struct Task: Decodable {
    /// The name, the same in every run.
    var name: String
    /// Its kind.
    var kind: String
    /// The indices of its dependencies.
    var parents: [Int]
    /// The duration, in seconds.
    var seconds: Double

    /// The names of the fields in the file.
    private enum CodingKeys: String, CodingKey {
      case name
      case kind
      case parents
      case seconds = "runtime_s"
    }
  }

  /// A recorded run.
  struct Run: Decodable {
    /// Its name.
    var name: String
    /// The number of tasks that ran at once, nil if unknown.
    var workers: Int?
    /// The tasks, each after its dependencies.
    var tasks: [Task]
  }

  /// The name of the plan.
  var group: String
  /// Its runs.
  var runs: [Run]

  /// The maximum valid duration, in seconds: about thirty years.
  private static let longest = 1e9

  /// Reads a file.
  ///
  /// - Parameter file: The file.
  /// - Throws: `Trouble` if it cannot be read or is invalid, such as a task that depends on a later one.
  init(file: URL) throws {
    let data: Data
    do { data = try Data(contentsOf: file) } catch {
      throw Trouble.input("\(file.relativePath): the file cannot be read")
    }
    do { self = try JSONDecoder().decode(Trace.self, from: data) } catch {
      throw Trouble.input("\(file.relativePath) is no trace: \(Self.words(for: error))")
    }
    for run in runs {
      for (place, task) in run.tasks.enumerated() {
        let subject = "\(file.relativePath) is damaged: task \(place) of the run \(run.name)"
        guard task.parents.allSatisfy({ (0..<place).contains($0) }) else {
          throw Trouble.input("\(subject) depends on a task that is not before it")
        }
        guard (0...Self.longest).contains(task.seconds) else {
          throw Trouble.input("\(subject) took \(task.seconds) seconds")
        }
      }
    }
  }

  /// The problem of a file that cannot be decoded.
  private static func words(for error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.reduce("") { words, key in
        if let index = key.intValue { return words + "[\(index)]" }
        return words.isEmpty ? key.stringValue : words + "." + key.stringValue
      }
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(place(context.codingPath + [key])) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.codingPath.isEmpty
        ? "it is not an object" : "\(place(context.codingPath)) has the wrong type"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\(place(context.codingPath)) is of another type"
    default: "it is not valid JSON"
    }
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
  /// The duration of each task, in seconds.
  let durations: [Double]
  /// The dependencies of each task.
  let parents: [[Int]]
  /// The dependents of each task.
  let children: [[Int]]

  /// The number of tasks.
  var count: Int { names.count }

  /// Converts a recorded run.
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
