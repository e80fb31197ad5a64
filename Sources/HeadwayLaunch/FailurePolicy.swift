/// What happens to the rest of a run when a task fails that the run needs.
public enum FailurePolicy: Hashable, Sendable, Codable {
  /// Nothing more is started; what runs may end by itself.
  case stop
  /// All goes on that does not need the failed task.
  case keepGoing
  /// Nothing more is started, and what runs is ended.
  case failFast
  /// Nothing more is started until somebody decides whether the run goes on or ends.
  case hold
}
