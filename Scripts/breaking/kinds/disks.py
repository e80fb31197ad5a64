"""Disks that are full, read-only, gone, slow, dead or broken."""

import errno
import os
import signal

from .. import system
from ..registry import kind
from ..system import NOBODY
from ..trial import expect, reason
from .interrupts import end_at_once
from .kills import END_SIGNALS, second_signal


def use_disk(trial, size="1m"):
    """Puts the trial on a small disk of its own."""
    trial.needs_mounts()
    disk = trial.folder / "disk"
    disk.mkdir()
    system.mount_tmpfs(disk, f"size={size},mode=755")
    os.chdir(disk)
    trial.folder = disk
    trial.state = disk / ".headway"


def fill(path, leave=0):
    """Fills a disk but for some bytes."""
    block = os.statvfs(path)
    with open(path / "filler", "wb", buffering=0) as file:
        try:
            file.write(bytes(max(0, block.f_bavail * block.f_frsize - leave)))
            while leave == 0 and file.write(bytes(4096)):
                pass
        except OSError:
            pass


def kept_going(run):
    """The run has succeeded, or has said what it needs."""
    expect(run.status in (0, 69), f"it ended with {run.status}, though no task has failed")
    expect(run.status == 0 or reason(run.err), "it did not say why it stopped")


@kind
def full_disk(trial):
    """The disk is full, before the run or in the middle of it; logs stop, tasks go on, and a line says so."""
    rng = trial.rng
    use_disk(trial)
    fills_later = rng.random() < 0.5
    trial.plan({
        "a": {"run": "sleep 0.3; head -c 2000000 /dev/zero | tr '\\0' x"},
        "b": {"run": "sleep 0.4; echo b"},
        "c": {"run": "true", "after": ["a", "b"], "inputs": "p.yaml"},
    }, workers=2)
    if rng.random() < 0.3:
        trial.run("run", "p.yaml", "b")
    if fills_later:
        run = trial.start("run", "p.yaml")
        trial.pause(trial.moment(0.6), run)
        fill(trial.folder, rng.choice([0, 4096, 65536]))
    else:
        fill(trial.folder, rng.choice([0, 0, 4096, 16384, 65536, 200_000]))
        run = trial.start("run", "p.yaml")
    trial.wait(run)
    kept_going(run)
    # Two megabytes do not fit into one.
    expect(run.err.strip(), "a log was cut, and no line said so")
    report = trial.run("report")
    expect(report.status in (0, 69), f"`report` ended with {report.status}")
    expect(report.status == 0 or reason(report.err), "`report` did not say why it failed")


@kind
def read_only_disk(trial):
    """The disk becomes read-only before or during the run."""
    use_disk(trial, "4m")
    trial.plan({"a": {"run": "sleep 0.3; echo a"}, "b": {"run": "echo b", "after": "a"}})
    if trial.rng.random() < 0.5:
        trial.run("run", "p.yaml")
    run = None
    during = trial.rng.random() < 0.5
    if during:
        run = trial.start("run", "p.yaml")
        trial.pause(trial.moment(0.5), run)
    try:
        system.mount_tmpfs(trial.folder, "size=4m", system.MS_REMOUNT | system.MS_RDONLY)
    except OSError as error:
        # The disk is busy while a file is open for writing.
        expect(error.errno == errno.EBUSY, f"a defect of the kit: {error}")
        during = True
    run = run or trial.start("run", "p.yaml")
    trial.wait(run)
    kept_going(run)
    expect(during or run.status == 69, f"it ended with {run.status} on a disk that is read-only")


@kind
def disk_gone(trial):
    """The disk is taken away during the run."""
    use_disk(trial, "4m")
    trial.plan({f"t{n}": {"run": "echo hi; sleep 0.2; echo more"} for n in range(5)}, workers=2)
    run = trial.start("run", "p.yaml")
    trial.pause(trial.moment(0.6), run)
    os.chdir(trial.base)
    system.unmount(trial.folder)
    trial.wait(run)
    # The plan may not have been read yet.
    expect(run.status in (0, 1, 2, 69), f"it ended with {run.status}")
    expect(run.status == 0 or run.all.strip(), "it did not say why it stopped")


