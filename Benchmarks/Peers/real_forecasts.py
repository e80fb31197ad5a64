"""How far off the forecasts of ninja and of `headway run` are in real builds of a project.

    real_forecasts.py convert FOLDER     writes FOLDER/plan.yaml, with the same commands as FOLDER/build.ninja
    real_forecasts.py measure FOLDER --headway PROGRAM [--workers 2] [--json] [--records FOLDER]

FOLDER is a build folder that cmake -G Ninja has made. `measure` copies it twice, for ninja and for Headway, builds it in
several ways, one tool after the other, and prints how far off what each tool said was. The sources are copied, too, because
some of them are changed. It needs ninja 1.12 or later in PATH, which knows the durations of the last build: pip install ninja.

`convert` builds the project first, because ninja finds headers while it compiles.
"""

import argparse
import bisect
import fcntl
import json
import os
import pty
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

MOMENTS = 200
MARKS = (10, 25, 50, 75)
BUSY_LOOPS = 3
TOOLS = ("ninja", "headway")
COLUMNS = ("bar", "left", "words")
# Points by which an error is clearly worse than another.
CLEARLY = 3
# A build of less than this time in seconds may end before anything is shown.
UNSEEN = 1
# How many sources are changed.
SEVERAL = 5
# What is appended to a source to change what is compiled from it; the name is unique in what is linked.
CHANGE = "\nextern int headway_changed_{0}_@;\nint headway_changed_{0}_@ = 1;\n"
# How long the late task sleeps before it begins, as a multiple of the time of the whole build.
LATE = 2


def fail(words):
    sys.exit(f"real_forecasts.py: {words}")


# MARK: build.ninja


def words(text, variables):
    """The words of a line of build.ninja, with `|`, `||` and `:` as words of their own, and the values of variables."""
    found, word, place = [], "", 0
    while place < len(text):
        letter = text[place]
        if name := re.match(r"\$(?:\{([\w.-]+)\}|([\w-]+))", text[place:]):
            word += variables.get(name[1] or name[2], "")
            place += name.end()
            continue
        if letter == "$" and place + 1 < len(text):
            word += text[place + 1]
            place += 2
            continue
        if letter == " " or letter == ":":
            if word:
                found.append((word, False))
            word = ""
            if letter == ":":
                found.append((":", True))
        elif letter == "|" and not word:
            double = text[place : place + 2] == "||"
            found.append(("||" if double else "|", True))
            place += double
        else:
            word += letter
        place += 1
    if word:
        found.append((word, False))
    return found


def edges(folder):
    """The edges of build.ninja: a rule, outputs, inputs and what only has to come before, each file by one name."""
    text = (folder / "build.ninja").read_text().replace("$\n", "")
    variables = dict(re.findall(r"^(\w+) = (.*)$", text, re.MULTILINE))
    found = []
    for line in text.splitlines():
        if not line.startswith("build "):
            continue
        parts = {"outputs": [], "inputs": [], "order": []}
        rule, into = None, "outputs"
        for word, is_mark in words(line[len("build ") :], variables):
            if not is_mark:
                if into == "rule":
                    rule, into = word, "inputs"
                else:
                    parts[into].append(local(folder, word))
            elif word == ":":
                into = "rule"
            elif word == "||":
                into = "order"
        found.append((rule, *(list(dict.fromkeys(part)) for part in parts.values())))
    return found


def local(folder, name):
    """The name of a file as seen from a folder, if it is inside of it."""
    path = Path(name)
    is_inside = path.is_absolute() and path.is_relative_to(folder.resolve())
    return str(path.relative_to(folder.resolve())) if is_inside else name


def sources(folder, home):
    """The folder that holds the folder of CMakeLists.txt and all that is compiled, which may be above it."""
    found = [home.resolve()]
    for rule, _, inputs, _ in edges(folder):
        if "_COMPILER_" in rule:
            found += (each for each in (Path(folder, name).resolve() for name in inputs) if each.is_file())
    return Path(os.path.commonpath([each for each in found if not each.is_relative_to(folder.resolve())]))


