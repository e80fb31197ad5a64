"""Kills, stops and random signals."""

import os
import signal

from .. import processes, tasks
from ..registry import kind
from ..trial import Terminal, expect

END_SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def second_signal(rng, first):
    """A signal that asks once more for the end; SIGHUP after SIGTERM is part of the same request."""
    return rng.choice([n for n in END_SIGNALS if (first, n) != (signal.SIGTERM, signal.SIGHUP)])


def running(trial, grace=None, **options):
    """A run of tasks that do not end; often its tasks have begun, sometimes it has only just started."""
    tasks.endless_plan(trial, grace=grace)
    run = trial.start("run", "p.yaml", "--ui", trial.rng.choice(["plain", "json", "quiet"]), **options)
    if trial.rng.random() < 0.8:
        trial.until_running(run)
        trial.pause(trial.moment(0.5), run)
    else:
        trial.pause(trial.moment(0.15), run)
    return run


def finish_killed(trial, run, allowed=(-signal.SIGKILL, 137)):
    trial.wait(run)
    expect(run.status in allowed, f"it ended with {run.status} after it was killed")


@kind
def kill_runner(trial):
    """SIGKILL ends the process that runs the tasks."""
    run = running(trial)
    victim = trial.runner()
    trial.send(run, signal.SIGKILL, victim.pid if victim else run.pid)
    finish_killed(trial, run)


@kind
def kill_viewer(trial):
    """SIGKILL ends the process that the user has started, which shows the run."""
    run = running(trial)
    trial.send(run, signal.SIGKILL)
    finish_killed(trial, run)


@kind
def kill_any_part(trial):
    """SIGKILL ends a random process of headway, just after a task was killed."""
    run = running(trial)
    others = [p for p in trial.remaining() if p.program != trial.headway]
    if others and trial.rng.random() < 0.5:
        processes.send(trial.rng.choice(others).pid, signal.SIGKILL)
    victims = trial.parts()
    if victims:
        trial.send(run, signal.SIGKILL, trial.rng.choice(victims).pid)
    else:
        trial.send(run, signal.SIGKILL)
    # The death of a third process need not end the run.
    trial.pause(3, run)
    trial.send(run, signal.SIGTERM)
    trial.wait(run)


@kind
def kill_group(trial):
    """`kill -9 -PGID` ends the whole process group of the run."""
    run = running(trial)
    trial.send(run, signal.SIGKILL, group=True)
    finish_killed(trial, run)


@kind
def kill_by_timeout(trial):
    """`timeout -s KILL` ends the run."""
    tasks.endless_plan(trial)
    seconds = f"{0.05 + trial.moment(1.2):.2f}"
    run = trial.start("run", "p.yaml", wrapper=["timeout", "-s", "KILL", seconds])
    run.injected.add(signal.SIGKILL)
    finish_killed(trial, run)


@kind
def kill_after_term(trial):
    """`timeout -k` asks the run to end, and kills it while its tasks still have their grace."""
    tasks.endless_plan(trial, grace="60s")
    first, second = f"{0.3 + trial.moment(0.8):.2f}", f"{0.05 + trial.moment(0.8):.2f}"
    run = trial.start("run", "p.yaml", wrapper=["timeout", "-k", second, first])
    run.injected |= {signal.SIGKILL, signal.SIGTERM}
    # All tasks may end in time; then the run does.
    finish_killed(trial, run, (124, 137, -signal.SIGKILL, -signal.SIGTERM, 143))


@kind
def kill_stopped_job(trial):
    """Ctrl-Z in a shell, then `kill -9 %1`."""
    terminal = Terminal()
    tasks.endless_plan(trial)
    run = trial.start("run", "p.yaml", terminal=terminal)
    trial.until_running(run)
    trial.pause(trial.moment(0.5), run)
    if trial.rng.random() < 0.5:
        terminal.press(b"\x1a")
    else:
        trial.send(run, signal.SIGTSTP, group=True)
    run.injected.add(signal.SIGTSTP)
    trial.watch(lambda: run.status is not None or is_stopped(run.pid), 10, "Ctrl-Z did not stop the run", run)
    trial.pause(trial.moment(0.3), run)
    trial.send(run, signal.SIGKILL, group=True)
    finish_killed(trial, run)


