package import HeadwayRun

/// A validated plan, with matrix tasks expanded and names resolved.
///
/// Tasks are in the order of the file. Every plan is valid: every dependency is a task, every pool exists, and
/// there are no dependency cycles.
package struct Plan: Sendable {
  /// The name of the plan.
  package var name: String
  /// What it is for, in words of its author; nil if the file does not say.
  package var description: String?
  /// The number of tasks that may run at once, or `nil` if the file does not set it.
  package var workers: Int?
  /// What a run shows of the output of tasks, or `nil` if the file does not say.
  package var output: OutputMode?
  /// Whether a run of it goes on alone: not at the same time as another run of this plan in the same state folder.
  package var isExclusive = false
  /// The machines that carry out its tasks, unless the command line names others.
  package var machines = Machines()
  /// Which runs its state folder keeps.
  package var keep = Keep()
  /// The pools, in the order of the file.
  package var pools: [TaskPool]
  /// The tasks, in the order of the file, with one task for each combination of a matrix.
  package var tasks: [Task]
  /// The variables of its dotenv files, for all tasks; those that the environment of the run has win over them.
  package var dotenv: [Variable] = []
  /// The variables that the plan and the files that it includes define, each once.
  package var definitions: [Definition] = []
  /// The arguments of the command line.
  package var arguments: [String] = []
  /// The names of the variables whose values must never be shown, each once.
  package var secrets: [String] = []

  /// Which runs a state folder keeps.
  package struct Keep: Hashable, Sendable {
    /// The number of runs, at least 1, or `nil` if it is not set.
    package var runs: Int?
    /// The number of bytes of all runs, `Int.max` for no limit, or `nil` if it is not set.
    package var bytes: Int?

    /// Creates limits that are not set.
    package init() {}
  }

  /// What a task runs.
  package enum Command: Hashable, Sendable {
    /// A command line for the shell.
    case shell(String)
    /// A program and its arguments, run without a shell; never empty.
    case program([String])

    /// The texts of which it consists.
    package var texts: [String] {
      switch self {
      case .shell(let text): [text]
      case .program(let words): words
      }
    }
  }

  /// An environment variable of a task.
  package struct Variable: Hashable, Sendable {
    /// The name, never empty and without `=`.
    package var name: String
    /// The value.
    package var value: String
  }

  /// How the programs of a task report their progress, besides `headway tell` and HeadwayRelay, which always work.
  package enum ProgressProtocol: String, Hashable, Sendable, CaseIterable {
    /// As programs written in Zig do: packets through a pipe.
    case zig
  }

  /// One task, after its matrix is expanded.
  package struct Task: Sendable {
    /// The name, unique in the plan: `test`, or `test[debug,x86]` for one combination of a matrix.
    package var name: String
    /// The name as written in the file: `test` for `test[debug,x86]`.
    package var base: String
    /// What it runs, or `nil` for a task that only groups others.
    package var command: Command?
    /// Variables added to the environment, in the order of the file.
    package var environment: [Variable] = []
    /// The indices of the tasks that it depends on, ascending and without duplicates.
    package var after: [Int] = []
    /// The time limit of one attempt, or `nil` for no limit.
    package var timeout: Duration?
    /// The time between asking the task to end and killing it.
    package var grace: Duration = TaskDefaults.grace
    /// The number of attempts after the first.
    package var retryLimit: Int = 0
    /// The index of its pool, or `nil` for none.
    package var pool: Int?
    /// Patterns of the files whose contents decide whether it is up to date.
    package var inputs: [String] = []
    /// Patterns of the files that it creates.
    package var outputs: [String] = []
    /// The kind of task, for forecasts, or `nil` if the file does not set it.
    package var kind: String?
    /// Whether the run may succeed even if the task fails.
    package var isOptional: Bool = false
    /// Whether it runs regardless of how its dependencies ended.
    package var isAlways: Bool = false
    /// Whether it is never run again by itself once it was started and its outcome is unknown.
    package var isOnce: Bool = false
    /// Whether it is `on_failure` or `on_end` of the plan, or `nil` for one of its tasks.
    package var hook: PlanHook?
    /// Whether processes that it leaves behind keep running.
    package var isDetached: Bool = false
    /// Whether it uses the arguments of the command line; not found out if there are none.
    package var usesArguments: Bool = false
    /// The line of its name in the file, from 1.
    package var line: Int = 0

    /// The settings that few tasks have, apart so that the others need no memory for them.
    private struct Uncommon: Sendable {
      var description: String?
      var shell: [String]?
      var directory: String?
      var logLimit: Int?
      var backoff: Duration = TaskDefaults.backoff
      var backoffFactor: Double = TaskDefaults.backoffFactor
      var environmentInputs: [String] = []
      var expect: Duration?
      var progress: ProgressProtocol?
      var condition: Condition?
      var service: Service?
      var needed: String?
      var file: String?
      var needs: Resources?
    }

    /// The uncommon settings, empty if there are none; at most one element.
    private var uncommon: [Uncommon] = []

    /// Creates a task that runs nothing and has no dependencies.
    package init(name: String, base: String) {
      self.name = name
      self.base = base
    }

    // MARK: Uncommon settings

    /// What it is for, in words of the plan's author; nil if the file does not say.
    package var description: String? {
      get { uncommon.isEmpty ? nil : uncommon[0].description }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].description = newValue
      }
    }

    /// The shell of its command with the options before the text, or `nil` for `sh`.
    package var shell: [String]? {
      get { uncommon.isEmpty ? nil : uncommon[0].shell }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].shell = newValue
      }
    }

    /// The working directory as written in the file, or `nil` for the plan's own folder.
    package var directory: String? {
      get { uncommon.isEmpty ? nil : uncommon[0].directory }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].directory = newValue
      }
    }

    /// The bytes of output that its log keeps, or `nil` for no limit.
    package var logLimit: Int? {
      get { uncommon.isEmpty ? nil : uncommon[0].logLimit }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].logLimit = newValue
      }
    }

    /// The pause before the second attempt.
    package var backoff: Duration {
      get { uncommon.isEmpty ? TaskDefaults.backoff : uncommon[0].backoff }
      set {
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].backoff = newValue
      }
    }

    /// By how much each further pause is longer, at least 1.
    package var backoffFactor: Double {
      get { uncommon.isEmpty ? TaskDefaults.backoffFactor : uncommon[0].backoffFactor }
      set {
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].backoffFactor = newValue
      }
    }

    /// Names and patterns of the environment variables that decide, too, whether it is up to date.
    package var environmentInputs: [String] {
      get { uncommon.isEmpty ? [] : uncommon[0].environmentInputs }
      set {
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].environmentInputs = newValue
      }
    }

    /// The expected duration while there is no history, or `nil` if the file does not set it.
    package var expect: Duration? {
      get { uncommon.isEmpty ? nil : uncommon[0].expect }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].expect = newValue
      }
    }

    /// The further protocol in which its programs report their progress, or `nil` for none.
    package var progress: ProgressProtocol? {
      get { uncommon.isEmpty ? nil : uncommon[0].progress }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].progress = newValue
      }
    }

    /// What decides whether it runs, or `nil` if it always does.
    package var condition: Condition? {
      get { uncommon.isEmpty ? nil : uncommon[0].condition }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].condition = newValue
      }
    }

    /// What makes it a service, or `nil` for a task that ends by itself.
    package var service: Service? {
      get { uncommon.isEmpty ? nil : uncommon[0].service }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].service = newValue
      }
    }

    /// A variable that it names and that has no value, or `nil` if there is none.
    package var needed: String? {
      get { uncommon.isEmpty ? nil : uncommon[0].needed }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].needed = newValue
      }
    }

    /// What it needs of the machine that runs it, or `nil` if the file does not say.
    package var needs: Resources? {
      get { uncommon.isEmpty ? nil : uncommon[0].needs }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].needs = newValue
      }
    }

    /// The included file in which it is defined, relative to the plan's folder; `nil` for the plan itself.
    package var file: String? {
      get { uncommon.isEmpty ? nil : uncommon[0].file }
      set {
        if newValue == nil, uncommon.isEmpty { return }
        if uncommon.isEmpty { uncommon = [Uncommon()] }
        uncommon[0].file = newValue
      }
    }
  }

  /// Creates a plan.
  package init(name: String, workers: Int?, pools: [TaskPool], tasks: [Task]) {
    self.name = name
    self.workers = workers
    self.pools = pools
    self.tasks = tasks
  }

  /// Whether tasks need something of the machine that runs them.
  package var hasNeeds: Bool { tasks.contains { $0.needs != nil && $0.command != nil } }

  /// The most that one of the tasks needs of each resource.
  package var largestNeeds: Resources {
    tasks.reduce(Resources()) { $0.union($1.needs ?? Resources()) }
  }
}
