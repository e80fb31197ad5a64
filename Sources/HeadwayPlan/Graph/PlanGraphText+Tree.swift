internal import HeadwayRun
internal import HeadwayText

extension PlanGraphText {
  /// Returns the plan as a tree with each task under one of its dependencies.
  ///
  /// Tasks without dependencies are at the left. A task with several is under the first of them; the others
  /// refer to it with an arrow:
  ///
  ///     fetch
  ///     └─ unpack
  ///        ├─ test
  ///        │  └─ sweep (always)
  ///        └─ lint (optional)
  ///           └─ → sweep
  ///
  /// A task that waits for all others, as an `always` task without `after` does, is at the end, so that no branch has to
  /// refer to it:
  ///
  ///     report (always), after all other tasks
  ///
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* dependencies; the tree has at most two lines for each task.
  package func tree() -> String {
    var drawing = TreeDrawing(self)
    return drawing.draw()
  }
}

/// Draws the tree of a plan.
private struct TreeDrawing {
  /// The depth at which a branch continues at the left, so that the size of a long chain stays linear.
  private static let depth = 24
  private let graph: PlanGraphText
  private let dependencies: TaskGraph
  /// Whether each task has been drawn.
  private var isShown: [Bool]
  private var text = ""
  /// The tasks that wait for all that are not such tasks themselves.
  private var isAfterAll: Set<Int> = []
  /// The tasks whose branches continue at the left.
  private var postponed: [Int] = []
  /// The branches being drawn, innermost last.
  private var path: [Branch] = []
  /// The prefixes of the lines below the innermost task.
  private var indent: [String] = []

  /// The branch of a task while it is drawn.
  private struct Branch {
    /// The dependents of the task; those drawn elsewhere before their turn get an arrow.
    var children: [Int]
    /// The position of the next child.
    var next = 0
    /// The children that were drawn elsewhere.
    var arrows: [Int] = []
  }

  init(_ graph: PlanGraphText) {
    self.graph = graph
    dependencies = graph.plan.tasks.graph
    isShown = Array(repeating: false, count: graph.plan.tasks.count)
    let others = graph.plan.tasks.count { !$0.isAlways }
    let hooks = graph.plan.tasks.indices.filter { graph.plan.tasks[$0].hook != nil }
    isAfterAll.formUnion(hooks)
    guard others > 1 else { return }
    for (index, task) in graph.plan.tasks.enumerated() where task.isAlways && task.hook == nil {
      guard task.after.count == others, dependencies.dependentCount(of: index) == hooks.count,
        task.after.allSatisfy({ !graph.plan.tasks[$0].isAlways })
      else { continue }
      isAfterAll.insert(index)
    }
  }

  mutating func draw() -> String {
    for root in graph.plan.tasks.indices where graph.plan.tasks[root].after.isEmpty {
      isShown[root] = true
      text += label(root) + "\n"
      drawBranch(root)
      var next = 0
      while next < postponed.count {
        text += "\n… " + label(postponed[next]) + "\n"
        drawBranch(postponed[next])
        next += 1
      }
      postponed = []
    }
    for task in isAfterAll.sorted() { text += label(task) + ", after all other tasks\n" }
    if text.last == "\n" { text.removeLast() }
    return text
  }

  /// The tasks that depend on a task, ascending.
  private func dependents(of task: Int) -> [Int] {
    (0..<dependencies.dependentCount(of: task)).map { dependencies.dependent($0, of: task) }
      .filter { !isAfterAll.contains($0) }
  }

  /// Draws everything below a task.
  private mutating func drawBranch(_ root: Int) {
    path = [Branch(children: dependents(of: root))]
    indent = []
    while !path.isEmpty {
      let level = path.count - 1
      guard path[level].next < path[level].children.count else {
        drawArrows(of: path[level])
        path.removeLast()
        if !indent.isEmpty { indent.removeLast() }
        continue
      }
      let child = path[level].children[path[level].next]
      path[level].next += 1
      if isShown[child] {
        path[level].arrows.append(child)
      } else {
        drawChild(child, isLast: isLast(in: path[level]))
      }
    }
  }

  /// Returns whether the next child is the last line of a branch.
  private func isLast(in branch: Branch) -> Bool {
    // Each later child has a line of its own or an arrow, both below this line.
    branch.arrows.isEmpty && branch.next == branch.children.count
  }

  /// Draws the line of a task and starts its branch.
  private mutating func drawChild(_ child: Int, isLast: Bool) {
    isShown[child] = true
    text += indent.joined() + (isLast ? "└─ " : "├─ ") + label(child)
    if path.count >= Self.depth, !dependents(of: child).isEmpty {
      text += " …\n"
      postponed.append(child)
    } else {
      text += "\n"
      indent.append(isLast ? "   " : "│  ")
      path.append(Branch(children: dependents(of: child)))
    }
  }

  /// Draws the arrow to the children that were drawn elsewhere.
  private mutating func drawArrows(of branch: Branch) {
    guard !branch.arrows.isEmpty else { return }
    let names = branch.arrows.prefix(PlanLimits.listedNames).map { graph.plan.tasks[$0].name }
    let rest = branch.arrows.count - names.count
    let more = rest > 0 ? " and \(grouped(rest)) more" : ""
    text += indent.joined() + "└─ → " + names.joined(separator: ", ") + more + "\n"
  }

  /// Returns the name of a task with its labels.
  private func label(_ index: Int) -> String {
    let marks = graph.marks(of: graph.plan.tasks[index])
    let name = graph.plan.tasks[index].name
    return marks.isEmpty ? name : "\(name) (\(marks.joined(separator: ", ")))"
  }
}
