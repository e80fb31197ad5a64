internal import HeadwayText

extension PlanGraphText {
  /// Returns the plan as a Graphviz file, to draw with `dot -Tsvg`.
  package func dot() -> String {
    var text = "digraph \"\(dotEscaped(plan.name))\" {\n  rankdir=LR;\n  node [shape=box];\n"
    for (index, task) in plan.tasks.enumerated() {
      let label = ([task.name] + labels(of: task)).map(dotEscaped).joined(separator: "\\n")
      let style = task.isOptional ? ", style=dashed" : task.isAlways ? ", peripheries=2" : ""
      text += "  t\(index) [label=\"\(label)\"\(style)];\n"
    }
    for (index, task) in plan.tasks.enumerated() where task.hook == nil {
      for dependency in task.after { text += "  t\(dependency) -> t\(index);\n" }
    }
    return text + "}"
  }

  /// Returns the plan as a Mermaid flowchart.
  package func mermaid() -> String {
    var text = "flowchart LR"
    for (index, task) in plan.tasks.enumerated() {
      let label = ([task.name] + labels(of: task)).map(mermaidEscaped).joined(separator: "<br/>")
      text += "\n  t\(index)[\"\(label)\"]"
    }
    for (index, task) in plan.tasks.enumerated() where task.hook == nil {
      for dependency in task.after { text += "\n  t\(dependency) --> t\(index)" }
    }
    return text
  }

  /// Returns the labels of a task; a hook has one instead of an edge from each task.
  private func labels(of task: Plan.Task) -> [String] {
    marks(of: task) + (task.hook == nil ? [] : ["after all other tasks"])
  }

  /// Returns text escaped for a string in dot.
  private func dotEscaped(_ text: String) -> String {
    var result = ""
    // A plan's name that comes from its file name may contain control characters.
    for scalar in text.sanitized.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// Returns text escaped for a Mermaid label, with special characters as entities.
  private func mermaidEscaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isPlain =
        scalar.value > 127 || scalar.properties.isAlphabetic
        || " 0123456789-_./,:+=@()[]".unicodeScalars.contains(scalar)
      result += isPlain ? String(scalar) : "#\(scalar.value);"
    }
    return result
  }
}
