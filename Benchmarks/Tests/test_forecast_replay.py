"""Tests of `headway-bench forecast` on traces of which the result is known.

    python3 Benchmarks/Tests/test_forecast_replay.py PROGRAM      the program is .build-ship/release/forecast-replay
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = None


def run(name, durations):
    """A recorded run of independent tasks with one worker."""
    tasks = [
        {"id": number, "name": f"task{number}", "kind": "k", "parents": [], "runtime_s": duration}
        for number, duration in enumerate(durations)
    ]
    return {"name": name, "workers": 1, "makespan_s": sum(durations), "tasks": tasks}


def invoke(runs, *options):
    """The output of the program for one group of runs."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.json")
        trace.write_text(json.dumps({
            "group": "made-up", "family": "build", "source": {"measured": "made up"}, "licence": "CC0", "runs": runs,
        }))
        command = [PROGRAM, str(trace), "--workers", "1", *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def replay(runs, *options):
    """The output of the comparison of formulas, without other estimators."""
    return invoke(runs, "--formulas", "--only", "headway", *options)


def shown(runs, *options):
    """The scores of what people see of runs, by case."""
    lines = [json.loads(line) for line in invoke(runs, "--history", "all", "--json", *options).splitlines()]
    return {line["case"]: line for line in lines}


class Shown(unittest.TestCase):
    # Five runs of forty tasks of ten seconds each, whose forecast is certain.
    RUNS = [run(f"run {number}", [10] * 40) for number in range(5)]

    def test_a_run_that_is_known_exactly_is_shown_as_it_is(self):
        found = shown(self.RUNS, "--case", "whole")["whole"]
        self.assertLess(found["mae"], 1)
        self.assertLess(found["whole"], 1.02)
        self.assertEqual((found["silent"], found["first"], found["early"]), (0, 0, 100))
        self.assertEqual((found["held"], found["back"]), (100, 0))
        self.assertIsNone(found["during"])

    def test_the_first_run_shows_a_time_once_its_first_task_has_ended(self):
        found = json.loads(invoke(self.RUNS, "--history", "none", "--case", "whole", "--json"))
        self.assertGreater(found["silent"], 0)
        self.assertEqual(found["early"], 100)
        self.assertAlmostEqual(found["first"], found["silent"], delta=1)

    def test_nothing_is_forecast_for_tasks_that_are_up_to_date(self):
        found = shown(self.RUNS, "--case", "half-up-to-date,nothing-changed")
        # Nothing is said until all files were looked at, which takes 40 ms, and then it is certain.
        self.assertLess(found["half-up-to-date"]["whole"], 1.02)
        self.assertLess(found["half-up-to-date"]["silent"], 1)
        self.assertEqual(found["nothing-changed"]["told"], 0)

    def test_a_late_task_counts_while_it_is_late(self):
        found = shown(self.RUNS, "--case", "late,late-again")
        self.assertGreater(found["late"]["during"], 1)
        self.assertGreater(found["late"]["whole"], found["late-again"]["whole"])

    def test_a_run_ends_where_its_failure_ends_it(self):
        found = shown(self.RUNS, "--case", "failure-keep-going,failure-stop,failure-fast")
        # With one worker and no dependencies, nothing else runs when a task fails, and nothing depends on it.
        self.assertLess(found["failure-keep-going"]["mae"], 3)
        self.assertGreater(found["failure-stop"]["mae"], 3)
        self.assertEqual(found["failure-stop"]["mae"], found["failure-fast"]["mae"])

    def test_the_speed_of_a_run_changes_nothing_but_the_time(self):
        found = shown(self.RUNS, "--case", "faster,slower,workers-changed,pools,whole")
        self.assertEqual(found["workers-changed"]["mae"], found["whole"]["mae"])
        self.assertEqual(found["pools"]["mae"], found["whole"]["mae"])
        for case in ("faster", "slower"):
            self.assertGreater(found[case]["whole"], found["whole"]["whole"])

    def test_the_number_of_workers_stretches_only_what_computes(self):
        for workers in ("1", "2", "8"):
            found = shown(self.RUNS, "--case", "shared-processors", "--workers", workers)["shared-processors"]
            self.assertLess(found["whole"], 1.1, f"{workers} workers")
            self.assertLess(found["mae"], 5, f"{workers} workers")

    def test_the_heading_says_which_runs_do_not_suit_a_case(self):
        # Nothing depends on anything, so nothing is needed.
        runs = self.RUNS + [run("empty", [0, 0])]
        text = invoke(runs, "--history", "one", "--case", "whole,late")
        self.assertIn("5 runs; not replayed: 1 without a duration\n", text)
        self.assertIn("5 runs; not replayed: 1 without a task that suits the case\n", text)

    def test_the_engine_runs_tasks_as_they_are_simulated(self):
        tree = run("tree", [3, 1, 4, 1, 5, 9, 2, 6])
        for number, task in enumerate(tree["tasks"]):
            task["parents"] = [(number - 1) // 2] if number else []
        self.assertRegex(invoke([tree], "--check"), r"^2\d runs are as the engine runs them\n$")


class Replay(unittest.TestCase):
    def test_the_heading_says_which_runs_are_not_replayed(self):
        runs = [run("a", [1, 2, 3]), run("b", [1, 2, 3]), run("large", [1] * 801), run("empty", [0, 0, 0])]
        text = replay(runs, "--history", "none")
        self.assertIn("2 runs; not replayed: 1 of more than 800 tasks, 1 without a duration\n", text)
        self.assertEqual(json.loads(replay(runs, "--history", "none", "--json"))["omitted"], 2)

    def test_the_time_near_the_end_is_counted_although_nothing_is_shown_above_99_percent(self):
        runs = [run(f"run {number}", [1] * 50) for number in range(10)]
        found = json.loads(replay(runs, "--history", "all", "--json"))
        # With nine equal runs before it, each run is known exactly: it is above 98 % for 2 % of its time.
        self.assertEqual(found["over99"], 0)
        self.assertAlmostEqual(found["over98"], 2, delta=1)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
