/// The help texts.
enum Help {
  /// What the tool is and can do.
  static let overview = """
    Headway runs plans of tasks: in parallel, held to their time limits, under a live bar.

      headway run [PLAN] [TASK…]     run a plan, or some tasks of it and what they need
      headway check [PLAN]           read a plan and tell every mistake in it
      headway graph [PLAN] [TASK…]   draw what waits for what (--dot, --mermaid)
      headway history [PLAN]         tell what is kept of earlier runs, or clear it
      headway report [RUN]           write a page about a run: what ran when, and what was forecast
      headway demo bar               show the bars: their looks, the glide, the pause
      headway help COMMAND           tell more about a command
      headway --version              tell the version

    PLAN is a YAML file, headway.yaml in this folder unless named. A word is taken for the
    plan when it ends in .yaml or .yml or holds a slash, and for a task otherwise.

    A plan in five lines:

      tasks:
        build: { run: make }
        test:  { run: make test, after: build, timeout: 10m }
        lint:  { run: ./lint.sh, optional: true }
        clean: { run: rm -rf scratch, always: true, after: [test, lint] }

    """

  /// What each command takes.
  static let commands = [
    "run": """
    headway run [PLAN] [TASK…]

    Runs the plan, or the named tasks and what they need. The tasks' output is kept in
    .headway/logs/ beside the plan.

      -j, --workers N      run at most N tasks at once (default: the plan's, or the cores)
      -k, --keep-going     after a failure run all that does not need the failed task
          --fail-fast      after a failure end what runs, too
          --ui KIND        live (a bar, in a terminal), plain (lines), json (a JSON object
                           a line) or quiet (failures only); chosen by where output goes
      -f, --force          run tasks that are up to date, too
      -n, --dry-run        tell what would run, in order, and run nothing
          --state DIR      keep logs and records in DIR, not in .headway beside the plan

    HEADWAY_TASKBAR=off keeps the run out of the task bar of the desktop, HEADWAY_TASKBAR=on
    shows it there in terminals that are not known to.

    Under the live bar Space pauses the run and goes on, and Tab shows the output of the next
    task. Ctrl-C once ends the run in order: running tasks are asked to end, then forced after
    their grace, and tasks with `always: true` run. Ctrl-C twice ends everything at once.

    Ends with 0 when all went well, 1 when a task failed, 2 for a mistake in the plan or the
    arguments, 69 when something needed cannot be had, 124 when a task ran out of time, and
    by the signal that ended the run (130 after Ctrl-C).

    """,
    "check": """
    headway check [PLAN]

    Reads a plan and tells every mistake in it, with its line. Runs nothing. Ends with 0 when
    there is none, with 2 otherwise.

    """,
    "graph": """
    headway graph [PLAN] [TASK…] [--dot|--mermaid]

    Draws what waits for what: as a tree, or in the language of Graphviz or Mermaid.

    """,
    "history": """
    headway history [PLAN]
    headway history clear [PLAN]

    Tells what is kept of earlier runs: all plans, or the runs of one with their names and
    forecasts, and how long its tasks usually take. `clear` forgets the runs of a plan, or
    all. PLAN is a plan file, or the name of a plan as the history tells it.

          --state DIR      look into DIR, not into .headway beside the plan

    Ends with 0, or with 69 when the history cannot be used.

    """,
    "report": """
    headway report [RUN]

    Writes a page about a run of the past, for a browser: what ran when and on how many
    workers, what held the end up, what each task usually takes, and what was forecast
    against what came. RUN is the name of a run as `headway history PLAN` tells it, or a plan
    for its newest run; without it the newest run of all. Tells the path of the page.

      -o, --output FILE    write FILE, or the output for `-`, not .headway/reports/RUN.html
          --state DIR      look into DIR, not into .headway beside the plan

    Ends with 0, or with 69 when there is no such run or the history cannot be used.

    """,
    "demo": """
    headway demo bar

    Shows bars of every look over a video of twelve seconds that reports its position four times
    a second. Space pauses, and every bar stops exactly there; the arrow keys move it; q ends.
    Without a key it ends with the video. In a pipe, in CI, with TERM=dumb and with ACCESSIBLE
    it prints the looks as lines.

    Ends with 0, or by the signal that ended it (130 after Ctrl-C).

    """,
  ]
}
