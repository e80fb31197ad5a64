"""Terminals of strange sizes, that accept nothing, with typed keys, with strange names."""

import os
import signal
import termios

from .. import tasks
from ..registry import kind
from ..trial import Failure, Terminal, expect
from .interrupts import AT_ONCE, end_at_once

SIZES = [(0, 0), (1, 1), (5, 500), (1, 80), (2, 2), (24, 1), (24, 3), (1000, 1000), (65535, 65535), (0, 80), (24, 0)]


def lively_plan(trial, seconds=0.2):
    rng = trial.rng
    trial.plan({
        f"t{n}": {"run": f"touch began; for i in 1 2 3; do echo line $i; sleep {seconds / 3:.3f}; done; exit {rng.choice([0, 0, 1])}", "optional": True}
        for n in range(rng.randint(1, 12))
    }, workers=rng.randint(1, 12))


@kind
def terminal_sizes(trial):
    """Terminals of 0x0 to 65535x65535, resized during the run."""
    rng = trial.rng
    terminal = Terminal(*rng.choice([*SIZES, (rng.randint(1, 60), rng.randint(1, 300))]))
    lively_plan(trial)
    run = trial.start("run", "p.yaml", terminal=terminal)
    for _ in range(rng.randint(0, 12)):
        trial.pause(trial.moment(0.2), run)
        terminal.resize(*rng.choice(SIZES))
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status}")
    terminal.check_restored()


@kind
def stuck_terminal(trial):
    """The terminal accepts no output (Ctrl-S, or nobody reads); Ctrl-C twice ends the run at once."""
    rng = trial.rng
    terminal = Terminal()
    lively_plan(trial, seconds=rng.choice([0.2, 3, 60]))
    run = trial.start("run", "p.yaml", terminal=terminal)
    run.has_text = False
    if rng.random() < 0.5:
        # Nobody reads from here on.
        run.close("terminal")
    elif rng.random() < 0.5:
        terminal.press(b"\x13")
    else:
        termios.tcflow(terminal.theirs, termios.TCOOFF)
    trial.pause(0.3 + trial.moment(1.5), run)
    run.injected.add(signal.SIGINT)
    if rng.random() < 0.5:
        for _ in range(2):
            terminal.press(b"\x03")
            trial.pause(0.05 + trial.moment(0.5), run)
        # A terminal that still has keys to take may lose some.
        if run.status is None and rng.random() < 0.3:
            terminal.press(b"\x03")
        trial.wait(run, within=AT_ONCE)
    elif run.status is None:
        end_at_once(trial, run, group=rng.random() < 0.5)


@kind
def typed_keys(trial):
    """Random keys are typed during the run; at the end Ctrl-C ends it."""
    rng = trial.rng
    terminal = Terminal(rng.randint(1, 40), rng.randint(1, 120))
    lively_plan(trial, seconds=0.6)
    run = trial.start("run", "p.yaml", terminal=terminal)
    # The terminal itself shows what is typed before the run listens.
    run.has_text = False
    keys = [b" ", b"\t", b"n", b"j", b"p", b"k", b"1", b"9", b"q", b"\x1b[A", b"\x1b", b"\r", b"\x7f", b"\x04", b"\x12", b"\xff", "é".encode(),
            b"\x1b[200~" + b"x" * 300 + b"\x1b[201~", b"\x1b[99;99R", b"\x00", b"\x13\x11"]
    for _ in range(rng.randint(1, 40)):
        terminal.press(rng.choice(keys))
        trial.pause(trial.moment(0.06), run)
    terminal.press(b"\x11")
    trial.pause(1, run)
    if run.status is None:
        # It may be paused.
        run.injected.add(signal.SIGINT)
        terminal.press(b"\x03")
    trial.wait(run)
    expect(run.status in (0, -signal.SIGINT), f"it ended with {run.status}")
    terminal.check_restored()


@kind
def paused_run(trial):
    """Tab and Space, then a kill, a signal or Space again; stopped tasks do not survive, and the terminal is restored."""
    rng = trial.rng
    terminal = Terminal()
    tasks.endless_plan(trial)
    run = trial.start("run", "p.yaml", terminal=terminal)
    trial.until_running(run)
    trial.pause(0.3, run)
    # Keys count after Tab.
    terminal.press(b"\t")
    trial.pause(0.3, run)
    for _ in range(rng.randint(1, 3)):
        terminal.press(b" ")
        trial.pause(trial.moment(0.4), run)
    way = rng.choice(["key", "signal", "runner", "viewer", "group"])
    if way == "key":
        run.injected.add(signal.SIGINT)
        terminal.press(b"\x03")
    elif way == "signal":
        trial.send(run, signal.SIGTERM)
    else:
        runner = trial.runner()
        trial.send(run, signal.SIGKILL, runner.pid if way == "runner" and runner else None, group=way == "group")
    trial.wait(run)
    expect(-run.status in run.injected, f"it ended with {run.status}")
    trial.check_nothing_runs()
    if way not in ("group",):
        restored(trial, terminal)


def restored(trial, terminal):
    """Waits until the terminal is restored; the process that does it may outlive the one that was started."""

    def is_restored():
        try:
            terminal.check_restored()
            return True
        except Failure:
            return False

    trial.watch(is_restored, 10, "the settings of the terminal were not restored")


