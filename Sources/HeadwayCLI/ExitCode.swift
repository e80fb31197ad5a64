internal import HeadwayLaunch
internal import HeadwayRun

/// The codes that the program ends with; `docs/exit-codes.md` is the table for people.
///
/// A run that a signal ended ends by that signal, which a shell shows as 128 and its number.
enum ExitCode: Int32 {
  /// Every task that the run needs succeeded or was up to date.
  case success = 0
  /// A task that the run needs failed.
  case failure = 1
  /// There is a mistake in the plan or the arguments.
  case mistake = 2
  /// Something that the run needs cannot be had, such as a folder for its logs.
  case unavailable = 69
  /// A task that the run needs ran out of time, and none failed.
  case timedOut = 124

  /// The code of a run that no signal ended.
  init(_ state: RunState, _ graph: LaunchGraph) {
    switch state.worstOutcome(isOptional: { graph.settings(of: TaskID($0)).isOptional }) {
    case .failed: self = .failure
    case .timedOut: self = .timedOut
    case .succeeded, .upToDate, .cancelled, .skipped: self = .success
    }
  }
}
