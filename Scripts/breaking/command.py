"""The command line of the kit, and the loop that runs trials."""

import argparse
import itertools
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from . import processes, system
from .kinds import KINDS
from .registry import summary
from .trial import Failure, Skip, Trial, remove_tree

ROOT = Path(__file__).resolve().parent.parent.parent
# No trial may take longer; each wait in a trial has a shorter limit of its own.
OUTER_LIMIT = 240
# The kit says where it is this often.
PROGRESS = 15


def main():
    """Runs the command; returns the exit code."""
    options = read_options()
    if options.list:
        width = max(map(len, KINDS))
        for name, function in KINDS.items():
            print(f"{name:{width}}  {summary(function)}")
        return 0
    unknown = [name for name in options.only if name not in KINDS]
    if unknown:
        sys.exit(f"no such kind: {', '.join(unknown)}; Scripts/break --list shows all")
    headway = find_headway(options.headway)
    base = Path(tempfile.mkdtemp(prefix="headway-break-")).resolve()
    base.chmod(0o755)
    try:
        return Kit(options, headway, base).run()
    finally:
        processes.kill_all(lambda: processes.below(os.getpid()))
        remove_tree(base)


def read_options():
    parser = argparse.ArgumentParser(
        prog="Scripts/break", description="Tries to break headway; without --trials and --minutes until Ctrl-C.")
    parser.add_argument("--headway", metavar="PATH", help="the program (default: the build of this repository)")
    parser.add_argument("--only", nargs="+", default=[], metavar="KIND", help="only these kinds of trouble")
    parser.add_argument("--trials", type=int, metavar="N", help="end after N trials of each kind")
    parser.add_argument("--minutes", type=float, metavar="M", help="end after M minutes")
    parser.add_argument("--seed", type=int, metavar="S", help="the seed of the first trial of each kind (default: random)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="do N trials at once (default: 1)")
    parser.add_argument("--keep", action="store_true", help="keep the folders of trials that failed")
    parser.add_argument("--list", action="store_true", help="list the kinds of trouble")
    return parser.parse_args()


def find_headway(path):
    """The program to break."""
    candidates = [Path(path)] if path else [ROOT / ".build-ship/release/headway", ROOT / ".build/debug/headway"]
    for candidate in candidates:
        if os.access(candidate, os.X_OK) and candidate.is_file():
            return candidate.resolve()
    names = " or ".join(str(candidate) for candidate in candidates)
    sys.exit(f"there is no {names}; build it (`swift build`), or name it with --headway PATH")


def build_shim(base):
    """Compiles what makes a disk slow; returns nothing if there is no compiler."""
    source, library = Path(__file__).with_name("slow_disk.c"), base / "slow_disk.so"
    compiler = shutil.which("cc")
    if not compiler:
        return None
    words = [compiler, "-O1", "-Wall", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"the shim for slow disks does not compile:\n{done.stderr}")
    return library


class Count:
    """What happened to the trials of a kind."""

    def __init__(self):
        self.started = self.trials = self.failures = 0
        self.skipped = None
        self.seconds = 0.0


class Job:
    """A trial that runs, in a process of its own."""

    def __init__(self, kind, seed, folder):
        self.kind, self.seed, self.folder = kind, seed, folder
        self.began = time.monotonic()
        self.pid = self.answer = None


class Kit:
    """Runs trials, each in a child, and counts them."""

    def __init__(self, options, headway, base):
        self.options, self.base = options, base
        # A copy, so that a build during the trials changes nothing, and so that other users can run it.
        self.headway = base / "headway"
        shutil.copy2(headway, self.headway)
        self.headway.chmod(0o755)
        self.shim = build_shim(base)
        self.seed = random.SystemRandom().randrange(1_000_000_000) if options.seed is None else options.seed
        self.counts = {name: Count() for name in options.only or KINDS}
        self.jobs = {}
        self.began = self.told = time.monotonic()
        self.numbers = itertools.count()
        self.is_stopping = False

    def run(self):
        system.become_subreaper()
        signal.signal(signal.SIGINT, self.stop)
        signal.signal(signal.SIGTERM, self.stop)
        print(f"{len(self.counts)} kinds, seed {self.seed}, process {os.getpid()}", flush=True)
        coming = self.schedule()
        while True:
            while not self.is_over and len(self.jobs) < max(1, self.options.jobs):
                following = next(coming, None)
                if following is None:
                    break
                self.start(*following)
            if not self.jobs:
                break
            self.collect()
            self.tell_progress()
        return self.tell_result()

    def stop(self, *_):
        """Ends after the trials that run; a second signal ends at once."""
        if self.is_stopping:
            raise KeyboardInterrupt
        self.is_stopping = True
        print("ending after the trials that run", flush=True)

    @property
    def is_over(self):
        limit = self.options.minutes
        return self.is_stopping or (limit is not None and time.monotonic() - self.began > limit * 60)

    def schedule(self):
        """The kinds in turn, each with the next seed."""
        while True:
            left = [name for name, count in self.counts.items()
                    if not count.skipped and (self.options.trials is None or count.started < self.options.trials)]
            if not left:
                return
            for name in left:
                count = self.counts[name]
                if not count.skipped:
                    yield name, self.seed + count.started
                    count.started += 1

    def start(self, kind, seed):
        folder = self.base / f"{next(self.numbers)}"
        job = Job(kind, seed, folder)
        job.answer, theirs = os.pipe()
        sys.stdout.flush()
        job.pid = os.fork()
        if job.pid == 0:
            os.close(job.answer)
            for other in self.jobs.values():
                os.close(other.answer)
            work(job, theirs, self.headway, self.shim)
        os.close(theirs)
        self.jobs[job.pid] = job

    def collect(self):
        """Waits a little for a trial to end."""
        ready = select.select([job.answer for job in self.jobs.values()], [], [], 0.5)[0]
        for job in list(self.jobs.values()):
            is_late = time.monotonic() - job.began > OUTER_LIMIT
            if job.answer in ready or is_late:
                self.finish(job, is_late and job.answer not in ready)

    def finish(self, job, is_late):
        result = {"failure": f"the trial did not end within {OUTER_LIMIT} s"}
        if not is_late:
            with os.fdopen(job.answer, "rb") as file:
                answer = file.read()
            result = json.loads(answer) if answer else {"failure": "the trial died (a defect of the kit)"}
        else:
            os.close(job.answer)
        del self.jobs[job.pid]
        self.bury(job)
        self.count(job, result)
        if not (self.options.keep and result.get("failure")):
            remove_tree(job.folder)

    def bury(self, job):
        """Ends a trial and what it has left; processes whose trial is dead have become children of the kit."""
        processes.kill_all(lambda: processes.below(job.pid))
        processes.send(job.pid, signal.SIGKILL)
        try:
            os.waitpid(job.pid, 0)
        except ChildProcessError:
            pass

        def strays():
            known = processes.all_processes()
            roots = [p for p in known.values() if p.parent == os.getpid() and p.pid not in self.jobs]
            return [p for root in roots for p in [root, *processes.below(root.pid, known)]]

        # The children that are trials are collected by their number only.
        for stray in strays():
            processes.send(stray.pid, signal.SIGKILL)
            try:
                os.waitpid(stray.pid, 0)
            except ChildProcessError:
                pass

    def count(self, job, result):
        count = self.counts[job.kind]
        if result.get("skip"):
            if not count.skipped:
                print(f"{job.kind}: skipped: {result['skip']}", flush=True)
            count.skipped = result["skip"]
            return
        count.trials += 1
        count.seconds += time.monotonic() - job.began
        if result.get("failure"):
            count.failures += 1
            kept = f"\n  folder: {job.folder}" if self.options.keep else ""
            print(f"FAILED {job.kind}: {result['failure']}{kept}\n"
                  f"  again: Scripts/break --only {job.kind} --seed {job.seed} --trials 1", flush=True)

    def tell_progress(self):
        now = time.monotonic()
        if now - self.told < PROGRESS:
            return
        self.told = now
        trials = sum(count.trials for count in self.counts.values())
        failures = sum(count.failures for count in self.counts.values())
        running = ", ".join(sorted(job.kind for job in self.jobs.values()))
        print(f"{now - self.began:.0f} s: {trials} trials, {failures} failures; now {running}", flush=True)

    def tell_result(self):
        width = max(map(len, self.counts))
        print(f"\n{'kind':{width}}  trials  failures  seconds each")
        for name, count in self.counts.items():
            if count.skipped:
                print(f"{name:{width}}  skipped: {count.skipped}")
            else:
                each = count.seconds / max(1, count.trials)
                print(f"{name:{width}}  {count.trials:6}  {count.failures:8}  {each:12.1f}")
        trials = sum(count.trials for count in self.counts.values())
        failures = sum(count.failures for count in self.counts.values())
        tried = sum(1 for count in self.counts.values() if count.trials)
        hours = (time.monotonic() - self.began) / 3600
        print(f"\n{tried} kinds, {trials} trials, {failures} failures in {hours:.2f} hours, seed {self.seed}")
        return 1 if failures or not trials else 0


def work(job, answer, headway, shim):
    """Does a trial in a child, and writes what came of it; never returns."""
    result = {}
    trial = None
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # Not reached by keys typed for the kit, and without a terminal, so that it can take one.
        os.setsid()
        system.become_subreaper()
        trial = Trial(headway, job.kind, job.seed, job.folder, shim)
        KINDS[job.kind](trial)
        trial.check_everything()
    except Skip as skip:
        result["skip"] = str(skip)
    except Failure as failure:
        result["failure"] = "\n".join([str(failure), *([trial.suspect.describe()] if trial.suspect else [])])
    except BaseException:
        result["failure"] = "a defect of the kit, perhaps:\n" + traceback.format_exc()
    try:
        if trial:
            trial.end()
        os.write(answer, json.dumps(result).encode("utf-8", "backslashreplace"))
    finally:
        os._exit(0)
