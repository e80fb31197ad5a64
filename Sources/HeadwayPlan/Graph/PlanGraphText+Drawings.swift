extension PlanGraphText {
  /// Gives the plan as a Graphviz file, to draw with `dot -Tsvg`.
  package func dot() -> String {
    var text = "digraph \"\(dotEscaped(plan.name))\" {\n  rankdir=LR;\n  node [shape=box];\n"
    for (place, task) in plan.tasks.enumerated() {
      let label = ([task.name] + marks(of: task)).map(dotEscaped).joined(separator: "\\n")
      let style = task.isOptional ? ", style=dashed" : task.isAlways ? ", peripheries=2" : ""
      text += "  t\(place) [label=\"\(label)\"\(style)];\n"
    }
    for (place, task) in plan.tasks.enumerated() {
      for need in task.after { text += "  t\(need) -> t\(place);\n" }
    }
    return text + "}"
  }

  /// Gives the plan as a mermaid flow chart, for pages that draw such charts.
  package func mermaid() -> String {
    var text = "flowchart LR"
    for (place, task) in plan.tasks.enumerated() {
      let label = ([task.name] + marks(of: task)).map(mermaidEscaped).joined(separator: "<br/>")
      text += "\n  t\(place)[\"\(label)\"]"
    }
    for (place, task) in plan.tasks.enumerated() {
      for need in task.after { text += "\n  t\(need) --> t\(place)" }
    }
    return text
  }

  /// Gives text as a string in dot holds it; a backslash would begin an escape there.
  private func dotEscaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      // A name given by a caller may hold what a name in a file may not.
      result.unicodeScalars.append(isControl(scalar) ? "\u{FFFD}" : scalar)
    }
    return result
  }

  /// Gives text as a label in mermaid holds it: signs with a meaning there as their character numbers.
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
