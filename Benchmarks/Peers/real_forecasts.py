"""How far off the forecasts of ninja and of `headway run` are in real builds of a project.

    real_forecasts.py convert FOLDER     writes FOLDER/plan.yaml, with the same commands as FOLDER/build.ninja
    real_forecasts.py measure FOLDER --headway PROGRAM [--workers 2] [--json] [--records FOLDER]

FOLDER is a build folder that cmake -G Ninja has made. `measure` copies the sources twice, for ninja and for Headway, because
some of them are changed, and configures them as FOLDER is. It builds them in several ways, one tool after the other, and prints
how far off what each tool said was. It needs ninja 1.12 or later in PATH, which knows the durations of the last build:
pip install ninja.

`convert` builds the project first, because ninja finds headers while it compiles.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from ninja_manifest import Manifest  # noqa: E402
from ninja_plan import convert, fail, output  # noqa: E402
from shown_forecasts import (  # noqa: E402
    CLEARLY, COLUMNS, MARKS, TOOLS, forecasts, headway_screen, ninja_status, score, summary, watch,
)

BUSY_LOOPS = 3
# How many sources are changed.
SEVERAL = 5
# What is appended to a source to change what is compiled from it. Nothing else can see it, wherever it is linked.
CHANGE = "\nstatic const int headway_changed_{0}_@ __attribute__((used)) = 1;\n"
# How long the late task sleeps before it begins, as a multiple of the time of the whole build.
LATE = 2


# MARK: Copies


def sources(folder, home):
    """The folder that holds the folder of CMakeLists.txt and all that is compiled, which may be above it."""
    top, outside = home.resolve(), folder.resolve()
    # What is elsewhere, such as the sources of a library below /usr/src, belongs to other projects.
    too_high = {each for place in (Path.home(), Path(tempfile.gettempdir())) for each in (place, *place.parents)}
    for edge in Manifest(folder).edges:
        for name in edge.inputs if "_COMPILER_" in edge.rule else []:
            file = Path(folder, name).resolve()
            common = Path(os.path.commonpath([top, file]))
            if file.is_file() and not file.is_relative_to(outside) and common not in too_high and len(common.parts) > 2:
                top = common
    return top


def settings(cache, moved):
    """The options that make cmake configure a project as a CMakeCache.txt says, with other folders in place of some."""
    found = []
    for line in cache.splitlines():
        entry = re.fullmatch(r"""([^#/":=][^":=]*):([A-Z]+)=(.*)""", line)
        # The others are results, and the launchers of compilers are ours.
        if entry and entry[2] not in ("INTERNAL", "STATIC") and not entry[1].endswith("_COMPILER_LAUNCHER"):
            value = re.sub(r"'(.*)'", r"\1", entry[3])
            # The longer ones first: the build folder may be inside of the sources.
            for folder in sorted(moved, key=len, reverse=True):
                value = re.sub(rf"{re.escape(folder)}(?=[/;]|$)", lambda _: moved[folder], value)
            found.append(f"-D{entry[1]}:{entry[2]}={value}")
    return found


class Copies:
    """Two copies of the sources, each with a build folder."""

    def __init__(self, folder, at):
        if not (folder / "CMakeCache.txt").exists():
            fail(f"{folder} has no CMakeCache.txt: cmake -G Ninja makes one")
        cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
        internal = dict(re.findall(r"^(CMAKE_HOME_DIRECTORY|CMAKE_GENERATOR):INTERNAL=(.*)$", cache, re.MULTILINE))
        home = Path(internal["CMAKE_HOME_DIRECTORY"])
        top = sources(folder, home)
        if top.is_relative_to(folder.resolve()):
            fail(f"{folder} holds its sources, {top}; build in another folder, as with cmake -B build")
        # Each compiler is started by a script, which can make one task late.
        self.late = at / "late"
        launcher = at / "launcher"
        launcher.write_text(
            f"""#!/bin/sh
if [ -s '{self.late}' ]; then
  while read -r seconds name; do
    case " $* " in *" $name "*) sleep "$seconds" ;; esac
  done < '{self.late}'
fi
exec "$@"
"""
        )
        launcher.chmod(0o755)
        self.at = at
        self.folders = {}
        for tool in TOOLS:
            copy, self.folders[tool] = at / tool / "source", at / tool / "build"
            shutil.copytree(
                top, copy, symlinks=True,
                ignore=lambda place, names: [each for each in names if Path(place, each).resolve() == folder.resolve()],
            )
            moved = {
                **{str(each): str(copy) for each in (top, top.resolve())},
                **{str(each): str(self.folders[tool]) for each in (folder.absolute(), folder.resolve())},
            }
            # "Ninja", or "Ninja Multi-Config".
            output(
                ["cmake", "-G", internal["CMAKE_GENERATOR"]]
                + ["-S", copy / home.resolve().relative_to(top), "-B", self.folders[tool]]
                + settings(cache, moved)
                + [f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}" for language in ("C", "CXX")]
            )
        self.tasks = convert(self.folders["headway"])
        for tool in self.folders:
            self.clean(tool)
        # Also those that a source includes, as the ones that CMake writes for unity builds do.
        compiled = {name for task in self.tasks if task.compiles for name in task.inputs}
        prefix = str(at / "headway" / "source") + "/"
        made = {name for task in self.tasks for name in task.outputs}
        # The sources that no task makes, by their names below the folder of a tool.
        self.sources = sorted(
            "source/" + name.removeprefix(prefix)
            for name in compiled
            if name.startswith(prefix) and name not in made and name.endswith((".c", ".cc", ".cpp", ".cxx", ".c++"))
        )
        if not self.sources:
            fail(f"{folder} compiles no source of C or C++")

    def named(self, name, tool):
        """The name in the folder of a tool of what a task makes; some contain the path of the sources."""
        return name.replace(f"{self.at}/headway/", f"{self.at}/{tool}/")

    def clean(self, tool):
        """Removes what was built; what is known of the durations stays."""
        for name in (self.named(name, tool) for task in self.tasks for name in task.outputs):
            path = Path(os.path.normpath(self.folders[tool] / name))
            if not path.is_relative_to(self.at / tool):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def change(self, file, text):
        """Appends a text to a source of both copies, and returns the function that takes it back."""
        paths = [self.at / tool / file for tool in TOOLS]
        before = [path.read_bytes() for path in paths]
        for path, content in zip(paths, before):
            path.write_bytes(content + text.encode())
        return lambda: [path.write_bytes(content) for path, content in zip(paths, before)]

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
        """What a source is compiled to that took the longest in the last build of ninja, by its name for each tool."""
        names = {self.named(task.edge.outputs[0], "ninja"): task.edge.outputs[0] for task in self.tasks if task.compiles}
        text = (self.folders["ninja"] / ".ninja_log").read_text(encoding="utf-8")
        lines = (line.split("\t") for line in text.split("\n")[1:-1])
        took = {line[3]: int(line[1]) - int(line[0]) for line in lines if line[3] in names}
        longest = max(took, key=took.get)
        return {longest, names[longest]}

    def delay(self, names, seconds):
        """Makes compiling these late by a time in seconds, and nothing else."""
        self.late.write_text("".join(f"{seconds:.1f} {name}\n" for name in names))


# MARK: Builds


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
        # Whether it fails, and goes on with what does not depend on that.
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


def build(tool, folder, each, program):
    """Builds a folder with a tool. Returns what it showed, the remaining time in numbers, and how long it took."""
    if tool == "ninja":
        command = ["ninja", f"-j{each.workers}", *(["-k0"] if each.keeps_going else [])]
        shown, length, status, printed = watch(command, folder, ninja_status(), {"NINJA_STATUS": "@%P %E@ "})
        numbers = shown
    else:
        events = folder / "events.jsonl"
        command = [program, "run", "plan.yaml", "--workers", str(each.workers), "--ui", "live", "--events", events.name]
        command += ["--keep-going"] if each.keeps_going else []
        shown, length, status, printed = watch(command, folder, headway_screen())
        numbers = forecasts(events) if events.exists() else []
    if (status != 0) != each.keeps_going:
        fail(f"{each.name}: exit {status} of {' '.join(command)}\n{printed}")
    return shown, numbers, length


def measured(copies, each, program, order, late):
    """Builds in a way with both tools, and returns for each what it showed, the numbers, and how long it took."""
    if each.forgets and (copies.folders["ninja"] / "kept").exists():
        copies.restore()
    undo = [copies.change(file, each.text.replace("@", str(place))) for place, file in enumerate(each.changed)]
    copies.delay(*(late if each.is_late else ((), 0)))
    found = {}
    for tool in order:
        if each.is_clean:
            copies.clean(tool)
        load = [subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True) for _ in range(each.loops)]
        try:
            found[tool] = build(tool, copies.folders[tool], each, program)
        finally:
            for process in load:
                process.kill()
                process.wait()
    if each.keeps_going:
        for back in undo:
            back()
    return found


# MARK: Measuring


def number(value, width, digits=1):
    """A number of a table, a dash if there is none."""
    return f"{'–' if value is None else f'{value:.{digits}f}':>{width}}"


def measure(folder, program, workers, as_json, records):
    """Builds in all ways, and prints the scores."""
    if shutil.which("ninja") is None:
        fail("ninja is not installed: pip install ninja")
    version = output(["ninja", "--version"]).strip()
    if tuple(int(part) for part in version.split(".")[:2]) < (1, 12):
        fail(f"ninja {version} does not forecast; 1.12 or later does: pip install ninja")
    with tempfile.TemporaryDirectory() as at:
        # The folder's one name, as cmake writes it.
        copies = Copies(folder, Path(at).resolve())
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
