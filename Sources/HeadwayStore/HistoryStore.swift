internal import Glibc
package import HeadwayRun

/// What a history may take up.
package struct HistoryLimits: Hashable, Sendable {
  /// The bytes of the file, beyond which the oldest runs are forgotten: about 700,000 records of tasks that return.
  package var bytes: Int64 = 32 << 20
  /// The bytes of a graph, beyond which it is not kept: an eighth of the file's, about 100,000 tasks.
  package var graphBytes: Int { Int(clamping: bytes / 8) }
  /// The runs of a plan, beyond which the oldest is forgotten.
  package var runs = 50
  /// The pages of the file, beyond which SQLite refuses to grow it as on a full disk; nil for no such limit.
  var pages: Int?

  /// Creates the usual limits.
  package init() {}
}

/// The history of runs in a file: how long tasks took, how they ended, and how wrong forecasts were.
///
/// It never stands in the way of a run. No call throws: what goes wrong is told in ``remarks``, a line each, and the rest
/// of the run is made without a history, or with one that can only be read.
///
/// | what is wrong | what happens |
/// |---|---|
/// | no file, an empty one | one is made |
/// | damaged | set aside under another name, a new one is made, what this run has yet to write goes there |
/// | another program's, or a newer headway's | left untouched; no history |
/// | the file or the folder cannot be written | earlier runs are read, this one is not kept |
/// | the disk is full, the file fails | what was committed stays, the rest of this run is not kept |
/// | locked | records wait in memory and are written when the lock is gone |
///
/// When ``append(_:)`` has returned true, its records survive the death of the program at any moment: they are in the log
/// beside the file. Only a power cut may take the last of them. Others read while a run is written, and several runs
/// may write into one file.
///
/// It is used from one thread. A batch costs one transaction, so a caller batches what one turn of its loop brings.
package final class HistoryStore {
  /// The name of the file in a folder of records.
  package static let fileName = "history.sqlite"
  /// The most records that wait in memory for a lock to go.
  static let mostWaiting = 100_000
  /// The records after which the size of the file is looked at.
  static let recordsPerLook = 64
  /// The forecasts that wait for records to be written with.
  static let mostForecasts = 16
  /// The steps of forgetting at the end of a run; what is left then goes at the end of the next.
  static let stepsAtEnd = 200

  /// The path of the file.
  package let path: String
  /// What a person should know, a line each.
  package internal(set) var remarks: [String] = []
  /// The file, as far as it can be used.
  var state = State.waiting
  /// The form of the file.
  let schema: Schema
  /// What the file may take up.
  let limits: HistoryLimits
  /// The run that is written, nil before it begins.
  private var run: RunRecord?
  /// The graph of the run, nil where it is not kept.
  private var graph: PackedGraph?
  /// Where the run stands in the file.
  var place: RunPlace?
  /// What is not written yet.
  private var batch = Batch()
  /// The records since the size of the file was looked at.
  private var unseen = 0
  /// The time before which no further forecast is kept.
  private var nextForecast = Duration.zero
  /// Whether the rest of the run's tasks has no room.
  var isCrowded = false
  /// Whether a damaged file was set aside already; a second one is too much.
  var hasSetAside = false
  /// How long a lock of another program is waited for, in milliseconds: once, and then no more until the run ends.
  var patience = HistoryFile.patience

  /// Whether it is opened for reading only.
  let isReader: Bool

  /// How far a file can be used.
  enum State {
    /// It can be read and written.
    case open(HistoryFile)
    /// It can be read.
    case still(HistoryFile)
    /// Another program holds it; it is tried again.
    case waiting
    /// Not at all.
    case off
  }

  /// Opens a history, or makes it.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - makes: Whether a file is made where there is none; without one the history is empty.
  ///   - limits: What the file may take up.
  package convenience init(
    path: String, makes: Bool = true, limits: HistoryLimits = HistoryLimits()
  ) {
    self.init(path: path, makes: makes, limits: limits, schema: .history)
  }

  /// Opens a history of a given form, or makes it.
  init(path: String, makes: Bool = true, limits: HistoryLimits = HistoryLimits(), schema: Schema) {
    self.path = path
    isReader = !makes
    self.schema = schema
    self.limits = limits
    let isThere = unsafe access(path, F_OK) == 0
    if !makes && !isThere {
      state = .off
    } else {
      open()
    }
  }

  /// Whether runs can be kept at the moment.
  package var isWritable: Bool {
    if case .open = state { true } else { false }
  }

  /// Begins to write a run.
  ///
  /// - Parameter run: What is known of it.
  package func begin(_ run: RunRecord) {
    self.run = run
    graph = PackedGraph(run.graph, most: limits.graphBytes)
    // The packed one is enough.
    self.run?.graph = GraphRecord()
    place = nil
    batch = Batch()
    nextForecast = .zero
    isCrowded = false
    write(evenIfEmpty: true)
  }

  /// Writes records of tasks that are over, in one transaction.
  ///
  /// - Parameter records: The records.
  /// - Returns: Whether all records so far are in the file for good.
  @discardableResult
  package func append(_ records: [TaskRecord]) -> Bool {
    guard run != nil else { preconditionFailure("records were appended before a run began") }
    if isCrowded { return false }
    batch.tasks += records
    let isWritten = write()
    unseen += records.count
    if isWritten && unseen >= Self.recordsPerLook {
      unseen = 0
      forget(steps: 1)
    }
    return isWritten
  }

  /// Keeps a forecast; it is written with the next records, or with further forecasts.
  ///
  /// Of many only as many are kept as tell the course: ten a second at first, later one for each 3 % of the time.
  ///
  /// - Parameter forecast: The forecast.
  package func note(_ forecast: ForecastRecord) {
    guard run != nil, forecast.at >= nextForecast else { return }
    if case .off = state { return }
    nextForecast = max(forecast.at + .milliseconds(100), forecast.at * 1.03)
    batch.forecasts.append(forecast)
    // Where no task ends for long, what was shown meanwhile is kept all the same.
    if batch.forecasts.count >= Self.mostForecasts && isWritable { write() }
  }

  /// Ends the run, and forgets what the limits ask for.
  ///
  /// - Parameters:
  ///   - total: How long it took.
  ///   - outcome: How it ended.
  /// - Returns: Whether all of it is in the file for good.
  @discardableResult
  package func end(total: Duration, outcome: Outcome.Kind) -> Bool {
    guard run != nil else { preconditionFailure("a run was ended that had not begun") }
    batch.end = (total, outcome)
    wait(milliseconds: HistoryFile.patience)
    let isWritten = write()
    if isWritten {
      forget(steps: Self.stepsAtEnd)
    } else if isLocked {
      let count = batch.tasks.count
      remark(
        "\(count == 1 ? "1 task" : "\(count) tasks") of this run could not be kept: "
          + StoreError(.locked, path: path).message)
    }
    run = nil
    graph = nil
    place = nil
    batch = Batch()
    return isWritten
  }

  /// Whether what waits to be written waits for another program.
  private var isLocked: Bool {
    switch state {
    case .open, .waiting: true
    case .still, .off: false
    }
  }

  /// Writes what waits.
  ///
  /// - Parameter evenIfEmpty: Whether the run itself is written where nothing of it waits.
  /// - Returns: Whether nothing waits any more.
  @discardableResult
  private func write(evenIfEmpty: Bool = false) -> Bool {
    guard let run else { return false }
    if case .waiting = state { open() }
    // A file that turns out to be damaged is replaced by a new one, which is tried once.
    for _ in 0..<2 {
      guard isWritable else { break }
      if batch.isEmpty && !evenIfEmpty { return true }
      let written = use { file throws(StoreError) in
        try file.write(batch, of: run, with: graph, at: place)
      }
      switch written {
      case .success(let place):
        self.place = place
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

  /// Keeps what could not be written in memory, where there is hope.
  ///
  /// - Returns: False: something waits, or is lost.
  private func hold() -> Bool {
    switch state {
    case .still, .off: batch = Batch()
    case .open, .waiting:
      if batch.tasks.count > Self.mostWaiting { turnOff(StoreError(.locked, path: path)) }
    }
    return false
  }

  /// Does some of what the limits ask for.
  private func forget(steps: Int) {
    for _ in 0..<steps {
      guard isWritable, let place else { return }
      switch use({ file throws(StoreError) in try file.forget(keeping: place) }) {
      case .success(.more): break
      case .success(.done): return
      case .success(.crowded):
        remark("'\(path)' has no room for all tasks of this run; the rest of them is not kept")
        isCrowded = true
        return
      case .failure(let error):
        // A lock by another program puts it off; all else is as bad here as anywhere.
        if error.kind != .locked { handle(error) }
        return
      case nil: return
      }
    }
  }
}
