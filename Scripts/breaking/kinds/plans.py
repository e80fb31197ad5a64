"""Hostile plans, names and output."""

import json
import os
import re
import shutil
import signal
import stat
from pathlib import Path

from .. import system, text
from ..registry import kind
from ..system import NOBODY
from ..trial import Terminal, expect, reason

ROOT = Path(__file__).resolve().parent.parent.parent.parent


@kind
def link_cycles(trial):
    """An input folder with up to 30 links to itself; it is read once."""
    rng = trial.rng
    folder = trial.folder / "l"
    (folder / "sub").mkdir(parents=True)
    (folder / "f").write_text("x")
    for index in range(rng.randint(2, 30)):
        place = rng.choice([folder, folder / "sub"])
        (place / f"link{index}").symlink_to(rng.choice([".", "..", str(folder), f"link{index}", f"link{index + 1}"]))
    pattern = rng.choice(["l", "l/**", "l/*/*", "l/**/f", "**", "*", ["l", "l/sub", "l/*"]])
    trial.plan({"t": {"run": "true", "inputs": pattern}})
    for words in (["run", "p.yaml"], ["run", "-n", "p.yaml"]):
        run = trial.run(*words, within=20)
        expect(run.status == 0, f"it ended with {run.status}")


MEMORY = 1 << 30


@kind
def endless_plans(trial):
    """A plan without an end: a device, a pipe that is always full, a sparse file of 4 GB."""
    rng = trial.rng
    shape = rng.choice(["zero", "fifo", "sparse", "valid", "silent"])
    command = rng.choice([["check"], ["graph"], ["run"], ["run", "-n"]])
    plan = trial.folder / "p.yaml"
    writer = None
    if shape == "zero":
        plan = Path("/dev/zero")
    elif shape == "sparse":
        plan.write_bytes(rng.choice([b"", b"tasks:\n", b"# "]))
        os.truncate(plan, (4 << 30) + rng.getrandbits(10))
    else:
        os.mkfifo(plan)
        content = {"fifo": "yes '# no end'", "valid": "echo 'tasks: { a: { run: \"true\" } }'"}.get(shape)
        if content:
            writer = trial.spawn(["sh", "-c", f"{content} > p.yaml"])
            writer.has_codes = False
    run = trial.start(*command, str(plan), *(["--state", "state"] if command[0] == "run" and len(command) == 1 else []))
    if shape == "silent":
        trial.pause(trial.moment(0.5), run)
        trial.send(run, signal.SIGTERM)
    trial.wait(run, within=20)
    right = {"valid": 0, "silent": -signal.SIGTERM}.get(shape, 2)
    expect(run.status == right, f"it ended with {run.status}, not with {right}")
    expect(run.peak < MEMORY, f"it used {run.peak >> 20} MB of memory")
    if writer:
        trial.wait(writer, within=5)


def look_at(trial, plan, has_commands=True):
    """Reads a plan in every way that runs nothing."""
    command = trial.rng.choice([["check"], ["graph"], ["graph", "--dot"], ["graph", "--mermaid"],
                                *([["run", "-n"]] if has_commands else [])])
    run = trial.run(*command, str(plan))
    expect(run.status in (0, 2), f"it ended with {run.status}")
    expect(run.status == 0 or reason(run.err), "it did not say what is wrong")


@kind
def random_plans(trial):
    """Plans of random bytes, words and signs."""
    rng = trial.rng
    signs = ["{", "}", "[", "]", ":", "- ", "\n", " ", "\t", "&a", "*a", "<<", "!!x", "|", ">", "'", '"', "\\", "tasks", "run", "after",
             "a", "1s", "#", "---", "...", "%YAML 9.9", "\x00", "\ufeff", "\u2028", "😀", "?", ",", "  "]
    for _ in range(5):
        if rng.random() < 0.4:
            content = rng.randbytes(rng.randint(0, 3000))
        else:
            content = "".join(rng.choices(signs, k=rng.randint(0, 400))).encode()
        look_at(trial, trial.write("p.yaml", content))