@kind
def terminal_job(trial):
    """Ctrl-Z and `fg`, several times, in a terminal; the run ends as usual."""
    rng = trial.rng
    terminal = Terminal()
    lively_plan(trial, seconds=0.5)
    run = trial.start("run", "p.yaml", terminal=terminal)
    run.has_text = False
    trial.until_running(run)
    for _ in range(rng.randint(1, 4)):
        trial.pause(trial.moment(0.3), run)
        run.injected.add(signal.SIGTSTP)
        terminal.press(b"\x1a")
        trial.pause(0.1 + trial.moment(0.4), run)
        if run.status is not None:
            break
        # What `fg` does.
        if rng.random() < 0.7:
            os.tcsetpgrp(terminal.theirs, run.pid)
        trial.send(run, signal.SIGCONT, group=True)
    os.tcsetpgrp(terminal.theirs, run.pid) if run.status is None else None
    trial.send(run, signal.SIGCONT, group=True)
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status}")


@kind
def background_job(trial):
    """The run is started in the background of a terminal that stops background output."""
    rng = trial.rng
    terminal = Terminal()
    settings = termios.tcgetattr(terminal.theirs)
    if rng.random() < 0.5:
        settings[3] |= termios.TOSTOP
        termios.tcsetattr(terminal.theirs, termios.TCSANOW, settings)
        terminal.settings = termios.tcgetattr(terminal.theirs)
    os.tcsetpgrp(terminal.theirs, os.getpgrp())
    lively_plan(trial)

    def go_back():
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getsid(0))
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)

    run = trial.start("run", "p.yaml", terminal=terminal, before=go_back)
    trial.pause(0.3, run)
    # With TOSTOP it may be stopped, until it is in the foreground.
    for _ in range(20):
        if run.status is not None:
            break
        os.tcsetpgrp(terminal.theirs, run.pid)
        trial.send(run, signal.SIGCONT, group=True)
        trial.pause(0.5, run)
    trial.wait(run)
    expect(run.status == 0, f"it ended with {run.status}")
    terminal.check_restored()


@kind
def strange_terminals(trial):
    """Strange values of TERM, COLUMNS and other variables; streams that are terminals only in part."""
    rng = trial.rng
    terminal = Terminal()
    words = ["", "dumb", "xterm-256color", "x" * 5000, "\x1b[31m", "../../etc", "linux", "screen", "é", "-1", "0", "99999999999999999999", "on", "off"]
    names = ["TERM", "COLUMNS", "LINES", "NO_COLOR", "COLORTERM", "WT_SESSION", "ConEmuANSI", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION",
             "HEADWAY_TASKBAR", "CI", "ACCESSIBLE", "TMUX", "STY", "LC_ALL", "LANG"]
    environment = {name: rng.choice([*words, None]) for name in rng.sample(names, rng.randint(1, 8))}
    lively_plan(trial)
    options = {}
    for stream in ("stdin", "out", "err"):
        if rng.random() < 0.6:
            options[stream] = terminal.theirs
    reader = trial.spawn(["cat"], stdin=terminal.ours)
    reader.has_codes = False
    reader.is_terminal = True
    run = trial.start("run", "p.yaml", "--ui", rng.choice(["live", "plain", "json", "quiet"]), environment=environment, **options)
    run.is_terminal = True
    trial.watch(lambda: run.status is not None, 30, "the run did not end", run, reader)
    trial.check_end(run)
    expect(run.status == 0, f"it ended with {run.status}")
    trial.send(reader, signal.SIGTERM)
    trial.wait(reader)


@kind
def terminal_kill(trial):
    """The runner or the viewer is killed while the live bar is shown; the terminal is restored."""
    terminal = Terminal()
    tasks.endless_plan(trial)
    run = trial.start("run", "p.yaml", terminal=terminal)
    trial.until_running(run)
    trial.pause(trial.moment(0.6), run)
    runner = trial.runner()
    trial.send(run, signal.SIGKILL, runner.pid if runner and trial.rng.random() < 0.5 else None)
    trial.wait(run)
    expect(run.status in (-signal.SIGKILL, 137), f"it ended with {run.status}")
    trial.check_nothing_runs()
    restored(trial, terminal)


@kind
def demo_signals(trial):
    """Signals, keys and resizes during `headway demo bar`."""
    rng = trial.rng
    terminal = Terminal(*rng.choice([*SIZES, (24, 80), (24, 80)]))
    run = trial.start("demo", "bar", terminal=terminal)
    run.has_text = False
    for _ in range(rng.randint(1, 15)):
        way = rng.randint(0, 2)
        if way == 0:
            terminal.press(rng.choice([b" ", b"\x1b[C", b"\x1b[D", b"x", b"\xff", b"\x1b"]))
        elif way == 1:
            terminal.resize(*rng.choice(SIZES))
        trial.pause(trial.moment(0.2), run)
    if rng.random() < 0.5:
        terminal.press(b"q")
        trial.wait(run)
        expect(run.status == 0, f"it ended with {run.status}")
    else:
        trial.send(run, rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]))
        trial.wait(run)
        expect(-run.status in run.injected or run.status == 0, f"it ended with {run.status}")
    trial.check_nothing_runs()
    restored(trial, terminal)
