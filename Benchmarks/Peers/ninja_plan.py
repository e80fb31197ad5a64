"""A plan of Headway with the same commands as the build.ninja of a build folder."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

from ninja_manifest import Manifest, canonical, depfile_inputs, shell_word

# Where headers are that are not part of a project.
SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/local/include/", "/usr/local/lib/", "/lib/")
# The bytes of a name of a task, as docs/plan-files.md has it.
NAME_BYTES = 200
# Where the response files of a plan are.
RESPONSES = "plan.responses"


def fail(words):
    sys.exit(f"real_forecasts.py: {words}")


def output(command):
    """What a command prints; if it fails, the program ends with the last lines."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        fail(f"{command[0]} is not installed")
    if done.returncode != 0:
        last = (done.stdout + done.stderr).strip().splitlines()[-20:]
        fail("\n".join([f"exit {done.returncode} of {' '.join(command)}", *last]))
    return done.stdout


def ninja(folder, *arguments):
    """The output of ninja in a folder."""
    return output(["ninja", "-C", folder, "--quiet", *arguments])


def literal(text):
    """The text in a plan, where braces may stand for values."""
    return text.replace("{", "{{")


def pattern(path):
    """The pattern that matches a path."""
    return literal(re.sub(r"([*?\[\]\\])", r"\\\1", path))


class Names:
    """The names of the tasks of a plan: outputs, with `%` and two digits for each byte of what a name may not contain."""

    def __init__(self):
        self.taken = set()

    def add(self, path):
        """A name for the task that makes a file, which no other task has."""
        name = "".join(
            letter if letter.isalnum() or (" " <= letter <= "~" and letter not in "[]{},") else escaped(letter)
            for letter in path
        )
        if name.startswith("-"):
            name = escaped("-") + name[1:]
        candidate, count = shortened(name, ""), 1
        # Names that differ only in how Unicode writes a character are the same.
        while unicodedata.normalize("NFC", candidate) in self.taken:
            count += 1
            candidate = shortened(name, f"~{count}")
        self.taken.add(unicodedata.normalize("NFC", candidate))
        return candidate


def escaped(letter):
    """A character as `%` and two digits for each of its bytes."""
    return "".join(f"%{byte:02X}" for byte in letter.encode(errors="surrogateescape"))


def shortened(name, ending):
    """The name with an ending, without its beginning if that would be too long."""
    room = NAME_BYTES - len(ending)
    while len(name.encode()) > room:
        name = name[1:].lstrip("-")
    return name + ending


class Task:
    """A task of a plan that does what an edge does."""

    def __init__(self, name, edge):
        self.name = name
        self.edge = edge
        self.command = edge.value("command")
        # Files, by the names that they have in the plan's folder, and names of tasks.
        self.inputs, self.outputs, self.after = [], [], []
        # A response file, which ninja writes before the command, and its text.
        self.response = edge.value("rspfile", is_path=True)
        self.response_text = edge.value("rspfile_content")

    @property
    def compiles(self):
        """Whether it compiles C or C++, as CMake names its rules."""
        return re.match(r"(C|CXX)_COMPILER_", self.edge.rule) is not None


