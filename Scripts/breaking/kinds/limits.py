"""Limits of the system: files, processes, descriptors, memory."""

import os
import resource

from ..registry import kind
from ..trial import Skip, expect, reason


def limited(name, value, user=None):
    """What a child does to limit itself."""

    def limit():
        resource.setrlimit(name, (value, value))
        if user is not None:
            os.setgid(user)
            os.setuid(user)

    return limit


def explained(run, codes):
    expect(run.status in codes, f"it ended with {run.status}")
    expect(run.status == 0 or reason(run.all), "it did not say why")


@kind
def file_size_limit(trial):
    """`ulimit -f`: logs stop at the limit, and the run goes on."""
    rng = trial.rng
    value = rng.choice([0, 1, 100, 512, 1024, 4096, 10_000, 65_536, rng.randint(0, 200_000)])
    trial.plan({"a": {"run": f"head -c {rng.randint(0, 400_000)} /dev/zero | tr '\\0' x"}, "b": {"run": "echo b", "inputs": "p.yaml"}})
    if rng.random() < 0.3:
        trial.run("run", "p.yaml")
    run = trial.run("run", "-f", "p.yaml", before=limited(resource.RLIMIT_FSIZE, value))
    explained(run, (0, 69))
    report = trial.run("report", before=limited(resource.RLIMIT_FSIZE, value))
    explained(report, (0, 69))


@kind
def process_limit(trial):
    """`ulimit -u` for a user without other processes: a sentence and a code, and never a crash."""
    trial.needs_root()
    # A user of its own, because the limit counts all processes of a user.
    user = 1_000_000 + os.getpid()
    os.chown(trial.folder, user, user)
    extras = [{}, {"timeout": "9s"}, {"inputs": "p.yaml"}, {"retries": 1, "timeout": "9s"}]
    trial.plan({f"t{n}": {"run": trial.rng.choice(["echo hi", "echo hi | cat", ["true"]]), **trial.rng.choice(extras)} for n in range(3)})
    os.chown(trial.folder / "p.yaml", user, user)
    run = trial.run("run", "p.yaml", before=limited(resource.RLIMIT_NPROC, trial.rng.randint(1, 14), user))
    explained(run, (0, 1, 69))


@kind
def descriptor_limit(trial):
    """`ulimit -n` from 5 up: the run succeeds or says what it needs; no task is blamed."""
    rng = trial.rng
    trial.plan({f"t{n}": {"run": ["true"], "inputs": "p.yaml"} for n in range(rng.randint(1, 12))}, workers=rng.choice([1, 4, 12, 1000]))
    value = rng.randint(5, 40)
    before = limited(resource.RLIMIT_NOFILE, value)
    run = trial.run("run", "p.yaml", before=before)
    explained(run, (0, 69))
    for words in (["check", "p.yaml"], ["run", "-n", "p.yaml"], ["history"], ["report"]):
        command = trial.run(*words, before=before)
        explained(command, (0, 69))


def least_memory(trial):
    """The megabytes with which the program can be loaded at all; below that the loader of the system fails."""
    for size in range(8, 400, 2):
        run = trial.start("--version", before=limited(resource.RLIMIT_AS, size << 20))
        run.has_codes = False
        trial.wait(run)
        trial.runs.remove(run)
        if run.status == 0:
            return size
    raise Skip("the program cannot be loaded with 400 MB")


@kind
def memory_limit(trial):
    """`ulimit -v` from small up: a sentence and a code, and never a crash."""
    value = (least_memory(trial) + trial.rng.choice([0, 1, 2, 4, 8, 16, 32, 64, 128, 400])) << 20
    trial.plan({f"t{n}": {"run": ["true"]} for n in range(trial.rng.choice([1, 10, 2000]))})
    command = trial.rng.choice([["check"], ["graph"], ["run"], ["run", "-n"]])
    run = trial.run(*command, "p.yaml", before=limited(resource.RLIMIT_AS, value))
    # A task inherits the limit, and may not be able to live with it.
    explained(run, (0, 1, 69))


@kind
def stack_limit(trial):
    """`ulimit -s` from 256 kB up, with deep plans."""
    value = trial.rng.choice([256, 512, 1024, 8192]) << 10
    depth = trial.rng.choice([2, 60, 64, 5000])
    plans = ["tasks: { a: { run: 'true' } }", "tasks: " + "[" * depth + "]" * depth,
             "tasks: { " + ", ".join(f"t{n}: {{ run: 'true', after: t{n + 1} }}" for n in range(depth)) + f", t{depth}: {{ run: 'true' }} }}"]
    trial.write("p.yaml", trial.rng.choice(plans))
    run = trial.run(*trial.rng.choice([["check"], ["graph"], ["run", "-n"]]), "p.yaml", before=limited(resource.RLIMIT_STACK, value))
    explained(run, (0, 2, 69))
