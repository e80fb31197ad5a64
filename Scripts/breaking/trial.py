"""One trial: a fresh folder, the processes that it starts, and what must be true after it."""

import fcntl
import json
import os
import random
import resource
import select
import shutil
import signal
import stat
import struct
import subprocess
import termios
import time
from pathlib import Path

from . import processes, system, text

# The exit codes of docs/exit-codes.md, and the signals by which a run may end.
CODES = {0, 1, 2, 69, 70, 124, 129, 130, 131, 137, 141, 143}
SIGNALS = {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE}
CRASHES = {signal.SIGSEGV, signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGTRAP, signal.SIGFPE, signal.SIGSYS}

# How long a run may take if a kind says nothing, and how long what a killed run leaves may live. Both are generous,
# because the machine may be busy.
LIMIT = 30
SETTLING = 15


class Failure(Exception):
    """What headway did wrong."""


class Skip(Exception):
    """Why this machine cannot do a trial."""


def expect(truth, message):
    """Fails unless something is true."""
    if not truth:
        raise Failure(message)


class Run:
    """A process that was started, with what it has printed."""

    def __init__(self, pid, words, streams, is_terminal=False):
        self.pid, self.words, self.is_terminal = pid, words, is_terminal
        self.streams = streams  # a descriptor for each name
        self.printed = {name: b"" for name in streams}
        self.status = None
        self.peak = 0
        # Signals that were sent, so that ending by one of them is right.
        self.injected = set()
        # Some programs are not headway, and some show what others have typed.
        self.has_codes = True
        self.has_text = True
        for descriptor in streams.values():
            os.set_blocking(descriptor, False)

    @property
    def out(self):
        return self.printed.get("out", b"")

    @property
    def err(self):
        return self.printed.get("err", b"")

    @property
    def all(self):
        return b"".join(self.printed.values())

    def read(self):
        """Takes what was printed."""
        for name, descriptor in list(self.streams.items()):
            try:
                while piece := os.read(descriptor, 1 << 16):
                    self.printed[name] += piece
                self.close(name)
            except BlockingIOError:
                pass
            except OSError:
                # The other side of a terminal is closed.
                self.close(name)

    def close(self, name):
        """Stops reading, so that writing fails."""
        os.close(self.streams.pop(name))

    def describe(self):
        """The command and what it has printed."""
        lines = ["  command: " + " ".join(str(word) for word in self.words)]
        if self.status is not None:
            lines.append(f"  status: {self.status}")
        for name, printed in self.printed.items():
            if printed:
                lines.append(f"  {name}: {text.tail(printed)}")
        return "\n".join(lines)


