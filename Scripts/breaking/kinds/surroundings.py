"""The surroundings of the program: environment, current folder, signals from the parent, /proc, arguments."""

import os
import signal

from .. import system, text
from ..registry import kind
from ..trial import Skip, expect, reason


@kind
def deleted_folder(trial):
    """The current folder is deleted before or during the run."""
    rng = trial.rng
    trial.plan({"t": {"run": "touch began; sleep 0.3; echo x"}, "u": {"run": "echo u", "after": "t"}})
    gone = trial.base / "gone"
    gone.mkdir()

    def leave():
        os.chdir(gone)
        os.rmdir(gone)

    way = rng.choice(["absolute", "relative", "none", "during", "state"])
    if way == "during":
        os.chdir(gone)
        run = trial.start("run", str(trial.folder / "p.yaml"))
        os.chdir(trial.folder)
        trial.pause(trial.moment(0.3), run)
        gone.rmdir()
        trial.wait(run)
        expect(run.status == 0, f"it ended with {run.status}")
        return
    words = {"absolute": [str(trial.folder / "p.yaml")], "relative": ["p.yaml"], "none": [],
             "state": [str(trial.folder / "p.yaml"), "--state", "here"]}[way]
    run = trial.run("run", *words, before=leave)
    right = {"absolute": (0,), "state": (0, 2, 69)}.get(way, (2, 69))
    expect(run.status in right, f"it ended with {run.status}")
    expect(run.status == 0 or reason(run.err), "it did not say why it stopped")
    for command in (["history"], ["report"], ["check", str(trial.folder / "p.yaml")]):
        other = trial.run(*command, before=lambda: os.chdir(make_gone(trial)))
        expect(other.status in (0, 2, 69), f"{command[0]} ended with {other.status}")


def make_gone(trial):
    """A folder that is deleted once it is the current one."""
    gone = trial.base / f"gone-{os.getpid()}"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    return "."


@kind
def strange_environment(trial):
    """Strange zones of time, languages, homes and paths; invalid UTF-8, a variable of 100 kB, variables without names."""
    rng = trial.rng
    trial.plan({"t": {"run": "echo x; /bin/true", "inputs": "p.yaml"}, "u": {"run": ["/bin/sh", "-c", ":"], "env": {"A": "b"}}})
    values = {
        "TZ": ["", "Nowhere/Else", ":/etc/passwd", "UTC+99:99:99", "A" * 3000, "../../../dev/zero", "<\x1b[31m>3", "Asia/Kathmandu"],
        "LANG": ["", "xx_YY.ZZ", "tr_TR.UTF-8", "C", "zh_CN.GB18030", "\x1b[2J"], "LC_ALL": ["", "C", "tr_TR", "POSIX"],
        "HOME": [None, "", "/nonexistent", "relative", "/dev/null"], "PATH": [None, "", ":", "/nonexistent", ".", "x" * 9000],
        "TMPDIR": ["/nonexistent", "", "/dev/null"], "PWD": ["/nonexistent", "", None, "x" * 5000],
        "HEADWAY_TASK": ["1", "", "x.y.z", "0.0.0", "\x1b"], "HEADWAY_ATTEMPT": ["-1"], "HUGE": ["h" * 100_000], "SHELL": ["/nonexistent"],
        "MALLOC_ARENA_MAX": ["0"], "LC_TIME": ["\x1b[2J"], "NO_COLOR": ["1"],
    }
    environment = {name: rng.choice(values[name]) for name in rng.sample(sorted(values), rng.randint(1, 8))}
    block = {os.fsencode(name): None if value is None else os.fsencode(value) for name, value in environment.items()}
    if rng.random() < 0.5:
        block[b"INVALID\xff"] = rng.choice(text.HOSTILE).replace(b"\0", b"")
        block[b"\xc3\x28"] = b"\xff" * rng.randint(1, 50_000)
    # A shell without PATH has a default one; programs without a slash may not be found.
    run = trial.run("run", "p.yaml", environment={os.fsdecode(name): value and os.fsdecode(value) for name, value in block.items()})
    expect(run.status == 0 or ("PATH" in environment and run.status in (1, 69)), f"it ended with {run.status}")
    for words in (["history", "p.yaml"], ["report"]):
        other = trial.run(*words, environment=environment)
        expect(other.status == 0, f"{words[0]} ended with {other.status}")


@kind
def inherited_signals(trial):
    """Signals are ignored or blocked at the start, as after `nohup` or in a careless parent; the run still ends."""
    rng = trial.rng
    numbers = [signal.SIGCHLD, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM, signal.SIGALRM, signal.SIGTSTP, signal.SIGCONT,
               signal.SIGTTOU, signal.SIGUSR1, signal.SIGQUIT]
    ignored = rng.sample(numbers, rng.randint(0, 6))
    blocked = rng.sample(numbers, rng.randint(0, 6))

    def prepare():
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, blocked)

    trial.plan({"a": {"run": "sleep 0.1; echo a"}, "b": {"run": "touch began; sleep 9", "timeout": "400ms", "optional": True, "grace": "100ms"},
                "c": {"run": "sh -c 'exit 0'", "after": ["a", "b"]}})
    run = trial.start("run", "p.yaml", before=prepare)
    if rng.random() < 0.3:
        # What is ignored stays ignored.
        trial.until_running(run)
        for number in ignored:
            trial.send(run, number)
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status}; ignored: {ignored}, blocked: {blocked}")


@kind
def without_proc(trial):
    """/proc is missing, empty or another: a sentence and 69, or a run as usual; never a crash."""
    trial.needs_root()
    rng = trial.rng
    if not system.can_mount():
        raise Skip("needs mounts of its own")

    def hide():
        system.leave_mount_namespace()
        system.mount_tmpfs("/proc", "size=64k")

    trial.plan({"t": {"run": rng.choice(["echo x", ["true"], "sleep 0.1 & echo y"])}})
    for words in (["run", "p.yaml"], rng.choice([["check", "p.yaml"], ["run", "-n", "p.yaml"], ["history"], ["report"], ["--version"]])):
        run = trial.run(*words, before=hide)
        expect(run.status in (0, 69), f"`headway {' '.join(words)}` ended with {run.status}")
        expect(run.status == 0 or reason(run.err), "it did not say what is missing")


@kind
def random_arguments(trial):
    """Random arguments: words, options, numbers, escapes, invalid UTF-8."""
    rng = trial.rng
    trial.plan({"t": {"run": "true"}})
    words = ["run", "check", "graph", "history", "report", "help", "clear", "p.yaml", "t", "-j", "1", "-1", "--workers=2", "--ui", "json", "quiet", "--state",
             "state", "-n", "-f", "-k", "--", "-", "", "--dot", "-o", "out.html", "./", ".", "..", "x/", "--fail-fast", "-jjj", "-nf", "--ui=", "@", "*",
             "9" * 400, "-" * 50, "a" * 10_000]
    for _ in range(8):
        arguments = [rng.choice(words) for _ in range(rng.randint(0, 6))]
        if rng.random() < 0.4:
            arguments.insert(rng.randint(0, len(arguments)), rng.choice(text.HOSTILE).replace(b"\0", b""))
        if rng.random() < 0.8:
            arguments.insert(0, rng.choice(words[:6]))
        run = trial.run(*arguments)
        expect(run.status in (0, 1, 2, 69), f"it ended with {run.status}")
        expect(run.status == 0 or reason(run.all), "it said nothing")
