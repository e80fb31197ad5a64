"""Tests of the plans that `Benchmarks/Peers/ninja_plan.py` makes of a build.ninja.

    python3 Benchmarks/Tests/test_ninja_plan.py
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Peers"))

import ninja_plan  # noqa: E402

RULES = """
rule cc
  command = cc -c $in -o $out
rule make
  command = $COMMAND
"""


class Plans(unittest.TestCase):
    def setUp(self):
        at = tempfile.TemporaryDirectory()
        self.addCleanup(at.cleanup)
        self.folder = Path(at.name).resolve() / "out"
        self.folder.mkdir()

    def write(self, text, name="build.ninja"):
        (self.folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")

    def convert(self, text, deps="", listed=()):
        """The plan of a build.ninja, with what ninja has found, and the commands that it lists."""
        self.write(RULES + text)
        answers = {
            (): "",
            ("-t", "deps"): deps,
            ("-t", "compdb"): json.dumps([{"output": output, "command": command} for output, command in listed]),
        }
        with mock.patch.object(ninja_plan, "ninja", lambda _, *words: answers[words]):
            ninja_plan.convert(self.folder)
        return json.loads((self.folder / "plan.yaml").read_text(encoding="utf-8"))

    def tasks(self, *arguments, **named):
        return self.convert(*arguments, **named)["tasks"]

    def test_what_is_made_from_nothing_and_a_rule_with_two_outputs(self):
        # As CMake writes it for libpng, where each output has its absolute path as a second name.
        tasks = self.tasks(
            f"""workdir = {self.folder}/
build prefix.h | ${{workdir}}prefix.h: make
  COMMAND = make prefix
build a.h b.h | ${{workdir}}a.h ${{workdir}}b.h: make {self.folder}/prefix.h in$ put
  COMMAND = make two
build x.o: cc x.c | b.h || prefix.h
build all: phony x.o
default all
""",
            deps="x.o: #deps 2, deps mtime 1 (VALID)\n    /usr/include/stdio.h\n    a.h\n",
            listed=[("a.h", "make two"), ("x.o", "cc -c x.c -o x.o")],
        )
        self.assertEqual(
            {name: task["run"] for name, task in tasks.items()},
            {"x.o": "cc -c x.c -o x.o", "a.h": "make two", "prefix.h": "make prefix"},
        )
        self.assertEqual(tasks["a.h"]["inputs"], ["prefix.h", "in put"])
        self.assertEqual(tasks["a.h"]["outputs"], ["a.h", "b.h"])
        self.assertEqual(tasks["prefix.h"]["inputs"], ["build.ninja"])
        self.assertEqual(tasks["x.o"]["inputs"], ["x.c", "b.h", "a.h"])
        self.assertEqual(tasks["x.o"]["after"], ["a.h", "prefix.h"])

    def test_a_command_other_than_that_of_ninja_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "x.o: ninja runs 'c99 x.c'"):
            self.convert("build x.o: cc x.c\n", listed=[("x.o", "c99 x.c")])

    def test_variables_are_those_of_the_edge_then_of_the_rule_then_of_the_file(self):
        tasks = self.tasks(
            """flags = -O1
rule link
  flags = -g
  command = ld $flags ${ldflags} $in -o $out
build plain: link a.o
build own: link a.o
  ldflags = $flags -s
  flags = -O3
flags = -O2
build later: link a.o
  ldflags = $flags
"""
        )
        self.assertEqual(tasks["own"]["run"], "ld -O3 -O1 -s a.o -o own")
        self.assertEqual(tasks["later"]["run"], "ld -g -O2 a.o -o later")
        # As in ninja: an edge without variables has those of the file, as they are at its end.
        self.assertEqual(tasks["plain"]["run"], "ld -O2  a.o -o plain")

    def test_included_files_share_their_variables_and_others_do_not(self):
        self.write("level = 1\nrule from_include\n  command = one $level $out\n", "shared.ninja")
        self.write("level = 2\nbuild b: from_include\nrule hidden\n  command = no\n", "own folder.ninja")
        tasks = self.tasks("include shared.ninja\nsubninja own$ folder.ninja\nbuild a: from_include\n  x = y\n")
        self.assertEqual({name: task["run"] for name, task in tasks.items()}, {"a": "one 1 a", "b": "one 2 b"})

    def test_lines_go_on_and_letters_are_escaped(self):
        tasks = self.tasks(
            """# A comment that ends like a line that goes on $
name = two $
    words
build $name$:x.o $
    : cc ./a//$name.c ../b/c/../it's.c 10$$.c | $
    deep/../$
      header.h
