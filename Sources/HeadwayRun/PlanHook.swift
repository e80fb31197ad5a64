/// A command of a plan itself, which runs after all its tasks as a task of its own.
package enum PlanHook: String, Hashable, Sendable, CaseIterable {
  /// Runs if a required task failed or timed out.
  case onFailure = "on_failure"
  /// Runs at the end of every run.
  case onEnd = "on_end"
}
