internal import HeadwayRun

extension Command {
  /// `headway runs`.
  static let runs = Command(
    name: "runs", usage: ["runs [PLAN]"],
    summary: "list the runs that go on, and those that have ended", group: .work,
    shortUsage: "runs, status, logs [RUN]",
    shortSummary: "show what runs, what ran, and its output",
    about: """
      Lists the runs of the plan here, or of PLAN, a plan file or the name of a plan: first those
      that go on, each with a bar, a percentage and the remaining time, then those that have
      ended, the newest first. Runs inside of another run stand below it. It reads their journals
      and asks no other process. Runs whose journals are no longer kept are in `headway history`.
      """,
    operands: .storedPlans,
    options: [
      .init(
        name: "--limit", value: "N", accepts: .number,
        help: "list at most N runs that have ended (default: \(RunsCommand.usualLimit))"),
      .init(name: "--json", help: "print a JSON object per line for each run"),
      state, .directory,
    ],
    notes: """
      The state of a run is `running`, `paused`, `held`, `ending`, `succeeded`, `failed`, `cancelled`,
      `lost` (the end of a task is unknown) or `killed` (the run has not ended in order);
      `running or killed` for a run of another machine.
      """,
    exits: "Exits with 0, also if there are no runs.",
    related: ["status", "attach", "history", "report"], start: { try RunsCommand($0).run() })

  /// `headway status`.
  static let status = Command(
    name: "status", usage: ["status [RUN] [TASK…]"],
    summary: "show a run and its tasks, and why a task has not started", group: .work,
    hasOverviewLine: false,
    about: """
      Shows a run and a table of its tasks: what each of them does or how it ended, how long it took,
      the number of its attempts, what it waits for or why it failed, and its log. Of named tasks,
      the table has only these and, while they wait, all that they wait for. It reads the journal and
      asks no other process.

      RUN is the name of a run, its beginning (at least 4 characters) if no other run has it,
      `latest`, a plan file, or the name of a plan. Of several runs, and without RUN, it is the one
      that goes on if there is exactly one, and else the newest. A word that is the name of a run or
      of a plan is RUN, also if a task is called so; then name both. The name of a task with a matrix
      stands for all its variants.
      """,
    operands: .storedRunAndTasks,
    options: [
      .init(
        name: "--all",
        help: """
          list all tasks, also of a run with more than 50, of which otherwise those are only counted \
          that succeeded or wait
          """),
      OutputArguments.usage,
      .init(
        name: "--json", help: "print a JSON object per line: one for the run, one for each task"),
      state, .directory,
    ],
    examples: [("headway status deploy", "say why a task of the run that goes on has not started")],
    exits: """
      Exits with 0 whatever has become of the run, with 2 if a task does not exist, and with 69 if
      there is no such run.
      """,
    related: ["runs", "logs", "attach", "report"], start: { try StatusCommand($0).run() })

  /// `headway logs`.
  static let logs = Command(
    name: "logs", usage: ["logs [RUN] [TASK…]"],
    summary: "print what tasks have written, and follow it", group: .work, hasOverviewLine: false,
    about: """
      Prints the logs of a run, or of the named tasks, from their beginnings. With more than one
      task, each line begins with the name of its task, as with `run --output stream`; the logs come
      one after the other, in the order in which the tasks began. With -f, what running tasks write
      follows as it comes, until the run or the named tasks have ended.

      RUN is a run as in `headway status`, and by default the same one. A word that is the name of
      a run or of a plan is RUN, also if a task is called so; then name both. The name of a task
      with a matrix stands for all its variants.
      """,
    operands: .storedRunAndTasks,
    options: [
      .init(name: "--follow", letter: "-f", help: "go on until the run or the tasks have ended"),
      .init(
        name: "--tail", value: "N", accepts: .number,
        help: "begin with the last N lines of each task"),
      .init(
        name: "--json",
        help: "print a JSON object per line, each with `task`, `id` and `text`: whole lines"),
      state, .directory,
    ],
    notes: """
      In a terminal, lines are printed without escape sequences, unless there is one task only: its
      bytes are printed as they are.
      """,
    examples: [
      ("headway logs test", "print the log of a task of the newest run"),
      ("headway logs -f --tail 10", "follow all tasks of the run that goes on"),
    ],
    exits: """
      Exits with 0, 2 if a task does not exist, and 69 if there is no such run. Ends when nobody
      reads its output any more.
      """,
    related: ["runs", "status", "attach", "run"], start: { try LogsCommand($0).run() })