def seeds():
    """The plans in the documentation, in the plans and in the tests of the repository."""
    found = [path.read_bytes() for path in sorted(ROOT.glob("Plans/*.yaml"))]
    for page in [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md"]:
        if page.exists():
            found += re.findall(rb"```yaml\n(.*?)```", page.read_bytes(), re.DOTALL)
    for test in sorted(ROOT.glob("Tests/HeadwayPlanTests/*.swift")):
        found += [piece for piece in re.findall(rb'"""\n(.*?)"""', test.read_bytes(), re.DOTALL) if b"tasks:" in piece]
    return found or [b"tasks: { a: { run: x }, b: { run: y, after: a, timeout: 3s } }\n"]


def mutate(rng, content, others):
    """Changes a plan a little."""
    for _ in range(rng.randint(1, 6)):
        first = rng.randint(0, len(content))
        last = min(len(content), first + rng.randint(0, 30))
        piece = rng.choice([
            b"", rng.randbytes(rng.randint(1, 4)), content[first:last] * rng.randint(2, 40), rng.choice(text.HOSTILE),
            rng.choice(others)[:rng.randint(0, 200)], str(rng.choice([-1, 0, 1 << 31, 1 << 63, 1 << 64, 10 ** 30])).encode(),
            b"[" * rng.randint(1, 200), b"&a [*a, *a]", b"9999999999d", b"\xef\xbb\xbf", b"{{{a}}"])
        content = content[:first] + piece + content[last if rng.random() < 0.5 else first:]
    return content


@kind
def mutated_plans(trial):
    """Plans of the documentation and of the tests with random changes."""
    originals = seeds()
    for _ in range(5):
        content = mutate(trial.rng, trial.rng.choice(originals), originals)
        # A dry run would read what the inputs name, and a change may name the whole disk.
        look_at(trial, trial.write("p.yaml", content), has_commands=b"inputs" not in content)


@kind
def deep_plans(trial):
    """Plans that are deep, wide, long, or many times their size once aliases are expanded."""
    rng = trial.rng
    size = rng.choice([10, 65, 1000, 20_000])
    content = rng.choice([
        "tasks: " + "[" * size + "]" * size,
        "tasks: " + "{a: " * size + "x" + "}" * size,
        "tasks:\n" + "".join(" " * n + "a:\n" for n in range(min(size, 1000))),
        "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, min(size, 60))) + "tasks: *a0\n",
        "tasks: &t { a: { run: x, after: *t } }",
        "tasks: { a: { run: [echo, '{" + "},{".join(f"k{n}" for n in range(16)) + "}'], matrix: {"
        + ", ".join(f"k{n}: [1, 2, 3]" for n in range(16)) + "} } }",
        "tasks: { " + ", ".join(f"t{n}: {{ run: 'true', after: t{(n + 1) % size} }}" for n in range(size)) + " }",
        "tasks: { " + ", ".join(f"t{n}: {{ run: 'true' }}" for n in range(size)) + " }",
        "tasks: { a: { run: '" + "x" * size * 100 + "' } }",
    ])
    run = trial.run(*rng.choice([["check"], ["graph"], ["run", "-n"]]), str(trial.write("p.yaml", content)))
    expect(run.status in (0, 2), f"it ended with {run.status}")
    expect(run.peak < MEMORY, f"it used {run.peak >> 20} MB of memory")


def hostile_name(rng):
    """A name that may be refused, but must never reach a terminal as it is."""
    parts = [rng.choice([*text.HOSTILE, b"name", b"/", b"..", b" ", "😀".encode(), "e\u0301".encode(), b"%", b"~", b"$x", b"`id`",
                         b"x" * rng.randint(1, 210)]) for _ in range(rng.randint(1, 4))]
    return b"".join(parts).decode("utf-8", "ignore").replace("\x00", "")


def show(rng):
    return rng.choice(["plain", "json", "quiet"])


@kind
def hostile_names(trial):
    """Names of plans, tasks, files and folders with escapes, bidirectional marks and many bytes."""
    rng = trial.rng
    tasks = {}
    for _ in range(rng.randint(1, 5)):
        name = hostile_name(rng)
        tasks[name if rng.random() < 0.5 else f"t{len(tasks)}"] = {
            "run": rng.choice(["echo x", "false", f"echo {hostile_name(rng)}"]), "optional": True,
            **({"kind": hostile_name(rng)} if rng.random() < 0.3 else {}),
            **({"dir": hostile_name(rng)} if rng.random() < 0.2 else {}),
            **({"env": {hostile_name(rng): hostile_name(rng)}} if rng.random() < 0.2 else {}),
        }
    file = hostile_name(rng).replace("/", "")[:60].strip(".") or "p"
    plan = trial.plan(tasks, file=f"{file}.yaml", **({"name": hostile_name(rng)} if rng.random() < 0.3 else {}))
    way = rng.randint(0, 3)
    word = os.path.join(".", plan.name)
    if way == 0:
        run = trial.run("run", word, "--ui", show(rng))
    elif way == 1:
        # The plan may be refused; then what was asked for is shown.
        run = trial.run("run", word, hostile_name(rng))
    elif way == 2:
        run = trial.run("run", word, "--state", f"./{hostile_name(rng)[:100]}/x")
    else:
        run = trial.run(rng.choice(["history", "report"]), hostile_name(rng))
    expect(run.status in (0, 1, 2, 69), f"it ended with {run.status}")
    for words in ([["report", "-o", "-"], ["history"], ["graph", word], ["graph", "--dot", word]]):
        trial.run(*words)


@kind
def hostile_commands(trial):
    """Commands with escapes, in `run -n` and in the pictures of a plan."""
    rng = trial.rng
    tasks = {f"t{n}": {"run": "echo " + hostile_name(rng)} for n in range(rng.randint(1, 4))}
    tasks["list"] = {"run": ["echo", hostile_name(rng), "\x1b[31mred"]}
    plan = trial.plan(tasks)
    for words in (["run", "-n", str(plan)], ["graph", str(plan)], ["graph", "--mermaid", str(plan)], ["check", str(plan)]):
        run = trial.run(*words)
        expect(run.status in (0, 2), f"it ended with {run.status}")


@kind
def hostile_output(trial):
    """Tasks print escapes, invalid UTF-8, endless lines and null bytes, and fail."""
    rng = trial.rng
    tasks = {}
    for index in range(rng.randint(1, 4)):
        pieces = [rng.choice([*text.HOSTILE, b"text\n", b"x" * rng.randint(1, 5000), rng.randbytes(200), b"\n" * 30])
                  for _ in range(rng.randint(1, 60))]
        (trial.folder / f"out{index}").write_bytes(b"".join(pieces))
        tasks[f"t{index}"] = {"run": f"cat out{index}; sleep 0.{rng.randint(0, 4)}; exit {rng.randint(0, 1)}", "optional": rng.random() < 0.5}
    trial.plan(tasks, workers=4)
    if rng.random() < 0.5:
        terminal = Terminal(rng.randint(3, 50), rng.randint(10, 200))
        run = trial.run("run", "-k", "p.yaml", terminal=terminal)
        terminal.check_restored()
    else:
        shown = show(rng)
        run = trial.run("run", "-k", "p.yaml", "--ui", shown)
        if shown == "json":
            for line in run.out.splitlines():
                json.loads(line)
    expect(run.status in (0, 1), f"it ended with {run.status}")
    for index in range(len(tasks)):
        log = trial.logs / f"t{index}.log"
        expect(log.read_bytes() == (trial.folder / f"out{index}").read_bytes(), f"the log of t{index} is not what it has printed")


@kind
def stray_names(trial):
    """A process with escapes in its name leaves its task, and is named at the end of the run."""
    rng = trial.rng
    name = rng.choice([b"\x1b[31mred", b"\x1b]0;x\x07", b"a\x07b", b"\xc2\x9b2Jc", b"\xe2\x80\xaeabc", b"\x7fx", b"\xffy", b"a\nb"])
    stray = os.path.join(os.fsencode(trial.folder), name)
    shutil.copy2(shutil.which("sleep"), stray)
    (trial.folder / "leave.sh").write_bytes(
        b"setsid env -i " + rng.choice([b"", b"setsid "]) + b"'" + stray + b"' 300 >/dev/null 2>&1 &\n")
    inner = "sh leave.sh" if rng.random() < 0.5 else "(setsid sh leave.sh &) ; sleep 0.1"
    trial.plan({"t": {"run": inner, "grace": "200ms"}, "u": {"run": f"sleep 0.{rng.randint(1, 4)}"}}, workers=2)
    terminal = Terminal() if rng.random() < 0.3 else None
    run = trial.run("run", "p.yaml", terminal=terminal)
    expect(run.status == 0, f"it ended with {run.status}")


UNKILLABLE = """
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **words) {
  if (setgid(0) || setuid(0)) return 1;
  prctl(PR_SET_NAME, words[1]);
  while (1) pause();
}
"""


@kind
def unkillable_names(trial):
    """The runner is killed, and a process of another user with escapes in its name is left; it is named without them."""
    trial.needs_root()
    trial.needs_compiler()
    program = trial.base / "other"
    source = trial.base / "other.c"
    source.write_text(UNKILLABLE)
    built = trial.spawn(["cc", "-o", str(program), str(source)])
    built.has_codes = False
    trial.wait(built)
    program.chmod(0o4755)
    trial.may_leave = True
    name = trial.rng.choice(["\x1b[31mred", "\x1b]0;x\x07", "a\x07b"])
    trial.plan({"t": {"run": ["sh", "-c", "touch began; exec \"$0\" \"$1\"", str(program), name], "grace": "100ms"}})
    os.chown(trial.folder, NOBODY, NOBODY)
    run = trial.start("run", "p.yaml", before=lambda: os.setuid(NOBODY))
    trial.until_running(run)
    others = trial.remaining
    trial.watch(lambda: any(p.program == str(program) for p in others()), 10, "the process did not begin", run)
    runner = trial.runner()
    trial.send(run, signal.SIGKILL, runner.pid)
    trial.wait(run)


@kind
def shared_logs(trial):
    """Names that differ only where file names are cut; each task has a log of its own."""
    rng = trial.rng
    # File names are cut near 180 bytes, and a cut one gets a number; so some names have a number there from the start.
    start = rng.choice(["x", "é", "😀"])
    start = start * (rng.randint(177, 180) // len(start.encode()))
    names = {start, start + "😀y", start + "yéy", start + "yy😀", *(f"{start}-{number}" for number in range(14))}
    while len(names) < 22:
        names.add(start + rng.choice(["😀y", "y" * rng.randint(1, 18), "/", "%2f", "%2F", "é" * rng.randint(1, 8)]))
    names = rng.sample(sorted(names), len(names))
    trial.plan({name: {"run": f"echo token-{index}-"} for index, name in enumerate(names)})
    run = trial.run("run", "p.yaml")
    expect(run.status == 0, f"it ended with {run.status}")
    logs = [path.read_text() for path in trial.logs.iterdir()]
    for index in range(len(names)):
        having = [log for log in logs if f"token-{index}-" in log]
        expect(len(having) == 1 and having[0].count("token") == 1, f"the output of task {index} ({names[index]!r}) has no log of its own")


@kind
def changed_plans(trial):
    """The plan is changed, deleted or replaced while it runs."""
    rng = trial.rng
    trial.plan({f"t{n}": {"run": "touch began; sleep 0.2", "inputs": "p.yaml"} for n in range(4)}, workers=2)
    run = trial.start("run", "p.yaml")
    trial.until_running(run)
    plan = trial.folder / "p.yaml"
    way = rng.choice(["write", "delete", "folder", "fifo", "append"])
    if way == "append":
        with open(plan, "a", encoding="utf-8") as file:
            file.write("# more\n" * rng.randint(1, 1000))
    else:
        plan.unlink()
        if way == "write":
            plan.write_bytes(rng.randbytes(100))
        elif way == "folder":
            plan.mkdir()
        elif way == "fifo":
            os.mkfifo(plan)
    trial.wait(run)
    # The plan is an input of the tasks, which may not be readable any more.
    expect(run.status in (0, 1), f"it ended with {run.status} after its plan was changed")


@kind
def plan_from_stdin(trial):
    """`headway run /dev/stdin` puts nothing into /dev."""
    trial.needs_mounts()
    dev = trial.base / "dev"
    dev.mkdir()
    # A copy, so that a defect does no harm.
    system.mount_tmpfs(dev, "size=4m,mode=755")
    for name, numbers in {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "urandom": (1, 9), "tty": (5, 0)}.items():
        os.mknod(dev / name, 0o666 | stat.S_IFCHR, os.makedev(*numbers))
    (dev / "fd").symlink_to("/proc/self/fd")
    (dev / "stdin").symlink_to("/proc/self/fd/0")
    before = sorted(os.listdir(dev))
    trial.plan({"t": {"run": "echo hi"}})
    word = trial.rng.choice(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
    redirection = trial.rng.choice(["cat p.yaml |", "< p.yaml"])
    script = f"mount --bind {dev} /dev && {redirection} \"$0\" run {word}"
    run = trial.spawn(["unshare", "-m", "sh", "-c", script, trial.headway])
    trial.wait(run)
    expect(sorted(os.listdir(dev)) == before, f"it has made {sorted(set(os.listdir(dev)) - set(before))} in /dev")
    expect(run.status == 0 or (run.status in (2, 69) and reason(run.err)), f"it ended with {run.status}")


@kind
def many_workers(trial):
    """`-j` takes what `workers` in a plan takes: 1 to 100,000."""
    rng = trial.rng
    number = rng.choice([1, 2, 9_999, 10_000, 10_001, 65_536, 99_999, 100_000, rng.randint(1, 100_000), 0, -1, 100_001, 1 << 70])
    is_valid = 1 <= number <= 100_000
    if rng.random() < 0.5:
        trial.plan({"t": {"run": "true"}}, workers=number)
        run = trial.run("run", "p.yaml")
    else:
        trial.plan({"t": {"run": "true"}})
        run = trial.run("run", "-j", str(number), "p.yaml")
    expect(run.status == (0 if is_valid else 2), f"it ended with {run.status} for {number} workers")
