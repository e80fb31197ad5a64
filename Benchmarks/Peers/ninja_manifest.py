"""The edges of a build.ninja, as ninja itself reads them: https://ninja-build.org/manual.html#_ninja_file_reference"""

import collections
import re

# A comment, or a line, which goes on after `$` at its end.
LINE = re.compile(r" *#[^\n]*(?:\n|\Z)|((?:[^$\n]|\$.)*)(?:\n|\Z)", re.DOTALL)
# `${name}`, `$name`, the end of a line with the indentation of the next one, or a letter that stands for itself.
ESCAPE = re.compile(r"\$(?:\{([\w.-]+)\}|([\w-]+)|\n *|([$ :]))", re.ASCII)
BINDING = re.compile(r" *([\w.-]+) *= *(.*)", re.ASCII | re.DOTALL)
STATEMENT = re.compile(r"(rule|pool|build|default|include|subninja) +(.*)", re.DOTALL)
# What separates paths, a mark, or a path.
TOKEN = re.compile(r"(?: |\$\n)+|(\|\||\|@|\||:)|((?:[^$ :|]|\$\{[^}]*\}|\$\n *|\$.)+)")


def blocks(text):
    """The lines that begin a statement, each with the indented lines after it."""
    found = []
    for line in LINE.finditer(text.replace("\r\n", "\n")):
        if line[1] and line[1].strip(" "):
            if line[1].startswith(" "):
                found[-1][1].append(line[1])
            else:
                found.append((line[1], []))
    return found


def expand(text, value):
    """The text without escapes, and with the values of its variables, which a function returns."""
    return ESCAPE.sub(lambda found: value(found[1] or found[2]) if found[1] or found[2] else found[3] or "", text)


def paths(text, value):
    """The paths of a line, by the mark before them, which begins with `:` once there was a colon."""
    lists, mark = collections.defaultdict(list), ""
    for found in TOKEN.finditer(text):
        if found[1]:
            mark = ":" + found[1] if mark.startswith(":") else found[1]
        elif found[2]:
            lists[mark].append(canonical(expand(found[2], value)))
    return lists


def canonical(path):
    """The name by which ninja knows a file."""
    parts = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts) or "."


def shell_word(path):
    """A path as a word of a command, in quotes if the shell would change it."""
    return path if re.fullmatch(r"[\w+./-]*", path, re.ASCII) else "'" + path.replace("'", "'\\''") + "'"


def depfile_inputs(text):
    """The files that a depfile, a small makefile that a compiler writes, names after the first colon of its lines."""
    found = []
    for line in re.sub(r"\\\r?\n", " ", text).split("\n"):
        # A colon within a name has no space after it.
        _, *names = re.split(r":(?=\s|$)", line, maxsplit=1)
        for name in re.findall(r"(?:\\.|[^\s\\])+", "".join(names)):
            found.append(canonical(re.sub(r"\\([ #:\\])", r"\1", name).replace("$$", "$")))
    return found


class Scope:
    """The variables and rules of a file or an edge; those that it does not have, the scope around it may have."""

    def __init__(self, around=None):
        self.variables, self.rules, self.around = {}, {}, around

    def value(self, name):
        """The value of a variable, which is empty if there is none."""
        if name in self.variables:
            return self.variables[name]
        return self.around.value(name) if self.around else ""

    def rule(self, name):
        """The variables of a rule, which are expanded for each of its edges."""
        if name in self.rules:
            return self.rules[name]
        return self.around.rule(name) if self.around else {}

    def inside(self, bindings):
        """A scope with variables of its own, whose values may name those of this one."""
        scope = Scope(self)
        for name, value in bindings:
            scope.variables[name] = expand(value, self.value)
        return scope


class Edge:
    """A command of build.ninja, or with the rule `phony` a name for other files."""

    def __init__(self, scope, lists):
        self.scope = scope
        # What the command makes, `$out` and the rest.
        self.outputs, self.implicit_outputs = lists[""], lists["|"]
        self.rule, *self.inputs = lists[":"]
        # What it is made from beside `$in`, what only has to be made before it, and what has to be made when it is.
        self.implicit_inputs, self.order_only, self.validations = lists[":|"], lists[":||"], lists[":|@"]

    def value(self, name, is_path=False):
        """The value of a variable. In one that is a path, such as `depfile`, nothing is quoted for the shell."""
        if name in ("in", "in_newline", "out"):
            names = self.outputs if name == "out" else self.inputs
            return ("\n" if name == "in_newline" else " ").join(names if is_path else map(shell_word, names))
        if name in self.scope.variables:
            return self.scope.variables[name]
        if name in (rule := self.scope.rule(self.rule)):
            return expand(rule[name], lambda each: self.value(each, is_path))
        return self.scope.around.value(name) if self.scope.around else ""


class Manifest:
    """The edges, pools and default targets of build.ninja and the files that it includes."""

    def __init__(self, folder):
        self.folder = folder
        self.edges = []
        # How many commands of a pool may run at once; 0 is any number.
        self.pools = {"console": 1}
        self.defaults = []
        self.read("build.ninja", Scope())
        if not self.defaults:
            # What nothing else is made from.
            used = {each for edge in self.edges for each in edge.inputs + edge.implicit_inputs + edge.order_only}
            outputs = (each for edge in self.edges for each in edge.outputs + edge.implicit_outputs)
            self.defaults = [each for each in outputs if each not in used]
        self.read_dynamic()

    def text(self, name):
        """The text of a file; bytes that are not UTF-8 are kept as Python keeps them in names of files."""
        return (self.folder / name).read_text(encoding="utf-8", errors="surrogateescape")

    def read(self, name, scope):
        """Reads a file, and the files that it includes."""
        for line, indented in blocks(self.text(name)):
            bindings = [BINDING.fullmatch(each).groups() for each in indented]
            statement = STATEMENT.fullmatch(line)
            word, rest = statement.groups() if statement else ("", line)
            if word == "rule":
                scope.rules[rest.strip(" ")] = dict(bindings)
            elif word == "pool":
                self.pools[rest.strip(" ")] = int(scope.inside(bindings).value("depth"))
            elif word == "build":
                # An edge without variables of its own has those of its file, which then come before those of its rule.
                own = scope.inside(bindings) if bindings else scope
                self.edges.append(Edge(own, paths(rest, own.value)))
            elif word == "default":
                self.defaults += paths(rest, scope.value)[""]
            elif word in ("include", "subninja"):
                self.read(paths(rest, scope.value)[""][0], scope if word == "include" else Scope(scope))
            else:
                name, value = BINDING.fullmatch(line).groups()
                scope.variables[name] = expand(value, scope.value)

    def read_dynamic(self):
        """Adds what a build has found out about the modules of Fortran and C++, each of which is made from others."""
        edges = {output: edge for edge in self.edges for output in edge.outputs}
        files = dict.fromkeys(edge.value("dyndep", is_path=True) for edge in self.edges)
        for name in files:
            if not name or not (self.folder / name).exists():
                continue
            for line, _ in blocks(self.text(name)):
                if line.startswith("build "):
                    lists = paths(line.removeprefix("build "), lambda name: "")
                    edge = edges[lists[""][0]]
                    edge.implicit_outputs += lists["|"]
                    edge.implicit_inputs += lists[":|"]
