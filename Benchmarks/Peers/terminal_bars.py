"""What a frame of the bars of tqdm and rich costs, drawn to a terminal in memory of 80 columns and 24 rows.

    terminal_bars.py versions                  the versions of both, or exit code 69 where one is missing
    terminal_bars.py PEER CASE BARS FRAMES     the microseconds and the bytes of a frame

PEER is tqdm or rich. CASE is all (every bar does one of its thousand steps in each frame) or cell (one bar in turn moves
by one cell, to and fro). Only what the peers do to take a step in and to draw is timed: no thread of theirs runs, and the stream
keeps what is written as it comes. The garbage collector is off meanwhile, as it is not theirs.
"""

import gc
import importlib.metadata
import sys
import time

COLUMNS = 80
ROWS = 24
TOTAL = 1000
# A cell of a bar that has room for 25.
CELL = 40


class Terminal:
    """A stream that says that it is a terminal and keeps what is written to it."""

    encoding = "utf-8"

    def __init__(self):
        self.written = []

    def write(self, text):
        self.written.append(text)
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True

    def size(self):
        return sum(len(text.encode()) for text in self.written)


def tqdm_bars(terminal, bars):
    """Makes bars of tqdm and answers with what moves one of them and what draws a frame."""
    from tqdm import tqdm

    tqdm.monitor_interval = 0
    made = [
        # It draws whenever it is told to and at no other time.
        tqdm(total=TOTAL, desc=f"task {place}", position=place, file=terminal, ncols=COLUMNS,
             mininterval=1e9, miniters=TOTAL * TOTAL, smoothing=0.3)
        for place in range(bars)
    ]

    def show(place, count):
        made[place].n = count
        made[place].refresh()

    return show, lambda: None


def rich_bars(terminal, bars):
    """Makes bars of rich and answers with what moves one of them and what draws a frame."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=terminal, force_terminal=True, width=COLUMNS, height=ROWS,
                      color_system="standard", legacy_windows=False, _environ={})
    progress = Progress(console=console, auto_refresh=False, redirect_stdout=False,
                        redirect_stderr=False)
    progress.start()
    tasks = [progress.add_task(f"task {place}", total=TOTAL) for place in range(bars)]

    def show(place, count):
        progress.update(tasks[place], completed=count)

    return show, progress.refresh


def count(step):
    """How many of a thousand are done after so many steps to and fro."""
    rest = step % (2 * TOTAL)
    return rest if rest <= TOTAL else 2 * TOTAL - rest


def measure(peer, case, bars, frames):
    """Draws frames, and answers with the microseconds and the bytes of one."""
    terminal = Terminal()
    show, draw = {"tqdm": tqdm_bars, "rich": rich_bars}[peer](terminal, bars)
    for place in range(bars):
        show(place, 0)
    draw()
    terminal.written.clear()
    gc.disable()
    start = time.process_time_ns()
    if case == "all":
        for frame in range(1, frames + 1):
            for place in range(bars):
                show(place, count(frame))
            draw()
    else:
        for frame in range(1, frames + 1):
            show(frame % bars, count(CELL * (frame // bars + 1)))
            draw()
    took = time.process_time_ns() - start
    return took / 1000 / frames, terminal.size() / frames


def main(words):
    """Does what the command line asks for and answers with the exit code."""
    try:
        import rich  # noqa: F401
        import tqdm  # noqa: F401
    except ImportError:
        return 69
    if words == ["versions"]:
        print(importlib.metadata.version("tqdm"), importlib.metadata.version("rich"))
        return 0
    if len(words) != 4 or words[0] not in ("tqdm", "rich") or words[1] not in ("all", "cell"):
        print(__doc__, file=sys.stderr)
        return 64
    print(*measure(words[0], words[1], int(words[2]), int(words[3])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
