import Foundation

/// Finds the traces.
enum TraceFiles {
  /// The environment variable with a folder of further traces.
  private static let variable = "HEADWAY_TRACES"
  /// The folder of the traces of this package.
  private static let own = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Traces").path

  /// The given trace files, or else those of this package and of the folder in the environment.
  ///
  /// - Parameters:
  ///   - names: Files, and folders of them.
  ///   - environment: The environment variables.
  /// - Returns: The files without duplicates, and a note for the user if only our own are replayed.
  /// - Throws: `Trouble` if a file is missing or a folder has no traces.
  static func found(
    _ names: [String], environment: [String: String]
  ) throws -> (files: [URL], note: String?) {
    if !names.isEmpty {
      var named: [String] = []
      for path in try names.flatMap({ try paths(at: $0, named: $0) }) where !named.contains(path) {
        named.append(path)
      }
      return (named.map { URL(filePath: $0) }, nil)
    }
    var folders = [(path: own, name: own)]
    let further = environment[variable] ?? ""
    if !further.isEmpty { folders.append((further, "\(variable)=\(further)")) }
    // A trace that is in both folders counts once.
    var files: [String: URL] = [:]
    for folder in folders {
      for path in try paths(at: folder.path, named: folder.name) {
        let file = URL(filePath: path)
        files[file.lastPathComponent] = file
      }
    }
    let note =
      "only the build-* traces of this package are replayed; \(variable) names a folder of others"
    return (files.keys.sorted().compactMap { files[$0] }, further.isEmpty ? note : nil)
  }

  /// A file, or the traces in a folder, by name.
  private static func paths(at path: String, named name: String) throws -> [String] {
    let values = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey])
    guard let isFolder = values?.isDirectory else {
      throw Trouble.input("\(name): no such file or folder")
    }
    guard isFolder else { return [path] }
    guard let entries = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw Trouble.input("\(name): the folder cannot be read")
    }
    let traces = entries.filter { $0.hasSuffix(".json") }.sorted()
    guard !traces.isEmpty else {
      throw Trouble.input("\(name): the folder holds no traces, files that end in .json")
    }
    return traces.map { URL(filePath: path).appending(path: $0).path }
  }
}