def is_stopped(pid):
    process = processes.all_processes().get(pid)
    return process is not None and process.state == "T"


@kind
def close_terminal(trial):
    """The terminal is closed during the run."""
    has_session = trial.rng.random() < 0.5
    terminal = Terminal(is_controlling=not has_session)
    tasks.endless_plan(trial)
    run = trial.start("run", "p.yaml", terminal=terminal, session=has_session)
    trial.until_running(run)
    trial.pause(trial.moment(0.5), run)
    os.close(terminal.theirs)
    run.close("terminal")
    os.close(terminal.ours)
    run.injected.add(signal.SIGHUP)
    if not has_session:
        # What a shell does for its jobs.
        trial.send(run, signal.SIGHUP, group=True)
    trial.wait(run)
    expect(run.status in (-signal.SIGHUP, 129), f"it ended with {run.status} after the terminal was closed")


@kind
def daemons(trial):
    """Tasks leave daemons in new sessions, with empty environments, deaf or stopped; the run ends with none of them."""
    plan = {f"t{n}": {"run": tasks.daemon(trial), "grace": f"{trial.rng.randint(30, 500)}ms"}
            for n in range(trial.rng.randint(1, 6))}
    trial.plan(plan, workers=trial.rng.randint(1, 6))
    run = trial.run("run", "p.yaml")
    expect(run.status == 0, f"it ended with {run.status}, though each task has succeeded")
    expect(not trial.remaining(), f"processes lived on after the run:\n{trial.processes_left()}")


@kind
def deaf_tasks(trial):
    """Tasks ignore SIGTERM, and the run is asked to end once."""
    number = trial.rng.choice(END_SIGNALS)
    tasks.endless_plan(trial)
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    trial.pause(trial.moment(0.4), run)
    trial.send(run, number, group=trial.rng.random() < 0.3)
    trial.wait(run)
    expect(run.status == -number, f"it ended with {run.status} after {number.name}")


@kind
def stopped_tasks(trial):
    """Tasks stop themselves, and time out."""
    plan = {}
    for index in range(trial.rng.randint(1, 5)):
        command = trial.rng.choice(["kill -STOP $$", "sh -c 'kill -STOP $$'", "sleep 9 & kill -STOP $! $$; wait", "kill -TSTP $$; sleep 9"])
        plan[f"t{index}"] = {"run": command, "timeout": f"{trial.rng.randint(50, 900)}ms", "grace": "200ms"}
    trial.plan(plan, workers=5)
    run = trial.run("run", "-k", "p.yaml")
    expect(run.status == 124, f"it ended with {run.status}, though every task has timed out")


@kind
def fork_storm(trial):
    """A task forks a tree of up to 150 processes, some in new sessions, and is ended in a random way."""
    rng = trial.rng
    trial.write("storm.sh", (
        'if [ "$1" -gt 0 ]; then for i in 1 2 3; do '
        'case $(( ($1 + i + $2) % 3 )) in 0) setsid sh storm.sh $(($1 - 1)) $2 $3 & ;; '
        '1) ( sh storm.sh $(($1 - 1)) $2 $3 & ) ;; *) sh storm.sh $(($1 - 1)) $2 $3 & ;; esac; done; fi\n'
        'touch began; sleep 100\n'))
    depth = rng.randint(1, 4)
    way = rng.choice(["timeout", "signal", "runner", "viewer", "group"])
    task = {"run": f"sh storm.sh {depth} {rng.randint(0, 2)} {trial.marker}", "grace": "300ms"}
    if way == "timeout":
        task["timeout"] = f"{rng.randint(100, 1500)}ms"
    trial.plan({"storm": task})
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    trial.pause(trial.moment(0.6), run)
    if way == "signal":
        trial.send(run, rng.choice(END_SIGNALS))
    elif way == "runner":
        runner = trial.runner()
        trial.send(run, signal.SIGKILL, runner.pid if runner else None)
    elif way != "timeout":
        trial.send(run, signal.SIGKILL, group=way == "group")
    trial.wait(run)


