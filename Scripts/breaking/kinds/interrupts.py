"""Ctrl-C, once and twice, whatever the run is doing."""

import os
import signal

from .. import tasks
from ..registry import kind
from ..trial import expect
from .kills import END_SIGNALS, second_signal

# A second signal ends a run in much less; the machine may be busy.
# Generous, because a loaded machine may not run a process for seconds.
AT_ONCE = 30
HUGE = 40 << 30


@kind
def interrupt_once(trial):
    """One signal ends the run in order: tasks that always run do."""
    number = trial.rng.choice(END_SIGNALS)
    trial.plan({
        "long": {"run": tasks.endless(trial), "grace": f"{trial.rng.randint(0, 500)}ms"},
        "server": {"run": "sleep 100", "optional": True},
        "later": {"run": "touch later", "after": "long"},
        "clean": {"run": "touch cleaned", "always": True},
    }, workers=3)
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    trial.pause(trial.moment(0.5), run)
    trial.send(run, number)
    trial.wait(run)
    expect(run.status == -number, f"it ended with {run.status} after {number.name}")
    expect((trial.folder / "cleaned").exists(), "the task that always runs did not run")
    expect(not (trial.folder / "later").exists(), "a task ran after its dependency was cancelled")


@kind
def interrupt_twice(trial):
    """A second signal, or SIGQUIT, ends the run at once, whatever the grace is."""
    tasks.endless_plan(trial, grace="60s")
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    trial.pause(trial.moment(0.4), run)
    end_at_once(trial, run)


def end_at_once(trial, run, group=False, may_end_by_itself=False):
    """Sends what ends a run at once, and expects that it does; a short run may end by itself meanwhile."""
    rng = trial.rng
    if rng.random() < 0.25:
        trial.send(run, signal.SIGQUIT, group=group)
    else:
        first = rng.choice(END_SIGNALS)
        trial.send(run, first, group=group)
        trial.pause(0.05 + trial.moment(1), run)
        trial.send(run, second_signal(rng, first), group=group)
    trial.wait(run, within=AT_ONCE)
    expect(
        -run.status in run.injected or may_end_by_itself and run.status == 0,
        f"it ended with {run.status}, not by a signal that was sent",
    )


def interrupt_while_reading(trial, run):
    """Once or twice, while files are read that take minutes."""
    trial.pause(0.1 + trial.moment(1), run)
    expect(run.status is None, "the run ended by itself")
    if trial.rng.random() < 0.5:
        number = trial.rng.choice(END_SIGNALS)
        trial.send(run, number)
        trial.wait(run, within=10)
        expect(run.status == -number, f"it ended with {run.status} after {number.name}")
    else:
        end_at_once(trial, run)


def make_huge(trial, name):
    with open(trial.folder / name, "wb") as file:
        os.truncate(file.fileno(), HUGE + trial.rng.getrandbits(20))


@kind
def interrupt_reading_inputs(trial):
    """Signals while huge inputs are read, with other tasks waiting for their turn."""
    make_huge(trial, "big")
    plan = {"first": {"run": "true", "inputs": "big"}}
    for index in range(trial.rng.randint(0, 6)):
        plan[f"t{index}"] = {"run": "true", "inputs": trial.rng.choice(["big", "p.yaml", "*"])}
    plan["other"] = {"run": "touch began; sleep 100"}
    trial.plan(plan, workers=8)
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    interrupt_while_reading(trial, run)


@kind
def interrupt_reading_outputs(trial):
    """Signals while the huge output of a finished task is read."""
    big = f"truncate -s {HUGE} big; touch began"
    trial.plan({
        "make": {"run": big, "inputs": "p.yaml", "outputs": "big", "timeout": trial.rng.choice(["2s", "none"])},
        "next": {"run": "true", "after": "make"},
    })
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    interrupt_while_reading(trial, run)


@kind
def interrupt_dry_run(trial):
    """One signal ends `run -n` while huge inputs are read."""
    trial.write("big", "small")
    trial.plan({"t": {"run": "true", "inputs": "big"}})
    # Only the inputs of a task that has succeeded before are read.
    trial.run("run", "p.yaml")
    make_huge(trial, "big")
    run = trial.start("run", "-n", "p.yaml")
    trial.pause(trial.moment(0.5), run)
    number = trial.rng.choice([*END_SIGNALS, signal.SIGQUIT])
    trial.send(run, number)
    trial.wait(run, within=AT_ONCE)
    expect(run.status in (0, -number), f"it ended with {run.status}")