class Project:
    """A build folder that ninja has built."""

    def __init__(self, folder):
        self.folder = folder
        self.tops = [os.path.abspath(folder), str(folder.resolve())]
        self.manifest = Manifest(folder)
        # The edge that makes a file. Nothing of a build makes build.ninja and what cmake writes beside it, except cmake.
        self.makers = {
            self.local(name): edge
            for edge in self.manifest.edges
            if "build.ninja" not in edge.outputs
            for name in edge.outputs + edge.implicit_outputs
        }
        self.found = self.dependencies()

    def local(self, name):
        """The one name of a file, which CMake often gives two: relative to the folder if the file is inside of it."""
        for top in self.tops:
            path = canonical(os.path.join(top, name))
            if path.startswith(top + "/"):
                return path.removeprefix(top + "/")
        return name

    def dependencies(self):
        """What ninja has found that each output was made from, without what is not part of the project."""
        found, made = {}, ""
        for line in ninja(self.folder, "-t", "deps").split("\n"):
            if line.startswith("    "):
                found.setdefault(made, []).append(line[4:])
            else:
                made = self.local(line.rpartition(": #deps")[0])
        for edge in self.manifest.edges:
            file = edge.value("depfile", is_path=True)
            if file and not edge.value("deps") and (self.folder / file).exists():
                found.setdefault(self.local(edge.outputs[0]), []).extend(depfile_inputs(self.manifest.text(file)))
        return {
            made: [self.local(name) for name in names if not name.startswith(SYSTEM)] for made, names in found.items()
        }

    def group(self, name):
        """The edge behind a name that only groups other files. One that groups none is the name of a file."""
        edge = self.makers.get(name)
        if edge and edge.rule == "phony" and (edge.inputs or edge.implicit_inputs or edge.order_only):
            return edge
        return None

    def names(self, paths):
        """The one name of each of some files."""
        return [self.local(path) for path in paths]

    def files(self, names):
        """The files behind names, without names that only group others."""
        found, open_names, seen = [], names[::-1], set()
        while open_names:
            name = open_names.pop()
            if name in seen:
                continue
            seen.add(name)
            if edge := self.group(name):
                open_names += self.names(edge.inputs + edge.implicit_inputs)[::-1]
            else:
                found.append(name)
        return found

    def commands(self, names):
        """The edges with commands behind names."""
        found, open_names, seen = [], names[::-1], set()
        while open_names:
            name = open_names.pop()
            edge = self.makers.get(name)
            if edge is None or name in seen:
                continue
            seen.add(name)
            if edge.rule != "phony":
                found.append(edge)
            else:
                open_names += self.names(edge.inputs + edge.implicit_inputs + edge.order_only)[::-1]
        return list(dict.fromkeys(found))

    def tasks(self):
        """The tasks that make what ninja makes if nothing is named."""
        names, made = Names(), {}
        open_edges = self.commands(self.names(self.manifest.defaults))[::-1]
        while open_edges:
            edge = open_edges.pop()
            if edge in made:
                continue
            outputs = self.names(edge.outputs + edge.implicit_outputs)
            task = made[edge] = Task(names.add(outputs[0]), edge)
            task.outputs = list(dict.fromkeys(outputs))
            inputs = self.names(edge.inputs + edge.implicit_inputs)
            inputs += [name for each in task.outputs for name in self.found.get(each, [])]
            task.inputs = self.files(inputs)
            task.after = [each for each in self.commands(inputs + self.names(edge.order_only)) if each != edge]
            open_edges += (task.after + self.commands(self.names(edge.validations)))[::-1]
        for task in made.values():
            task.after = [made[edge].name for edge in task.after]
        return list(made.values())

    def check(self, tasks):
        """Ends the program if ninja would run other commands."""
        listed = {self.local(each["output"]): each["command"] for each in json.loads(ninja(self.folder, "-t", "compdb"))}
        for task in tasks:
            for output in task.outputs:
                if listed.get(output, task.command) != task.command:
                    fail(f"{output}: ninja runs {listed[output]!r}, which was read as {task.command!r}")


def plan(folder, tasks, pools):
    """The plan with some tasks, as JSON has it, which is YAML."""
    found = {"name": Names().add(folder.resolve().name), "tasks": {}}
    used = {task.edge.value("pool") for task in tasks}
    limits = {pool: depth for pool, depth in pools.items() if pool in used and depth > 0}
    if limits:
        found["pools"] = limits
    for place, task in enumerate(tasks):
        command, inputs = task.command, task.inputs
        if task.response:
            copy = f"{RESPONSES}/{place}"
            command = f"cp -- {copy} {shell_word(task.response)} || exit; {command}"
            inputs = [*inputs, copy]
        # A text of several lines would end at the first one that fails.
        run = literal(command) if "\n" not in command else ["sh", "-c", literal(command)]
        each = {
            "run": run,
            # What is made from nothing is up to date as long as its command is the same.
            "inputs": [pattern(file) for file in inputs or ["build.ninja"]],
            "outputs": [pattern(file) for file in task.outputs],
        }
        if task.after:
            each["after"] = task.after
        if task.edge.value("pool") in limits:
            each["pool"] = task.edge.value("pool")
        found["tasks"][task.name] = each
    return found


def write(folder, tasks, pools):
    """Writes `plan.yaml`, and the response files of its tasks, into a folder."""
    text = json.dumps(plan(folder, tasks, pools), indent=1, ensure_ascii=False) + "\n"
    # YAML knows fewer characters than JSON without an escape.
    text = re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", text)
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 40) : error.end]
        fail(f"a plan must be UTF-8, and a file or a command of {folder} is not: {around!r}")
    (folder / "plan.yaml").write_bytes(content)
    for place, task in enumerate(tasks):
        if task.response:
            copy = folder / RESPONSES / str(place)
            for file in (copy, folder / task.response):
                file.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(task.response_text, encoding="utf-8", errors="surrogateescape")


def convert(folder):
    """Builds a project, because ninja finds headers while it compiles, and writes its plan; returns the tasks."""
    ninja(folder)
    project = Project(folder)
    tasks = project.tasks()
    if not tasks:
        fail(f"{folder}/build.ninja has nothing to build")
    project.check(tasks)
    write(folder, tasks, project.manifest.pools)
    return tasks