HARMLESS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP, signal.SIGCONT, signal.SIGSTOP,
            signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGPIPE, signal.SIGCHLD, signal.SIGWINCH, signal.SIGURG,
            signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGTTIN, signal.SIGTTOU, signal.SIGIO]


@kind
def random_signals(trial):
    """Random signals in random order to the processes of headway and to the group; two SIGTERM end whatever is left."""
    rng = trial.rng
    run = running(trial)
    may_kill = rng.random() < 0.3
    for _ in range(rng.randint(2, 14)):
        if may_kill and rng.random() < 0.1:
            number, may_kill = signal.SIGKILL, False
        else:
            number = rng.choice(HARMLESS)
        targets = trial.parts()
        if not targets:
            break
        if rng.random() < 0.3:
            trial.send(run, number, group=True)
        else:
            trial.send(run, number, rng.choice(targets).pid)
        trial.pause(trial.moment(0.2), run)
    continue_all(trial, run)
    trial.pause(0.3, run)
    for _ in range(2):
        trial.send(run, signal.SIGTERM)
        continue_all(trial, run)
        trial.pause(0.5, run)
    trial.wait(run)


def continue_all(trial, run):
    for part in trial.parts():
        trial.send(run, signal.SIGCONT, part.pid)


@kind
def stop_and_continue(trial):
    """SIGSTOP and SIGCONT to processes of headway; the run goes on to its end."""
    rng = trial.rng
    trial.plan({f"t{n}": {"run": "touch began; sleep 0.4; echo done >> done"} for n in range(3)}, workers=rng.randint(1, 3))
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    for _ in range(rng.choice([1, 1, 2, 3])):
        parts = trial.parts()
        # Often one alone: the others go on, and must not be disturbed when it is continued.
        stopped = rng.sample(parts, min(len(parts), rng.choice([1, 1, 1, 2, 3])))
        for part in stopped:
            trial.send(run, rng.choice([signal.SIGSTOP, signal.SIGSTOP, signal.SIGTSTP]), part.pid)
            trial.pause(trial.moment(0.1), run)
        # Longer than the tasks, sometimes.
        trial.pause(rng.choice([0.02, 0.2, 1.5]), run)
        for part in rng.sample(stopped, len(stopped)):
            trial.send(run, signal.SIGCONT, part.pid)
            trial.pause(trial.moment(0.1), run)
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status} after it was stopped and continued")
    expect((trial.folder / "done").read_text().count("done") == 3, "not each task has run to its end")


@kind
def nested_runs(trial):
    """Runs inside of runs; a random process of one of them is killed."""
    rng = trial.rng
    tasks.endless_plan(trial).rename(trial.folder / "inner0.yaml")
    depth = rng.randint(1, 3)
    for level in range(1, depth + 1):
        words = [trial.headway, "run", f"inner{level - 1}.yaml", "--state", f"state{level}"]
        if rng.random() < 0.3:
            words.insert(0, "setsid")
        trial.plan({"inner": {"run": words, "grace": "500ms"}}, file=f"inner{level}.yaml")
    run = trial.start("run", f"inner{depth}.yaml")
    trial.until_running(run)
    trial.pause(trial.moment(0.5), run)
    victims = trial.parts(with_nested=True)
    if victims:
        trial.send(run, signal.SIGKILL, rng.choice(victims).pid)
    trial.pause(1, run)
    trial.send(run, signal.SIGTERM)
    trial.wait(run, within=60)
