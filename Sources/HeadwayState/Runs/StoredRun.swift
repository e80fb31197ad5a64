package import HeadwayRun

/// A run as its folder tells: what was asked, and what happened.
package struct StoredRun: Sendable {
  /// What was asked, and the plan as it was read.
  package let header: RunHeader
  /// The state of the run; if it is over, the tasks whose ends are unknown are lost.
  package let state: RunState
  /// The latest forecast, nil if there was none.
  package let forecast: RunForecast?
  /// The time of the last event.
  package let last: Duration
  /// The record of the run, as the history has it.
  package let record: RunRecord
  /// Whether the run goes on; nil if that cannot be known, as for a run of another machine.
  package let isRunning: Bool?
  /// What is wrong with the journal, for people, a line each.
  package let warnings: [String]
  /// Whether tasks may have been started of which the journal says nothing, because lines of it are damaged, or it is gone.
  package let isIncomplete: Bool

  /// Creates a run from what was read.
  ///
  /// - Parameters:
  ///   - header: The header.
  ///   - reader: The reader, which has read the journal.
  ///   - isRunning: Whether its process was alive before the journal was read.
  ///   - isMissing: Whether there was no journal to read.
  package init(
    _ header: RunHeader, _ reader: JournalReader, isRunning: Bool?, isMissing: Bool = false
  ) {
    var reader = reader
    let hasEnded = reader.state.total != nil
    // After its end, only the line of the end of a task can be missing.
    if hasEnded || isRunning == false { reader.loseActiveTasks() }
    self.header = header
    self.isRunning = hasEnded ? false : isRunning
    state = reader.state
    forecast = reader.forecast
    last = reader.last
    var record = header.record
    record.records = reader.recorder?.records ?? []
    record.forecasts = reader.recorder?.forecasts ?? []
    record.total = state.total
    if hasEnded { record.outcome = state.outcome { header.tasks[$0].isOptional } }
    self.record = record
    let count = reader.damaged
    // That of a run which goes on is about to be there.
    let isGone = isMissing && isRunning == false
    isIncomplete = isGone || count > 0
    var warnings: [String] = []
    if isGone {
      warnings.append(
        "the journal of run '\(header.run)' is missing or cannot be read, so nobody knows what its tasks did"
      )
    }
    if count > 0 {
      warnings.append(
        "\(count) damaged \(count == 1 ? "line" : "lines") of the journal of run '\(header.run)' \(count == 1 ? "was" : "were") left out"
      )
    }
    self.warnings = warnings
  }

  /// Whether the run has ended in order, with an outcome for every task.
  package var hasEnded: Bool { state.total != nil }
}
