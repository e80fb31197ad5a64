internal import HeadwayLibc
package import HeadwayRun
internal import HeadwayText

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
/// | damaged | the file is renamed, and a new one is created for the rest of this run |
/// | it belongs to another program, or to a newer headway | the file is not touched; no history |
/// | the file or the folder is read-only | earlier runs are read, this run is not stored |
/// | the disk is full, the file fails | what was committed stays, the rest of this run is not stored |
/// | locked | the run is not stored now; the next command stores it from its journal |
///
/// `headway` stores a run with ``store(_:)``, in one transaction after its end. Once that has returned true, the run survives a
/// crash of the program: it is in the write-ahead log of the file. Only a power failure may lose it, and then it is stored again
/// from its journal. Other processes can read meanwhile, and several can write to one file.
///
/// A run can also be stored while it goes on, with ``begin(_:)``, `append` and ``end(total:outcome:)``. Only tests and the
/// fuzzer do that. If the file is locked then, records wait in memory until the lock is released.
///
/// Not thread safe.
package final class HistoryStore {
  /// The name of the file in a state folder.
  package static let fileName = "history.sqlite"
  /// The maximum number of records that wait in memory for a lock while a run goes on.
  static let maxWaitingRecords = 100_000
  /// The number of records after which the size of the file is checked.
  static let recordsPerCheck = 64
  /// The number of forecasts that are written even if no task ends.
  static let maxWaitingForecasts = 16
  /// The steps of deleting at the end of a run; the next run deletes the rest.
  static let stepsAtEnd = 200

  /// The path of the file.
  package let path: String
  /// Warnings for people, a line each.
  package internal(set) var warnings: [String] = []
  var state = State.waiting
  let schema: Schema
  let limits: HistoryLimits
  /// The current run, nil before it begins.
  var run: RunRecord?
  /// The graph of the current run, nil if it is not stored.
  private var graph: PackedGraph?
  /// The position of the current run in the file.
  var position: RunPosition?
  /// What is not written yet.
  private var batch = Batch()
  /// Whether the batch is all of the run.
  private var isWhole = false
  /// The number of records since the size of the file was checked.
  private var unchecked = 0
  /// The time before which no further forecast is stored.
  private var nextForecast = Duration.zero
  /// Whether the file has no room for the rest of the current run.
  var isFull = false
  /// Whether a damaged file was renamed; that happens once.
  var hasReplacedFile = false
  /// How long to wait for a lock of another program, in milliseconds; 0 during a run, until its end.
  var lockTimeout = HistoryFile.lockTimeout

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

  /// Stores a run that is over, in one transaction; a run of the same name is stored once.
  ///
  /// - Parameter run: The run with its records and forecasts; one without an outcome was killed.
  /// - Returns: Whether it is stored; if another program locks the file, it can be stored later.
  @discardableResult
  package func store(_ run: RunRecord) -> Bool {
    prepare(run)
    isWhole = true
    defer { isWhole = false }
    for forecast in run.forecasts { add(forecast) }
    batch.tasks = run.records
    return finish(with: run.total.flatMap { total in run.outcome.map { (total, $0) } })
  }

  /// Begins a run.
  ///
  /// Until ``end(total:outcome:)`` no call waits for a lock of another program: records wait in memory.
  ///
  /// - Parameter run: The run, with the tasks to which later records refer; its own records are not stored.
  package func begin(_ run: RunRecord) {
    prepare(run)
    write(evenIfEmpty: true)
  }

  /// Makes a run the current one.
  private func prepare(_ run: RunRecord) {
    self.run = run
    self.run?.records = []
    self.run?.forecasts = []
    graph = run.graph.flatMap { PackedGraph(run.tasks, $0, limit: limits.graphBytes) }
    self.run?.graph = nil
    position = nil
    batch = Batch()
    nextForecast = .zero
    isFull = false
    wait(milliseconds: 0)
  }

  /// Writes the records of tasks that have ended, in one transaction.
  ///
  /// - Parameter records: The records; their indices refer to the `tasks` of the run.
  /// - Returns: Whether all records so far are durable.
  @discardableResult
  package func append(_ records: [TaskRecord]) -> Bool {
    guard run != nil else { preconditionFailure("records were appended before a run began") }
    if isFull { return false }
    batch.tasks += records
    let isWritten = write()
    unchecked += records.count
    if isWritten && unchecked >= Self.recordsPerCheck {
      unchecked = 0
      forget(steps: 1)
    }
    return isWritten
  }

  /// Adds a forecast, which is written with the next records or with further forecasts.
  ///
  /// At most ten a second are stored, later one for each 3% of the elapsed time.
  package func append(_ forecast: ForecastRecord) {
    guard run != nil, add(forecast) else { return }
    // Even if no task ends for a long time.
    if batch.forecasts.count >= Self.maxWaitingForecasts && isWritable { write() }
  }

  /// Adds a forecast to the batch unless it is too close to the last one; returns whether it did.
  @discardableResult
  private func add(_ forecast: ForecastRecord) -> Bool {
    guard forecast.at >= nextForecast else { return false }
    if case .off = state { return false }
    nextForecast = max(forecast.at + .milliseconds(100), forecast.at * 1.03)
    batch.forecasts.append(forecast)
    return true
  }

  /// Ends the run, and deletes what exceeds the limits.
  ///
  /// - Returns: Whether all of the run is durable.
  @discardableResult
  package func end(total: Duration, outcome: Outcome.Kind) -> Bool {
    guard run != nil else { preconditionFailure("a run was ended that had not begun") }
    return finish(with: (total, outcome))
  }

  /// Writes what is left of the run, and deletes what exceeds the limits.
  ///
  /// - Parameter end: The end of the run, nil if it was killed.
  /// - Returns: Whether all of the run is durable.
  private func finish(with end: (total: Duration, outcome: Outcome.Kind)?) -> Bool {
    batch.end = end
    wait(milliseconds: HistoryFile.lockTimeout)
    let isWritten = write(evenIfEmpty: isWhole)
    if isWritten {
      forget(steps: Self.stepsAtEnd)
    } else if isLocked, !isWhole {
      warn(
        "\(counted(batch.tasks.count, "task")) of this run could not be stored: "
          + StoreError(.locked, path: path).message)
    }
    run = nil
    graph = nil
    position = nil
    batch = Batch()
    return isWritten
  }

  /// Whether unwritten records wait for another program.
  private var isLocked: Bool {
    switch state {
    case .open, .waiting: true
    case .readOnly, .off: false
    }
  }

  /// Writes the batch.
  ///
  /// - Parameter evenIfEmpty: Whether to write the run itself if the batch is empty.
  /// - Returns: Whether everything is written.
  @discardableResult
  private func write(evenIfEmpty: Bool = false) -> Bool {
    guard let run else { return false }
    if case .waiting = state { open() }
    // A damaged file is replaced by a new one, which is tried once.
    for _ in 0..<2 {
      guard isWritable else { break }
      if batch.isEmpty && !evenIfEmpty { return true }
      let written = use { file throws(StoreError) in
        try file.write(batch, of: run, with: graph, at: position, isWhole: isWhole)
      }
      switch written {
      case .success(let position):
        self.position = position
        batch = Batch()
        return true
      case .failure(let error):
        handle(error)
        if error.kind == .locked { return hold() }
      case nil: return hold()
      }
    }
    return hold()
  }

  /// Keeps the batch in memory if it may be written later.
  ///
  /// - Returns: False, because something is not written.
  private func hold() -> Bool {
    switch state {
    case .readOnly, .off: batch = Batch()
    case .open, .waiting:
      if batch.tasks.count > Self.maxWaitingRecords { turnOff(StoreError(.locked, path: path)) }
    }
    return false
  }

  /// Deletes some of what exceeds the limits.
  private func forget(steps: Int) {
    for _ in 0..<steps {
      guard isWritable, let position else { return }
      switch use({ file throws(StoreError) in try file.forget(keeping: position) }) {
      case .success(.more): break
      case .success(.done): return
      case .success(.full):
        warn("'\(path)' has no room for all tasks of this run; the rest of them is not stored")
        isFull = true
        return
      case .failure(let error):
        // A lock of another program only delays it.
        if error.kind != .locked { handle(error) }
        return
      case nil: return
      }
    }
  }
}