build cost: make
  COMMAND = echo $$1 # no comment $
      end$$
"""
        )
        self.assertEqual(tasks["two words:x.o"]["run"], "cc -c 'a/two words.c' '../b/it'\\''s.c' '10$.c' -o 'two words:x.o'")
        self.assertEqual(tasks["two words:x.o"]["inputs"], ["a/two words.c", "../b/it's.c", "10$.c", "header.h"])
        self.assertEqual(tasks["cost"]["run"], "echo $1 # no comment end$")

    def test_braces_and_patterns_mean_themselves(self):
        tasks = self.tasks("build a{args}[1],*.o: make in{put}?.txt\n  COMMAND = echo {args} {{x}} {a,b}\n")
        self.assertEqual(list(tasks), ["a%7Bargs%7D%5B1%5D%2C*.o"])
        task = tasks["a%7Bargs%7D%5B1%5D%2C*.o"]
        self.assertEqual(task["run"], "echo {{args} {{{{x}} {{a,b}")
        self.assertEqual(task["inputs"], ["in{{put}\\?.txt"])
        self.assertEqual(task["outputs"], ["a{{args}\\[1\\],\\*.o"])

    def test_names_that_a_plan_refuses_are_changed_and_stay_different(self):
        long = "d/" * 120 + "file.o"
        tasks = self.tasks(
            "".join(f"build {name}: cc x.c\n" for name in (
                "-dash.o", "a,b", "a%2Cb", "bell\a", "é", "e\u0301", "\uac00", "\u1100\u1161", long, "x" + long
            ))
        )
        self.assertEqual(len(tasks), 10)
        for name in ("%2Ddash.o", "a%2Cb", "a%2Cb~2", "bell%07", "é", "e%CC%81", "\uac00", "\u1100\u1161~2"):
            self.assertIn(name, tasks)
        shortened = [name for name in tasks if name.endswith(("file.o", "file.o~2"))]
        self.assertEqual([len(name) for name in shortened], [200, 200])

    def test_names_that_only_group_others_are_seen_through(self):
        tasks = self.tasks(
            f"""build gen.h: make
  COMMAND = make gen
build headers: phony api.h gen.h || order
build order: phony made.txt
build made.txt: make list.txt
  COMMAND = make list
build x.o: cc x.c | headers maybe.h || order
build maybe.h: phony
build cmake_object_order: phony || other.o
build other.o: cc other.c
build lib.a: make x.o || cmake_object_order
  COMMAND = ar
default lib.a
"""
        )
        self.assertEqual(tasks["x.o"]["inputs"], ["x.c", "api.h", "gen.h", "maybe.h"])
        self.assertEqual(tasks["x.o"]["after"], ["gen.h", "made.txt"])
        self.assertEqual(tasks["lib.a"]["after"], ["x.o", "other.o"])

    def test_what_is_not_in_the_default_targets_is_left_out(self):
        text = (
            "build a: cc a.c\nbuild b: cc b.c\nbuild c: cc a\n"
            "build test: make |@ checked\n  COMMAND = t\nbuild checked: cc t.c\n"
        )
        self.assertEqual(set(self.tasks(text + "default b test\n")), {"b", "test", "checked"})
        # Without any, ninja makes what nothing else is made from.
        self.assertEqual(set(self.tasks(text)), {"a", "b", "c", "test", "checked"})

    def test_what_cmake_makes_is_not_made_again(self):
        tasks = self.tasks(
            """rule RERUN_CMAKE
  command = cmake --regenerate-during-build
  generator = 1
build build.ninja | config.h: RERUN_CMAKE CMakeLists.txt
  pool = console
build x.o: cc x.c | config.h
build all: phony x.o
default all
"""
        )
        self.assertEqual(list(tasks), ["x.o"])
        self.assertEqual(tasks["x.o"]["inputs"], ["x.c", "config.h"])
        self.assertNotIn("after", tasks["x.o"])

    def test_a_response_file_is_written_before_the_command(self):
        plan = self.convert(
            """rule link
  command = ld @$out.rsp -o $out
  rspfile = $out.rsp
  rspfile_content = $in_newline $libraries
build my$ program: link a.o it's.o
  libraries = -lm {args}
