enum Help {
  /// The overview of all commands.
  static let overview = """
    Headway runs plans of tasks in parallel, with time limits and a live progress bar.

      headway run [PLAN] [TASK…]     run a plan, or some of its tasks and their dependencies
      headway list [PLAN]            list the tasks of a plan
      headway check [PLAN]           check a plan and list all errors
      headway schema                 print the JSON Schema of plans, for editors
      headway graph [PLAN] [TASK…]   print the dependency graph (--dot, --mermaid)
      headway history [PLAN]         show the history of earlier runs, or clear it
      headway report [RUN]           write an HTML report of a run: timeline and forecast accuracy
      headway watch [ID]             show what is running, in this and in other terminals
      headway pause|unpause|cancel ID   ask running work to pause, to go on or to end
      headway tell 42/100 "message"  let a script report its progress
      headway demo bar               show the styles of progress bars
      headway help COMMAND           show the help of a command
      headway --version              print the version

    PLAN is a YAML file, by default headway.yaml or headway.yml in the current folder or one
    above it; -C DIR looks in DIR. An argument is a plan if it ends in .yaml, .yml or .json,
    contains a slash or is - for standard input, and a task otherwise.

    A plan in five lines:

      tasks:
        build: { run: make }
        test:  { run: make test, after: build, timeout: 10m }
        lint:  { run: ./lint.sh, optional: true }
        clean: { run: rm -rf scratch, always: true, after: [test, lint] }

    """

