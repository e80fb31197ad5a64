package import HeadwayRun
package import HeadwaySystem

/// What a run was asked to do, and the plan as it was read: the contents of `run.json`.
///
/// It is one object on one line, which is written once, before the first event. `docs/journal.md` describes it for
/// readers. Later versions may add fields; a header of a later `version` is refused.
package struct RunHeader: Hashable, Sendable {
  /// A task of the plan.
  package struct Task: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The kind, a name that similar tasks share; may be empty.
    package var kind = ""
    /// A hash of the command, as in the history; 0 for a task without a command.
    package var fingerprint: UInt64 = 0
    /// The command as the user would type it, without secrets; empty for a task without one.
    package var command = ""
    /// A digest of all that decides what the task does: its command, environment, directory and files.
    package var digest = ""
    /// The indices of the tasks that it comes after.
    package var after: [Int] = []
    /// Whether the run may succeed without it.
    package var isOptional = false
    /// Whether it runs whatever happened before.
    package var isAlways = false
    /// Whether it is a service.
    package var isService = false
    /// Whether it is never run again by itself if its outcome is unknown.
    package var isOnce = false
    /// When it runs at the end; nil for a task of the plan.
    package var hook: PlanHook?
    /// The time limit of an attempt, nil for none.
    package var timeout: Duration?
    /// How long it usually took in earlier runs, nil if unknown.
    package var usual: Duration?
    /// The index of its pool, nil for none.
    package var pool: Int?
    /// What it needs of the machine that runs it, nil if the plan does not say.
    package var needs: Resources?

    /// What it is to its run.
    var role: TaskRecord.Role {
      if isService { return .service }
      return hook == .onFailure ? .failureHook : .task
    }

    /// Creates a task.
    package init(name: String) { self.name = name }
  }

  /// The name of the file in the folder of a run.
  package static let fileName = "run.json"
  /// The version that is written; older ones are read as well.
  package static let formatVersion = 1
  /// The maximum number of bytes that are read.
  package static let maxBytes = 1 << 28

  /// The name of the run.
  package var run: String
  /// The name of the plan.
  package var plan: String
  /// The name of the earlier run that it goes on with, nil for none.
  package var resumes: String?
  /// The tasks that count as done because a person has decided so, by name.
  package var done: [String] = []
  /// The tasks that a person wanted to run again, by name.
  package var again: [String] = []
  /// What was asked for.
  package var invocation = Invocation()
  /// The directory of the plan, in which its tasks ran.
  package var folder: String
  /// The machines that carried out the tasks, empty for the one of the run.
  package var machines = Machines()
  /// The arguments for tasks.
  package var arguments: [String] = []
  /// The number of tasks that could run at once.
  package var workers: Int
  /// What happens after a failure.
  package var policy = FailurePolicy.stop
  /// What the plan says about the output of its tasks, nil if nothing.
  package var output: OutputMode?
  /// Whether secrets of a run around it were hidden, which its plan does not name.
  package var hidesOuterSecrets = false
  /// Whether tasks ran that were up to date.
  package var isForced = false
  /// When it began, in milliseconds since 1970.
  package var began: Int64
  /// The place of the run in the order in which runs began: that time, or more if the clock was set back.
  package var order: Int64
  /// The machine.
  package var machine: MachineIdentity
  /// The process that carried it out.
  package var process: ProcessIdentity
  /// The beginning of `HEADWAY_TASK_ID` in the run.
  package var identity: String
  /// The tasks, by index.
  package var tasks: [Task] = []
  /// The pools of the tasks.
  package var pools: [TaskPool] = []

  /// Creates a header.
  package init(
    run: String, plan: String, folder: String, workers: Int, began: Int64,
    machine: MachineIdentity, process: ProcessIdentity, identity: String
  ) {
    self.run = run
    self.plan = plan
    self.folder = folder
    self.workers = workers
    self.began = began
    order = began
    self.machine = machine
    self.process = process
    self.identity = identity
  }

  /// Whether jobs of a Slurm cluster carried out tasks.
  package var usedSlurm: Bool { machines.hosts?.contains { $0.name == WorkerHost.slurm } ?? false }

  /// The record of the run before its first event.
  package var record: RunRecord {
    RunRecord(
      plan: plan, name: run, began: began, workers: workers, machine: machine,
      tasks: tasks.map {
        TaskIdentity(name: $0.name, kind: $0.kind, fingerprint: $0.fingerprint)
      }, graph: graph)
  }

  /// Whether a value or an argument had a secret, which is not stored, so that the same cannot be asked for again.
  package var lacksSecret: Bool {
    (arguments + invocation.settings).contains { $0.contains(SecretMask.mark) }
  }

  /// The dependencies of the tasks.
  package var graph: TaskGraph {
    let edges = tasks.indices.flatMap { index in
      tasks[index].after.map { TaskGraph.Edge(before: $0, after: index) }
    }
    return TaskGraph(taskCount: tasks.count, edges: edges)
  }
}

/// What was asked for when a run was started, for those who repeat or continue it.
package struct Invocation: Hashable, Sendable {
  /// The absolute path of the plan, nil if it came from standard input or a pipe.
  package var file: String?
  /// The text of the plan if it came from standard input or a pipe.
  package var text: String?
  /// The requested tasks, as they were given; empty for all.
  package var words: [String] = []
  /// The values that were set, each `NAME=VALUE`; of a secret only its name.
  package var settings: [String] = []

  /// Describes a run of all tasks.
  package init() {}
}
