/// What a run shows of the output of its tasks, by the names that `--output` takes.
package enum OutputMode: String, Hashable, Sendable, CaseIterable {
  /// What failed tasks printed.
  case failed
  /// The output of each task, whole when it ends.
  case group
  /// Each line at once, with the name of its task.
  case stream
}
