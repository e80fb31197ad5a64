"""What ninja and `headway run` show of a build on a terminal, and how far off it was."""

import bisect
import codecs
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import time

MOMENTS = 200
MARKS = (10, 25, 50, 75)
TOOLS = ("ninja", "headway")
COLUMNS = ("bar", "left", "words")
# Points by which an error is clearly worse than another.
CLEARLY = 3
# A build of less than this time in seconds may end before anything is shown.
UNSEEN = 1


class Screen:
    """The rows of a terminal on which `headway run` draws: text, movements of the cursor, and what is erased."""

    # A sequence for the terminal, a movement, or text.
    PART = re.compile(r"\x1b\[([?\d;]*)([@-~])|\x1b([78])|([\r\n])|([^\x1b\r\n]+)")

    def __init__(self):
        self.rows, self.row, self.column, self.kept = [""], 0, 0, (0, 0)

    def write(self, text):
        """Draws text."""
        for numbers, letter, keep, end, words in self.PART.findall(text):
            if words:
                row = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = row[: self.column] + words + row[self.column + len(words) :]
                self.column += len(words)
            elif keep == "7":
                self.kept = (self.row, self.column)
            elif keep == "8":
                self.row, self.column = self.kept
            elif end == "\r":
                self.column = 0
            elif end == "\n":
                self.move(self.row + 1)
            elif letter in "ABG":
                count = int(numbers or 1)
                if letter == "G":
                    self.column = count - 1
                else:
                    self.move(self.row + (count if letter == "B" else -count))
            elif letter in "JK":
                self.rows[self.row] = self.rows[self.row][: self.column]
                if letter == "J":
                    del self.rows[self.row + 1 :]

    def move(self, row):
        """Moves the cursor to a row."""
        self.row = max(row, 0)
        self.rows += [""] * (self.row + 1 - len(self.rows))


def watch(command, folder, show, environment=None):
    """Runs a command on a terminal.

    Returns what it showed, each with the time, how long it took, its exit status, and the end of what it printed.
    """
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    begin = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=side, stderr=side,
        env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
    )
    os.close(side)
    shown, printed = [], ""
    # Compilers print names of files, which may not be UTF-8.
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        try:
            more = os.read(main, 65536)
        except OSError:  # All who had the terminal have ended.
            break
        if not more:
            break
        now = time.monotonic() - begin
        text = decoder.decode(more)
        printed = (printed + text)[-4000:]
        for fraction, left in show(text):
            shown.append((now, fraction, left))
    status = process.wait()
    os.close(main)
    return shown, time.monotonic() - begin, status, re.sub(r"\x1b\[[?\d;]*[@-~]|\x1b[78]", "", printed)


def ninja_status():
    """What ninja shows: the fraction and the remaining seconds of its status, which it writes anew at each change."""
    rest = ""

    def show(text):
        nonlocal rest
        *lines, rest = re.split(r"[\r\n]+", rest + text)
        for line in lines + [rest]:
            if found := re.search(r"@ *(\d+)% (\?|[\d.]+)@", line):
                yield int(found[1]) / 100, None if found[2] == "?" else float(found[2])

    return show


def seconds(words):
    """The seconds of a time as people read it, such as `1 h 5 min`; None if it is none."""
    found = re.findall(r"(\d+) (s|min|h|d)\b", words)
    return sum(int(number) * {"s": 1, "min": 60, "h": 3600, "d": 86400}[unit] for number, unit in found) if found else None


def remaining_words(words):
    """The remaining seconds in the words of `headway run`: of a range its middle, None if they contain none."""
    if not words.endswith(" left"):
        return None
    first, dash, last = words.removesuffix(" left").partition("–")
    if first.startswith("up to "):
        return seconds(first) / 2
    if not dash:
        return seconds(first)
    unit = re.search(r"[a-z]+$", last)[0]
    return (seconds(first if re.search("[a-z]", first) else f"{first} {unit}") + seconds(last)) / 2


def headway_screen():
    """What `headway run` shows in a terminal: the fraction and the middle of the remaining time in words."""
    screen, latest = Screen(), None

    def show(text):
        nonlocal latest
        screen.write(text)
        for row in screen.rows[max(0, len(screen.rows) - 50) :]:
            found = re.search(r" (\d+)%  \d+ of \d+.* · \S+ · (.*?) *$", row)
            if found and latest != (found[1], found[2]):
                latest = (found[1], found[2])
                yield int(found[1]) / 100, remaining_words(found[2])

    return show


def forecasts(file):
    """The forecasts among the events of a run: the time, the fraction, and the remaining seconds."""
    events = (json.loads(line) for line in file.read_text().splitlines())
    return [(event["time"], event["fraction"], event.get("remaining")) for event in events if event["event"] == "forecast"]


# MARK: Scores


def latest(said, now):
    """What was said last, None if nothing was."""
    place = bisect.bisect_right(said, now, key=lambda each: each[0])
    return said[place - 1] if place else None


def score(shown, numbers, length, counts_down):
    """How far off it was: the mean errors of the bar and of the remaining time, in words and in numbers, and the whole.

    A bar that is not shown counts as empty, and a remaining time that is not shown as none. If nothing at all is shown in
    a build of less than a second, there is nothing to score. A number of `headway run`, which `counts_down`, is that of its
    latest forecast less the time since then, as in a terminal. Ninja shows what it shows until it writes something else.
    """
    if not shown and length < UNSEEN:
        return {"seconds": length, "bar": None, "left": None, "words": None, "whole": [None] * len(MARKS)}
    bar = left = words = 0.0
    for moment in range(MOMENTS):
        now = length * moment / MOMENTS
        seen = latest(shown, now) or (0, 0, None)
        bar += abs(seen[1] - now / length)
        words += abs((seen[2] or 0) - (length - now)) / length
        left += abs((remaining(numbers, now, counts_down) or 0) - (length - now)) / length
    whole = [remaining(numbers, length * mark / 100, counts_down) for mark in MARKS]
    return {
        "seconds": length,
        **{name: 100 * sum_ / MOMENTS for name, sum_ in (("bar", bar), ("left", left), ("words", words))},
        "whole": [None if part is None else mark + 100 * part / length for part, mark in zip(whole, MARKS)],
    }


def remaining(numbers, now, counts_down):
    """The remaining time that was said last, None if there was none."""
    said = latest(numbers, now)
    if said is None or said[2] is None:
        return None
    return max(0, said[2] - (now - said[0])) if counts_down else said[2]


def summary(scores):
    """The means over the builds that both tools have scores of, their ratio, and where Headway is clearly worse.

    `scores` are the scores of each build, by tool.
    """
    both = {name: tools for name, tools in scores.items() if all(tools[tool]["bar"] is not None for tool in TOOLS)}
    if not both:
        return {}, {}, []
    means = {
        tool: {column: sum(tools[tool][column] for tools in both.values()) / len(both) for column in COLUMNS}
        for tool in TOOLS
    }
    ratios = {column: means["headway"][column] / means["ninja"][column] for column in COLUMNS}
    worse = [
        (name, column, tools["headway"][column] - tools["ninja"][column])
        for name, tools in both.items()
        for column in COLUMNS
        if tools["headway"][column] - tools["ninja"][column] > CLEARLY
    ]
    return means, ratios, worse