  /// `headway attach`.
  static let attach = Command(
    name: "attach", usage: ["attach [RUN]"],
    summary: "show a run that goes on in the background or in another terminal", group: .work,
    shortSummary: "show a run that goes on elsewhere",
    about: """
      Shows a run as the terminal that started it does, from any number of terminals. RUN is the
      name of a run, or `latest`; it can be left out if only one goes on. The run may have been
      started in another folder. What went wrong before is shown first.
      """,
    operands: .historyRun,
    options: [ui, state] + OutputArguments.options + [.directory],
    notes: """
      After Tab, Space pauses and resumes the run, Tab shows the output of the next task, d leaves
      the run, and Esc ends the keys. Ctrl-C leaves the run, too: it goes on. `headway cancel RUN`
      ends it.
      """,
    examples: [
      ("headway run -d nightly.yaml", "start a run in the background, and print its name"),
      ("headway attach", "show it"),
    ],
    exits: """
      Exits as the run does: with 0 if all required tasks succeeded, 1 if a task failed or the run
      was cancelled, 124 if a task timed out, and 75 if the run died. Exits with 0 after d, by the
      signal that ended it (130 after Ctrl-C), 2 if several runs go on and none is named, and 69
      if there is no such run.
      """,
    related: ["run", "watch", "cancel"], start: { try AttachCommand($0).run() })

  /// `headway history`.
  static let history = Command(
    name: "history", usage: ["history [PLAN]", "history clear PLAN|--all"],
    summary: "show the history of runs, or clear it", group: .work,
    shortUsage: "history, report [RUN]",
    shortSummary: "show earlier runs; write a report of one",
    about: """
      Shows the history: all plans, or the runs of one plan with their names and forecasts, and
      how long its tasks usually take. `clear` deletes the runs of a plan, or with --all those of
      all plans. PLAN is a plan file, or the name of a plan in the history.
      """,
    operands: .historyPlans,
    options: [
      state, .init(name: "--all", help: "with `clear`: delete the runs of all plans"),
    ],
    exits: "Exits with 0, or with 69 if the history cannot be used.",
    related: ["run", "report"], start: { try HistoryCommand($0).run() })

  /// `headway report`.
  static let report = Command(
    name: "report", usage: ["report [RUN]"],
    summary: "write an HTML report of a run", group: .work, hasOverviewLine: false,
    about: """
      Writes an HTML report of an earlier run: what went wrong, with the end of the output, a
      timeline, the critical path, the expected and actual duration of each task, and the
      accuracy of the forecast. RUN is the name of a run from `headway history PLAN`, or a plan
      for its newest run; by default the newest run of all. Prints the path of the page.
      """,
    operands: .historyRun,
    options: [
      state,
      .init(
        name: "--output", letter: "-o", value: "FILE", accepts: .file,
        help: "write to FILE, or to standard output for `-`; default: .headway/reports/RUN.html"),
    ],
    exits: "Exits with 0, or with 69 if there is no such run or the history cannot be used.",
    related: ["history", "run"], start: { try ReportCommand($0).run() })

  /// The option for the folder of the history.
  private static let state = Arguments.Option(
    name: "--state", value: "DIR", accepts: .folder,
    help: "use the history in DIR, not in .headway beside the plan")

  /// `headway watch`.
  static let watch = Command(
    name: "watch", usage: ["watch [ID]"], summary: "show what is running, in all terminals",
    group: .work,
    about: """
      Shows what is running: every run of a plan, every script that uses `headway tell`, and every
      program of this user that publishes its progress, with a bar, an ID, the remaining time,
      and a few of its running tasks. With an ID, it shows only that one and ends with it.
      """,
    operands: .work,
    options: [
      .init(name: "--once", help: "print a table of what is running now, and end"),
      .init(
        name: "--json",
        help: """
          print the events of all publishers as lines of JSON, as they come; with --once, only \
          what is there now
          """),
    ],
    notes: """
      Up and down, or k and j, choose one. p pauses or resumes it; c and then y cancels it; q, Esc
      and Ctrl-C leave. What is running goes on when the watching ends. In a pipe, in CI, with
      TERM=dumb and with ACCESSIBLE set, it prints the table.

      ID is the ID that is shown, such as 12345.1, a name, such as that of a run, the beginning of
      a name (at least 4 characters) or a label, if no other one has it.
      """,
    exits: """
      Exits with 0, with 2 if several are called ID, with 69 if nothing is, and by the signal that
      ended it (130 after Ctrl-C).
      """,
    related: ["run", "pause", "cancel", "tell"], start: { try WatchCommand($0).run() })

