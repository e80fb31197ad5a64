internal import HeadwayRun

/// The keys of plans, with what the schema and the manual page say of them.
extension PlanSchema {
  private static let text = Value(#""type": "string", "minLength": 1"#, "string")
  private static let texts = Value(##""$ref": "#/definitions/texts""##, "string or list of strings")
  private static let duration = Value(##""$ref": "#/definitions/duration""##, "duration")
  private static let variables = Value(
    ##""$ref": "#/definitions/variables""##, "map of names and strings")
  private static let scalar = Value(##""$ref": "#/definitions/scalar""##, "string")
  private static let flag = Value(#""type": "boolean""#, "true or false")
  private static let timeout = Value(
    ##""anyOf": [{"const": "none"}, {"$ref": "#/definitions/duration"}]"##, "duration or none")
  private static let retries = Value(
    ##""anyOf": [{"type": "integer", "minimum": 0, "maximum": 1000}, {"$ref": "#/definitions/retries"}]"##,
    "0 to 1000, or map")
  private static let pair = Value(
    ##""type": "array", "minItems": 2, "maxItems": 2, "items": {"$ref": "#/definitions/scalar"}"##,
    "list of two strings")
  private static let command = Value(
    ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}]"##,
    "string or list of strings")
  private static let hook = Value(
    ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}, {"$ref": "#/definitions/hook"}]"##,
    "string, list of strings, or map")

  private static let logLimit =
    "How much output of a task its log keeps; of more, the log keeps the beginning and says so."
  private static let size = Value(
    #""type": "string", "pattern": "^(none|[0-9]+ *([kMGT]B|[KMGT]iB))$""#, "size or none")

  private static let amount = Value(
    #""type": "string", "pattern": "^[0-9]+ *([kMGT]B|[KMGT]iB)$""#, "size")

  /// An integer within bounds.
  private static func number(_ bounds: ClosedRange<Int>) -> Value {
    Value(
      #""type": "integer", "minimum": \#(bounds.lowerBound), "maximum": \#(bounds.upperBound)"#,
      "\(bounds.lowerBound) to \(bounds.upperBound)")
  }

  /// One of some words.
  private static func oneOf(_ words: String...) -> Value {
    Value(
      "\"enum\": [\(words.map { "\"\($0)\"" }.joined(separator: ", "))]",
      words.joined(separator: ", "))
  }

  private static let run = Property(
    "run", command,
    "What to run: a text for the shell, or a list of a program and its arguments.")
  private static let directory = Property(
    "dir", scalar, "The working directory; the plan's folder by default.")
  private static let shell = Property("shell", texts, "The shell of a text in run.")

  static let plan = [
    Property("name", scalar, "The name of the plan."),
    Property("description", scalar, "What the plan is for."),
    Property(
      "workers", number(1...100_000),
      "The maximum number of tasks that run at once."),
    Property(
      "output", oneOf("failed", "group", "stream"),
      "What a run shows of the output of tasks."),
    Property(
      "exclusive", flag, "Whether no other run of the plan may go on at the same time."),
    Property(
      "hosts",
      Value(
        ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"$ref": "#/definitions/host"}, {"type": "array", "items": {"anyOf": [{"$ref": "#/definitions/scalar"}, {"$ref": "#/definitions/host"}]}}]"##,
        "string, map, or list of these"),
      "The machines that carry out the tasks, such as build1:8 or slurm:64."),
    Property("slurm_options", texts, "Options of Slurm jobs, as sbatch takes them."),
    Property(
      "tcp",
      Value(
        ##""anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 1, "maximum": 65535}]"##,
        "true, false, or a port"),
      "Whether Slurm jobs are submitted with sbatch and their workers connect over TCP."),
    Property(
      "patience", duration,
      "How long a machine may be out of reach before what runs there is lost."),
    Property(
      "keep", Value(##""$ref": "#/definitions/keep""##, "map"),
      "How many runs are kept, and how large all of them may be."),
    Property(
      "defaults", Value(##""$ref": "#/definitions/defaults""##, "map"),
      "Settings for tasks that do not have their own."),
    Property(
      "pools",
      Value(
        #""type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 100000}"#,
        "map of names and numbers"),
      "The maximum number of tasks of each pool that run at once."),
    Property(
      "vars",
      Value(
        ##""type": "object", "additionalProperties": {"$ref": "#/definitions/var"}"##,
        "map of names, and values or maps"),
      "Variables for braces and the environment, which NAME=VALUE on the command line sets."),
    Property("env", variables, "Environment variables for every task."),
    Property("shell", texts, "The shell of tasks that do not have their own."),
    Property(
      "dotenv", Value(##""$ref": "#/definitions/dotenv""##, "file, map, or list of these"),
      "Files of lines NAME=value for the environment of every task."),
    Property(
      "secrets", texts,
      "Names of environment variables whose values are never shown: *** takes their place."),
    Property(
      "include",
      Value(
        ##""type": "object", "additionalProperties": {"$ref": "#/definitions/include"}"##,
        "map of prefixes, and files or maps"),
      "Other plan files, whose tasks are added with a prefix and a colon."),
    Property(
      "on_failure", hook, "A command that runs after all tasks if a required one has failed."),
    Property("on_end", hook, "A command that runs at the end of every run."),
    Property(
      "tasks",
      Value(
        ##""type": "object", "additionalProperties": {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/task"}]}"##,
        "map of names and tasks"),
      "The tasks by their names."),
  ]

  static let when = [
    Property("equal", pair, "True if the two values are equal."),
    Property("not_equal", pair, "True if the two values differ."),
  ]

  static let hookMap = [
    run,
    Property("env", variables, "Environment variables."),
    directory,
    shell,
    Property("timeout", timeout, "The time limit."),
  ]

  static let task =
    [
      Property("description", scalar, "What the task is for; headway list shows its first line."),
      run,
      Property("after", texts, "The tasks that it depends on, which must end first."),
      Property(
        "env", variables, "Environment variables; they take precedence over those of the plan."),
      directory,
      shell,
      Property("timeout", timeout, "The time limit of each attempt."),
      Property("grace", duration, "The time between asking the task to end and killing it."),
      Property("retries", retries, "How often a failed task is retried."),
      Property("pool", scalar, "The pool whose limit applies to it."),
      Property(
        "matrix",
        Value(
          ##""type": "object", "minProperties": 1, "maxProperties": 16, "additionalProperties": {"$ref": "#/definitions/axis"}"##,
          "map of keys, each with a list or a map"),
        "Runs the task once for each combination of values."),
      Property(
        "inputs", texts, "Patterns of the files that it reads, relative to the plan's folder."),
      Property(
        "outputs", texts, "Patterns of the files that it creates, relative to the plan's folder."),
      Property(
        "env_inputs", texts,
        "Names and patterns of environment variables that decide whether it is up to date."),
      Property("optional", flag, "Whether the run may succeed even if this task fails."),
      Property("always", flag, "Whether it runs regardless of how its dependencies ended."),
      Property(
        "once", flag, "Whether it is never run again by itself if its outcome is unknown."),
      Property(
        "when",
        Value(
          ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}, {"$ref": "#/definitions/when"}]"##,
          "string, list of strings, or map"),
        "What decides whether it runs: a command that succeeds, or a comparison."),
      Property(
        "service",
        Value(
          ##""anyOf": [{"type": "boolean"}, {"$ref": "#/definitions/service"}]"##,
          "true, false or map"),
        "Makes it a service: it stays alive while other tasks need it."),
      Property("log_limit", size, logLimit),
      Property("detach", flag, "Whether processes that it leaves behind keep running."),
      Property(
        "kind", scalar, "The kind of task; the forecast expects others of its kind to take as long."
      ),
      Property("expect", duration, "The expected duration until there are earlier runs."),
      Property(
        "progress", oneOf("zig"), "A further protocol in which its programs report progress."),
    ] + needs

  /// What a task needs of its machine.
  private static let needs = [
    Property(
      "cpus", number(1...WorkerHost.mostPlaces), "The number of CPUs that it needs; 1 by default."),
    Property("memory", amount, "The memory that it needs."),
    Property("gpus", number(0...100_000), "The number of GPUs that it needs."),
    Property("labels", texts, "What its machine must have, by the labels of the hosts."),
  ]

  static let host = [
    Property("host", text, "The name for ssh, or slurm."),
    Property(
      "places", number(1...WorkerHost.mostPlaces), "How many CPUs tasks may take; all by default."),
    Property("memory", amount, "How much memory tasks may take; all by default."),
    Property("gpus", number(0...100_000), "How many GPUs tasks may take; all by default."),
    Property("labels", texts, "Words for what only some machines have."),
    Property(
      "mode", oneOf("worker", "job"),
      "Whether the jobs of a cluster carry out one task after the other, or each task gets its own."
    ),
    Property(
      "sync", oneOf("rsync"),
      "How declared inputs and outputs of tasks are copied, if it does not share the file system."),
    Property("folder", text, "Where copied files are; in the cache of the user by default."),
  ]

  static let service = [
    Property(
      "ready", Value(##""$ref": "#/definitions/ready""##, "map"),
      "What tells that it is ready, so that what waits for it starts; its start by default."),
    Property(
      "restart", number(0...1000),
      "How often it is started again after it has ended by itself."),
  ]

  static let ready = [
    Property("run", command, "A command that succeeds."),
    Property("port", scalar, "A port of this machine that accepts connections."),
    Property("output", scalar, "A text in a line of its output."),
    Property("file", scalar, "A file that exists."),
    Property("notify", flag, "Whether it sends READY=1 as sd_notify does."),
    Property("interval", duration, "The longest time between two checks; 100ms by default."),
    Property("timeout", timeout, "The time within which it must get ready; 60s by default."),
  ]

  static let keep = [
    Property("runs", number(1...PlanLimits.runs), "The number of runs; 20 by default."),
    Property("size", size, "The size of all runs; 1GiB by default."),
  ]

  static let defaults =
    [
      Property("timeout", timeout, "The time limit of each attempt."),
      Property("grace", duration, "The time between asking a task to end and killing it."),
      Property("retries", retries, "How often a failed task is retried."),
      Property(
        "env_inputs", texts,
        "Names and patterns of environment variables that decide whether tasks are up to date."),
      Property("env", variables, "Environment variables, as those of the plan, which win."),
      Property("log_limit", size, logLimit),
    ] + needs

  static let dotenv = [
    Property("file", text, "The file, relative to the folder of this one."),
    Property("optional", flag, "Whether it may be missing."),
  ]

  static let retryKeys = [
    Property(
      "limit", number(0...1000), "The number of retries."),
    Property("backoff", duration, "The first of growing delays."),
    Property("interval", duration, "A delay that stays the same."),
  ]

  static let glob = [
    Property("glob", texts, "Patterns of files, relative to the folder of the plan.")
  ]

  static let definition = [
    Property(
      "default", Value(#""type": ["string", "number", "boolean", "null"]"#, "string"),
      "The value if the command line gives none."),
    Property("required", flag, "Whether the command line must give a value."),
    Property(
      "values",
      Value(
        ##""type": "array", "minItems": 1, "items": {"$ref": "#/definitions/scalar"}"##,
        "list of strings"),
      "The values that it may have."),
    Property("description", scalar, "What it is for; headway list shows its first line."),
  ]

  static let include = [
    Property("file", text, "The plan file, relative to the folder of this one."),
    Property(
      "dir", text, "The folder to which its tasks belong; the folder of the file by default."),
  ]
}
