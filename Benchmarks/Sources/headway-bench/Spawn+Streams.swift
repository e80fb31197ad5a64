import Foundation

/// The time for a long output that is logged and shown with the name of its task, beside a pipe of `cat`, `tee` and `sed`.
struct Streams {
  /// The folder of all files, removed at the end.
  private let folder: URL
  /// The binary that is measured.
  private let headway: String

  /// The length of a line, with its end.
  private static let lineBytes = 80

  /// Writes the output.
  ///
  /// - Parameters:
  ///   - megabytes: Its size.
  ///   - headway: The path of the binary.
  /// - Throws: The error of writing it.
  init(megabytes: Int, headway: String) throws {
    self.headway = headway
    folder = FileManager.default.temporaryDirectory.appending(
      path: "headway-bench-stream-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let line = Data(String(repeating: "x", count: Self.lineBytes - 1).utf8) + Data("\n".utf8)
    var million = Data(capacity: 1_000_000)
    for _ in 0..<(1_000_000 / Self.lineBytes) { million += line }
    let file = folder.appending(path: "file")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    for _ in 0..<megabytes { try handle.write(contentsOf: million) }
    try handle.close()
    // The second task makes the run show names.
    let plan = "tasks:\n  name: { run: cat file }\n  other: { run: /bin/true }\n"
    try Data(plan.utf8).write(to: folder.appending(path: "plan.yaml"))
  }

  /// Removes the folder.
  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Headway.
  func ours() throws -> [String: Double] {
    try? FileManager.default.removeItem(at: folder.appending(path: ".headway"))
    let cost = try Cost(
      of: [headway, "run", "plan.yaml", "--output", "stream", "--ui", "quiet"], in: folder)
    return ["headway": cost.wall]
  }

  /// The pipe.
  func theirs() throws -> [String: Double] {
    try? FileManager.default.removeItem(at: folder.appending(path: "log"))
    let command = "cat file | tee log | sed 's/^/name /' >/dev/null"
    return ["pipe": try Cost(of: ["/bin/sh", "-c", command], in: folder).wall]
  }

  /// The row of the measured values.
  static func rows(_ rounds: Rounds) -> [Row] {
    [
      Row(
        area: Spawn.name, name: "a long output, streamed with names", unit: "ms",
        value: rounds.least("headway") ?? .nan, peer: "cat | tee | sed",
        peerValue: rounds.least("pipe"), goal: 1)
    ]
  }
}