def ninja(folder, *arguments):
    """The output of ninja in a folder."""
    command = ["ninja", "-C", str(folder), "--quiet", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def headers(folder):
    """What ninja has found that each output was made from, without what is not part of the project."""
    found, output = {}, None
    for line in ninja(folder, "-t", "deps").splitlines():
        if not line.startswith(" "):
            output = local(folder, line.split(": #deps")[0])
        elif not line.strip().startswith(("/usr/", "/lib/")):
            found.setdefault(output, []).append(local(folder, line.strip()))
    return found


def convert(folder):
    """The plan with the same commands as build.ninja, as JSON, which is YAML."""
    ninja(folder)
    listed = {local(folder, edge["output"]): edge["command"] for edge in json.loads(ninja(folder, "-t", "compdb"))}
    read = headers(folder)
    makers = {output: edge for edge in edges(folder) for output in edge[1]}
    if "all" not in makers:
        fail(f"{folder}/build.ninja has no target all")

    def command(outputs):
        """The command that makes files. The list of ninja has one of them only, and nothing that is made from nothing."""
        for output in outputs:
            if output in listed:
                return listed[output]
        return ninja(folder, "-t", "commands", "-s", outputs[0]).rstrip("\n")

    def before(names, seen):
        """The outputs of commands behind names, without names that only group others."""
        for name in names:
            edge = makers.get(name)
            if edge is None or name in seen:
                continue
            seen.add(name)
            if edge[0] == "phony":
                yield from before(edge[2] + edge[3], seen)
            else:
                yield edge[1][0]

    def pattern(path):
        return re.sub(r"([*?\[\]\\])", r"\\\1", path)

    tasks, open_names = {}, list(before(["all"], set()))
    while open_names:
        name = open_names.pop()
        if name in tasks:
            continue
        rule, outputs, inputs, order = makers[name]
        run = command(outputs)
        if re.search(r"[\[\]{},]", name) or "{" in run:
            fail(f"{name}: neither a name nor a command may contain braces")
        after = list(dict.fromkeys(before(inputs + order, set())))
        files = dict.fromkeys(each for each in inputs + read.get(name, []) if makers.get(each, ("",))[0] != "phony")
        tasks[name] = {
            "run": run,
            # What is made from nothing is up to date as long as its command is the same.
            "inputs": [pattern(file) for file in files or ["build.ninja"]],
            "outputs": [pattern(output) for output in outputs],
        }
        if after:
            tasks[name]["after"] = after
        open_names += after
    (folder / "plan.yaml").write_text(json.dumps({"name": folder.resolve().name, "tasks": tasks}, indent=1) + "\n")
    return tasks


# MARK: What the tools say


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
    """Runs a command on a terminal, and returns what it showed, each with the time, and how long it took."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    begin = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=side, stderr=side,
        env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
    )
    os.close(side)
    shown, rest = [], b""
    while True:
        try:
            more = os.read(main, 65536)
        except OSError:  # All who had the terminal have ended.
            break
        if not more:
            break
        now = time.monotonic() - begin
        try:
            text, rest = (rest + more).decode(), b""
        except UnicodeDecodeError as error:
            text, rest = (rest + more)[: error.start].decode(), (rest + more)[error.start :]
        for fraction, left in show(text):
            shown.append((now, fraction, left))
    process.wait()
    os.close(main)
    return shown, time.monotonic() - begin


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


def build(tool, folder, workers, keeps_going, program):
    """Builds a folder with a tool. Returns what it showed, the remaining time in numbers, and how long it took."""
    if tool == "ninja":
        command = ["ninja", f"-j{workers}", *(["-k0"] if keeps_going else [])]
        shown, length = watch(command, folder, ninja_status(), {"NINJA_STATUS": "@%P %E@ "})
        return shown, shown, length
    events = folder / "events.jsonl"
    command = [program, "run", "plan.yaml", "--workers", str(workers), "--ui", "live", "--events", events.name]
    shown, length = watch(command + (["--keep-going"] if keeps_going else []), folder, headway_screen())
    return shown, forecasts(events), length


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


# MARK: Variations


class Copies:
    """A copy of the sources and two of the build folder."""

    def __init__(self, folder, at):
        self.folder = folder
        cache = (folder / "CMakeCache.txt").read_text()
        home = Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.MULTILINE)[1])
        self.source = sources(folder, home)
        if folder.resolve().is_relative_to(self.source.resolve()):
            fail(f"{folder} must not be inside of its sources, {self.source}, which are copied")
        shutil.copytree(self.source, at / "source", symlinks=True)
        # Each compiler is started by a script, which can make one task late.
        self.late = at / "late"
        launcher = at / "launcher"
        launcher.write_text(
            f"""#!/bin/sh
if [ -s {self.late} ]; then
  read -r name seconds < {self.late}
  case " $* " in *" $name "*) sleep "$seconds" ;; esac
