"""The state folder: of another user, with planted links, removed, replaced, shared."""

import os
import re
import shutil
import time
from pathlib import Path

from ..registry import kind
from ..system import NOBODY
from ..trial import expect, reason


def as_nobody(body):
    """Does something as another user, in a child."""
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            body()
            os._exit(0)
        finally:
            os._exit(1)
    expect(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "a defect of the kit: the other user could not plant")


def refused(run, state):
    """Expects that a run has refused its state folder, and said so."""
    expect(run.status == 69, f"it ended with {run.status} and used a state folder that another user controls")
    expect(reason(run.err) and state.encode() in run.err, "it did not name the state folder that it refused")


def plant_links(trial, state):
    """Puts links to canaries where headway writes; returns nothing if a place is taken."""
    rng = trial.rng
    secret, tree = trial.canary / "secret", trial.canary / "tree"
    places = {"contents/p/t": secret, "history.sqlite": secret, "runs": tree, "contents": tree, "contents/p": tree,
              ".gitignore": secret, "reports": tree, "history.sqlite-journal": secret, "history.sqlite-wal": secret,
              "history.sqlite.damaged": secret, "runs/latest": tree, "history.sqlite": trial.canary / "missing"}
    last = int(Path("/proc/loadavg").read_text().split()[-1])
    way = rng.choice(["one", "one", "new", "run"])
    if way == "one":
        for name in rng.sample(sorted(places), rng.randint(1, 3)):
            link(state / name, places[name])
    elif way == "new":
        # The names of files that are renamed later, if they can be guessed.
        for pid in range(last, last + 400):
            for name in ("contents/p/t", "history.sqlite", ".gitignore"):
                link(state / f"{name}.{pid}.new", secret)
    else:
        for second in range(4):
            began = time.strftime("%Y%m%d-%H%M%S", time.localtime(time.time() + second))
            for pid in range(last, last + 150):
                link(state / "runs" / f"{began}-{pid}", tree)


def link(path, target):
    # A folder that is itself a planted link would take the next one to the canaries.
    if any(folder.is_symlink() for folder in path.parents):
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    except (FileExistsError, NotADirectoryError, PermissionError):
        pass


def writing_plan(trial):
    trial.write("in", trial.rng.randbytes(20))
    trial.plan({"t": {"run": "echo hi; cp in out", "inputs": "in", "outputs": "out"}, "secret": {"run": "echo secret"}}, file="p.yaml")


@kind
def planted_links(trial):
    """Links where headway writes: logs, contents, history, reports; none is followed to a file that is not its own."""
    trial.state.mkdir()
    plant_links(trial, trial.state)
    writing_plan(trial)
    run = trial.run("run", "p.yaml")
    expect(run.status in (0, 69), f"it ended with {run.status}")
    expect(run.status == 0 or reason(run.err), "it did not say why it stopped")
    trial.run("report")
    if trial.rng.random() < 0.5:
        trial.run("history", "clear")


@kind
def foreign_state_folder(trial):
    """Another user makes the state folder first, in a sticky folder of everybody; it is refused."""
    trial.needs_root()
    rng = trial.rng
    shared = trial.folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    os.chdir(shared)
    trial.folder = shared
    trial.state = shared / ".headway"
    way = rng.choice(["folder", "open", "link", "link to own", "link inside"])

    def plant():
        if way.startswith("link"):
            own = shared / "own"
            own.mkdir(mode=0o777)
            link(trial.state, own if way == "link to own" else trial.canary / "tree")
        else:
            trial.state.mkdir()
            trial.state.chmod(0o777 if way == "open" else 0o755)
            plant_links(trial, trial.state)

    if way == "link inside":
        # The state folder is ours; a folder in it is not.
        trial.state.mkdir()
        (trial.state / "runs").mkdir()
        os.chown(trial.state / "runs", NOBODY, NOBODY)
    else:
        as_nobody(plant)
    writing_plan(trial)
    named = rng.random() < 0.3
    run = trial.run("run", "p.yaml", *(["--state", str(trial.state)] if named else []))
    refused(run, ".headway")


@kind
def open_state_folder(trial):
    """Everybody may write to the state folder; it is refused."""
    trial.needs_root()
    trial.state.mkdir()
    trial.state.chmod(trial.rng.choice([0o777, 0o1777, 0o757]))
    if trial.rng.random() < 0.5:
        as_nobody(lambda: plant_links(trial, trial.state))
    writing_plan(trial)
    refused(trial.run("run", "p.yaml"), ".headway")