build lib/second: link b.o
"""
        )
        first, second = plan["tasks"]["my program"], plan["tasks"]["lib/second"]
        self.assertTrue((self.folder / "lib").is_dir())
        for task, file, content in (
            (first, "'my program.rsp'", "a.o\n'it'\\''s.o' -lm {args}"), (second, "lib/second.rsp", "b.o ")
        ):
            copy = task["inputs"][-1]
            self.assertTrue(task["run"].startswith(f"cp -- {copy} {file} || exit; ld @"), task["run"])
            self.assertEqual((self.folder / copy).read_text(), content)
        self.assertEqual(first["inputs"][:-1], ["a.o", "it's.o"])

    def test_a_generated_header_that_ninja_has_found_is_made_before(self):
        tasks = self.tasks(
            "build gen/x$ y.h: make\n  COMMAND = make\nbuild x.o: cc x.c\n",
            deps=f"x.o: #deps 3, deps mtime 1 (VALID)\n    {self.folder}/gen/x y.h\n    /usr/lib/gcc/stddef.h\n"
            "    /usr/src/project/a.h\n\n",
        )
        self.assertEqual(tasks["x.o"]["inputs"], ["x.c", "gen/x y.h", "/usr/src/project/a.h"])
        self.assertEqual(tasks["x.o"]["after"], ["gen/x y.h"])

    def test_a_depfile_that_ninja_reads_at_each_start_is_read(self):
        self.write("x.o out\\ 2: x.c \\\n  my\\ header.h cost$$.h C:\\#1.h\\\n\nheader.h:\n", "x.o.d")
        self.write("y.o: y.h\n", "y.o.d")
        tasks = self.tasks(
            "rule depcc\n  command = cc $in\n  depfile = $out.d\nbuild x.o: depcc x.c\nbuild y.o: depcc y.c\n  deps = gcc\n"
            "build z.o: depcc z.c\n"
        )
        self.assertEqual(tasks["x.o"]["inputs"], ["x.c", "my header.h", "cost$.h", "C:#1.h"])
        self.assertEqual(tasks["y.o"]["inputs"], ["y.c"])
        self.assertEqual(tasks["z.o"]["inputs"], ["z.c"])

    def test_modules_of_fortran_are_made_in_their_order(self):
        self.write(
            "ninja_dyndep_version = 1\nbuild a.o | one.mod: dyndep\nbuild b.o: dyndep | one.mod\n  restat = 1\n", "Fortran.dd"
        )
        tasks = self.tasks(
            "build Fortran.dd: make a.i\n  COMMAND = scan\n"
            "build a.o: cc a.f90 || Fortran.dd\n  dyndep = Fortran.dd\n"
            "build b.o: cc b.f90 || Fortran.dd\n  dyndep = Fortran.dd\n"
            "build c.o: cc c.f90 || not_built.dd\n  dyndep = not_built.dd\nbuild not_built.dd: cc c.i\ndefault b.o\n"
        )
        self.assertEqual(set(tasks), {"a.o", "b.o", "Fortran.dd"})
        self.assertEqual(tasks["a.o"]["outputs"], ["a.o", "one.mod"])
        self.assertEqual((tasks["b.o"]["inputs"], tasks["b.o"]["after"]), (["b.f90", "one.mod"], ["a.o", "Fortran.dd"]))

    def test_pools_are_those_of_the_plan(self):
        plan = self.convert(
            "limit = 3\npool link\n  depth = $limit\npool any\n  depth = 0\npool unused\n  depth = 1\n"
            + "".join(f"build {name}: cc x.c\n  pool = {name}\n" for name in ("link", "any", "console"))
            + "build none: cc x.c\n"
        )
        self.assertEqual(plan["pools"], {"console": 1, "link": 3})
        self.assertEqual(
            {name: task.get("pool") for name, task in plan["tasks"].items()},
            {"link": "link", "console": "console", "any": None, "none": None},
        )

    def test_a_command_of_several_lines_is_one_command(self):
        tasks = self.tasks("rule lines\n  command = printf '{%s}' '$in_newline'\nbuild x: lines a b\n")
        self.assertEqual(tasks["x"]["run"], ["sh", "-c", "printf '{{%s}' 'a\nb'"])

    def test_what_is_not_UTF_8_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "must be UTF-8.*latin"):
            self.convert("build x: make\n  COMMAND = cat latin\udce9\n")

    def test_a_command_that_fails_ends_with_what_it_says(self):
        with self.assertRaisesRegex(SystemExit, "exit 3 of sh -c .*\nto see"):
            ninja_plan.output(["sh", "-c", "echo to see >&2; exit 3"])
        with self.assertRaisesRegex(SystemExit, "no-such-program is not installed"):
            ninja_plan.output(["no-such-program", "-v"])


if __name__ == "__main__":
    unittest.main()