fi
exec "$@"
"""
        )
        launcher.chmod(0o755)
        generator = ["cmake", "-G", "Ninja", "-S", at / "source" / home.resolve().relative_to(self.source)]
        kept = re.findall(r"^(CMAKE_BUILD_TYPE|CMAKE_POLICY_VERSION_MINIMUM|\w+(?=:BOOL)):[A-Z]+=(.+)$", cache, re.MULTILINE)
        generator += [f"-D{name}={value}" for name, value in kept]
        generator += [f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}" for language in ("C", "CXX")]
        self.folders = {}
        for tool in TOOLS:
            self.folders[tool] = at / tool
            subprocess.run([*generator, "-B", at / tool], check=True, capture_output=True)
        self.tasks = convert(self.folders["headway"])
        for tool in self.folders:
            self.clean(tool)
        # Neither tool has seen the project.
        (self.folders["ninja"] / ".ninja_log").unlink(missing_ok=True)
        compiled = (file for task in self.tasks.values() for file in task["inputs"])
        self.sources = sorted({file for file in compiled if file.endswith((".c", ".cc", ".cpp", ".cxx", ".c++"))})

    def clean(self, tool):
        """Removes what was built; what is known of the durations stays."""
        for task in self.tasks.values():
            for output in task["outputs"]:
                (self.folders[tool] / output.replace("\\", "")).unlink(missing_ok=True)

    def keep(self):
        """Keeps what both tools know of the durations."""
        ninja, headway = (self.folders[tool] for tool in TOOLS)
        shutil.copy(ninja / ".ninja_log", ninja / "kept")
        shutil.rmtree(headway / "kept", ignore_errors=True)
        shutil.copytree(headway / ".headway", headway / "kept", symlinks=True)

    def restore(self):
        """Lets both tools know what they knew when it was kept."""
        ninja, headway = (self.folders[tool] for tool in TOOLS)
        shutil.copy(ninja / "kept", ninja / ".ninja_log")
        shutil.rmtree(headway / ".headway")
        shutil.copytree(headway / "kept", headway / ".headway", symlinks=True)

    def longest(self):
        """The compiled output that took the longest in the last build of ninja."""
        lines = (line.split("\t") for line in (self.folders["ninja"] / ".ninja_log").read_text().splitlines()[1:])
        took = {line[3]: int(line[1]) - int(line[0]) for line in lines if line[3].endswith(".o")}
        return max(took, key=took.get)


class Build:
    """A way to build."""

    def __init__(
        self, name, workers, is_clean=True, forgets=True, changed=(), text="", loops=0, keeps_going=False, is_late=False
    ):
        self.name = name
        self.workers = workers
        # Whether everything is built.
        self.is_clean = is_clean
        # Whether the tools know only of the first two builds.
        self.forgets = forgets and is_clean
        # The sources to change, and what is appended to them.
        self.changed = changed
        self.text = text
        # How many busy loops run beside.
        self.loops = loops
        self.keeps_going = keeps_going
        # Whether a task takes longer than usual.
        self.is_late = is_late


def variations(sources, workers):
    """The ways to build after the first two builds."""
    randoms = random.Random(1)
    several = min(SEVERAL, len(sources))
    some = randoms.sample(sources, several)
    return [
        Build("nothing changed", workers, is_clean=False),
        Build("1 source changed", workers, is_clean=False, changed=some[:1], text=CHANGE.format("once")),
        Build(f"{several} sources changed", workers, is_clean=False, changed=some, text=CHANGE.format("twice")),
        # The objects stay the same: ninja links them again, and Headway does not.
        Build(f"{several} comments changed", workers, is_clean=False, changed=some, text="\n/* a comment */\n"),
        Build("one worker", 1),
        Build(f"{2 * workers} workers", 2 * workers),
        Build(f"{BUSY_LOOPS} busy loops beside", workers, loops=BUSY_LOOPS),
        Build("a late task", workers, is_late=True),
        Build("the same late task again", workers, is_late=True, forgets=False),
        Build(
            "a failure, keeping going", workers, changed=randoms.sample(sources, 1), text="\n#error on purpose\n",
            keeps_going=True,
        ),
    ]


def measured(copies, each, program, order, late):
    """Builds in a way with both tools, and returns for each what it showed, the numbers, and how long it took."""
    before = {file: Path(file).read_bytes() for file in each.changed}
    if each.forgets and (copies.folders["ninja"] / "kept").exists():
        copies.restore()
    for place, file in enumerate(each.changed):
        Path(file).write_bytes(before[file] + each.text.replace("@", str(place)).encode())
    copies.late.write_text(f"{late[0]} {late[1]:.1f}\n" if each.is_late else "")
    found = {}
    for tool in order:
        if each.is_clean:
            copies.clean(tool)
        load = [subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True) for _ in range(each.loops)]
        try:
            found[tool] = build(tool, copies.folders[tool], each.workers, each.keeps_going, program)
        finally:
            for process in load:
                process.kill()
                process.wait()
    if each.keeps_going:
        for file in each.changed:
            Path(file).write_bytes(before[file])
    return found


def number(value, width, digits=1):
    """A number of a table, a dash if there is none."""
    return f"{'–' if value is None else f'{value:.{digits}f}':>{width}}"


def measure(folder, program, workers, as_json, records):
    """Builds in all ways, and prints the scores."""
    if shutil.which("ninja") is None:
        fail("ninja is not installed: pip install ninja")
    version = subprocess.run(["ninja", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(int(part) for part in version.split(".")[:2]) < (1, 12):
        fail(f"ninja {version} does not forecast; 1.12 or later does: pip install ninja")
    with tempfile.TemporaryDirectory() as at:
        copies = Copies(folder, Path(at))
        if not as_json:
            print(f"{folder}: {len(copies.tasks)} tasks, ninja {version}, {program}, {workers} workers")
            print(f"whole: the forecast of the whole at {', '.join(map(str, MARKS))} % of the build, in % of its time\n")
            print(f"{'build':28}{'tool':16}{'seconds':>8}{'bar':>7}{'left':>7}{'words':>7}   whole", flush=True)
        scores, late = {}, None
        builds = [Build("first build", workers), Build("again", workers), *variations(copies.sources, workers)]
        for place, each in enumerate(builds):
            # Each tool is first in every second build.
            found = measured(copies, each, program, TOOLS if place % 2 == 0 else TOOLS[::-1], late)
            if each.name == "again":
                copies.keep()
                late = (copies.longest(), LATE * found["ninja"][2])
            scores[each.name] = {}
            for tool in TOOLS:
                shown, numbers, length = found[tool]
                scored = scores[each.name][tool] = score(shown, numbers, length, tool == "headway")
                if records:
                    file = records / f"{place:02} {each.name}, {tool}.json"
                    file.write_text(json.dumps({**scored, "shown": shown, "numbers": numbers}) + "\n")
                    if tool == "headway":
                        shutil.copy(copies.folders[tool] / "events.jsonl", file.with_suffix(".jsonl"))
                if as_json:
                    print(json.dumps({"build": each.name, "tool": tool, **scored}), flush=True)
                    continue
                columns = "".join(number(scored[column], 7) for column in COLUMNS)
                whole = "/".join(number(part, 0, 0) for part in scored["whole"])
                print(f"{each.name:28}{tool:16}{length:8.2f}{columns}   {whole}", flush=True)
        means, ratios, worse = summary(scores)
        if as_json:
            print(json.dumps({"mean": means, "ratio": ratios, "worse": worse}))
            return
        for tool, mean in means.items():
            print(f"{'mean':28}{tool:24}{''.join(number(mean[column], 7) for column in COLUMNS)}")
        if ratios:
            print(f"{'':28}{'headway / ninja':24}{''.join(number(ratios[column], 7, 2) for column in COLUMNS)}")
        print(f"\nworse than ninja by more than {CLEARLY} points:{'' if worse else ' none'}")
        for name, column, points in worse:
            print(f"  {name}: {column}, {points:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("convert").add_argument("folder", type=Path)
    measuring = commands.add_parser("measure")
    measuring.add_argument("folder", type=Path)
    measuring.add_argument("--headway", default="headway")
    measuring.add_argument("--workers", type=int, default=2)
    measuring.add_argument("--json", action="store_true")
    measuring.add_argument("--records", type=Path, help="a folder for what each tool said in each build")
    options = parser.parse_args()
    if not (options.folder / "build.ninja").exists():
        fail(f"{options.folder} has no build.ninja: cmake -G Ninja makes one")
    if options.command == "convert":
        print(f"{options.folder}/plan.yaml: {len(convert(options.folder))} tasks")
    else:
        program = shutil.which(options.headway)
        if program is None:
            fail(f"{options.headway} is not a program")
        if options.records:
            options.records.mkdir(parents=True, exist_ok=True)
        measure(options.folder, str(Path(program).resolve()), options.workers, options.json, options.records)


if __name__ == "__main__":
    main()
