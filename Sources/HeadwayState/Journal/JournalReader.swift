package import HeadwayRun

/// Reads the journal of a run, whole or while it grows.
///
/// A pure value: it is given bytes, in parts of any size, and returns the events that are complete. A last line without
/// its end waits for the rest, which may never come. A line with a wrong sum, or that is no event of this run, is left
/// out and counted.
package struct JournalReader: Sendable {
  /// The maximum number of bytes of a line; the runner's are far shorter.
  static let maxLine = 1 << 20

  /// The state of the run after the events so far.
  package private(set) var state: RunState
  /// The records of the run so far; none if they are not collected.
  package private(set) var recorder: RunRecorder?
  /// The number of lines that were left out.
  package private(set) var damaged = 0
  /// The latest forecast, nil before the first.
  package private(set) var forecast: RunForecast?
  /// The duration of the whole run by the first forecast that knew it, if that came before any task ended.
  private var predicted: Duration?
  /// The time of the last event.
  package private(set) var last = Duration.zero
  /// The number of bytes of the lines that were read.
  package private(set) var offset = 0
  /// The tasks that wait between two attempts, with the outcome of the last one.
  private var failed: [TaskID: Outcome] = [:]
  /// The name of the run, for errors.
  private let run: String
  /// The beginning of a line whose end is missing.
  private var rest: [UInt8] = []
  /// Whether the rest of a line that is too long is left out.
  private var isSkipping = false

  /// Creates a reader that has read nothing.
  ///
  /// - Parameters:
  ///   - header: The header of the run.
  ///   - collectsRecords: Whether the records of the run are collected, which who only shows it does not need.
  package init(_ header: RunHeader, collectsRecords: Bool = true) {
    run = header.run
    state = RunState(taskCount: header.tasks.count)
    recorder = collectsRecords ? RunRecorder(header) : nil
  }

  /// Whether the last line has no end, because it is being written or its writer died.
  package var isTorn: Bool { !rest.isEmpty || isSkipping }

  /// Reads on.
  ///
  /// - Parameter bytes: The next bytes of the journal.
  /// - Returns: The events that are now complete.
  /// - Throws: `StateError.run` if the journal was written by a newer version.
  /// - Complexity: O(bytes).
  package mutating func append(_ bytes: [UInt8]) throws(StateError) -> [RunEvent] {
    var events: [RunEvent] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      offset += rest.count + end - start + 1
      if isSkipping {
        isSkipping = false
      } else if rest.isEmpty {
        try read(bytes, start..<end, into: &events)
      } else {
        rest += bytes[start..<end]
        let line = rest
        rest = []
        try read(line, line.indices, into: &events)
      }
      start = end + 1
    }
    if isSkipping {
      offset += bytes.count - start
    } else {
      rest += bytes[start...]
      if rest.count > Self.maxLine {
        offset += rest.count
        rest = []
        isSkipping = true
        damaged += 1
      }
    }
    return events
  }

  /// Reads a line.
  private mutating func read(
    _ bytes: [UInt8], _ range: Range<Int>, into events: inout [RunEvent]
  ) throws(StateError) {
    let line = bytes.span.extracting(range)
    guard LineSum.isWhole(line) else {
      damaged += 1
      return
    }
    let event: RunEvent
    do {
      event = try RunEvent(EventFields(JSONObject(bytes, in: range)))
    } catch {
      if let version = (try? JSONObject(bytes, in: range))?.version,
        version > RunEvent.formatVersion
      {
        let newer = NewerVersion(version: version, known: RunEvent.formatVersion)
        throw .run(run, newer.words)
      }
      damaged += 1
      return
    }
    guard state.knows(event.kind), event.kind.isAboutTasks(below: state.tasks.count) else {
      damaged += 1
      return
    }
    recorder?.collect(event, before: state)
    state.apply(event)
    switch event.kind {
    case .forecast(var latest):
      let hasEnded = state.counts.ended > state.counts[.upToDate] + state.counts[.skipped]
      if predicted == nil, !hasEnded { predicted = latest.remaining.map { event.time + $0.median } }
      (latest.time, latest.predicted) = (event.time, predicted)
      forecast = latest
    case .taskRetrying(let task, _, _, let outcome) where outcome.isFailure:
      failed[task] = outcome
    case .taskStarted(let task, _), .taskEnded(let task, _, _, _): failed[task] = nil
    default: break
    }
    last = event.time
    events.append(event)
  }

  /// Gives the tasks that are under way the outcome `lost`, because the run has died; those that waited between two attempts have failed.
  package mutating func loseActiveTasks() {
    recorder?.loseActiveTasks(of: state, at: last, failed: failed)
    state.loseActiveTasks(at: last, failed: failed)
  }
}

extension JSONObject {
  /// The version in the first event of a journal, nil in others.
  fileprivate var version: Int? { try? EventFields(self).number(.version) }
}

extension RunEvent.Kind {
  /// Whether the tasks of a stored event exist in a run whose tasks are all known from its beginning.
  fileprivate func isAboutTasks(below count: Int) -> Bool {
    switch self {
    case .taskAdded, .missed: return false
    case .runStarted(let tasks, _): return tasks == count
    case .taskEnded(_, let outcome, _, _), .taskRetrying(_, _, _, let outcome):
      switch outcome {
      case .skipped(.needs(let task)), .skipped(.stopped(let task)): return task.index < count
      default: return true
      }
    case .runEnding(.failure(let task)), .runHeld(let task): return task.index < count
    case .forecast(let forecast): return forecast.late.map { $0.task.index < count } ?? true
    default: return true
    }
  }
}
