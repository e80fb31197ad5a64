"""The file of the history: of another kind, damaged, locked, of another program."""

import os
import socket
import stat

from ..registry import kind
from ..trial import Skip, expect, reason

try:
    import sqlite3
except ImportError:
    sqlite3 = None


def path_of(trial):
    trial.state.mkdir(exist_ok=True)
    return trial.state / "history.sqlite"


def simple_plan(trial):
    trial.plan({"a": {"run": "echo a"}, "b": {"run": "sleep 0.05", "after": "a"}})


def still_runs(trial, must_say=None):
    """A run succeeds, whatever the history is; if the history cannot be used, a line says why."""
    run = trial.run("run", "p.yaml")
    expect(run.status == 0, f"the run ended with {run.status}, because of its history")
    expect(b"()" not in run.err, "it gave no reason")
    if must_say:
        expect(must_say in run.err, f"it did not say that the history is not used ({must_say.decode()})")
    for words in (["history"], ["history", "p.yaml"], ["report"], ["report", "-o", "-"]):
        if trial.rng.random() < 0.5:
            command = trial.run(*words)
            expect(command.status in (0, 69), f"{' '.join(words)} ended with {command.status}")
            expect(command.status == 0 or reason(command.err), f"{' '.join(words)} gave no reason")


@kind
def history_of_another_kind(trial):
    """`history.sqlite` is a folder, a fifo, a device, a socket or a link; the run goes on and says why there is no history."""
    rng = trial.rng
    simple_plan(trial)
    path = path_of(trial)
    ways = ["folder", "full folder", "fifo", "socket", "loop", "dangling", *(["null", "full"] if trial.is_root else [])]
    way = rng.choice(ways)
    if way.endswith("folder"):
        path.mkdir()
        if way == "full folder":
            (path / "mine").write_text("mine")
            trial.guard(path / "mine")
    elif way == "fifo":
        os.mkfifo(path)
    elif way == "socket":
        os.chdir(trial.state)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
        os.chdir(trial.folder)
    elif way == "loop":
        path.symlink_to(path.name)
    elif way == "dangling":
        path.symlink_to(trial.base / "nowhere" / "x")
    else:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3 if way == "null" else 7))
    before = path.lstat().st_mode
    still_runs(trial, must_say=b"history")
    expect(path.lstat().st_mode == before, f"the {way} was replaced")


@kind
def damaged_history(trial):
    """Random bytes, truncation, other sizes and journals of nonsense; a run goes on, and the history can be read again."""
    rng = trial.rng
    simple_plan(trial)
    for _ in range(rng.randint(1, 3)):
        trial.run("run", "p.yaml", "--ui", "quiet")
    path = path_of(trial)
    for _ in range(rng.randint(1, 3)):
        size = path.stat().st_size if path.exists() else 0
        way = rng.choice(["bytes", "bytes", "truncate", "zero", "append", "header", "journal", "wal", "page"])
        if way in ("journal", "wal"):
            (trial.state / f"history.sqlite-{way}").write_bytes(rng.randbytes(rng.randint(0, 9000)))
            continue
        with open(path, "r+b" if path.exists() else "w+b") as file:
            if way == "bytes":
                for _ in range(rng.randint(1, 200)):
                    file.seek(rng.randrange(max(1, size)))
                    file.write(rng.randbytes(1))
            elif way == "page":
                file.seek(rng.randrange(max(1, size // 4096)) * 4096)
                file.write(rng.choice([b"\0", b"\xff"]) * 4096)
            elif way == "header":
                file.write(rng.randbytes(rng.randint(1, 100)))
            elif way == "append":
                file.seek(size)
                file.write(rng.randbytes(rng.randint(1, 9000)))
            else:
                file.truncate(0 if way == "zero" else rng.randrange(size + 1))
    still_runs(trial)


@kind
def foreign_history(trial):
    """`history.sqlite` belongs to another program, or to a newer headway; it is not touched."""
    if not sqlite3:
        raise Skip("needs Python's sqlite3")
    rng = trial.rng
    simple_plan(trial)
    path = path_of(trial)
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY, words TEXT)")
        other.execute("INSERT INTO runs (words) VALUES ('mine')")
        if rng.random() < 0.5:
            other.execute(f"PRAGMA application_id = {rng.getrandbits(31)}")
        other.execute(f"PRAGMA user_version = {rng.choice([0, 1, 5, 99, 1 << 30])}")
    other.close()
    trial.guard(path)
    still_runs(trial, must_say=b"history")
    if rng.random() < 0.5:
        trial.run("history", "clear")


@kind
def locked_history(trial):
    """Another program holds the lock of the history, for a while or for good; the run does not wait for it."""
    if not sqlite3:
        raise Skip("needs Python's sqlite3")
    rng = trial.rng
    simple_plan(trial)
    trial.run("run", "p.yaml", "--ui", "quiet")
    other = sqlite3.connect(path_of(trial), isolation_level=None)
    other.execute(rng.choice(["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"]))
    run = trial.start("run", "p.yaml")
    if rng.random() < 0.5:
        trial.pause(trial.moment(1), run)
        other.execute("ROLLBACK")
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status}")
    # A program that waits for a lock may be ended.
    shown = trial.run("history", within=20)
    expect(shown.status in (0, 69), f"`history` ended with {shown.status}")
    other.close()
