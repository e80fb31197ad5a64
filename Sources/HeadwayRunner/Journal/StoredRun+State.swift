internal import Glibc
package import HeadwayRun

extension StoredRun {
  /// What the run does, or how it has ended, in the words of people: `running`, `paused`, `held`, `ending`, `succeeded`, `killed`.
  package var stateText: String {
    guard !hasEnded, isRunning == true else { return record.outcomeText(isRunning: isRunning) }
    if state.isPaused { return "paused" }
    if state.heldBy != nil { return "held" }
    return state.ending == nil ? record.outcomeText(isRunning: true) : "ending"
  }

  /// How long the run has taken, without pauses; until its last event if it has died.
  ///
  /// - Parameter sinceLastWrite: The time since its journal was written last, see `RunFolder.sinceLastWrite`.
  /// - Returns: The time.
  package func elapsed(_ sinceLastWrite: Duration) -> Duration {
    if let total = state.total { return total }
    return isRunning == true && !state.isPaused ? last + sinceLastWrite : last
  }

  /// The forecast of a run that goes on, nil if there is none.
  package var currentForecast: RunForecast? { !hasEnded && isRunning == true ? forecast : nil }
}

extension RunFolder {
  /// The time since the journal was written last, zero if it has none.
  package var sinceLastWrite: Duration {
    let file = openJournal()
    guard file >= 0 else { return .zero }
    defer { close(file) }
    var status = stat()
    var now = timespec()
    guard unsafe fstat(file, &status) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else {
      return .zero
    }
    let written = status.st_mtim
    return max(
      .seconds(now.tv_sec - written.tv_sec) + .nanoseconds(now.tv_nsec - written.tv_nsec), .zero)
  }
}
