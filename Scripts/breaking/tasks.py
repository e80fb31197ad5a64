"""Tasks that do not want to end."""

import shlex


def _loop(trial, before="", body="sleep 5"):
    """The words of a shell that never ends and can be found by its arguments, whatever its environment is."""
    return f"sh -c {shlex.quote(f'{before} while :; do {body}; done')} {trial.marker}"


def _deaf(trial):
    return "trap '' TERM INT HUP; touch began; " + "while :; do sleep 1; done"


def _new_session(trial):
    return f"touch began; setsid {_loop(trial)} & {_loop(trial)}"


def _empty_environment(trial):
    return f"touch began; (setsid env -i PATH=/usr/bin:/bin {_loop(trial)} >/dev/null 2>&1 &); {_loop(trial)}"


def _double_fork(trial):
    return f"touch began; ( ( {_loop(trial)} & ) & ); {_loop(trial)}"


def _deaf_daemon(trial):
    deaf = _loop(trial, before="trap '' TERM INT HUP QUIT;")
    return f"touch began; (setsid env -i PATH=/usr/bin:/bin {deaf} >/dev/null 2>&1 &); {_loop(trial)}"


def _stopped(trial):
    return f"touch began; {_loop(trial)} & kill -STOP $!; kill -STOP $$; {_loop(trial)}"


def _stopped_daemon(trial):
    stopped = f"sh -c 'kill -STOP $$; sleep 300' {trial.marker}"
    return f"touch began; (setsid env -i PATH=/usr/bin:/bin {stopped} >/dev/null 2>&1 &); {_loop(trial)}"


def _loud(trial):
    return f"touch began; {_loop(trial, body='head -c 20000 /dev/zero | tr 00 xy; sleep 0.05')}"


def _nohup(trial):
    return f"touch began; nohup {_loop(trial)} >/dev/null 2>&1 & {_loop(trial)}"


def _breeding(trial):
    return f"touch began; {_loop(trial, body='( (sleep 0.2 & ) & ); sleep 0.05')}"


ENDLESS = [_deaf, _new_session, _empty_environment, _double_fork, _deaf_daemon, _stopped, _stopped_daemon, _loud, _nohup,
           _breeding]


def endless(trial):
    """A command that never ends; it makes the file `began`."""
    return trial.rng.choice(ENDLESS)(trial)


def endless_plan(trial, grace=None, **keys):
    """A plan of several such commands, some with inputs or a chance to fail."""
    rng = trial.rng
    tasks = {}
    for index in range(rng.randint(1, 4)):
        tasks[f"t{index}"] = {"run": endless(trial), "grace": grace or f"{rng.randint(50, 800)}ms"}
    if rng.random() < 0.4:
        tasks["quick"] = {"run": "echo quick"}
        tasks["after"] = {"run": endless(trial), "after": "quick"}
    if rng.random() < 0.3:
        tasks["failing"] = {"run": "false", "optional": True, "retries": rng.randint(0, 3)}
    return trial.plan(tasks, workers=8, **keys)


def daemon(trial):
    """A command that ends at once and leaves processes."""
    rng = trial.rng
    deaf = "trap '' TERM INT HUP QUIT;" if rng.random() < 0.4 else ""
    process = _loop(trial, before=deaf)
    if rng.random() < 0.3:
        process = f"sh -c 'kill -STOP $$; sleep 300' {trial.marker}"
    if rng.random() < 0.5:
        process = f"env -i PATH=/usr/bin:/bin {process}"
    if rng.random() < 0.5:
        process = f"setsid {process}"
    if rng.random() < 0.7:
        process = f"{process} >/dev/null 2>&1"
    return rng.choice([f"{process} &", f"( {process} & )", f"( ( {process} & ) & )", f"nohup {process} & exit 0"])
