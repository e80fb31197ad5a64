internal import HeadwayRun

/// Renders the dependency graph of a plan as text: a tree for the terminal, Graphviz dot or Mermaid.
///
/// Each task is shown once, before the tasks that depend on it. The size of dot and Mermaid is linear in the
/// tasks and dependencies of the plan, that of the tree in the tasks alone.
package struct PlanGraphText {
  let plan: Plan

  /// Creates a renderer for a plan.
  package init(_ plan: Plan) { self.plan = plan }

  /// Returns the labels of a task: optional, always, detached and its pool.
  func marks(of task: Plan.Task) -> [String] {
    var marks: [String] = []
    if task.isOptional { marks.append("optional") }
    if let hook = task.hook { return [hook == .onFailure ? "if a task fails" : "always"] }
    if task.isAlways { marks.append("always") }
    if task.isDetached { marks.append("detached") }
    if let pool = task.pool { marks.append("pool \(plan.pools[pool].name)") }
    return marks
  }
}
