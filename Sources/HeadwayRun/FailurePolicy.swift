/// The reaction of a run to the failure of a task that is not optional.
///
/// ```swift
/// let options = LauncherOptions(workers: 1, policy: .keepGoing)
/// let result = try await Launcher(graph, options: options).run()
/// ```
///
/// The raw values, which are also encoded, stay the same in all versions.
public enum FailurePolicy: String, Hashable, Sendable, CaseIterable, Codable {
  /// No further tasks start; running ones may finish.
  case stop
  /// All tasks that do not depend on the failed one go on.
  case keepGoing = "keep_going"
  /// No further tasks start, and running ones are ended.
  case failFast = "fail_fast"
  /// No further tasks start until the run is continued or ended.
  case hold
}
