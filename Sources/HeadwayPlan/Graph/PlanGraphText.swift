/// Pictures of a plan as text: a tree for a terminal, Graphviz dot and mermaid.
///
/// All three show each task once with its marks, and go from what must run first to what waits for it. Their
/// size is linear in the tasks and waits of the plan; the tree's is linear in the tasks alone.
package struct PlanGraphText {
  /// The plan.
  let plan: Plan

  /// Creates the pictures of a plan.
  package init(_ plan: Plan) { self.plan = plan }

  /// Gives what sets a task apart: optional, always, detached and its pool.
  func marks(of task: Plan.Task) -> [String] {
    var marks: [String] = []
    if task.isOptional { marks.append("optional") }
    if task.isAlways { marks.append("always") }
    if task.isDetached { marks.append("detached") }
    if let pool = task.pool { marks.append("pool \(plan.pools[pool].name)") }
    return marks
  }
}
