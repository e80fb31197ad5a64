import Foundation

/// The forecast against recorded runs, replayed in virtual time by `forecast-replay`.
enum Forecast {
  /// Starts the replay.
  ///
  /// - Parameter words: The words of the command line behind `forecast`; it reads them itself.
  /// - Returns: The exit code of the replay.
  /// - Throws: `Trouble` when the program is missing, and what starting it throws.
  static func run(_ words: [String]) throws -> Int32 {
    let program = Tools.beside("forecast-replay")
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Trouble(
        "there is no \(program): swift build -c release --package-path Benchmarks makes it")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = words
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
