"""Tests of `headway-bench forecast` on traces of which the result is known.

    python3 Benchmarks/Tests/test_forecast_replay.py PROGRAM      the program is .build-release/release/forecast-replay
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


def replay(runs, *options):
    """The output of a replay of one group of runs, without other estimators."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.json")
        trace.write_text(json.dumps({
            "group": "made-up", "family": "build", "source": {"measured": "made up"}, "licence": "CC0", "runs": runs,
        }))
        command = [PROGRAM, str(trace), "--workers", "1", "--only", "headway", *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


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
