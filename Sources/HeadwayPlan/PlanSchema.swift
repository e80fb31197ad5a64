/// The JSON Schema of plan files, for editors that complete and check them.
///
/// It is in draft 7, which language servers for YAML know. A test compares its keys with those that the reader knows: a new
/// key of a plan needs a line in one of the tables below.
package enum PlanSchema {
  /// A key of a map.
  private struct Property {
    let name: String
    /// The schema of the value, as members of a JSON object.
    let value: String
    let description: String

    init(_ name: String, _ value: String, _ description: String) {
      (self.name, self.value, self.description) = (name, value, description)
    }
  }

  private static let text = #""type": "string", "minLength": 1"#
  private static let texts = ##""$ref": "#/definitions/texts""##
  private static let duration = ##""$ref": "#/definitions/duration""##
  private static let variables = ##""$ref": "#/definitions/variables""##
  private static let scalar = ##""$ref": "#/definitions/scalar""##
  private static let flag = #""type": "boolean""#
  private static let timeout =
    ##""anyOf": [{"const": "none"}, {"$ref": "#/definitions/duration"}]"##
  private static let retries =
    ##""anyOf": [{"type": "integer", "minimum": 0, "maximum": 1000}, {"$ref": "#/definitions/retries"}]"##

  private static let plan = [
    Property("name", scalar, "The name of the plan."),
    Property("description", scalar, "What the plan is for."),
    Property(
      "workers", #""type": "integer", "minimum": 1, "maximum": 100000"#,
      "The maximum number of tasks that run at once."),
    Property(
      "output", #""enum": ["failed", "group", "stream"]"#,
      "What a run shows of the output of tasks."),
    Property(
      "defaults", ##""$ref": "#/definitions/defaults""##,
      "Settings for tasks that do not have their own."),
    Property(
      "pools",
      #""type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 100000}"#,
      "The maximum number of tasks of each pool that run at once."),
    Property(
      "vars", ##""type": "object", "additionalProperties": {"$ref": "#/definitions/var"}"##,
      "Variables for braces and the environment, which NAME=VALUE on the command line sets."),
    Property("env", variables, "Environment variables for every task."),
    Property("shell", texts, "The shell of tasks that do not have their own."),
    Property(
      "dotenv", ##""$ref": "#/definitions/dotenv""##,
      "Files of lines NAME=value for the environment of every task."),
    Property(
      "secrets", texts,
      "Names of environment variables whose values are never shown: *** takes their place."),
    Property(
      "include", ##""type": "object", "additionalProperties": {"$ref": "#/definitions/include"}"##,
      "Other plan files, whose tasks are added with a prefix and a colon."),
    Property(
      "on_failure", hook, "A command that runs after all tasks if a required one has failed."),
    Property("on_end", hook, "A command that runs at the end of every run."),
    Property(
      "tasks",
      ##""type": "object", "additionalProperties": {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/task"}]}"##,
      "The tasks by their names."),
  ]

  private static let pair =
    ##""type": "array", "minItems": 2, "maxItems": 2, "items": {"$ref": "#/definitions/scalar"}"##
  private static let hook =
    ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}, {"$ref": "#/definitions/hook"}]"##

  private static let when = [
    Property("equal", pair, "True if the two values are equal."),
    Property("not_equal", pair, "True if the two values differ."),
  ]

  private static let hookMap = [
    Property(
      "run",
      ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}]"##,
      "What to run: a text for the shell, or a list of a program and its arguments."),
    Property("env", variables, "Environment variables."),
    Property("dir", scalar, "The working directory; the plan's folder by default."),
    Property("shell", texts, "The shell of a text in run."),
    Property("timeout", timeout, "The time limit."),
  ]

  private static let task = [
    Property("description", scalar, "What the task is for; headway list shows its first line."),
    Property(
      "run",
      ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}]"##,
      "What to run: a text for the shell, or a list of a program and its arguments."),
    Property("after", texts, "The tasks that it depends on, which must end first."),
    Property(
      "env", variables, "Environment variables; they take precedence over those of the plan."),
    Property("dir", scalar, "The working directory; the plan's folder by default."),
    Property("shell", texts, "The shell of a text in run."),
    Property("timeout", timeout, "The time limit of each attempt."),
    Property("grace", duration, "The time between asking the task to end and killing it."),
    Property("retries", retries, "How often a failed task is retried."),
    Property("pool", scalar, "The pool whose limit applies to it."),
    Property(
      "matrix",
      ##""type": "object", "minProperties": 1, "maxProperties": 16, "additionalProperties": {"$ref": "#/definitions/axis"}"##,
      "Runs the task once for each combination of values."),
    Property("inputs", texts, "Patterns of the files that it reads."),
    Property("outputs", texts, "Patterns of the files that it creates."),
    Property(
      "env_inputs", texts,
      "Names and patterns of environment variables that decide whether it is up to date."),
    Property("optional", flag, "Whether the run may succeed even if this task fails."),
    Property("always", flag, "Whether it runs regardless of how its dependencies ended."),
    Property(
      "when",
      ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}, {"$ref": "#/definitions/when"}]"##,
      "What decides whether it runs: a command that succeeds, or a comparison."),
    Property(
      "service", ##""anyOf": [{"type": "boolean"}, {"$ref": "#/definitions/service"}]"##,
      "Makes it a service: it stays alive while other tasks need it."),
    Property("detach", flag, "Whether processes that it leaves behind keep running."),
    Property(
      "kind", scalar, "The kind of task; the forecast expects others of its kind to take as long."),
    Property("expect", duration, "The expected duration until there are earlier runs."),
    Property(
      "progress", #""enum": ["zig"]"#, "A further protocol in which its programs report progress."),
  ]

  private static let service = [
    Property(
      "ready", ##""$ref": "#/definitions/ready""##,
      "What tells that it is ready, so that what waits for it starts; its start by default."),
    Property(
      "restart", #""type": "integer", "minimum": 0, "maximum": 1000"#,
      "How often it is started again after it has ended by itself."),
  ]

  private static let ready = [
    Property(
      "run",
      ##""anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}]"##,
      "A command that succeeds."),
    Property("port", scalar, "A port of this machine that accepts connections."),
    Property("output", scalar, "A text in a line of its output."),
    Property("file", scalar, "A file that exists."),
    Property("notify", flag, "Whether it sends READY=1 as sd_notify does."),
    Property("interval", duration, "The longest time between two checks; 100ms by default."),
    Property("timeout", timeout, "The time within which it must get ready; 60s by default."),
  ]

  private static let defaults = [
    Property("timeout", timeout, "The time limit of each attempt."),
    Property("grace", duration, "The time between asking a task to end and killing it."),
    Property("retries", retries, "How often a failed task is retried."),
    Property(
      "env_inputs", texts,
      "Names and patterns of environment variables that decide whether tasks are up to date."),
    Property("env", variables, "Environment variables, as those of the plan, which win."),
  ]

  private static let dotenv = [
    Property("file", text, "The file, relative to the folder of this one."),
    Property("optional", flag, "Whether it may be missing."),
  ]

  private static let retryKeys = [
    Property(
      "limit", #""type": "integer", "minimum": 0, "maximum": 1000"#, "The number of retries."),
    Property("backoff", duration, "The first of growing delays."),
    Property("interval", duration, "A delay that stays the same."),
  ]

  private static let glob = [
    Property("glob", texts, "Patterns of files, relative to the folder of the plan.")
  ]

  private static let definition = [
    Property(
      "default", #""type": ["string", "number", "boolean", "null"]"#,
      "The value if the command line gives none."),
    Property("required", flag, "Whether the command line must give a value."),
    Property(
      "values",
      ##""type": "array", "minItems": 1, "items": {"$ref": "#/definitions/scalar"}"##,
      "The values that it may have."),
    Property("description", scalar, "What it is for; headway list shows its first line."),
  ]

  private static let include = [
    Property("file", text, "The plan file, relative to the folder of this one."),
    Property(
      "dir", text, "The folder to which its tasks belong; the folder of the file by default."),
  ]

  /// Every kind of map with fixed keys: its name, and its keys in the schema and those that the reader knows.
  package static var keys: [(map: String, schema: [String], reader: [String])] {
    [
      ("plan", plan.map(\.name), PlanReader.keys),
      ("task", task.map(\.name), PlanReader.taskKeys),
      ("defaults", defaults.map(\.name), PlanReader.defaultKeys),
      ("retries", retryKeys.map(\.name), PlanReader.retryKeys),
      ("when", when.map(\.name), PlanReader.conditionKeys),
      ("service", service.map(\.name), PlanReader.serviceKeys),
      ("ready", ready.map(\.name), PlanReader.readyKeys),
      ("hook", hookMap.map(\.name), PlanReader.hookKeys),
      ("include", include.map(\.name), PlanReader.includeKeys),
      ("variable", definition.map(\.name), PlanReader.definitionKeys),
      ("glob", glob.map(\.name), PlanReader.globKeys),
      ("dotenv", dotenv.map(\.name), PlanReader.dotenvKeys),
    ]
  }

  /// The schema as a JSON document that ends with a line break.
  package static var json: String {
    """
    {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "title": "A plan of Headway",
    \(members(plan, indent: "  ")),
      "anyOf": [{"required": ["tasks"]}, {"required": ["include"]}],
      "definitions": {
        "scalar": {"type": ["string", "number", "boolean"]},
        "texts": {"anyOf": [{"$ref": "#/definitions/scalar"}, {"type": "array", "items": {"$ref": "#/definitions/scalar"}}]},
        "variables": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}},
        "duration": {"type": "string", "pattern": "^([0-9]+(\\\\.[0-9]+)?(ms|s|m|h|d) ?)+$"},
        "task": {
    \(members(task, indent: "      "))
        },
        "defaults": {
    \(members(defaults, indent: "      "))
        },
        "when": {
    \(members(when, indent: "      "))
        },
        "hook": {
          "required": ["run"],
    \(members(hookMap, indent: "      "))
        },
        "service": {
    \(members(service, indent: "      "))
        },
        "ready": {
    \(members(ready, indent: "      "))
        },
        "retries": {
    \(members(retryKeys, indent: "      "))
        },
        "var": {"anyOf": [{"type": ["string", "number", "boolean", "null"]}, {
    \(members(definition, indent: "      "))
        }]},
        "axis": {"anyOf": [{"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/scalar"}}, {
          "required": ["glob"],
    \(members(glob, indent: "      "))
        }]},
        "dotenvFile": {"anyOf": [{"type": "string", "minLength": 1}, {
          "required": ["file"],
    \(members(dotenv, indent: "      "))
        }]},
        "dotenv": {"anyOf": [{"$ref": "#/definitions/dotenvFile"}, {"type": "array", "items": {"$ref": "#/definitions/dotenvFile"}}]},
        "include": {"anyOf": [{"type": "string", "minLength": 1}, {
          "required": ["file"],
    \(members(include, indent: "      "))
        }]}
      }
    }

    """
  }

  /// The members of the schema of a map.
  private static func members(_ properties: [Property], indent: String) -> String {
    let lines = properties.map {
      "\(indent)  \"\($0.name)\": {\($0.value), \"description\": \"\($0.description)\"}"
    }
    return """
      \(indent)"type": "object",
      \(indent)"additionalProperties": false,
      \(indent)"patternProperties": {"^(x-.*|<<)$": {}},
      \(indent)"properties": {
      \(lines.joined(separator: ",\n"))
      \(indent)}
      """
  }
}
