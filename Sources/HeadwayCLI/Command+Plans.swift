internal import HeadwayPlan

extension Command {
  /// `headway run`.
  static let run = Command(
    name: "run", usage: ["run [PLAN] [TASK…] [NAME=VALUE…] [-- ARGUMENT…]"],
    summary: "run a plan, or tasks and what they depend on", group: .plans,
    shortUsage: "run [PLAN] [TASK…]", shortSummary: "run a plan, or tasks and what they need",
    about: """
      Runs the plan, or the named tasks, their dependencies, and the tasks with `always: true`
      that come after them. The output of the tasks is stored in .headway/runs/latest/logs/
      beside the plan. What is shown of it (--output) goes to standard output, the run's own
      words and the output of failed tasks to standard error.

      NAME=VALUE sets a variable that the plan defines under `vars`; `headway list` shows them.
      What comes after -- is passed to the tasks that use it, as {args} in a list and as "$@" in
      a text for the shell.
      """,
    operands: .planAndTasks,
    options: [
      .init(
        name: "--workers", letter: "-j", value: "N", accepts: .number,
        help: "run at most N tasks at once (default: the plan's value, or one for each core)"),
      .init(
        name: "--on", value: "HOSTS",
        help: """
          run the tasks on other machines, such as host1,user@host2:8, by ssh, or slurm:64 for jobs of a Slurm \
          cluster; after the colon comes how many tasks a machine runs at once (default: one for each of its \
          cores); `local` is this machine
          """),
      .init(
        name: "--slurm-options", value: "OPTIONS", isRepeatable: true,
        help: "options of Slurm jobs, as for sbatch, such as '--partition=short --time=2:00:00'"),
      .init(
        name: "--tcp",
        help: """
          submit Slurm jobs with sbatch, alike ones as arrays, and let their workers connect to this machine over \
          TCP, with TLS 1.3 (default: one srun for each job)
          """),
      .init(
        name: "--patience", value: "DURATION",
        help: "how long a machine may be out of reach before what runs there is lost (default: 60s)"
      ),
      .init(
        name: "--keep-going", letter: "-k",
        help: "after a failure, run all tasks that do not depend on the failed one"),
      .init(name: "--fail-fast", help: "after a failure, end the running tasks, too"),
      .init(
        name: "--on-failure", value: "KIND",
        accepts: .words(["stop", "keep-going", "fail-fast", "hold"]),
        help: """
          stop (start no further tasks: the default), keep-going or fail-fast as above, or hold: start \
          no further tasks until you say what becomes of the failed one, by a key or by `headway \
          retry`, `skip` or `cancel`
          """),
      .init(
        name: "--detach", letter: "-d",
        help: "run in the background; prints the name of the run, for `headway attach`"),
      .init(
        name: "--on-hangup", value: "WHAT", accepts: .words(["end", "detach"]),
        help: """
          when the terminal is closed or the connection breaks: `end` the run in order (default), or \
          `detach`, so that it goes on in the background
          """),
      .init(
        name: "--exclusive",
        help: "do not run beside another run of the plan in this folder, as with `exclusive: true`"),
      .init(
        name: "--wait", value: "DURATION",
        help: """
          wait at most DURATION, such as 10m, for other runs of the plan if one is exclusive; \
          default: end with 69 at once
          """),
      ui,
      .init(name: "--force", letter: "-f", help: "run tasks even if they are up to date"),
      .init(
        name: "--failed",
        help: "go on with the newest run of the plan, as `headway resume` does"),
      .init(
        name: "--watch",
        help: "run again whenever an input of the tasks or the plan has changed, until Ctrl-C"),
      .init(
        name: "--dry-run", letter: "-n",
        help: "print the tasks that would run, in order, and run nothing"),
      .init(
        name: "--explain",
        help: """
          say at the end why tasks with inputs ran, on standard error; with --dry-run why each \
          task would run
          """),
      .init(
        name: "--state", value: "DIR", accepts: .folder,
        help: "store logs and history in DIR, not in .headway beside the plan"),
      .init(
        name: "--keep-runs", value: "N", accepts: .number,
        help: "keep the newest N runs (default: the plan's value, or 20)"),
      .init(
        name: "--keep-size", value: "SIZE",
        help: """
          keep at most SIZE of them, such as 500MB or 2GiB, or `none` for no limit (default: the \
          plan's value, or 1GiB)
          """),
      .directory,
    ] + OutputArguments.options + RunFiles.options,
    notes: """
      Other programs of the same user can see, pause and cancel the run; HEADWAY_PUBLISH=off
      turns that off. HEADWAY_TASKBAR=off hides the progress from the desktop's taskbar,
      HEADWAY_TASKBAR=on shows it in terminals that are not known to support it.

      With the live bar, what you type is kept for the shell until you press Tab. After Tab,
      Space pauses and resumes the run, Tab shows the output of the next task, d leaves the run
      to the background, and Esc ends the keys. In a run that is held after a failure, r runs the
      failed task again, s goes on without it, and e ends the run. Ctrl-C once ends the run
      gracefully: running tasks are asked to end and are killed after their grace period, and
      tasks with `always: true` run. Ctrl-C twice ends everything immediately.
      """,
    examples: [
      ("headway run", "run the plan of this folder"),
      ("headway run test lint", "run two tasks and what they depend on"),
      ("headway run test LEVEL=2 -- -v", "set a variable, and pass an argument to the task"),
      ("headway run -j4 ci.yaml", "run another plan, at most 4 tasks at once"),
    ],
    exits: """
      Exits with 0 if all required tasks succeeded, 1 if a task failed, 2 if the plan or the
      arguments contain an error, 69 if something needed is not available, 124 if a task timed
      out, and by the signal that ended the run (130 after Ctrl-C).
      """,
    related: ["resume", "list", "check", "watch", "report"], start: { try RunCommand($0).run() })

