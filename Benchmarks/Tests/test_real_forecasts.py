"""Tests of how `Benchmarks/Peers/real_forecasts.py` reads a project, and reads and scores what a tool shows.

    python3 Benchmarks/Tests/test_real_forecasts.py
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Peers"))

import real_forecasts  # noqa: E402


class Projects(unittest.TestCase):
    def setUp(self):
        at = tempfile.TemporaryDirectory()
        self.addCleanup(at.cleanup)
        self.top = Path(at.name).resolve()
        self.folder = self.top / "out"
        self.folder.mkdir()

    def write(self, text):
        (self.folder / "build.ninja").write_text(text)

    def test_what_is_made_from_nothing_and_a_rule_with_two_outputs_have_their_commands(self):
        # As CMake writes it for libpng, where each output has its absolute path as a second name.
        self.write(
            f"""workdir = {self.folder}/
build prefix.h | ${{workdir}}prefix.h: CUSTOM_COMMAND
  COMMAND = make prefix
build a.h b.h | ${{workdir}}a.h ${{workdir}}b.h: CUSTOM_COMMAND {self.folder}/prefix.h in$ put
  COMMAND = make two
build x.o: C_COMPILER__x x.c | b.h || prefix.h
build all: phony x.o
"""
        )
        answers = {
            (): "",
            ("-t", "deps"): "x.o: #deps 1\n    /usr/include/stdio.h\n    a.h\n",
            ("-t", "compdb"): json.dumps(
                [{"output": "b.h", "command": "make two"}, {"output": "x.o", "command": "cc x.c"}]
            ),
            ("-t", "commands", "-s", "prefix.h"): "make prefix\n",
        }
        with mock.patch.object(real_forecasts, "ninja", lambda _, *words: answers[words]):
            tasks = real_forecasts.convert(self.folder)
        self.assertEqual({name: task["run"] for name, task in tasks.items()},
                         {"x.o": "cc x.c", "a.h": "make two", "prefix.h": "make prefix"})
        self.assertEqual(tasks["a.h"]["inputs"], ["prefix.h", "in put"])
        self.assertEqual(tasks["a.h"]["outputs"], ["a.h", "b.h"])
        self.assertEqual(tasks["prefix.h"]["inputs"], ["build.ninja"])
        self.assertEqual(tasks["x.o"]["inputs"], ["x.c", "b.h", "a.h"])
        self.assertEqual(tasks["x.o"]["after"], ["a.h", "prefix.h"])

    def test_the_sources_may_be_beside_the_folder_of_CMakeLists(self):
        # As those of zstd are.
        project = self.top / "project"
        for file in ("build/cmake/CMakeLists.txt", "lib/a.c", "lib/deep/b.c"):
            (project / file).parent.mkdir(parents=True, exist_ok=True)
            (project / file).touch()
        (self.folder / "made.c").touch()
        self.write(
            f"build a.o: C_COMPILER__zstd {project}/lib/a.c\nbuild b.o: C_COMPILER__zstd {project}/lib/deep/b.c\n"
            "build made.o: C_COMPILER__zstd made.c\nbuild build.ninja: RERUN_CMAKE /usr/share/cmake/Modules/CMake.cmake\n"
        )
        self.assertEqual(real_forecasts.sources(self.folder, project / "build/cmake"), project)
        self.write(f"build b.o: C_COMPILER__zstd {project}/lib/deep/b.c\n")
        self.assertEqual(real_forecasts.sources(self.folder, project / "lib"), project / "lib")


class Shown(unittest.TestCase):
    def test_a_status_of_ninja_is_read_although_it_comes_in_parts(self):
        show = real_forecasts.ninja_status()
        self.assertEqual(list(show("@  0% ?@ [1/2] a\r@ 4")), [(0, None)])
        self.assertEqual(list(show("2% 7.5@ [2/2] b\n")), [(0.42, 7.5)])

    def test_the_bar_of_a_run_is_read_from_what_changes_on_the_screen(self):
        show = real_forecasts.headway_screen()
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
            self.assertEqual(real_forecasts.remaining_words(words), expected, words)


class Scores(unittest.TestCase):
    def score(self, shown, numbers=None, length=10, counts_down=False):
        return real_forecasts.score(shown, shown if numbers is None else numbers, length, counts_down)

    def test_what_is_always_right_has_no_error(self):
        shown = [(part / 20, part / 200, 10 - part / 20) for part in range(200)]
        found = self.score(shown)
        for column in real_forecasts.COLUMNS:
            self.assertAlmostEqual(found[column], 0)
        self.assertEqual([round(part) for part in found["whole"]], [100] * 4)

    def test_what_is_not_shown_counts_as_nothing(self):
        found = self.score([])
        self.assertEqual([round(found[column]) for column in real_forecasts.COLUMNS], [50] * 3)
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
        means, ratios, worse = real_forecasts.summary(scores)
        self.assertEqual((means["ninja"]["bar"], means["headway"]["bar"]), (15, 14))
        self.assertAlmostEqual(ratios["left"], 14 / 15)
        self.assertEqual(worse, [("b", column, 4) for column in real_forecasts.COLUMNS])


if __name__ == "__main__":
    unittest.main()
