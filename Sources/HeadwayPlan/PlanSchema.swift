/// The JSON Schema of plan files, for editors that complete and check them.
///
/// It is in draft 7, which language servers for YAML know. The manual page of plans is made from the same tables. A test compares
/// their keys with those that the reader knows: a new key of a plan needs a line in one of the tables.
package enum PlanSchema {
  /// A key of a map.
  struct Property {
    let name: String
    let value: Value
    let description: String

    init(_ name: String, _ value: Value, _ description: String) {
      (self.name, self.value, self.description) = (name, value, description)
    }
  }

  /// The values that a key can have.
  struct Value {
    /// The members of a JSON object in the schema.
    let schema: String
    /// The kind of value in words, as in "string or list of strings".
    let words: String

    init(_ schema: String, _ words: String) { (self.schema, self.words) = (schema, words) }
  }

  /// Every kind of map with fixed keys: its name, and its keys in the schema and those that the reader knows.
  package static var keys: [(map: String, schema: [String], reader: [String])] {
    [
      ("plan", plan.map(\.name), PlanReader.keys),
      ("task", task.map(\.name), PlanReader.taskKeys),
      ("defaults", defaults.map(\.name), PlanReader.defaultKeys),
      ("keep", keep.map(\.name), PlanReader.keepKeys),
      ("host", host.map(\.name), PlanReader.hostKeys),
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

  /// The keys of each kind of map, for the manual page.
  package static var reference:
    [(title: String, keys: [(name: String, value: String, description: String)])]
  {
    [
      ("Keys of a plan", plan), ("Keys of a task", task), ("Keys of defaults", defaults),
      ("Keys of keep", keep), ("Keys of a host in hosts", host),
      ("Keys of a variable in vars", definition), ("Keys of retries", retryKeys),
      ("Keys of a service", service), ("Keys of ready", ready), ("Keys of when", when),
      ("Keys of matrix values", glob), ("Keys of on_failure and on_end", hookMap),
      ("Keys of a file in include", include), ("Keys of a file in dotenv", dotenv),
    ].map { title, properties in
      (title, properties.map { ($0.name, $0.value.words, $0.description) })
    }
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
        "keep": {
    \(members(keep, indent: "      "))
        },
        "host": {
          "required": ["host"],
    \(members(host, indent: "      "))
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
      "\(indent)  \"\($0.name)\": {\($0.value.schema), \"description\": \"\($0.description)\"}"
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
