"""Tests of how `Benchmarks/Peers/real_forecasts.py` copies and builds a project, and reads and scores what a tool shows.

    python3 Benchmarks/Tests/test_real_forecasts.py
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Peers"))

import ninja_plan  # noqa: E402
import real_forecasts  # noqa: E402
import shown_forecasts  # noqa: E402


class Projects(unittest.TestCase):
    def setUp(self):
        at = tempfile.TemporaryDirectory()
        self.addCleanup(at.cleanup)
        self.top = Path(at.name).resolve()
        self.folder = self.top / "project/out"
        self.folder.mkdir(parents=True)
        # The folder for temporary files holds no projects, except here.
        elsewhere = mock.patch.object(tempfile, "tempdir", "/var/tmp")
        elsewhere.start()
        self.addCleanup(elsewhere.stop)

    def write(self, text):
        (self.folder / "build.ninja").write_text(text)

    def touch(self, *files):
        for file in files:
            (self.top / file).parent.mkdir(parents=True, exist_ok=True)
            (self.top / file).write_text(f"{file}\n")

    def copies(self):
        """The copies of the project, without configuring and building it; and the options of cmake."""
        (self.folder / "CMakeCache.txt").write_text(
            f"CMAKE_HOME_DIRECTORY:INTERNAL={self.top}/project\nLEVEL:STRING=2\n"
            "CMAKE_GENERATOR:INTERNAL=Ninja Multi-Config\n"
        )
        options = []
        for tool in real_forecasts.TOOLS:
            (self.top / "copies" / tool / "build").mkdir(parents=True)

        def built(folder):
            (folder / "build.ninja").write_text(
                (self.folder / "build.ninja").read_text().replace(f"{self.top}/project/", f"{folder.parent}/source/")
            )
            return ninja_plan.Project(folder).tasks()

        with (
            mock.patch.object(real_forecasts, "output", lambda command: options.append([str(word) for word in command])),
            mock.patch.object(real_forecasts, "convert", built),
            mock.patch.object(ninja_plan, "ninja", lambda *words: ""),
        ):
            return real_forecasts.Copies(self.folder, self.top / "copies"), options

    def test_the_sources_may_be_beside_the_folder_of_CMakeLists(self):
        # As those of zstd are.
        project = self.top / "project"
        self.touch("project/build/cmake/CMakeLists.txt", "project/lib/a.c", "project/lib/deep/b.c", "project/out/made.c")
        self.write(
            f"build a.o: C_COMPILER__zstd {project}/lib/a.c\nbuild b.o: C_COMPILER__zstd {project}/lib/deep/b.c\n"
            "build made.o: C_COMPILER__zstd made.c\nbuild build.ninja: RERUN_CMAKE /usr/share/cmake/Modules/CMake.cmake\n"
        )
        self.assertEqual(real_forecasts.sources(self.folder, project / "build/cmake"), project)
        self.write(f"build b.o: C_COMPILER__zstd {project}/lib/deep/b.c\n")
        self.assertEqual(real_forecasts.sources(self.folder, project / "lib"), project / "lib")

    def test_sources_of_another_project_are_not_copied(self):
        # As those of googletest are, below /usr/src.
        self.touch("home/user/project/CMakeLists.txt", "src/googletest/gtest.cc", "home/other/a.c")
        self.write(
            f"build g.o: CXX_COMPILER__gtest {self.top}/src/googletest/gtest.cc\n"
            f"build a.o: C_COMPILER__a {self.top}/home/other/a.c\n"
        )
        with mock.patch.object(Path, "home", lambda: self.top / "home/user"):
            home = self.top / "home/user/project"
            self.assertEqual(real_forecasts.sources(self.folder, home), home)

    def test_a_copy_is_configured_like_the_build_folder(self):
        cache = """# A comment: STRING=no
