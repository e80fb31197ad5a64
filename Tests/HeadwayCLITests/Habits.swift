import Testing

/// What one does in other tools, how it is said here, and a run that shows it: the lines of docs/coming-from.md.
enum Habits {
  /// A line of the page.
  struct Habit: CustomTestStringConvertible {
    /// The tool that one comes from.
    let tool: String
    /// What one does there.
    let habit: String
    /// How it is said here.
    let here: String
    /// The plan of the run.
    let plan: String
    /// What follows `headway`.
    let arguments: [String]
    /// What is printed.
    let prints: [String]
    /// The other files in the folder.
    var files: [String: String] = [:]
    /// The exit code.
    var code: Int32 = 0
    /// What is not printed.
    var omits: [String] = []

    var testDescription: String { "\(tool): \(habit)" }
  }

  static let all = make + just + goTask + npm + parallel + compose

  private static let make: [Habit] = [
    Habit(
      tool: "make", habit: "`make`",
      here: "`headway run` runs the plan of this folder, `headway.yaml`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run"], prints: ["2 succeeded"]),
    Habit(
      tool: "make", habit: "`make test`", here: "`headway run test`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "test"], prints: ["test succeeded", "2 succeeded"]),
    Habit(
      tool: "make", habit: "`make -j8`",
      here: "`headway run -j8`; without it, one task for each core",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "-j8"], prints: ["2 succeeded"]),
    Habit(
      tool: "make", habit: "`make -k`", here: "`headway run -k`",
      plan:
        "tasks:\n  a: { run: exit 3 }\n  b: { run: touch b-ran }\n  c: { run: touch c-ran, after: b }\nworkers: 1\n",
      arguments: ["run", "-k"], prints: ["1 failed", "2 succeeded"], code: 1),
    Habit(
      tool: "make", habit: "`make -n`", here: "`headway run -n`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "-n"], prints: ["build  echo built"], omits: ["succeeded"]),
    Habit(
      tool: "make", habit: "`make -B`", here: "`headway run -f`",
      plan: "tasks:\n  a: { run: cp in out, inputs: in, outputs: out }\n",
      arguments: ["run", "-f"], prints: ["1 succeeded"], files: ["in": "x"]),
    Habit(
      tool: "make", habit: "`make -C app`", here: "`headway run -C app`",
      plan: "tasks: { a: { run: 'false' } }\n", arguments: ["run", "-C", "app"],
      prints: ["hello from app"],
      files: ["app/headway.yaml": "tasks: { a: { run: echo hello from app } }\n"]),
    Habit(
      tool: "make", habit: "`LEVEL ?= 2` and `make LEVEL=3`",
      here: "`vars: { LEVEL: 2 }` and `headway run LEVEL=3`",
      plan: "vars: { LEVEL: 2 }\ntasks:\n  a: { run: 'echo \"level $LEVEL\"' }\n",
      arguments: ["run", "LEVEL=3"], prints: ["level 3"]),
    Habit(
      tool: "make", habit: "`out: in` and a recipe",
      here: "`inputs: in` and `outputs: out`; contents count, not times",
      plan: "tasks:\n  copy: { run: cp in out, inputs: in, outputs: out }\n", arguments: ["run"],
      prints: ["1 succeeded"], files: ["in": "x"]),
    Habit(
      tool: "make", habit: "`%.o: %.c`",
      here: "`matrix: { file: { glob: \"*.c\" } }` and `\"$file\"`",
      plan:
        "tasks:\n  compile: { run: 'cp \"$file\" \"${file%.c}.o\"', matrix: { file: { glob: \"*.c\" } } }\n",
      arguments: ["run"], prints: ["2 succeeded"], files: ["a b.c": "x", "c.c": "y"]),
    Habit(
      tool: "make", habit: "`.PHONY: all` and `all: lib app`", here: "`all: { after: [lib, app] }`",
      plan:
        "tasks:\n  lib: { run: echo lib }\n  app: { run: echo app }\n  all: { after: [lib, app] }\n",
      arguments: ["run", "all"], prints: ["3 succeeded"]),
    Habit(
      tool: "make", habit: "`include rules.mk`",
      here: "`include: { rules: rules.yaml }`, whose tasks are `rules:NAME`",
      plan: "include: { rules: rules.yaml }\n", arguments: ["run", "rules:lint"],
      prints: ["linted"], files: ["rules.yaml": "tasks: { lint: { run: echo linted } }\n"]),
    Habit(
      tool: "make", habit: "`SHELL = bash`", here: "`shell: bash`",
      plan: "shell: bash\ntasks: { a: { run: 'x=(one two); echo \"${x[1]}\"' } }\n",
      arguments: ["run"], prints: ["two"]),
    Habit(
      tool: "make", habit: "`-rm file`, a failure that does not count", here: "`optional: true`",
      plan:
        "tasks:\n  a: { run: rm missing, optional: true }\n  b: { run: echo went on, after: a }\n",
      arguments: ["run", "--output", "group"], prints: ["went on"]),
    Habit(
      tool: "make", habit: "`make -O`", here: "`--output group`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "--output", "group"], prints: ["==> build", "built"]),
  ]

  private static let just: [Habit] = [
    Habit(
      tool: "just", habit: "`just --list`", here: "`headway list`",
      plan: "tasks:\n  build: { description: Compiles it, run: x }\n", arguments: ["list"],
      prints: ["build  Compiles it"]),
    Habit(
      tool: "just", habit: "a comment above a recipe", here: "`description:`",
      plan: "tasks:\n  build: { description: Compiles it, run: x }\n",
      arguments: ["list", "--json"], prints: ["\"description\":\"Compiles it\""]),
    Habit(
      tool: "just", habit: "`greet name:` and `just greet Ada`",
      here: "`vars: { NAME: { required: true } }` and `headway run greet NAME=Ada`",
      plan:
        "vars: { NAME: { required: true } }\ntasks: { greet: { run: 'echo \"hello, $NAME\"' } }\n",
      arguments: ["run", "greet", "NAME=Ada"], prints: ["hello, Ada"]),
    Habit(
      tool: "just", habit: "`test *args:` and `just test -v`",
      here: "`headway run test -- -v`, with `\"$@\"` in a text or `\"{args}\"` in a list",
      plan: "tasks: { test: { run: 'echo \"got $@\"' } }\n",
      arguments: ["run", "test", "--", "-v", "a b"], prints: ["got -v a b"]),
    Habit(
      tool: "just", habit: "`set dotenv-load`", here: "`dotenv: .env`",
      plan: "dotenv: .env\ntasks: { a: { run: 'echo \"token $PLACE\"' } }\n", arguments: ["run"],
      prints: ["token here"], files: [".env": "PLACE=here\n"]),
    Habit(
      tool: "just", habit: "`set shell := [\"bash\", \"-uc\"]`", here: "`shell: [bash, -uc]`",
      plan: "shell: [bash, -uc]\ntasks: { a: { run: 'echo $HW_NOT_SET' } }\n", arguments: ["run"],
      prints: ["unbound variable"], code: 1),
    Habit(
      tool: "just", habit: "a recipe in Python, by its first line", here: "`shell: [python3, -c]`",
      plan: "tasks: { a: { shell: [python3, -c], run: 'print(6 * 7)' } }\n", arguments: ["run"],
      prints: ["42"]),
    Habit(
      tool: "just", habit: "the justfile of a folder above",
      here: "`headway.yaml` of a folder above as well",
      plan: "tasks: { a: { run: echo found above } }\n", arguments: ["run", "-C", "deep/er"],
      prints: ["found above"], files: ["deep/er/file": "x"]),
    Habit(
      tool: "just", habit: "`[parallel]`", here: "what does not depend on each other runs at once",
      plan:
        "tasks:\n  a: { run: 'until test -e b-here; do sleep 0.01; done; touch a-here' }\n  b: { run: 'touch b-here; until test -e a-here; do sleep 0.01; done' }\n",
      arguments: ["run", "-j2"], prints: ["2 succeeded"]),
    Habit(
      tool: "just", habit: "`{{ os() }}` and other functions",
      here: "a command in the text: `$(uname)`",
      plan: "tasks: { a: { run: 'echo \"on $(uname)\"' } }\n", arguments: ["run"], prints: ["on "]),
  ]

  private static let goTask: [Habit] = [
    Habit(
      tool: "go-task", habit: "`deps:`", here: "`after:`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "test"], prints: ["2 succeeded"]),
    Habit(
      tool: "go-task", habit: "`sources:` and `generates:`",
      here:
        "`inputs:` and `outputs:`; relative to the folder of the plan, also in a task with `dir`",
      plan: "tasks:\n  copy: { run: cp in out, inputs: in, outputs: out }\n", arguments: ["run"],
      prints: ["1 succeeded"], files: ["in": "x"]),
    Habit(
      tool: "go-task", habit: "`task --status`, and why a task is not up to date",
      here: "`headway run -n --explain`",
      plan: "tasks:\n  copy: { run: cp in out, inputs: in, outputs: out }\n",
      arguments: ["run", "-n", "--explain"], prints: ["(would run: "], files: ["in": "x"]),
    Habit(
      tool: "go-task", habit: "`if:` and `preconditions:`", here: "`when:`",
      plan:
        "tasks:\n  a: { run: echo ran anyway, when: test -e flag }\n  b: { run: echo after it, after: a }\n",
      arguments: ["run", "--output", "group"], prints: ["after it", "1 skipped"],
      omits: ["ran anyway"]),
    Habit(
      tool: "go-task", habit: "`requires: { vars: [VERSION] }`",
      here: "`vars: { VERSION: { required: true } }`",
      plan: "vars: { VERSION: { required: true } }\ntasks: { a: { run: 'echo $VERSION' } }\n",
      arguments: ["run"], prints: ["VERSION=VALUE"], code: 2),
    Habit(
      tool: "go-task", habit: "`enum: [debug, release]`", here: "`values: [debug, release]`",
      plan:
        "vars: { MODE: { default: debug, values: [debug, release] } }\ntasks: { a: { run: 'echo $MODE' } }\n",
      arguments: ["run", "MODE=fast"], prints: ["\"debug\", \"release\""], code: 2),
    Habit(
      tool: "go-task", habit: "`{{.CLI_ARGS}}` and `task test -- -v`",
      here: "`\"{args}\"` in a list and `headway run test -- -v`",
      plan: "tasks: { test: { run: [printf, '<%s>', \"{args}\"] } }\n",
      arguments: ["run", "test", "--", "-v", "a b"], prints: ["<-v><a b>"]),
    Habit(
      tool: "go-task", habit: "`defer:`", here: "`always: true` in a task of its own",
      plan:
        "tasks:\n  test: { run: exit 1 }\n  clean: { run: echo cleaned, after: test, always: true }\n",
      arguments: ["run", "--output", "group"], prints: ["cleaned"], code: 1),
    Habit(
      tool: "go-task", habit: "`includes:`", here: "`include:`",
      plan: "include: { web: web/headway.yaml }\n", arguments: ["run", "web:build"],
      prints: ["built in web"],
      files: ["web/headway.yaml": "tasks: { build: { run: 'echo built in ${PWD##*/}' } }\n"]),
    Habit(
      tool: "go-task", habit: "`for: { matrix: … }`", here: "`matrix:`",
      plan:
        "tasks:\n  test: { run: 'echo $cc-$level', matrix: { cc: [gcc, clang], level: [0, 2] } }\n",
      arguments: ["run"], prints: ["4 succeeded"]),
    Habit(
      tool: "go-task", habit: "`ignore_error: true`", here: "`optional: true`",
      plan: "tasks:\n  a: { run: exit 3, optional: true }\n", arguments: ["run"],
      prints: ["1 failed"]),
    Habit(
      tool: "go-task", habit: "`output: prefixed`",
      here: "`--output stream`, or `output: stream` in the plan",
      plan:
        "output: stream\ntasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run"], prints: ["build | built"]),
    Habit(
      tool: "go-task", habit: "`method: checksum`",
      here: "contents always decide; `env_inputs:` adds variables of the environment",
      plan: "tasks:\n  copy: { run: cp in out, inputs: in, outputs: out, env_inputs: [CC] }\n",
      arguments: ["run"], prints: ["1 succeeded"], files: ["in": "x"]),
  ]

  private static let npm: [Habit] = [
    Habit(
      tool: "npm scripts", habit: "`npm run build`", here: "`headway run build`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "build"], prints: ["built"]),
    Habit(
      tool: "npm scripts", habit: "`npm test -- --grep x`", here: "`headway run test -- --grep x`",
      plan: "tasks: { test: { run: [echo, \"{args}\"] } }\n",
      arguments: ["run", "test", "--", "--grep", "x"], prints: ["--grep x"]),
    Habit(
      tool: "npm scripts", habit: "`prebuild` and `postbuild`", here: "`after:`",
      plan:
        "tasks:\n  generate: { run: echo one }\n  build: { run: echo two, after: generate }\n  pack: { run: echo three, after: build }\n",
      arguments: ["run", "pack"], prints: ["3 succeeded"]),
    Habit(
      tool: "npm scripts", habit: "`concurrently \"npm:lint\" \"npm:types\"`",
      here: "`headway run lint types`",
      plan: "tasks: { lint: { run: echo l }, types: { run: echo t } }\n",
      arguments: ["run", "lint", "types"], prints: ["2 succeeded"]),
    Habit(
      tool: "npm scripts", habit: "`concurrently --kill-others-on-fail`", here: "`--fail-fast`",
      plan: "tasks: { a: { run: exit 1 }, b: { run: sleep 300, grace: 1s } }\n",
      arguments: ["run", "--fail-fast", "-j2"], prints: ["1 failed"], code: 1),
    Habit(
      tool: "npm scripts", habit: "`cross-env NODE_ENV=production`",
      here: "`env: { NODE_ENV: production }`",
      plan: "tasks: { a: { run: 'echo $NODE_ENV', env: { NODE_ENV: production } } }\n",
      arguments: ["run"], prints: ["production"]),
    Habit(
      tool: "npm scripts", habit: "`wait-on tcp:3000`",
      here: "`service: { ready: { port: 3000 } }`",
      plan:
        "tasks:\n  server: { run: 'touch up; sleep 300', service: { ready: { file: up } } }\n  test: { run: echo tested, after: server }\n",
      arguments: ["run"], prints: ["server ready after", "2 succeeded"]),
  ]

  private static let parallel: [Habit] = [
    Habit(
      tool: "GNU parallel", habit: "`parallel convert {} {.}.jpg ::: *.png`",
      here: "`matrix: { file: { glob: \"*.png\" } }` and `convert \"$file\" \"${file%.png}.jpg\"`",
      plan:
        "tasks:\n  convert: { run: 'cp \"$file\" \"${file%.png}.jpg\"', matrix: { file: { glob: \"*.png\" } } }\n",
      arguments: ["run"], prints: ["2 succeeded"], files: ["a b.png": "x", "$(touch c).png": "y"]),
    Habit(
      tool: "GNU parallel", habit: "`parallel test ::: gcc clang ::: 0 2`",
      here: "`matrix: { cc: [gcc, clang], level: [0, 2] }`",
      plan:
        "tasks:\n  test: { run: 'echo $cc $level', matrix: { cc: [gcc, clang], level: [0, 2] } }\n",
      arguments: ["run"], prints: ["4 succeeded"]),
    Habit(
      tool: "GNU parallel", habit: "`-j4`",
      here: "`-j4`, or a pool for some of the tasks: `pools: { disk: 1 }`",
      plan:
        "pools: { disk: 1 }\ntasks: { a: { run: echo a, pool: disk }, b: { run: echo b, pool: disk } }\n",
      arguments: ["run", "-j4"], prints: ["2 succeeded"]),
    Habit(
      tool: "GNU parallel", habit: "`--retries 3`",
      here: "`retries: 2`; it counts what follows the first attempt",
      plan:
        "tasks:\n  a: { run: 'test -e tried || { touch tried; exit 1; }', retries: { limit: 2, interval: 10ms } }\n",
      arguments: ["run"], prints: ["1 succeeded"]),
    Habit(
      tool: "GNU parallel", habit: "`--timeout 10`", here: "`timeout: 10s`",
      plan: "tasks: { a: { run: sleep 300, timeout: 20ms } }\n", arguments: ["run"],
      prints: ["timed out"], code: 124),
    Habit(
      tool: "GNU parallel", habit: "`--halt soon,fail=1`",
      here: "the default; `--fail-fast` for `now`, `-k` for never",
      plan: "workers: 1\ntasks: { a: { run: exit 1 }, b: { run: touch no } }\n", arguments: ["run"],
      prints: ["1 skipped"], code: 1),
    Habit(
      tool: "GNU parallel", habit: "`--tag`", here: "`--output stream`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "--output", "stream"], prints: ["build | built"]),
    Habit(
      tool: "GNU parallel", habit: "`--group`", here: "`--output group`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "--output", "group"], prints: ["==> build"]),
    Habit(
      tool: "GNU parallel", habit: "`--joblog FILE`",
      here: "`--events FILE`, `--junit FILE` or `headway history`",
      plan: "tasks: { a: { run: echo a } }\n",
      arguments: ["run", "--events", "/dev/stdout", "--ui", "quiet"],
      prints: ["\"event\":\"run_ended\""]),
    Habit(
      tool: "GNU parallel", habit: "`--dry-run`", here: "`-n`",
      plan: "tasks:\n  build: { run: echo built }\n  test: { run: echo tested, after: build }\n",
      arguments: ["run", "-n"], prints: ["build  echo built"]),
  ]

  private static let compose: [Habit] = [
    Habit(
      tool: "docker compose", habit: "`docker compose up`",
      here: "`headway run` of services stays until Ctrl-C",
      plan: "tasks:\n  db: { run: 'sleep 0.2; exit 3', service: true }\n", arguments: ["run"],
      prints: ["db ready after", "exit 3"], code: 1),
    Habit(
      tool: "docker compose", habit: "`depends_on: { db: { condition: service_healthy } }`",
      here: "`after: db`, and `service: { ready: … }` in `db`",
      plan:
        "tasks:\n  db: { run: 'echo accepting; sleep 300', service: { ready: { output: accepting } } }\n  app: { run: echo connected, after: db }\n",
      arguments: ["run"], prints: ["db ready after", "2 succeeded"]),
    Habit(
      tool: "docker compose", habit: "`healthcheck: { test: pg_isready, interval: 1s }`",
      here: "`service: { ready: { run: pg_isready, interval: 1s } }`",
      plan:
        "tasks:\n  db: { run: 'touch up; sleep 300', service: { ready: { run: test -e up, interval: 1s } } }\n  app: { run: echo connected, after: db }\n",
      arguments: ["run"], prints: ["2 succeeded"]),
    Habit(
      tool: "docker compose", habit: "`restart: on-failure:3`", here: "`service: { restart: 3 }`",
      plan:
        "tasks:\n  db: { run: 'test -e once || { touch once; exit 1; }; touch up; sleep 300', service: { ready: { file: up }, restart: 3 } }\n  app: { run: echo connected, after: db }\n",
      arguments: ["run"], prints: ["attempt 2", "2 succeeded"]),
    Habit(
      tool: "docker compose", habit: "`env_file: .env`", here: "`dotenv: .env`",
      plan: "dotenv: .env\ntasks: { a: { run: 'echo \"at $PLACE\"' } }\n", arguments: ["run"],
      prints: ["at here"], files: [".env": "PLACE=here\n"]),
    Habit(
      tool: "docker compose", habit: "`secrets:`",
      here: "`secrets: [TOKEN]`: `***` takes the place of the value",
      plan: "dotenv: .env\nsecrets: [TOKEN]\ntasks: { a: { run: 'echo \"with $TOKEN\"' } }\n",
      arguments: ["run"], prints: ["with ***"], files: [".env": "TOKEN=abcdefgh\n"],
      omits: ["abcdefgh"]),
    Habit(
      tool: "docker compose", habit: "`docker compose up db`", here: "`headway run db`",
      plan:
        "tasks:\n  db: { run: 'sleep 0.1; exit 3', service: true }\n  app: { run: echo connected, after: db }\n",
      arguments: ["run", "db"], prints: ["db ready after"], code: 1, omits: ["connected"]),
    Habit(
      tool: "docker compose", habit: "`--exit-code-from test`, `--abort-on-container-exit`",
      here: "`headway run test`; services end when `test` has ended",
      plan: "tasks:\n  db: { run: sleep 300, service: true }\n  test: { run: exit 5, after: db }\n",
      arguments: ["run", "test"], prints: ["test failed", "db succeeded"], code: 1),
    Habit(
      tool: "docker compose", habit: "`docker compose logs -f db`",
      here: "`--output stream`; each log is in `.headway/runs/latest/logs/`",
      plan:
        "tasks:\n  db: { run: 'echo accepting; sleep 300', service: { ready: { output: accepting } } }\n  app: { run: echo connected, after: db }\n",
      arguments: ["run", "--output", "stream"], prints: ["db  | accepting"]),
  ]
}
