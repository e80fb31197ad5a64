internal import HeadwayLibc
package import HeadwayRun
internal import HeadwaySystem

/// The limits of a history.
package struct HistoryLimits: Hashable, Sendable {
  /// The size of the file in bytes above which the oldest runs are deleted: about 700,000 records of recurring tasks.
  package var bytes: Int64 = 32 << 20
  /// The size of a graph in bytes above which it is not stored: an eighth of the file, about 100,000 tasks.
  package var graphBytes: Int { Int(clamping: bytes / 8) }
  /// The number of runs of a plan above which the oldest is deleted.
  package var runs = 50
  /// The number of pages at which SQLite refuses to grow the file, as on a full disk; nil for no such limit.
  var pages: Int?

  /// Creates the default limits.
  package init() {}
}

/// The history of runs in a file: how long tasks took, how they ended, and how wrong forecasts were.
///
/// It never fails a run. No call throws: each problem adds a line to ``warnings``, and the run continues without a
/// history, or with one that can only be read.
///
/// | problem | result |
/// |---|---|
/// | no file, or an empty one | a new file is created |
/// | damaged | the file is renamed, and a new one is created |
/// | it belongs to another program, or to a newer headway | the file is not touched; no history |
/// | the file or the folder is read-only | earlier runs are read, this run is not stored |
/// | the disk is full, the file fails | earlier runs are read, this run is not stored |
/// | locked | the run is not stored now; the next command stores it from its journal |
///
/// A run is stored after its end, in one transaction. Once ``store(_:)`` has returned true, the run survives a crash of the program:
/// it is in the write-ahead log of the file. Only a power failure may lose it, and then it is stored again from its journal. Other
/// processes can read meanwhile, and several can write to one file.
///
/// Not thread safe.
package final class HistoryStore {
  /// The name of the file in a state folder.
  package static let fileName = "history.sqlite"
  /// The steps of deleting after a run was stored; the next run deletes the rest.
  private static let steps = 200

  /// The path of the file.
  package let path: String
  /// Warnings for people, a line each.
  package internal(set) var warnings: [String] = []
  var state = State.waiting
  let schema: Schema
  let limits: HistoryLimits
  /// Whether a damaged file was renamed; that happens once.
  var hasReplacedFile = false
  /// Whether it is opened for reading only.
  let isReader: Bool

  /// The ways in which the file can be used.
  enum State {
    case open(HistoryFile)
    case readOnly(HistoryFile)
    /// Locked by another program; opened later.
    case waiting
    case off
  }

  /// Opens a history, or creates it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - creates: Whether a missing file is created; otherwise its history is empty.
  ///   - limits: The limits of the file.
  package convenience init(
    path: String, creates: Bool = true, limits: HistoryLimits = HistoryLimits()
  ) {
    self.init(path: path, creates: creates, limits: limits, schema: .history)
  }

  init(
    path: String, creates: Bool = true, limits: HistoryLimits = HistoryLimits(), schema: Schema
  ) {
    self.path = path
    isReader = !creates
    self.schema = schema
    self.limits = limits
    let isThere = unsafe access(path, F_OK) == 0
    if !creates && !isThere {
      state = .off
    } else {
      open()
    }
  }

  /// Whether runs can be stored at the moment.
  package var isWritable: Bool {
    if case .open = state { true } else { false }
  }

  /// Stores a run that is over, in one transaction, and deletes what exceeds the limits; a run of the same name is stored once.
  ///
  /// - Parameter run: The run with its records and forecasts; one without an outcome was killed.
  /// - Returns: Whether it is stored; if another program locks the file, it can be stored later.
  @discardableResult
  package func store(_ run: RunRecord) -> Bool {
    if case .waiting = state { open() }
    // A damaged file is replaced by a new one, which is tried once.
    for _ in 0..<2 {
      guard isWritable else { return false }
      // SQLite opens the folder to store the name of a new file, and would wait forever if that is a pipe by now.
      if let kind = FileStatus(splitPath(path).folder)?.kind, kind != .folder {
        turnOff(HistoryError(.unreachable, path: path, reason: "its folder was replaced"))
        return false
      }
      switch use({ file throws(HistoryError) in try file.write(run) }) {
      case .success(let position):
        if let position { forget(keeping: position) }
        return true
      case .failure(let error):
        handle(error)
        if error.kind == .locked { return false }
      case nil: return false
      }
    }
    return false
  }

  /// Deletes some of what exceeds the limits.
  private func forget(keeping position: RunPosition) {
    for _ in 0..<Self.steps {
      switch use({ file throws(HistoryError) in try file.forget(keeping: position) }) {
      case .success(.more): break
      case .success(.done), nil: return
      case .failure(let error):
        // The next run deletes what a lock of another program has left.
        return handle(error)
      }
    }
  }
}
