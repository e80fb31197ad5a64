internal import HeadwayLaunch
internal import HeadwayRun

/// The exit codes of the program, see `docs/exit-codes.md`.
///
/// A run that was ended by a signal exits by that signal, which a shell shows as 128 and its number.
enum ExitCode: Int32 {
  /// Every required task succeeded or was up to date.
  case success = 0
  /// A required task failed, or somebody cancelled it.
  case failure = 1
  /// The plan or the arguments contain an error.
  case usage = 2
  /// Something that the run needs is not available, such as a folder for its logs.
  case unavailable = 69
  /// The end of a required task is unknown, and none failed or timed out: `EX_TEMPFAIL`.
  case lost = 75
  /// A required task timed out, and none failed.
  case timedOut = 124

  /// The code of a run that was not ended by a signal.
  init(_ state: RunState, _ graph: LaunchGraph) {
    self.init(state) { graph.settings(of: TaskID($0)).isOptional }
  }

  /// The code of a run whose optional tasks are known by index.
  init(_ state: RunState, isOptional: (Int) -> Bool) {
    switch state.worstOutcome(isOptional: isOptional) {
    case .failed: self = .failure
    case .timedOut: self = .timedOut
    case .lost: self = .lost
    case .cancelled: self = .failure
    case .succeeded, .upToDate, .doneEarlier, .skipped: self = .success
    }
  }
}
