/// A plan: what a plan file says, checked, with matrix tasks expanded and names resolved.
///
/// Tasks stand in the order of the file. A plan that exists is right: every name in `after` is a task, every
/// pool exists, and no task waits for itself, directly or through others.
package struct Plan: Sendable {
  /// The name of the plan, the file's name without its ending where the file does not say.
  package var name: String
  /// The number of tasks that may run at once, nil where the file does not say.
  package var workers: Int?
  /// The pools, in the order of the file.
  package var pools: [Pool]
  /// The tasks, in the order of the file, each matrix task as one task for each combination.
  package var tasks: [Task]

  /// A limit on how many tasks of a kind run at once.
  package struct Pool: Hashable, Sendable {
    /// The name that tasks use.
    package var name: String
    /// How many of its tasks may run at once, at least 1.
    package var limit: Int

    /// Creates a pool.
    package init(name: String, limit: Int) {
      self.name = name
      self.limit = limit
    }
  }

  /// What a task runs.
  package enum Command: Hashable, Sendable {
    /// A text for the shell.
    case shell(String)
    /// A program and its arguments, run without a shell; never empty.
    case program([String])
  }

  /// A variable of a task's environment.
  package struct Variable: Hashable, Sendable {
    /// The name, never empty and without `=`.
    package var name: String
    /// The value.
    package var value: String

    /// Creates a variable.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// One task, after the expansion of its matrix.
  package struct Task: Sendable {
    /// The name, unique in the plan: `test`, or `test[debug,x86]` for one combination of a matrix.
    package var name: String
    /// The name as the file has it: `test` for `test[debug,x86]`.
    package var base: String
    /// What it runs, nil for a task that only gathers others.
    package var command: Command?
    /// Variables added to the environment, in the order of the file.
    package var environment: [Variable] = []
    /// The folder it runs in, as the file has it, nil for the plan's own folder.
    package var directory: String?
    /// The places of the tasks that it waits for, ascending, each once.
    package var after: [Int] = []
    /// The time that an attempt may take, nil for no limit.
    package var timeout: Duration?
    /// The time between asking it to end and ending it by force.
    package var grace: Duration = .seconds(5)
    /// The number of attempts after the first.
    package var retryLimit: Int = 0
    /// The pause before the second attempt.
    package var backoff: Duration = .seconds(1)
    /// The place of its pool, nil for none.
    package var pool: Int?
    /// Patterns of the files whose contents decide whether it is up to date.
    package var inputs: [String] = []
    /// Patterns of the files that it makes.
    package var outputs: [String] = []
    /// What sort of task it is, as the file has it; nil where it does not say.
    package var kind: String?
    /// How long it is expected to take where no earlier run tells, nil where the file does not say.
    package var expect: Duration?
    /// Whether the run may succeed although it failed.
    package var isOptional: Bool = false
    /// Whether it runs however the tasks before it ended.
    package var isAlways: Bool = false
    /// Whether processes that it leaves behind live on.
    package var isDetached: Bool = false
    /// The line of the file that names it, from 1.
    package var line: Int = 0

    /// Creates a task that runs nothing and waits for nothing.
    package init(name: String, base: String) {
      self.name = name
      self.base = base
    }
  }

  /// Creates a plan.
  package init(name: String, workers: Int?, pools: [Pool], tasks: [Task]) {
    self.name = name
    self.workers = workers
    self.pools = pools
    self.tasks = tasks
  }
}
