/// A task as written in the file, before its matrix is expanded.
struct TaskDraft: ~Copyable {
  /// The task with what all its variants share.
  var task: Plan.Task
  /// The keys of the matrix with their values, in the order of the file.
  var axes: [Axis] = []
  /// Whether the matrix has an error, so that the variants are unknown.
  var isMatrixBroken = false
  /// What it depends on, or `nil` if it has no `after`.
  var after: [PlanReader.Dependency]?
  /// The node of its name.
  let node: Int
  /// The node of its command.
  var commandNode: Int
  /// The node of its condition.
  var conditionNode: Int
  /// The node of its service.
  var serviceNode: Int
  /// Its texts for the shell that have braces.
  var texts: [ShellText] = []

  /// A text for the shell.
  struct ShellText {
    /// The key of the plan whose value it is.
    var key: String
    var node: Int
    var text: String
  }

  /// A key of a matrix.
  struct Axis {
    var key: String
    var values: [String]
    /// What stands for each value in the names of tasks.
    var labels: [String]
  }

  /// Creates a draft that inherits the plan's defaults.
  init(name: String, node: Int, line: Int, defaults: Plan.Task) {
    task = defaults
    task.name = name
    task.base = name
    task.line = line
    (self.node, commandNode, conditionNode, serviceNode) = (node, node, node, node)
  }

  /// The number of combinations; capped just above the limit, so that it cannot overflow.
  var combinations: Int {
    axes.reduce(1) {
      min($0 * min($1.values.count, PlanLimits.combinations + 1), PlanLimits.combinations + 1)
    }
  }

  /// Returns the index of each key's value in a combination; the first key varies slowest.
  func choices(of combination: Int) -> [Int] {
    var rest = combination
    var choices = [Int](repeating: 0, count: axes.count)
    for index in axes.indices.reversed() {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: axes[index].values.count)
      choices[index] = remainder
      rest = quotient
    }
    return choices
  }
}
