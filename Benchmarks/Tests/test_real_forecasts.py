"""Tests of how `Benchmarks/Peers/real_forecasts.py` reads and scores what a tool shows.

    python3 Benchmarks/Tests/test_real_forecasts.py
"""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Peers"))

import real_forecasts  # noqa: E402


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
