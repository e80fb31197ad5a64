/// What a person or another program asks of a run that goes on.
///
/// Keys in a view of the run, commands such as `headway pause` and programs that watch the run ask in these words; the run
/// answers whether it has done it.
package enum RunRequest: Hashable, Sendable {
  /// The tasks are stopped, and none starts, until ``unpause``.
  case pause
  /// The tasks go on.
  case unpause
  /// The run ends early: its tasks are ended, and those that always run still do.
  case cancel
  /// The task of a name is ended, or not started.
  ///
  /// The name of a task with a matrix stands for all its variants, here and below.
  case cancelTask(String)
  /// The task of a name that has failed in a run that is held, or waits for its next attempt, runs again; nil for all tasks on
  /// which someone has to decide.
  case retry(String?)
  /// The run goes on without the task of a name that has failed in a run that is held; nil for all on which someone has to
  /// decide.
  case skip(String?)
}
