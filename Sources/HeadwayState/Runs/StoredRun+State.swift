internal import HeadwayRun

extension StoredRun {
  /// What the run does, or how it has ended, in the words of people: `running`, `paused`, `held`, `ending`, `succeeded`, `killed`.
  package var stateText: String {
    guard !isOver else { return record.outcomeText(isRunning: isRunning) }
    if state.isPaused { return "paused" }
    if state.heldBy != nil { return "held" }
    return state.ending == nil ? record.outcomeText(isRunning: true) : "ending"
  }

  /// Whether the run has ended, or its process is gone.
  package var isOver: Bool { hasEnded || isRunning != true }

  /// How long the run has taken, without pauses; until its last event if it has died.
  ///
  /// - Parameters:
  ///   - written: When its journal was last written, see `RunFolder.lastWritten`; nil if that is unknown.
  ///   - now: The time now, in milliseconds since 1970.
  /// - Returns: The time.
  package func elapsed(lastWritten written: Int64?, now: Int64) -> Duration {
    if let total = state.total { return total }
    guard isRunning == true, !state.isPaused else { return last }
    return last + .milliseconds(max(now - (written ?? now), 0))
  }
}