  /// `headway resume`.
  static let resume = Command(
    name: "resume", usage: ["resume [RUN] [--done TASK]… [--again TASK]…"],
    summary: "go on with a run that failed, was cancelled or died", group: .plans,
    shortUsage: "resume [RUN]", shortSummary: "go on with a run that did not succeed",
    about: """
      Goes on where a run ended, whether it failed, was cancelled or died. RUN is its name, by
      default the newest run that did not succeed. The plan is read again, with the tasks,
      the values, the number of workers and the policy for failures of then; secrets are taken
      from the environment again.

      What succeeded counts as done, unless it has changed or something before it runs again.
      Everything else runs. Processes that the earlier run has left are ended first.

      A task with `once: true` that was under way is not run again by itself: its outcome is
      unknown, and a person says what became of it with --done or --again.
      """,
    operands: .storedRun,
    options: [
      .init(
        name: "--done", value: "TASK", accepts: .task, isRepeatable: true,
        help: "count TASK as done; may be given several times"),
      .init(
        name: "--again", value: "TASK", accepts: .task, isRepeatable: true,
        help: "run TASK again, even if it was done; may be given several times"),
    ] + run.options.filter { !onlyForRun.contains($0.name) },
    examples: [
      ("headway resume", "go on with the newest run that did not succeed"),
      ("headway resume -n --explain", "print what that would run again, and why"),
      ("headway resume -k", "the same, and run all that does not depend on a failed task"),
      ("headway resume --done deploy", "the same; a person has seen that it was deployed"),
    ],
    exits: """
      Exits as `headway run` does, with 0 if there is nothing to do, with 75 if the outcome of a
      required task is unknown and no other failed, and with 69 if there is no such run, it still
      goes on, or what it has left cannot be ended.
      """,
    related: ["run", "history", "report"],
    start: { try RunCommand($0, isResume: true).run() })

  /// The options of `headway run` that `headway resume` does not have.
  private static let onlyForRun: Set = ["--force", "--failed", "--watch"]

  /// The option for the way to show a run.
  static let ui = Arguments.Option(
    name: "--ui", value: "KIND", accepts: .words(["live", "plain", "json", "quiet"]),
    help: """
      live (a bar, in a terminal), plain (lines), json (one JSON object per line) or quiet \
      (failures only); default: live in a terminal, otherwise plain
      """)

  /// `headway list`.
  static let list = Command(
    name: "list", usage: ["list [PLAN] [NAME=VALUE…] [--json]"],
    summary: "list the tasks of a plan",
    group: .plans, shortUsage: "list, check, graph [PLAN]",
    shortSummary: "list tasks; list errors; print the graph",
    about: """
      Lists the tasks of a plan in the order of the file, each with the first line of its
      `description` and the number of its variants, and then its variables.
      """,
    operands: .plan,
    options: [
      .init(
        name: "--json",
        help: """
          a JSON object per line: `task`, and `description`, `after` and `variants` where there \
          are any; then one for each variable: `variable`, `default` or `required`, and `values` \
          and `description`
          """),
      .directory,
    ],
    related: ["run", "graph"], start: Tool.list)

  /// `headway check`.
  static let check = Command(
    name: "check", usage: ["check [PLAN] [NAME=VALUE…] [-C DIR]"],
    summary: "check a plan and list all errors",
    group: .plans, hasOverviewLine: false,
    about: """
      Checks a plan and lists all errors with their lines, without running anything. A `dir`
      that does not exist and that no earlier task could create is a warning.
      """,
    operands: .plan, options: [.directory],
    exits: "Exits with 0 if there are no errors, with 2 otherwise.",
    related: ["run", "graph"], start: Tool.check)

  /// `headway schema`.
  static let schema = Command(
    name: "schema", usage: ["schema"], summary: "print the JSON Schema of plans, for editors",
    about: """
      Prints the JSON Schema of plan files (draft 7), with which editors complete and check plans:

        headway schema > headway.schema.json

      and at the top of a plan: # yaml-language-server: $schema=headway.schema.json

      `make install` installs it as share/headway/headway.schema.json below its PREFIX.
      """,
    related: ["check"],
    start: { arguments in
      guard try Arguments(arguments, known: []).words.isEmpty else {
        throw UsageError(message: "schema takes no arguments")
      }
      try printOutput(PlanSchema.json)
      return .success
    })

  /// `headway graph`.
  static let graph = Command(
    name: "graph", usage: ["graph [PLAN] [TASK…] [NAME=VALUE…] [--dot|--mermaid] [-C DIR]"],
    summary: "print the dependency graph", group: .plans, hasOverviewLine: false,
    about: "Prints the dependency graph as a tree, or in the format of Graphviz or Mermaid.",
    operands: .planAndTasks,
    options: [
      .init(name: "--dot", help: "the format of Graphviz"),
      .init(name: "--mermaid", help: "the format of Mermaid"),
      .directory,
    ],
    examples: [("headway graph --dot | dot -Tsvg > graph.svg", "draw the graph")],
    related: ["list", "check"], start: Tool.graph)
}
