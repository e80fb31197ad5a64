/// A task as the file has it, before its matrix makes tasks of it.
struct TaskDraft {
  /// The task with what all its variants share.
  var task: Plan.Task
  /// The keys of the matrix with their values, in the order of the file.
  var axes: [Axis] = []
  /// Whether the matrix holds a mistake, so that the variants are not known.
  var isMatrixBroken = false
  /// What it waits for, nil where the file has no `after`.
  var after: [PlanReader.Need]?
  /// How often it is tried again.
  var retries: TaskDefaults.Retries
  /// The place of its name in the tree.
  let node: Int

  /// A key of a matrix.
  struct Axis {
    /// The key.
    var key: String
    /// Its values.
    var values: [String]
  }

  /// Creates a draft that has what the plan gives every task.
  init(name: String, node: Int, line: Int, defaults: TaskDefaults) {
    task = Plan.Task(name: name, base: name)
    task.line = line
    task.timeout = defaults.timeout
    task.grace = defaults.grace
    task.environment = defaults.environment
    retries = defaults.retries
    self.node = node
  }

  /// The number of combinations; at most one more than the limit, so that it cannot overflow.
  var combinations: Int {
    axes.reduce(1) {
      min($0 * min($1.values.count, PlanLimits.combinations + 1), PlanLimits.combinations + 1)
    }
  }

  /// Gives the values of a combination; the first key changes slowest.
  func values(of combination: Int) -> [String] {
    var rest = combination
    var values = [String](repeating: "", count: axes.count)
    for place in axes.indices.reversed() {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: axes[place].values.count)
      values[place] = axes[place].values[remainder]
      rest = quotient
    }
    return values
  }
}

/// The texts of a draft that hold braces, so that variants share all the others.
struct ChangingTexts {
  /// Whether the command may change.
  var command = false
  /// Whether a variable may change.
  var environment = false
  /// Whether the folder may change.
  var directory = false
  /// Whether a pattern of an input may change.
  var inputs = false
  /// Whether a pattern of an output may change.
  var outputs = false
  /// Whether a name in `after` may change.
  var after = false

  /// Looks at the texts of a draft.
  init(_ draft: TaskDraft) {
    let task = draft.task
    switch task.command {
    case .shell(let text): command = Template.mayChange(text)
    case .program(let words): command = words.contains(where: Template.mayChange)
    case nil: break
    }
    environment = task.environment.contains { Template.mayChange($0.value) }
    directory = task.directory.map(Template.mayChange) ?? false
    inputs = task.inputs.contains(where: Template.mayChange)
    outputs = task.outputs.contains(where: Template.mayChange)
    after = draft.after?.contains { Template.mayChange($0.name) } ?? false
  }

  /// Whether any text may change.
  var any: Bool { command || environment || directory || inputs || outputs || after }

  /// Fills the texts of a task and gives the bytes that this made.
  func fill(_ task: inout Plan.Task, with template: Template) -> Int {
    var bytes = 0
    /// Fills one text and counts its bytes, and the room that any text takes.
    func filled(_ text: String) -> String {
      let result = template.filled(text)
      bytes += result.utf8.count + 16
      return result
    }
    if command {
      switch task.command {
      case .shell(let text): task.command = .shell(filled(text))
      case .program(let words): task.command = .program(words.map(filled))
      case nil: break
      }
    }
    if environment {
      task.environment = task.environment.map {
        Plan.Variable(name: $0.name, value: filled($0.value))
      }
    }
    if directory { task.directory = task.directory.map(filled) }
    if inputs { task.inputs = task.inputs.map(filled) }
    if outputs { task.outputs = task.outputs.map(filled) }
    return bytes
  }
}
