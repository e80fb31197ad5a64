extension PlanReader {
  /// A key and its value.
  struct Entry {
    /// The key.
    var name: String
    /// The place of the key in the tree.
    var key: Int
    /// The place of the value in the tree.
    var value: Int
  }

  /// Gives the entries of a map in the order of the file, merged ones last; nil where it is no map.
  mutating func entries(of node: Int, _ what: String, example: @autoclosure () -> String)
    -> [Entry]?
  {
    guard tree.nodes[node].kind != .missing else { return nil }
    guard tree.nodes[node].kind == .map else {
      mistake(node, "\(what) is written as a map of keys and values, such as \(example())")
      return nil
    }
    return entries(ofMap: node)
  }

  /// Gives the entries of a map, and tells keys that stand twice or are no text.
  private mutating func entries(ofMap node: Int) -> [Entry] {
    var found: [Entry] = []
    var places: [String: Int] = [:]
    var merges: [Int] = []
    var children = tree.children(of: node)
    while let key = children.next(), let value = children.next() {
      guard tree.isText(key) else {
        hasLostKeys = true
        mistake(key, "a key must be text; put quotes around a key with braces or brackets")
        continue
      }
      let name = tree.string(key)
      if let first = places.updateValue(key, forKey: name) {
        places[name] = first
        let line = tree.nodes[first].line
        mistake(key, "\(quoted(name)) stood in line \(line) already; remove one of the two")
      } else if name == "<<", tree.nodes[key].kind == .plain {
        merges.append(value)
      } else {
        found.append(Entry(name: name, key: key, value: value))
      }
    }
    for merge in merges { add(mergedFrom: merge, to: &found, &places) }
    return found
  }

  /// Adds the entries of merged maps whose keys do not stand yet; the depth of the tree bounds the recursion.
  private mutating func add(
    mergedFrom node: Int, to found: inout [Entry], _ places: inout [String: Int]
  ) {
    switch tree.nodes[node].kind {
    case .missing: hasLostKeys = true
    case .map:
      for entry in entries(ofMap: node) where places[entry.name] == nil {
        places[entry.name] = entry.key
        found.append(entry)
      }
    case .list where tree.children(of: node).allSatisfy({ tree.nodes[$0].kind == .map }):
      for map in tree.children(of: node) { add(mergedFrom: map, to: &found, &places) }
    case .list, .plain, .quoted, .alias:
      hasLostKeys = true
      mistake(node, "\"<<\" takes the alias of a map, or a list of such aliases, such as <<: *name")
    }
  }

  /// Tells an unknown key, with the key that was probably meant.
  mutating func unknownKey(_ entry: Entry, of what: String, known: [String]) {
    let message = "\(what) has no key \(quoted(entry.name))"
    let otherwise = "its keys are \(known.joined(separator: ", "))"
    let synonyms = [
      "depends_on": "after", "depends": "after", "dependencies": "after", "needs": "after",
      "deps": "after",
      "command": "run", "cmd": "run", "script": "run", "exec": "run", "cwd": "dir",
      "directory": "dir",
      "workdir": "dir", "working_directory": "dir", "environment": "env",
      "allow_failure": "optional",
      "ignore_errors": "optional", "jobs": "workers", "parallel": "workers", "sources": "inputs",
      "generates": "outputs", "retry": "retries", "background": "detach",
    ]
    if let key = synonyms[entry.name], known.contains(key) {
      return mistake(entry.key, "\(message); did you mean \(quoted(key))?")
    }
    unknown(entry.key, entry.name, message, in: known, otherwise: otherwise)
  }

  /// Gives the text of a value; nil and a mistake where it is no text or holds what a text must not.
  mutating func text(_ node: Int, _ what: String) -> String? {
    switch tree.nodes[node].kind {
    case .missing, .alias: return nil
    case .plain, .quoted:
      let text = tree.string(node)
      guard !text.utf8.contains(0) else {
        mistake(node, "\(what) holds a zero byte, which no program can be given; remove it")
        return nil
      }
      return text
    case .map where tree.nodes[node].isFlow, .list where tree.nodes[node].isFlow:
      let line = source.line(Int(tree.nodes[node].line))
      let text = FlowText.entry(around: Int(tree.nodes[node].column), in: line)
      mistake(
        node, "\(what) must be one text; if this is text, quote it: write \(quotedForYAML(text))")
    case .list, .map:
      mistake(node, "\(what) must be one text, not a list or map")
    }
    return nil
  }

  /// Gives a text that must say something.
  mutating func fullText(_ node: Int, _ what: String) -> String? {
    guard let text = text(node, what) else { return nil }
    guard !tree.isNothing(node), !text.isEmpty else {
      mistake(node, "\(what) is empty; write a text, or leave the key out")
      return nil
    }
    return text
  }

  /// Gives the texts of a list, or the one text that stands in its place.
  mutating func texts(_ entry: Entry) -> [(text: String, node: Int)] {
    guard tree.nodes[entry.value].kind == .list else {
      return fullText(entry.value, quoted(entry.name)).map { [($0, entry.value)] } ?? []
    }
    var found: [(text: String, node: Int)] = []
    for node in tree.children(of: entry.value) {
      if let text = fullText(node, "an entry of \(quoted(entry.name))") {
        found.append((text, node))
      }
    }
    return found
  }

  /// Gives a whole number within bounds.
  mutating func number(_ entry: Entry, in bounds: ClosedRange<Int>) -> Int? {
    let node = entry.value
    guard tree.nodes[node].kind != .missing else { return nil }
    let text = tree.isText(node) ? tree.string(node) : ""
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    guard isNumber, let number = Int(text), bounds.contains(number) else {
      let range = "\(grouped(bounds.lowerBound)) to \(grouped(bounds.upperBound))"
      mistake(
        node,
        "\(quoted(entry.name)) must be a whole number from \(range)\(text.isEmpty ? "" : ", not \(quoted(text))")"
      )
      return nil
    }
    return number
  }

  /// Gives a boolean.
  mutating func boolean(_ entry: Entry) -> Bool {
    guard tree.nodes[entry.value].kind != .missing else { return false }
    let text = tree.isText(entry.value) ? tree.string(entry.value) : ""
    if text == "true" || text == "false" { return text == "true" }
    let words = [
      "yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false",
    ]
    if let word = words[text.lowercased()] {
      mistake(entry.value, "\(quoted(entry.name)) must be true or false; write \(word) for \(text)")
    } else {
      mistake(entry.value, "\(quoted(entry.name)) must be true or false")
    }
    return false
  }

  /// Gives a duration.
  mutating func duration(_ entry: Entry) -> Duration? {
    guard tree.nodes[entry.value].kind != .missing else { return nil }
    guard tree.isText(entry.value), !tree.isNothing(entry.value) else {
      mistake(entry.value, "\(quoted(entry.name)) must be a duration; write \(DurationText.forms)")
      return nil
    }
    switch DurationText.read(tree.string(entry.value)) {
    case .duration(let duration): return duration
    case .mistake(let message):
      mistake(entry.value, message)
      return nil
    }
  }

  /// Gives a time-out: a duration, or `none` for no limit; nil after a mistake.
  mutating func timeout(_ entry: Entry) -> Duration?? {
    if tree.isText(entry.value), tree.string(entry.value) == "none" { return .some(nil) }
    guard let limit = duration(entry) else { return nil }
    guard limit > .zero else {
      mistake(
        entry.value, "a time-out of nothing ends every attempt at once; write \"none\" for no limit"
      )
      return nil
    }
    return .some(limit)
  }

  /// Gives the variables of an environment.
  mutating func variables(_ entry: Entry) -> [Plan.Variable] {
    var found: [Plan.Variable] = []
    for variable in entries(of: entry.value, "\"env\"", example: "env: { LANG: C }") ?? [] {
      guard !variable.name.isEmpty, !variable.name.utf8.contains(where: { $0 == 0 || $0 == 61 })
      else {
        mistake(
          variable.key,
          "the name of a variable needs a letter at least and must not hold \"=\" or a zero byte")
        continue
      }
      if let text = text(variable.value, "the variable \(quoted(variable.name))") {
        found.append(Plan.Variable(name: variable.name, value: text))
      }
    }
    return found
  }

  /// Gives a name that keeps to the rules of names.
  mutating func nameText(_ entry: Entry, of what: String) -> String? {
    guard let text = fullText(entry.value, quoted(entry.name)) else { return nil }
    checkName(entry.value, text, of: what)
    return text
  }

  /// Tells a name that breaks the rules of names.
  mutating func checkName(_ node: Int, _ name: String, of what: String) {
    let isShort = (1...PlanLimits.nameBytes).contains(name.utf8.count)
    let isPlain = !name.unicodeScalars.contains {
      isControl($0) || "[]{},".unicodeScalars.contains($0)
    }
    guard !isShort || !isPlain || name.hasPrefix("-") else { return }
    mistake(
      node,
      "\(quoted(name)) cannot be the name of \(what); a name has 1 to \(PlanLimits.nameBytes) bytes, "
        + "no \"-\" at its start, and none of [ ] { } , or control characters")
  }
}