  /// The help of each command.
  static let commands = [
    "run": """
    headway run [PLAN] [TASK…]

    Runs the plan, or the named tasks, their dependencies, and the tasks with `always: true`
    that come after them. The output of the tasks is stored in .headway/logs/ beside the plan.

      -j, --workers N      run at most N tasks at once (default: the plan's value, or one
                           for each core)
      -k, --keep-going     after a failure, run all tasks that do not depend on the failed one
          --fail-fast      after a failure, end the running tasks, too
          --ui KIND        live (a bar, in a terminal), plain (lines), json (one JSON object
                           per line) or quiet (failures only); default: live in a terminal,
                           otherwise plain
      -f, --force          run tasks even if they are up to date
      -n, --dry-run        print the tasks that would run, in order, and run nothing
          --explain        say at the end why tasks with inputs ran, on standard error; with
                           --dry-run why each task would run
          --state DIR      store logs and history in DIR, not in .headway beside the plan
      -C, --directory DIR  look for the plan in DIR

    Other programs of the same user can see, pause and cancel the run; HEADWAY_PUBLISH=off
    turns that off. HEADWAY_TASKBAR=off hides the progress from the desktop's taskbar, HEADWAY_TASKBAR=on
    shows it in terminals that are not known to support it.

    With the live bar, Space pauses and resumes the run, and Tab shows the output of the next
    task. Ctrl-C once ends the run gracefully: running tasks are asked to end and are killed
    after their grace period, and tasks with `always: true` run. Ctrl-C twice ends everything
    immediately.

    Exits with 0 if all required tasks succeeded, 1 if a task failed, 2 if the plan or the
    arguments contain an error, 69 if something needed is not available, 124 if a task timed
    out, and by the signal that ended the run (130 after Ctrl-C).

    """,
    "list": """
    headway list [PLAN] [--json]

    Lists the tasks of a plan in the order of the file, each with the first line of its
    `description` and the number of its variants.

          --json           a JSON object per line: `task`, and `description`, `after` and
                           `variants` where there are any
      -C, --directory DIR  look for the plan in DIR

    """,
    "check": """
    headway check [PLAN] [-C DIR]

    Checks a plan and lists all errors with their lines, without running anything. A `dir`
    that does not exist and that no earlier task could create is a warning. Exits with 0 if
    there are no errors, with 2 otherwise.

    """,
    "schema": """
    headway schema

    Prints the JSON Schema of plan files (draft 7), with which editors complete and check plans:

      headway schema > headway.schema.json

    and at the top of a plan: # yaml-language-server: $schema=headway.schema.json

    """,
    "graph": """
    headway graph [PLAN] [TASK…] [--dot|--mermaid] [-C DIR]

    Prints the dependency graph as a tree, or in the format of Graphviz or Mermaid.

    """,
    "history": """
    headway history [PLAN]
    headway history clear PLAN|--all

    Shows the history: all plans, or the runs of one plan with their names and forecasts, and
    how long its tasks usually take. `clear` deletes the runs of a plan, or with --all those of
    all plans. PLAN is a plan file, or the name of a plan in the history.

          --state DIR      use the history in DIR, not in .headway beside the plan

    Exits with 0, or with 69 if the history cannot be used.

    """,
    "report": """
    headway report [RUN]

    Writes an HTML report of an earlier run: a timeline, the critical path, the expected and
    actual duration of each task, and the accuracy of the forecast. RUN is the name of a run
    from `headway history PLAN`, or a plan for its newest run; by default the newest run of
    all. Prints the path of the page.

      -o, --output FILE    write to FILE, or to standard output for `-`; default:
                           .headway/reports/RUN.html
          --state DIR      use the history in DIR, not in .headway beside the plan

    Exits with 0, or with 69 if there is no such run or the history cannot be used.

    """,
    "watch": """
    headway watch [ID]

    Shows what is running: every run of a plan, every script that uses `headway tell`, and every
    program of this user that publishes its progress, with a bar, an ID, the remaining time,
    and a few of its running tasks. With an ID, it shows only that one and ends with it.

          --once           print a table of what is running now, and end
          --json           print the events of all publishers as lines of JSON, as they come;
                           with --once, only what is there now

    Up and down, or k and j, choose one. p pauses or resumes it; c and then y cancels it; q, Esc
    and Ctrl-C leave. What is running goes on when the watching ends. In a pipe, in CI, with
    TERM=dumb and with ACCESSIBLE set, it prints the table.

    ID is the ID that is shown, such as 12345.1, a name, such as that of a run, the beginning of
    a name (at least 4 characters) or a label, if no other one has it.

    Exits with 0, with 2 if several are called ID, with 69 if nothing is, and by the signal that
    ended it (130 after Ctrl-C).

    """,
    "pause": request("pause", "Asks running work to pause, and waits for its answer."),
    "unpause": request(
      "unpause", "Asks running work that is paused to go on, and waits for its answer."),
    "cancel": request("cancel", "Asks running work to end early, and waits for its answer."),
    "tell": """
    headway tell [AMOUNT] [MESSAGE…]

    Lets a script report its progress. Inside a task of `headway run`, it moves the bar and the
    words of the task. Elsewhere it shows the progress of the script that calls it to whoever
    watches, until the script ends.

    AMOUNT is one of

      42/100               42 of 100 units are done
      42                   42 units are done
      +1                   one more unit is done
      42%                  42 percent are done

    MESSAGE says what the script does at the moment; an empty one removes it.

          --message TEXT   the message, also if it looks like an amount or an option
          --total N        the number of units
          --label TEXT     the name of the work
          --finish         the work has ended; otherwise it ends with the script
          --for PID        report for another process, not for the one that calls: --for $$
                           in a loop at the end of a pipe
          --no-cancel      outside of a task: others cannot cancel the script. Otherwise they
                           can, and it receives SIGTERM

    Exits with 0 also if the progress cannot be shown, so that a script with `set -e` goes on;
    then a line says why. Exits with 2 if the arguments contain an error. HEADWAY_PUBLISH=off
    turns it off.

    """,
    "demo": """
    headway demo bar

    Shows progress bars of every style for a video of twelve seconds that reports its position
    four times a second. Space pauses, the arrow keys seek, q quits. If no key is pressed, it
    ends with the video. In a pipe, in CI, with TERM=dumb and with ACCESSIBLE set, it prints
    each style as a line.

    Exits with 0, or by the signal that ended it (130 after Ctrl-C).

    """,
  ]

  /// The help of a command that asks work for something.
  private static func request(_ command: String, _ summary: String) -> String {
    """
    headway \(command) ID

    \(summary)

    ID is the ID in `headway watch --once`, such as 12345.1, a name, such as that of a run, the
    beginning of a name (at least 4 characters) or a label, if no other one has it.

    Exits with 0 if the request was granted, 1 if it was refused, 2 if several are called ID, and
    69 if nothing is, or if it does not answer within 2 seconds.

    """
  }
}