CMAKE_BUILD_TYPE:STRING=Debug
WITH_ZIP:BOOL=ON
ZIP_ROOT:PATH=/a/project/zip;/a/projects
DATA:PATH=/a/project/out/data
CMAKE_C_FLAGS:STRING='-O1 '
CMAKE_C_COMPILER_LAUNCHER:STRING=ccache
project_BINARY_DIR:STATIC=/a/project/out
CMAKE_HOME_DIRECTORY:INTERNAL=/a/project
GIVEN:UNINITIALIZED=a=b
"of:these":STRING=c
"""
        self.assertEqual(
            real_forecasts.settings(cache, {"/a/project": "/copy/source", "/a/project/out": "/copy/build"}),
            [
                "-DCMAKE_BUILD_TYPE:STRING=Debug", "-DWITH_ZIP:BOOL=ON", "-DZIP_ROOT:PATH=/copy/source/zip;/a/projects",
                "-DDATA:PATH=/copy/build/data", "-DCMAKE_C_FLAGS:STRING=-O1 ", "-DGIVEN:UNINITIALIZED=a=b",
            ],
        )

    def test_each_tool_has_a_copy_without_the_build_folder_inside_of_the_sources(self):
        self.touch("project/CMakeLists.txt", "project/a.c", "project/out/a.o")
        self.write(f"build a.o: C_COMPILER__a {self.top}/project/a.c\nbuild all: phony a.o\ndefault all\n")
        copies, options = self.copies()
        for tool, words in zip(real_forecasts.TOOLS, options):
            at = self.top / "copies" / tool
            self.assertEqual(sorted(path.name for path in (at / "source").iterdir()), ["CMakeLists.txt", "a.c"])
            self.assertEqual(words[:7], ["cmake", "-G", "Ninja Multi-Config", "-S", f"{at}/source", "-B", f"{at}/build"])
            self.assertIn("-DLEVEL:STRING=2", words)
        self.assertEqual(copies.sources, ["source/a.c"])
        back = copies.change("source/a.c", "changed\n")
        for tool in real_forecasts.TOOLS:
            self.assertEqual((self.top / "copies" / tool / "source/a.c").read_text(), "project/a.c\nchanged\n")
        back()
        for tool in real_forecasts.TOOLS:
            self.assertEqual((self.top / "copies" / tool / "source/a.c").read_text(), "project/a.c\n")

    def test_a_build_inside_of_its_sources_is_refused(self):
        self.write(f"build a.o: C_COMPILER__a {self.folder}/a.c\n")
        (self.folder / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.folder}\n")
        with self.assertRaisesRegex(SystemExit, "holds its sources"):
            real_forecasts.Copies(self.folder, self.top / "copies")

    def test_what_a_build_makes_is_removed_and_never_changed(self):
        self.touch("project/a.c", "project/out/b.c")
        self.write(
            f"build a.o: C_COMPILER__a {self.top}/project/a.c\nbuild made.o: C_COMPILER__a {self.top}/project/made.c\n"
            f"build b.o: C_COMPILER__a b.c\nbuild {self.top}/project/made.c: CUSTOM_COMMAND\n"
            f"build {self.top}/outside$ folder: CUSTOM_COMMAND\nbuild build.ninja | b.c: RERUN_CMAKE\n"
        )
        copies, _ = self.copies()
        self.assertEqual(copies.sources, ["source/a.c"])
        for tool in real_forecasts.TOOLS:
            self.touch(*(f"copies/{tool}/{file}" for file in ("source/made.c", "build/a.o", "build/b.o/in", "build/b.c")))
        self.touch("outside folder/file")
        for tool in real_forecasts.TOOLS:
            copies.clean(tool)
            at = self.top / "copies" / tool
            left = {str(file.relative_to(at)) for file in at.rglob("*") if file.name != "build.ninja"}
            self.assertEqual(left, {"source", "source/a.c", "build", "build/b.c"})
        self.assertTrue((self.top / "outside folder/file").exists())


    def test_what_took_the_longest_is_late_in_both_copies(self):
        # As CMake names what is compiled from sources beside its own folder.
        source = f"{self.top}/project/a b.c"
        self.touch("project/a b.c", "project/c.c")
        self.write(
            f"build dir{source}.o: C_COMPILER__a {source}\n".replace(" b", "$ b")
            + f"build c.o: C_COMPILER__a {self.top}/project/c.c\nbuild x: LINKER c.o\n"
        )
        copies, _ = self.copies()
        names = {tool: f"dir{self.top}/copies/{tool}/source/a b.c.o" for tool in real_forecasts.TOOLS}
        (copies.folders["ninja"] / ".ninja_log").write_text(
            f"# ninja log v7\n0\t5\t1\tc.o\ta\n5\t20\t1\t{names['ninja']}\tb\n20\t90\t1\tx\tc\n"
        )
        self.assertEqual(copies.longest(), set(names.values()))
        programs = self.top / "programs"
        programs.mkdir()
        (programs / "sleep").write_text("#!/bin/sh\necho late by $1\n")
        (programs / "sleep").chmod(0o755)
        environment = {"PATH": f"{programs}:/usr/bin:/bin"}
        for tool, name in names.items():
            (copies.folders[tool] / name).parent.mkdir(parents=True, exist_ok=True)
            (copies.folders[tool] / name).touch()
            copies.clean(tool)
            self.assertFalse((copies.folders[tool] / name).exists())
            for delayed, expected in ((copies.longest(), "late by 2.5\ncompiled\n"), ((), "compiled\n")):
                copies.delay(delayed, 2.5)
                command = [self.top / "copies/launcher", "echo", "compiled"]
                for words, printed in (([name], expected), (["c.o"], "compiled\n")):
                    found = subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=True)
                    self.assertEqual(found.stdout.replace("compiled " + words[0], "compiled"), printed)


class Builds(unittest.TestCase):
    def test_what_a_program_prints_need_not_be_UTF_8(self):
        command = ["sh", "-c", "printf '\\377@50%% 2@'; printf '\\n@60%% 1@'; exit 3"]
        shown, _, status, printed = shown_forecasts.watch(command, "/", shown_forecasts.ninja_status())
        self.assertEqual([each[1:] for each in shown][-1], (0.6, 1))
        self.assertEqual((status, printed), (3, "\ufffd@50% 2@\r\n@60% 1@"))

    def test_a_build_that_ends_otherwise_than_it_should_ends_the_measurement(self):
        for status, keeps_going, is_expected in ((0, False, True), (1, True, True), (1, False, False), (0, True, False)):
            each = real_forecasts.Build("first build", 2, keeps_going=keeps_going)
            with mock.patch.object(real_forecasts, "watch", lambda *_: ([], 1, status, "cc: no such option")):
                if is_expected:
                    self.assertEqual(real_forecasts.build("ninja", Path("/"), each, "headway"), ([], [], 1))
                    continue
                with self.assertRaisesRegex(SystemExit, f"first build: exit {status} of ninja.*\n.*no such option"):
                    real_forecasts.build("ninja", Path("/"), each, "headway")


class Shown(unittest.TestCase):
    def test_a_status_of_ninja_is_read_although_it_comes_in_parts(self):
        show = shown_forecasts.ninja_status()
        self.assertEqual(list(show("@  0% ?@ [1/2] a\r@ 4")), [(0, None)])
        self.assertEqual(list(show("2% 7.5@ [2/2] b\n")), [(0.42, 7.5)])

    def test_the_bar_of_a_run_is_read_from_what_changes_on_the_screen(self):
        show = shown_forecasts.headway_screen()
        first = (
            "\x1b[?2026h\x1b[1mdemo\x1b[m    \x1b[32m━━\x1b[0;2m──\x1b[m    \x1b[1m6%\x1b[m  0 of 3\x1b[2m · 0s · \x1b[m"
            "about 3 s left\r\r\n\x1b[36m• \x1b[ma  \x1b[2m0s\x1b[m\r\r\n"
        )
        self.assertEqual(list(show(first)), [(0.06, 3)])
        self.assertEqual(list(show("\x1b7\x1b[2A\x1b[16G\x1b[1m10\x1b[m\x1b8")), [(0.10, 3)])
        self.assertEqual(list(show("\x1b7\x1b[2A\x1b[41G2\x1b8")), [(0.10, 2)])
        # The rows are drawn again, below a task that has ended.
        again = "\x1b[2A\r\x1b[K\x1b[1B\x1b[J\x1b[1A✓ a  1.0s\r\r\ndemo    ━━━─   35%  1 of 3 · 1s · 5–9 s left\r\r\n"
        self.assertEqual(list(show(again)), [(0.35, 7)])

    def test_words_are_a_time_or_the_middle_of_a_range(self):
        for words, expected in {
            "about 12 s left": 12,
            "about 1 h 5 min left": 3900,
            "5–9 s left": 7,
            "45 s–2 min left": 82.5,
            "up to 25 s left": 12.5,
            "first run, no estimate yet": None,
            "longer than expected": None,
        }.items():
            self.assertEqual(shown_forecasts.remaining_words(words), expected, words)


class Scores(unittest.TestCase):
    def score(self, shown, numbers=None, length=10, counts_down=False):
        return shown_forecasts.score(shown, shown if numbers is None else numbers, length, counts_down)

    def test_what_is_always_right_has_no_error(self):
        shown = [(part / 20, part / 200, 10 - part / 20) for part in range(200)]
        found = self.score(shown)
        for column in shown_forecasts.COLUMNS:
            self.assertAlmostEqual(found[column], 0)
        self.assertEqual([round(part) for part in found["whole"]], [100] * 4)

    def test_what_is_not_shown_counts_as_nothing(self):
        found = self.score([])
        self.assertEqual([round(found[column]) for column in shown_forecasts.COLUMNS], [50] * 3)
        self.assertEqual(found["whole"], [None] * 4)

    def test_a_short_build_that_shows_nothing_has_no_score(self):
        self.assertIsNone(self.score([], length=0.1)["bar"])
        self.assertIsNotNone(self.score([(0, 0, 3)], length=0.1)["bar"])

    def test_a_number_counts_down_or_stays(self):
        self.assertLess(self.score([(0, 0, 10)], counts_down=True)["left"], 0.1)
        self.assertGreater(self.score([(0, 0, 10)])["left"], 49)

    def test_builds_without_two_scores_are_left_out_of_the_means(self):
        def of(value):
            return {"bar": value, "left": value, "words": value}

        scores = {
            "a": {"ninja": of(10), "headway": of(4)},
            "b": {"ninja": of(20), "headway": of(24)},
            "c": {"ninja": of(50), "headway": of(None)},
        }
        means, ratios, worse = shown_forecasts.summary(scores)
        self.assertEqual((means["ninja"]["bar"], means["headway"]["bar"]), (15, 14))
        self.assertAlmostEqual(ratios["left"], 14 / 15)
        self.assertEqual(worse, [("b", column, 4) for column in shown_forecasts.COLUMNS])


if __name__ == "__main__":
    unittest.main()
