package import HeadwayRun

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

  /// The forecast of a run that goes on, nil if there is none: services alone have neither a percentage nor a remaining time.
  package var currentForecast: RunForecast? {
    isOver || header.tasks.map(\.isService).hasOnlyServicesLeft(in: state) ? nil : forecast
  }
}

extension [Bool] {
  /// Whether all tasks have ended but services, of which some have not.
  ///
  /// The elements say whether each task is a service; there may be none if no task is.
  ///
  /// - Complexity: O(tasks) if there are services, otherwise O(elements).
  func hasOnlyServicesLeft(in state: RunState) -> Bool {
    guard contains(true) else { return false }
    var isAnyLeft = false
    for index in state.tasks.indices where state.outcome(of: TaskID(index)) == nil {
      guard indices.contains(index), self[index] else { return false }
      isAnyLeft = true
    }
    return isAnyLeft
  }
}