  /// `headway pause`.
  static let pause = request(
    "pause", { $0 == nil ? .pause : nil }, "ask running work to pause",
    "Asks running work to pause, and waits for its answer.", group: .work,
    shortUsage: "pause, cancel, retry [RUN]",
    shortSummary: "ask it to pause, to end or to try again")
  /// `headway unpause`.
  static let unpause = request(
    "unpause", { $0 == nil ? .unpause : nil }, "ask running work that is paused to go on",
    "Asks running work that is paused to go on, and waits for its answer.")
  /// `headway cancel`.
  static let cancel = request(
    "cancel", { $0.map { .cancelTask($0) } ?? .cancel },
    "ask running work, or tasks of a run, to end early",
    """
    Asks running work to end early, and waits for its answer. With tasks, only these are ended:
    those that run, those that wait, and those that would run again. They are cancelled, and what
    depends on them is skipped; the rest of the run goes on, and does not count as a success.
    """, usage: "cancel [RUN] [TASK…]")

  /// `headway retry`.
  static let retry = request(
    "retry", { .retry($0) }, "run failed tasks of a run again that is held",
    """
    Lets tasks run again that have failed in a run with `--on-failure hold`; without tasks, all on
    which you have to decide. A task that waits for its next attempt begins that at once. The run
    goes on once you have decided on each task that has failed. A task of another run that has
    ended cannot run again there.
    """, usage: "retry [RUN] [TASK…]")
  /// `headway skip`.
  static let skip = request(
    "skip", { .skip($0) }, "go on without failed tasks in a run that is held",
    """
    Goes on without tasks that have failed in a run with `--on-failure hold`; without tasks, without
    all on which you have to decide. They stay failed, and what depends on them is skipped.
    """, usage: "skip [RUN] [TASK…]")

  /// The options of the commands that ask work for something.
  static let requestOptions: [Arguments.Option] = [
    .init(name: "--json", help: "print a JSON object for each answer"), state, .directory,
  ]

  /// A command that asks work for something.
  private static func request(
    _ name: String, _ request: @escaping RequestCommand.RequestMaker, _ summary: String,
    _ about: String,
    usage: String? = nil, group: Group? = nil, shortUsage: String? = nil,
    shortSummary: String? = nil
  ) -> Command {
    Command(
      name: name, usage: [usage ?? "\(name) [RUN]"], summary: summary, group: group,
      shortUsage: shortUsage, shortSummary: shortSummary,
      about: about, operands: usage == nil ? .work : .workAndTasks, options: requestOptions,
      notes: """
        RUN is the ID in `headway watch --once`, such as 12345.1, a name, such as that of a run, the
        beginning of a name (at least 4 characters) or a label, if no other one has it; or `latest`.
        It can be left out if one run of the plan here goes on. Work of other programs has an ID,
        too.
        """,
      exits: """
        Exits with 0 if the request was granted, 1 if it was refused, 2 if several are called RUN,
        and 69 if nothing is, or if it does not answer within 2 seconds.
        """,
      related: ["runs", "watch", "pause", "unpause", "cancel", "retry", "skip"].filter {
        $0 != name
      },
      start: { try RequestCommand(request, name, $0).run() })
  }

  /// `headway tell`.
  static let tell = Command(
    name: "tell", usage: ["tell [AMOUNT] [MESSAGE…]"],
    summary: "let a script report its progress", group: .work,
    shortUsage: "tell 42/100 \"message\"",
    about: """
      Lets a script report its progress. Inside a task of `headway run`, it moves the bar and the
      words of the task. Elsewhere it shows the progress of the script that calls it to whoever
      watches, until the script ends.

      AMOUNT is one of

        42/100               42 of 100 units are done
        42                   42 units are done
        +1                   one more unit is done
        42%                  42 percent are done

      MESSAGE says what the script does at the moment; an empty one removes it.
      """,
    options: [
      .init(
        name: "--message", value: "TEXT", mayBeEmpty: true,
        help: "the message, also if it looks like an amount or an option"),
      .init(name: "--total", value: "N", accepts: .number, help: "the number of units"),
      .init(
        name: "--label", value: "TEXT", mayBeEmpty: true,
        help: "the name of the work; in a task, what comes before the message"),
      .init(name: "--finish", help: "the work has ended; otherwise it ends with the script"),
      .init(
        name: "--for", value: "PID", accepts: .number,
        help: """
          report for another process, not for the one that calls: --for $$ in a loop at the end \
          of a pipe
          """),
      .init(
        name: "--no-cancel",
        help: """
          outside of a task: others cannot cancel the script. Otherwise they can, and it receives \
          SIGTERM
          """),
      // For the second process.
      .init(name: "--publish-for", value: "PID", isHidden: true),
    ],
    examples: [("headway tell 3/10 \"copying\"", "3 of 10 units are done")],
    exits: """
      Exits with 0 also if the progress cannot be shown, so that a script with `set -e` goes on;
      then a line says why. Exits with 2 if the arguments contain an error. HEADWAY_PUBLISH=off
      turns it off.
      """,
    related: ["watch", "run"], start: { try TellCommand($0).run() })
}