@kind
def foreign_runs(trial):
    """Folders of others beside the runs of headway stay, however many runs there are."""
    rng = trial.rng
    # A folder of the user that headway did not create, or the one that it would create.
    state = trial.folder / rng.choice(["proj", ".headway"])
    trial.state = state
    runs = state / "runs"
    for index in range(rng.randint(20, 40)):
        name = rng.choice([f"202601{index % 28 + 1:02}", f"{index}", f"2026-01-{index:02}", f"20260101-{index:06}", f"20260101-101500-{index}x",
                           f"20260101-1015-{index}", f"x{index}", f"20260101-101500-{index}-4711", f"２０２６0101-101500-{index}"])
        folder = runs / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / rng.choice(["app.log", "x.txt", "t.log"])).write_bytes(rng.randbytes(10))
        if rng.random() < 0.2:
            (folder / "sub").mkdir(exist_ok=True)
        trial.guard(folder)
    # A folder with the form of a run, but with files that headway does not make.
    other = runs / "20260101-101500-999999"
    other.mkdir()
    (other / "data.bin").write_bytes(b"mine")
    trial.guard(other / "data.bin")
    trial.plan({"t": {"run": "echo hi"}})
    for _ in range(rng.randint(21, 26)):
        run = trial.run("run", "p.yaml", "--state", str(state), "--ui", "quiet")
        expect(run.status == 0, f"it ended with {run.status}")
        trial.runs.remove(run)
    own = [name for name in os.listdir(runs) if re.fullmatch(r"20\d{6}-\d{6}-\d+", name) and (runs / name / "logs" / "t.log").exists()
           and name != other.name and not name.startswith("20260101")]
    expect(20 <= len(own) <= 21, f"it has kept the logs of {len(own)} runs, not of 20")


@kind
def state_removed(trial):
    """`rm -rf .headway` during the run; it goes on, and a line at the end says that nothing was kept."""
    rng = trial.rng
    trial.plan({f"t{n}": {"run": f"echo hi; touch began; sleep 0.{rng.randint(2, 6)}; echo more"} for n in range(4)}, workers=2)
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    trial.pause(trial.moment(0.3), run)
    for _ in range(rng.randint(1, 3)):
        shutil.rmtree(trial.state, ignore_errors=True)
    removed = run.status is None
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status} after its state folder was removed")
    if removed:
        expect(b".headway" in run.err, "it did not say that its state folder is gone")


@kind
def state_replaced(trial):
    """The state folder, or a part of it, becomes a link, a file or another folder during the run."""
    rng = trial.rng
    trial.plan({f"t{n}": {"run": "echo hi; touch began; sleep 0.3; echo more", "inputs": "p.yaml"} for n in range(4)}, workers=2)
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    part = rng.choice([trial.state, trial.state / "runs", trial.state / "contents", trial.state / "history.sqlite"])
    if part.exists():
        part.rename(trial.base / "away")
    way = rng.choice(["link", "file", "fifo", "folder", "missing"])
    if way == "link":
        link(part, trial.canary / "tree")
    elif way == "file":
        part.write_bytes(b"x")
    elif way == "fifo":
        os.mkfifo(part)
    elif way == "folder":
        part.mkdir()
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status} after '{part.name}' became a {way}")


@kind
def damaged_state(trial):
    """Parts of the state folder are files, folders, fifos, loops or random bytes."""
    rng = trial.rng
    writing_plan(trial)
    if rng.random() < 0.5:
        trial.run("run", "p.yaml")
    for _ in range(rng.randint(1, 3)):
        path = trial.state / rng.choice([".", "runs", "runs/latest", "contents", "contents/p", "contents/p/t", ".gitignore", "reports"])
        remove(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        way = rng.choice(["file", "folder", "fifo", "loop", "unreadable"])
        try:
            if way == "file":
                path.write_bytes(rng.randbytes(rng.randint(0, 200)))
            elif way == "folder":
                path.mkdir()
            elif way == "fifo":
                os.mkfifo(path)
            elif way == "loop":
                path.symlink_to(path.name)
            else:
                path.touch(mode=0)
        except OSError:
            pass
    run = trial.run("run", "p.yaml")
    expect(run.status in (0, 69), f"it ended with {run.status}")
    expect(run.status == 0 or reason(run.err), "it did not say why it stopped")
    trial.run("run", "-n", "p.yaml")
    trial.run("report")


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path) and path.parent.is_dir():
        path.unlink()
    for parent in path.parents:
        # A file where a folder must be.
        if os.path.lexists(parent) and not parent.is_dir():
            parent.unlink()


@kind
def runs_at_once(trial):
    """Several runs of a plan at once with one state folder; each ends, and each has its logs and its history."""
    rng = trial.rng
    trial.write("in", "x")
    trial.plan({f"t{n}": {"run": f"echo run-$WHO; sleep 0.{rng.randint(0, 3)}", **({"inputs": "in"} if n == 0 else {})} for n in range(3)})
    runs = []
    for number in range(rng.randint(2, 5)):
        runs.append(trial.start("run", "-f", "p.yaml", environment={"WHO": f"{number}-"}))
        trial.pause(trial.moment(0.3))
    done = 0
    for number, run in enumerate(runs):
        trial.wait(run)
        # A second run may be refused, with a sentence.
        expect(run.status == 0 or (run.status == 69 and reason(run.err)), f"run {number} ended with {run.status}")
        done += run.status == 0
        if run.status == 0:
            expect(b"history" not in run.err, f"run {number} was not stored")
    expect(done > 0, "no run succeeded")
    for folder in (trial.state / "runs").iterdir():
        if folder.is_dir() and not folder.is_symlink():
            words = {line for log in (folder / "logs").iterdir() for line in log.read_text().splitlines() if line.startswith("run-")}
            expect(len(words) <= 1, f"the logs of {len(words)} runs are in one folder")
    history = trial.run("history", "p.yaml")
    count = len(re.findall(rb"^\d{8}-\d{6}-\d+ ", history.out, re.MULTILINE))
    expect(count == done, f"the history has {count} of {done} runs")
