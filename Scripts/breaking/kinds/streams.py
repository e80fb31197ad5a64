"""Standard streams that are closed, full, stuck or strange, and reports to strange files."""

import os
import signal
import stat

from ..registry import kind
from ..trial import expect, reason
from .interrupts import end_at_once

PLAN = {"a": {"run": "echo a"}, "b": {"run": "echo from-b; exit 1", "optional": True}}

COMMANDS = [["check", "p.yaml"], ["graph", "p.yaml"], ["graph", "--dot", "p.yaml"], ["graph", "--mermaid", "p.yaml"],
            ["run", "-n", "p.yaml"], ["history"], ["history", "p.yaml"], ["report", "-o", "-"], ["report"], ["help"], ["help", "run"],
            ["--version"], ["run", "--help"], [], ["demo", "bar"]]


@kind
def closed_streams(trial):
    """Any of the three standard streams is closed at the start; nothing is written where it does not belong."""
    rng = trial.rng
    trial.plan(PLAN)
    closed = rng.choice([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])

    def close():
        for stream in closed:
            os.close(stream)

    run = trial.run("run", "p.yaml", "--ui", rng.choice(["plain", "json", "quiet", "live"]), before=close)
    # A run whose output cannot be written may say so with its code.
    expect(run.status == 0 or (closed != (0,) and run.status == 69), f"it ended with {run.status} with {closed} closed")
    logs = trial.logs
    expect((logs / "a.log").read_bytes() == b"a\n", "the log of a is not what it has printed")
    expect(b"from-b" in (logs / "b.log").read_bytes(), "the log of b is not what it has printed")
    for words in rng.sample(COMMANDS[:-1], 3):
        trial.run(*words, before=close)


@kind
def full_output(trial):
    """Standard output is /dev/full: each command ends with a code other than 0, or a run says it."""
    rng = trial.rng
    trial.plan(PLAN)
    trial.run("run", "p.yaml")
    full = os.open("/dev/full", os.O_WRONLY)
    for words in rng.sample(COMMANDS, 4):
        run = trial.run(*words, out=full)
        expect(run.status != 0, f"`headway {' '.join(words)}` ended with 0, though its output is lost")
        expect(reason(run.err), "it did not say that its output is lost")
    run = trial.run("run", "p.yaml", "--ui", rng.choice(["plain", "json"]), out=full)
    expect(run.status != 0 or reason(run.err), "the run ended with 0 and without a word, though its lines are lost")
    trial.run(*rng.choice([["check"], ["run", "p.yaml"], ["nonsense"]]), err=full)
    os.close(full)


@kind
def closed_pipe(trial):
    """Nobody reads what is printed: a run goes on, other commands end."""
    rng = trial.rng
    trial.plan({**PLAN, "c": {"run": "sleep 0.2; touch done"}})
    reader, writer = os.pipe()
    os.close(reader)
    run = trial.run("run", "p.yaml", "--ui", rng.choice(["plain", "json", "quiet"]), out=writer,
                    **({"err": writer} if rng.random() < 0.5 else {}))
    expect(run.status == 0, f"the run ended with {run.status}")
    expect((trial.folder / "done").exists(), "not each task has run")
    for words in rng.sample(COMMANDS[:-1], 4):
        command = trial.run(*words, out=writer)
        expect(command.status in (0, 141, -signal.SIGPIPE), f"`headway {' '.join(words)}` ended with {command.status}")
    os.close(writer)


@kind
def stuck_pipe(trial):
    """Nobody reads a full pipe: a run finishes its work, and two signals end it at once."""
    rng = trial.rng
    count = rng.randint(400, 1500)
    trial.plan({**{f"{n}-{'x' * 150}": {"run": ["true"]} for n in range(count)}, "last": {"run": "touch began", "always": True}})
    reader, writer = os.pipe()
    run = trial.start("run", "p.yaml", "--ui", rng.choice(["plain", "json"]), out=writer)
    os.close(writer)
    if rng.random() < 0.5:
        trial.until_running(run)
    else:
        trial.pause(0.2 + trial.moment(1), run)
    if run.status is None:
        end_at_once(trial, run)
    os.close(reader)


def with_history(trial):
    trial.plan(PLAN)
    trial.run("run", "p.yaml")


def is_page(content):
    return content.lstrip()[:9].lower() == b"<!doctype" and content.rstrip().endswith(b"</html>")


def report_to_fifo(trial, path):
    os.mkfifo(path)
    reader = trial.spawn(["cat", str(path)])
    run = trial.run("report", "-o", str(path))
    expect(stat.S_ISFIFO(path.lstat().st_mode), "the fifo was replaced by a file")
    trial.wait(reader, within=5)
    expect(run.status == 0 and is_page(reader.out), "the reader of the fifo did not get the page")


def report_to_device(trial, path):
    trial.needs_root()
    is_full = trial.rng.random() < 0.5
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7 if is_full else 3))
    run = trial.run("report", "-o", str(path))
    expect(stat.S_ISCHR(path.lstat().st_mode), "the device was replaced by a file")
    expect(run.status == (69 if is_full else 0), f"it ended with {run.status}")


def report_to_link(trial, path):
    target = trial.folder / "target.html"
    if trial.rng.random() < 0.5:
        target.write_text("old")
    path.symlink_to(target.name)
    run = trial.run("report", "-o", str(path))
    expect(path.is_symlink(), "the link was replaced by a file")
    expect(run.status == 0 and is_page(target.read_bytes()), "the file behind the link is not the page")


def report_to_descriptor(trial, path):
    if trial.rng.random() < 0.3:
        # One that is not open, unless the program opens it.
        run = trial.run("report", "-o", f"/dev/fd/{trial.rng.randint(3, 12)}")
        expect(run.status == 69 and reason(run.err), f"it ended with {run.status}")
        return
    reader, writer = os.pipe()
    run = trial.run("report", "-o", f"/dev/fd/{trial.rng.choice([1, writer])}", passed=[writer])
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        content = file.read()
    expect(run.status == 0, f"it ended with {run.status}")
    expect(is_page(content) or b"<!doctype" in run.out.lower(), "the descriptor did not get the page")


def report_to_folder(trial, path):
    path.mkdir()
    run = trial.run("report", "-o", str(path))
    expect(run.status == 69 and reason(run.err), f"it ended with {run.status}")


def report_to_missing(trial, path):
    run = trial.run("report", "-o", str(path / "missing" / "x.html"))
    expect(run.status == 69 and reason(run.err), f"it ended with {run.status}")


@kind
def report_files(trial):
    """`report -o` to a fifo, a copy of a device, a link, a descriptor, a folder; none is replaced by a file."""
    with_history(trial)
    ways = [report_to_fifo, report_to_device, report_to_link, report_to_descriptor, report_to_folder, report_to_missing]
    if not trial.is_root:
        ways.remove(report_to_device)
    trial.rng.choice(ways)(trial, trial.folder / "page.html")
