internal import HeadwayLaunch
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
  ///
  /// - Complexity: O(1); O(tasks + edges) for a run with services.
  package var currentForecast: RunForecast? { isOver || hasOnlyServicesLeft ? nil : forecast }

  /// Whether services are left, and nothing for which they stay.
  private var hasOnlyServicesLeft: Bool {
    guard header.tasks.contains(where: \.isService) else { return false }
    var services = RunServices(header.launchGraph)
    for index in state.tasks.indices where state.outcome(of: TaskID(index)) != nil {
      services.end(TaskID(index))
    }
    return services.areLeftAlone
  }
}
