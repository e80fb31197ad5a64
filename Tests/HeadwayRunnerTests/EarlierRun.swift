import HeadwayPlan
import HeadwayRun

@testable import HeadwayRunner
@testable import HeadwayState

/// The journal of a run in memory.
enum EarlierRun {
  /// The lines of a journal.
  static func journal(_ events: [RunEvent], names: [String]) -> [UInt8] {
    var line = JSONLine(names: names)
    for event in events { line.appendToJournal(event) }
    return line.bytes
  }

  /// A run that died, from a journal that may be cut.
  static func read(_ header: RunHeader, _ journal: some Collection<UInt8>) throws -> StoredRun {
    var reader = JournalReader(header)
    _ = try reader.append(Array(journal))
    return StoredRun(header, reader, isRunning: false)
  }

  /// A run of tasks that died.
  ///
  /// - Parameters:
  ///   - tasks: The tasks.
  ///   - outcomes: The outcomes of those that have ended, by name.
  ///   - active: The names of those that were under way.
  ///   - name: The name of the run.
  ///   - done: The names of those that a person counted as done.
  ///   - again: The names of those that a person wanted to run again.
  /// - Returns: The run.
  /// - Throws: An error if the tasks or their events cannot be read.
  static func make(
    _ tasks: [Plan.Task], _ outcomes: [String: Outcome] = [:], active: Set<String> = [],
    name: String = "20260101-000000-1", done: [String] = [],
    again: [String] = []
  ) throws -> StoredRun {
    var header = try LoopRun(tasks).header
    (header.run, header.done, header.again) = (name, done, again)
    var kinds: [RunEvent.Kind] = [.runStarted(tasks: tasks.count, workers: 1)]
    for (index, task) in tasks.enumerated() {
      let id = TaskID(index, name: task.name)
      let outcome = outcomes[task.name]
      var attempts = 1
      if case .skipped = outcome { attempts = 0 }
      if outcome == .cancelled, !active.contains(task.name) { attempts = 0 }
      if attempts > 0, outcome != nil || active.contains(task.name) {
        kinds.append(.taskStarted(id, attempt: 1))
      }
      if let outcome {
        kinds.append(.taskEnded(id, outcome, attempts: attempts, ran: .zero))
      }
    }
    let events = kinds.map { RunEvent(time: .zero, kind: $0) }
    return try read(header, journal(events, names: tasks.map(\.name)))
  }
}