class Trial:
    """The surroundings of one trial; `folder` is its current directory."""

    def __init__(self, headway, kind, seed, base, shim):
        self.headway, self.kind, self.shim = str(headway), kind, shim
        self.rng = random.Random(f"{kind}:{seed}")
        self.marker = f"headway-break-{os.getpid()}-{self.rng.getrandbits(48):012x}"
        self.base = Path(base)
        self.folder = self.base / "work"
        self.state = self.folder / ".headway"
        self.canary = self.base / "canary"
        self.runs = []
        # The run that is being judged.
        self.suspect = None
        # Whether the output of a task is passed on as it is, because there is no other.
        self.has_one_task = False
        # Whether processes may be left, because headway is not allowed to end them.
        self.may_leave = False
        os.umask(0o022)
        for path in (self.base, self.folder, self.base / "home"):
            path.mkdir(mode=0o755, exist_ok=True)
        os.chdir(self.folder)
        self.environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.base / "home"),
            "LANG": "C.UTF-8", "TERM": "xterm-256color", "MARK": self.marker,
        }
        self._make_canary()
        self.canaries = {self.canary: self.picture(self.canary)}

    # The machine

    @property
    def is_root(self):
        return os.geteuid() == 0

    def needs_root(self):
        if not self.is_root:
            raise Skip("needs root")

    def needs_mounts(self):
        """Gives the trial mounts of its own."""
        self.needs_root()
        try:
            system.leave_mount_namespace()
        except OSError as error:
            raise Skip(f"needs mounts of its own ({error})") from error

    def needs_compiler(self):
        if not self.shim:
            raise Skip("needs cc")

    @property
    def logs(self):
        """The folder of the logs of the newest run."""
        return self.state / "runs" / "latest" / "logs"

    # Files that must not change

    def _make_canary(self):
        tree = self.canary / "tree" / "runs" / "20260101-101500-4711"
        tree.mkdir(parents=True)
        (tree / "app.log").write_bytes(self.rng.randbytes(100))
        secret = self.canary / "secret"
        secret.write_bytes(self.rng.randbytes(300))
        secret.chmod(0o600)

    def guard(self, path):
        """Fails at the end of the trial if a folder or a file has changed until then."""
        self.canaries[Path(path)] = self.picture(Path(path))

    @staticmethod
    def picture(root):
        """The names, kinds, modes, owners and contents below a path."""
        found = {}
        names = [root] if not root.is_dir() or root.is_symlink() else [root, *sorted(root.rglob("*"))]
        for path in names:
            try:
                status = path.lstat()
            except FileNotFoundError:
                found[str(path)] = None
                continue
            content = None
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(status.st_mode) and status.st_size < 1 << 24:
                content = path.read_bytes()
            found[str(path)] = (status.st_mode, status.st_uid, status.st_size * stat.S_ISREG(status.st_mode), content)
        return found

    # Plans

    def plan(self, tasks, file="p.yaml", **keys):
        """Writes a plan; JSON is YAML."""
        self.has_one_task = len(tasks) == 1
        return self.write(file, json.dumps({**keys, "tasks": tasks}, ensure_ascii=False))

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    # Programs

    def start(self, *words, wrapper=(), **options):
        """Starts headway; see `spawn`."""
        return self.spawn([*wrapper, self.headway, *words], **options)

    def spawn(self, words, environment=None, before=None, stdin=subprocess.DEVNULL, out=None, err=None, terminal=None,
              session=False, passed=()):
        """Starts a program in a process group of its own.

        Environment is added to the usual one; a value of None removes a variable. `before` is called in the child.
        Standard output and error are read, unless `out` and `err` are descriptors; with a terminal, all three are that.
        The descriptors in `passed` are passed on, under their numbers.
        """
        block = {**self.environment, **(environment or {})}
        block = {name: value for name, value in block.items() if value is not None}
        streams, theirs = {}, []
        if terminal:
            stdin = out = err = terminal.theirs
            streams["terminal"] = os.dup(terminal.ours)
        if out is None:
            streams["out"], out = os.pipe()
            theirs.append(out)
        if err is None:
            streams["err"], err = os.pipe()
            theirs.append(err)

        def prepare():
            # A shell without job control ignores the keys in the background.
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTTOU, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if session:
                os.setsid()
                if terminal:
                    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            else:
                os.setpgid(0, 0)
                if terminal and terminal.is_controlling:
                    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                    os.tcsetpgrp(0, os.getpid())
                    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            if before:
                before()

        child = subprocess.Popen(words, env=block, stdin=stdin, stdout=out, stderr=err, preexec_fn=prepare,
                                 pass_fds=passed)
        # The trial collects its children itself.
        child.returncode = 0
        for descriptor in theirs:
            os.close(descriptor)
        run = Run(child.pid, words, streams, is_terminal=terminal is not None)
        self.runs.append(run)
        return run

    def run(self, *words, within=LIMIT, **options):
        """Runs headway to its end."""
        return self.wait(self.start(*words, **options), within)

    def reap(self):
        for pid, status, usage in processes.reap():
            for run in self.runs:
                if run.pid == pid and run.status is None:
                    run.status, run.peak = status, usage.ru_maxrss * 1024

    def watch(self, truth, within, what, *reading):
        """Waits until something is true, and reads what the named runs print meanwhile."""
        end = time.monotonic() + within
        pause = 0.005
        while True:
            for run in reading:
                run.read()
            self.reap()
            if truth():
                return
            if time.monotonic() > end:
                raise Failure(f"{what} within {within} s\n" + self.processes_left())
            time.sleep(pause)
            pause = min(pause * 1.3, 0.05)

    def wait(self, run, within=LIMIT, reads=True):
        """Waits for the end of a run, and checks how it ended."""
        self.suspect = run
        self.watch(lambda: run.status is not None, within, "the run did not end", *([run] if reads else []))
        if reads:
            run.read()
        self.check_end(run)
        return run

    def pause(self, seconds, *reading):
        """Lets time pass; returns early if all the named runs have ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for run in reading:
                run.read()
            self.reap()
            if reading and all(run.status is not None for run in reading):
                return
            time.sleep(min(0.02, max(0, end - time.monotonic())))

    def moment(self, most):
        """A random pause, often a short one."""
        return most * self.rng.random() ** 2

    def send(self, run, number, pid=None, group=False):
        """Signals a run, one of its processes, or its group; whatever of these still lives."""
        self.reap()
        run.injected.add(number)
        if run.status is not None and pid is None:
            # The number may belong to another process by now; so may that of the group, unless something of it lives.
            group = group and any(self._group(p.pid) == run.pid for p in processes.below(os.getpid()))
            return group and processes.send_group(run.pid, number)
        return processes.send_group(run.pid, number) if group else processes.send(pid or run.pid, number)

    @staticmethod
    def _group(pid):
        try:
            return os.getpgid(pid)
        except ProcessLookupError:
            return None

    def parts(self, with_nested=False):
        """The processes of headway itself, in the order of their start."""
        found = [p for p in processes.below(os.getpid()) if p.program == self.headway]
        if not with_nested:
            found = [p for p in found if b"HEADWAY_TASK=" not in p.environment]
        return sorted(found, key=lambda p: p.pid)

    def runner(self):
        """The process of headway that runs tasks: the child of the supervisor, which is the child of the viewer."""
        parts = self.parts()
        parents = {p.pid: p.parent for p in parts}
        # A process that the runner has just forked, and that has not started its program yet, is one step further down.
        runners = [
            p for p in parts
            if parents.get(p.parent) in parents and parents[parents[p.parent]] not in parents
        ]
        return (runners or parts or [None])[-1]

    def until_running(self, run, name="began", within=LIMIT):
        """Waits until a task has made a file, or the run has ended."""
        self.watch(lambda: (self.folder / name).exists() or run.status is not None, within, "no task began", run)

    # What must be true

    def check_end(self, run):
        self.suspect = run
        if not run.has_codes:
            return
        status = run.status
        if status < 0:
            number = signal.Signals(-status)
            expect(number in run.injected or number not in CRASHES, f"it crashed by {number.name}")
            expect(number in run.injected or number in SIGNALS, f"it ended by {number.name}, which nobody sent")
        else:
            # A runner that was killed is imitated by its code, too.
            by_signal = {128 + number for number in run.injected}
            expect(status in CODES | by_signal, f"the exit code {status} is not documented")

    def check_texts(self):
        for run in self.runs:
            self.suspect = run
            run.read()
            words = text.crash(run.all)
            expect(not words or not run.has_codes, f"it printed the words of a crash: {words}")
            if run.has_text:
                for stream, printed in run.printed.items():
                    if self.has_one_task and stream != "err":
                        continue
                    found = text.harmful(printed, run.is_terminal)
                    expect(not found, f"it printed {found}")

    def remaining(self):
        """The processes that this trial has started, directly or not."""
        known = processes.all_processes()
        # All should be below this process, because it is a subreaper; the marker finds what is not, which costs more.
        return processes.below(os.getpid(), known) or processes.marked(self.marker.encode(), known)

    def processes_left(self):
        lines = [f"  process {process}" for process in self.remaining()[:12]]
        return "\n".join(lines)

    def check_nothing_runs(self):
        self.watch(lambda: not self.remaining(), SETTLING, "processes of the run survived: they did not end")

    def check_canaries(self):
        for path, before in self.canaries.items():
            after = self.picture(path)
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    what = "removed" if after.get(name) is None else "changed" if before.get(name) else "created"
                    raise Failure(f"it {what} '{name}', which is not its own")

    def check_history(self):
        """The history can be read, or headway says why not."""
        if not os.path.lexists(self.state):
            return
        run = self.run("history", "--state", str(self.state))
        expect(run.status in (0, 69), f"`headway history` ended with {run.status}")
        expect(run.status == 0 or reason(run.err), "`headway history` did not say why it failed")

    def check_everything(self):
        for run in self.runs:
            expect(run.status is not None, "a run was left")
        if not self.may_leave:
            self.check_nothing_runs()
        self.check_canaries()
        self.check_history()
        self.check_texts()

    def end(self):
        """Kills what is left."""
        processes.kill_all(self.remaining)


def reason(printed):
    """Whether headway says something, and not with empty brackets."""
    # A message may show the text of a plan, which may have such brackets.
    messages = [line for line in printed.splitlines() if line.startswith(b"headway:")]
    return printed.strip() != b"" and not any(b"()" in line for line in messages)


class Terminal:
    """A pseudo-terminal; the trial is like its shell unless the run has a session of its own."""

    def __init__(self, rows=24, columns=80, is_controlling=True):
        self.ours, self.theirs = os.openpty()
        self.is_controlling = is_controlling
        self.resize(rows, columns)
        self.settings = termios.tcgetattr(self.theirs)
        if is_controlling:
            # Closing it must not end the trial.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0)

    def resize(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        """Types; keys that the terminal does not take are lost."""
        if select.select([], [self.ours], [], 0)[1]:
            os.write(self.ours, keys)

    def check_restored(self):
        expect(termios.tcgetattr(self.theirs) == self.settings, "the settings of the terminal were not restored")


def remove_tree(path):
    """Removes a folder, whatever is in it."""
    shutil.rmtree(path, ignore_errors=True)
    if os.path.lexists(path):
        for folder, _, _ in os.walk(path):
            try:
                os.chmod(folder, 0o700)
            except OSError:
                pass
        shutil.rmtree(path, ignore_errors=True)