@kind
def read_only_folder(trial):
    """A user who may not write to the folder of the plan."""
    trial.needs_root()
    rng = trial.rng
    trial.plan({"a": {"run": "echo a"}})
    way = rng.choice(["folder", "state", "runs", "history"])
    if way != "folder":
        trial.run("run", "p.yaml")
        for folder, _, files in os.walk(trial.state):
            for path in [folder, *(os.path.join(folder, file) for file in files)]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        {"state": trial.state, "runs": trial.state / "runs", "history": trial.state / "history.sqlite"}[way].chmod(0o555)
    run = trial.run("run", "p.yaml", before=lambda: os.setuid(NOBODY))
    kept_going(run)
    if way in ("folder", "runs"):
        expect(run.status == 69, f"it ended with {run.status} without a folder for its logs")
        expect(b".headway" in run.err, "it did not name the folder")
    if way in ("state", "history") and run.status == 0:
        expect(b"history" in run.err, "it did not say that the run is not stored")


CALLS = ["open", "write", "sync", "mkdir", "rename", "unlink"]


def bad_disk(trial, delay=0, error=0, after=0, calls=None):
    """The environment that breaks the disk below the state folder."""
    trial.needs_compiler()
    return {"LD_PRELOAD": str(trial.shim), "BREAK_DISK": str(trial.state), "BREAK_DELAY": str(delay), "BREAK_ERROR": str(error),
            "BREAK_AFTER": str(after), "BREAK_CALLS": ",".join(calls or CALLS)}


def busy_plan(trial):
    trial.write("in", "x" * 100)
    trial.plan({f"t{n}": {"run": "echo hi; sleep 0.1; echo more", "inputs": "in"} for n in range(4)}, workers=2)


@kind
def dead_disk(trial):
    """Calls to the disk never return, from a random one on; a second signal still ends the run at once."""
    rng = trial.rng
    busy_plan(trial)
    if rng.random() < 0.5:
        trial.run("run", "p.yaml")
    calls = rng.sample(CALLS, rng.randint(1, len(CALLS)))
    run = trial.start("run", "-f", "p.yaml", environment=bad_disk(trial, -1, after=rng.choice([0, 0, rng.randint(1, 40)]), calls=calls))
    trial.pause(0.2 + trial.moment(1), run)
    if run.status is None:
        end_at_once(trial, run, group=rng.random() < 0.5, may_end_by_itself=True)


@kind
def slow_disk(trial):
    """Each call to the disk takes 5 to 100 ms; the run ends, and is stored."""
    busy_plan(trial)
    run = trial.run("run", "p.yaml", environment=bad_disk(trial, trial.rng.randint(5, 100)), within=90)
    expect(run.status == 0, f"it ended with {run.status}")
    expect(b"history" not in run.err, "it was not stored")


@kind
def slow_disk_signals(trial):
    """Signals during a run on a slow disk."""
    busy_plan(trial)
    asks = trial.rng.random() < 0.5
    # A runner whose supervisor is killed may first finish what it is doing with its disk.
    run = trial.start("run", "p.yaml", environment=bad_disk(trial, trial.rng.randint(5, 300 if asks else 60)))
    trial.pause(trial.moment(2), run)
    if asks:
        first = trial.rng.choice(END_SIGNALS)
        trial.send(run, first)
        trial.pause(trial.moment(1), run)
        trial.send(run, second_signal(trial.rng, first))
        trial.wait(run, within=5)
    else:
        trial.send(run, signal.SIGKILL, group=trial.rng.random() < 0.3)
        trial.wait(run)


@kind
def failing_disk(trial):
    """Calls to the disk fail, from a random one on: input or output error, no space, quota, read-only."""
    rng = trial.rng
    busy_plan(trial)
    if rng.random() < 0.5:
        trial.run("run", "p.yaml")
    number = rng.choice([errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ESTALE, errno.EMFILE])
    broken = bad_disk(trial, 0, number, rng.choice([0, rng.randint(1, 60)]), rng.sample(CALLS, rng.randint(1, len(CALLS))))
    run = trial.run("run", "-f", "p.yaml", environment=broken)
    kept_going(run)
    for words in (["history"], ["report"]):
        command = trial.run(*words, environment=broken)
        expect(command.status in (0, 69), f"`{words[0]}` ended with {command.status}")
        expect(command.status == 0 or reason(command.err), f"`{words[0]}` did not say why it failed")
