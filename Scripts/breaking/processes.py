"""What /proc says about processes."""

import os
import signal


class Process:
    """A process at one moment."""

    def __init__(self, pid, parent, state):
        self.pid, self.parent, self.state = pid, parent, state

    def _read(self, name):
        try:
            with open(f"/proc/{self.pid}/{name}", "rb") as file:
                return file.read()
        except OSError:
            return b""

    @property
    def arguments(self):
        return self._read("cmdline")

    @property
    def environment(self):
        return self._read("environ")

    @property
    def program(self):
        try:
            return os.readlink(f"/proc/{self.pid}/exe")
        except OSError:
            return ""

    def __str__(self):
        words = self.arguments.replace(b"\0", b" ").decode("utf-8", "backslashreplace")
        return f"{self.pid} (parent {self.parent}, {self.state}): {words[:100].strip()!r}"


def all_processes():
    """All processes that are not dead, by number."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in (b"Z", b"X"):
            found[int(entry)] = Process(int(entry), int(fields[1]), fields[0].decode())
    return found


def below(root, known=None):
    """The processes below one, children before grandchildren."""
    known = all_processes() if known is None else known
    children = {}
    for process in known.values():
        children.setdefault(process.parent, []).append(process)
    found, waiting = [], [root]
    while waiting:
        for child in children.get(waiting.pop(0), []):
            found.append(child)
            waiting.append(child.pid)
    return found


def marked(marker, known):
    """The processes with a marker in their arguments or their environment."""
    return [p for p in known.values() if marker in p.arguments or marker in p.environment]


def send(pid, number):
    """Signals a process that may have ended."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def send_group(group, number):
    """Signals a process group that may have ended."""
    try:
        os.killpg(group, number)
        return True
    except ProcessLookupError:
        return False


def kill_all(find):
    """Kills what `find` returns until it returns nothing."""
    for _ in range(200):
        victims = find()
        if not victims:
            return
        for process in victims:
            send(process.pid, signal.SIGKILL)
        reap()


def reap():
    """Collects dead children; returns their numbers, statuses and use of resources."""
    ended = []
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.append((pid, os.waitstatus_to_exitcode(status), usage))
