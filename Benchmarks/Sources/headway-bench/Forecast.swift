import Foundation

/// The forecast against recorded runs, replayed in virtual time by `forecast-replay`.
enum Forecast {
  /// Replays the files that are named, or else those of this package and of the folder in `HEADWAY_TRACES`.
  ///
  /// - Parameter words: The words of the command line behind `forecast`.
  /// - Returns: The exit code.
  /// - Throws: `Trouble` when there is nothing to replay, and what starting the program throws.
  static func run(_ words: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: Tools.beside("forecast-replay"))
    process.arguments = words.contains { $0.hasSuffix(".json") } ? words : try files() + words
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The trace files, where none are named.
  private static func files() throws -> [String] {
    let own = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Traces").path
    var folders = [own]
    if let further = ProcessInfo.processInfo.environment["HEADWAY_TRACES"] {
      folders.append(further)
    } else {
      let note =
        "only the build-* traces of this package; HEADWAY_TRACES names a folder of others\n"
      FileHandle.standardError.write(Data("headway-bench: \(note)".utf8))
    }
    // A trace that stands in both folders counts once.
    var paths: [String: String] = [:]
    for folder in folders {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder)
      where name.hasSuffix(".json") {
        paths[name] = folder + "/" + name
      }
    }
    guard !paths.isEmpty else { throw Trouble("no trace files in \(own)") }
    return paths.keys.sorted().compactMap { paths[$0] }
  }
}
