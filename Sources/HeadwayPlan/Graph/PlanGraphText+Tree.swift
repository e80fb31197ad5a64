extension PlanGraphText {
  /// Gives the plan as a tree with each task under one that it waits for.
  ///
  /// Tasks that wait for nothing stand at the left. A task that waits for several stands under the first of them;
  /// the others point to it with an arrow:
  ///
  ///     fetch
  ///     └─ unpack
  ///        ├─ test
  ///        │  └─ sweep (always)
  ///        └─ lint (optional)
  ///           └─ → sweep
  ///
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* waits, in at most two lines for a task.
  package func tree() -> String {
    var drawing = TreeDrawing(self)
    return drawing.draw()
  }
}

/// A tree while it is drawn.
private struct TreeDrawing {
  /// The depth at which a branch goes on at the left, so that a long chain stays readable and its size linear.
  private static let depth = 24
  /// The pictures' plan.
  private let graph: PlanGraphText
  /// The tasks that wait for each task, ascending.
  private let dependents: [[Int]]
  /// Whether each task has its line.
  private var isShown: [Bool]
  /// The lines so far.
  private var text = ""
  /// Tasks whose branch goes on at the left.
  private var postponed: [Int] = []
  /// The tasks that are being drawn, innermost last.
  private var path: [Branch] = []
  /// What stands before the lines below the innermost task.
  private var indent: [String] = []

  /// A task being drawn.
  private struct Branch {
    /// The tasks below it that have no line yet when their turn comes, or else get an arrow.
    var children: [Int]
    /// The place of the next child.
    var next = 0
    /// The children that have a line already.
    var arrows: [Int] = []
  }

  /// Prepares a drawing.
  init(_ graph: PlanGraphText) {
    self.graph = graph
    var dependents = [[Int]](repeating: [], count: graph.plan.tasks.count)
    for (place, task) in graph.plan.tasks.enumerated() {
      for need in task.after { dependents[need].append(place) }
    }
    self.dependents = dependents
    isShown = Array(repeating: false, count: graph.plan.tasks.count)
  }

  /// Draws all tasks.
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
    if text.last == "\n" { text.removeLast() }
    return text
  }

  /// Draws what waits for a task that has its line.
  private mutating func drawBranch(_ root: Int) {
    path = [Branch(children: dependents[root])]
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

  /// Tells whether a branch has no more lines after the one about to be drawn.
  private func isLast(in branch: Branch) -> Bool {
    // A child after this one either gets a line of its own or an arrow below; both come later.
    branch.arrows.isEmpty && branch.next == branch.children.count
  }

  /// Draws the line of a task and begins with what waits for it.
  private mutating func drawChild(_ child: Int, isLast: Bool) {
    isShown[child] = true
    text += indent.joined() + (isLast ? "└─ " : "├─ ") + label(child)
    if path.count >= Self.depth, !dependents[child].isEmpty {
      text += " …\n"
      postponed.append(child)
    } else {
      text += "\n"
      indent.append(isLast ? "   " : "│  ")
      path.append(Branch(children: dependents[child]))
    }
  }

  /// Draws the line that points to the tasks that stand elsewhere.
  private mutating func drawArrows(of branch: Branch) {
    guard !branch.arrows.isEmpty else { return }
    let names = branch.arrows.prefix(PlanLimits.listedNames).map { graph.plan.tasks[$0].name }
    let rest = branch.arrows.count - names.count
    let more = rest > 0 ? " and \(grouped(rest)) more" : ""
    text += indent.joined() + "└─ → " + names.joined(separator: ", ") + more + "\n"
  }

  /// Gives the name of a task with its marks.
  private func label(_ place: Int) -> String {
    let marks = graph.marks(of: graph.plan.tasks[place])
    let name = graph.plan.tasks[place].name
    return marks.isEmpty ? name : "\(name) (\(marks.joined(separator: ", ")))"
  }
}
