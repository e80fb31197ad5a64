/// The reaction of a run to the failure of a task that is not optional.
public enum FailurePolicy: Hashable, Sendable, Codable {
  /// No further tasks start; running ones may finish.
  case stop
  /// All tasks that do not depend on the failed one go on.
  case keepGoing
  /// No further tasks start, and running ones are ended.
  case failFast
  /// No further tasks start until the run is continued or ended.
  case hold
}
