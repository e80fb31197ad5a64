internal import HeadwayText

extension PlanReader {
  /// An entry of a map.
  struct Entry {
    /// The text of the key.
    var name: String
    /// The node of the key.
    var key: Int
    /// The node of the value.
    var value: Int
  }

  /// The entries of a map, with each key once.
  private struct EntryList {
    private(set) var entries: [Entry] = []
    /// The index of each key, once there are too many to search one by one.
    private var indices: [String: Int] = [:]

    /// The number of entries up to which a search one by one is faster than hashing.
    private static let searchLimit = 12

    /// Creates an empty list with room for a number of entries.
    init(capacity: Int) {
      entries.reserveCapacity(capacity)
      if capacity > Self.searchLimit { indices.reserveCapacity(capacity) }
    }

    /// Adds an entry, unless its key is taken; then returns the entry that has it.
    @discardableResult
    mutating func add(_ entry: Entry) -> Entry? {
      if entries.count < Self.searchLimit {
        if let first = entries.first(where: { $0.name == entry.name }) { return first }
      } else {
        if indices.isEmpty {
          for (index, known) in entries.enumerated() { indices[known.name] = index }
        }
        if let first = indices[entry.name] { return entries[first] }
        indices[entry.name] = entries.count
      }
      entries.append(entry)
      return nil
    }
  }

  /// Returns the entries of a map in the order of the file, merged ones last, or `nil` if it is not a map.
  mutating func entries(
    of node: Int, _ what: @autoclosure () -> String, example: @autoclosure () -> String
  ) -> [Entry]? {
    guard tree.nodes[node].kind != .missing else { return nil }
    guard tree.nodes[node].kind == .map else {
      diagnose(node, "\(what()) must be a map of keys and values, such as \(example())")
      return nil
    }
    return entries(ofMap: node)
  }

  /// Returns the entries of a map, and reports duplicate and non-text keys.
  private mutating func entries(ofMap node: Int) -> [Entry] {
    var children = tree.children(of: node)
    var found = EntryList(capacity: children.count / 2)
    var merge: Entry?
    while let key = children.next(), let value = children.next() {
      guard tree.isText(key) else {
        hasLostKeys = true
        diagnose(key, "a key must be a string; quote a key that contains braces or brackets")
        continue
      }
      let entry = Entry(name: tree.string(key), key: key, value: value)
      let first: Entry?
      if entry.name == "<<", tree.nodes[key].kind == .plain {
        first = merge
        merge = merge ?? entry
      } else {
        first = found.add(entry)
      }
      if let first {
        let line = tree.nodes[first.key].line
        diagnose(key, "duplicate key \(quoted(entry.name)), first defined on line \(line)")
      }
    }
    if let merge { add(mergedFrom: merge.value, to: &found) }
    return found.entries
  }

  /// Adds the entries of merged maps whose keys are new; the depth of the tree bounds the recursion.
  private mutating func add(mergedFrom node: Int, to found: inout EntryList) {
    switch tree.nodes[node].kind {
    case .missing: hasLostKeys = true
    case .map:
      for entry in entries(ofMap: node) { found.add(entry) }
    case .list where tree.children(of: node).allSatisfy({ tree.nodes[$0].kind == .map }):
      for map in tree.children(of: node) { add(mergedFrom: map, to: &found) }
    case .list, .plain, .quoted, .alias:
      hasLostKeys = true
      diagnose(
        node, "\"<<\" must be an alias of a map or a list of such aliases, such as <<: *name")
    }
  }

  /// Reports an unknown key, with the key that was probably meant.
  ///
  /// One that begins with `x-` belongs to the plan's author, for parts that are repeated by aliases.
  mutating func diagnoseUnknownKey(_ entry: Entry, of what: String, known: [String]) {
    if entry.name.hasPrefix("x-") { return }
    let message = "unknown key \(quoted(entry.name)) in \(what)"
    let otherwise = "valid keys: \(known.joined(separator: ", "))"
    if let key = Self.synonyms[entry.name], known.contains(key) {
      return diagnose(entry.key, "\(message); did you mean \(quoted(key))?")
    }
    diagnoseUnknown(entry.key, entry.name, message, in: known, otherwise: otherwise)
  }

  /// What other tools call the keys of a plan.
  private static let synonyms = [
    "depends_on": "after", "depends": "after", "dependencies": "after", "needs": "after",
    "deps": "after", "command": "run", "cmd": "run", "script": "run", "exec": "run", "cwd": "dir",
    "directory": "dir", "workdir": "dir", "working_directory": "dir", "environment": "env",
    "allow_failure": "optional", "ignore_errors": "optional", "jobs": "workers",
    "parallel": "workers", "sources": "inputs", "generates": "outputs", "retry": "retries",
    "background": "detach", "desc": "description", "summary": "description", "help": "description",
    "delay": "interval", "cores": "cpus", "threads": "cpus", "cpu": "cpus", "mem": "memory",
    "gpu": "gpus", "label": "labels", "tags": "labels", "slots": "places", "name": "host",
  ]

  /// Returns the text of a node, or `nil` and a diagnostic if it is not valid text.
  mutating func text(_ node: Int, _ what: String) -> String? {
    switch tree.nodes[node].kind {
    case .missing, .alias: return nil
    case .plain, .quoted:
      let text = tree.string(node)
      guard !text.containsByte(where: { $0 == 0 }) else {
        diagnose(
          node, "\(what) contains a null byte, which cannot be passed to a program; remove it")
        return nil
      }
      return text
    case .map where tree.nodes[node].isFlow, .list where tree.nodes[node].isFlow:
      let line = source.line(Int(tree.nodes[node].line))
      let text = FlowText.entry(around: Int(tree.nodes[node].column), in: line)
      diagnose(
        node, "\(what) must be a string; to use this as text, write \(quotedForYAML(text))")
    case .list, .map:
      diagnose(node, "\(what) must be a string, not a list or map")
    }
    return nil
  }

  /// Returns the text of a node that must not be empty.
  mutating func fullText(_ node: Int, _ what: String) -> String? {
    guard let text = text(node, what) else { return nil }
    guard !tree.isNull(node), !text.isEmpty else {
      diagnose(node, "\(what) is empty; give it a value or remove it")
      return nil
    }
    return text
  }

  /// Returns the texts of a list, or a single text written without a list.
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

  /// Returns an integer within bounds.
  mutating func number(_ entry: Entry, in bounds: ClosedRange<Int>) -> Int? {
    let node = entry.value
    guard tree.nodes[node].kind != .missing else { return nil }
    let text = tree.isText(node) ? tree.string(node) : ""
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    guard isNumber, let number = Int(text), bounds.contains(number) else {
      let range = "\(grouped(bounds.lowerBound)) to \(grouped(bounds.upperBound))"
      diagnose(
        node,
        "\(quoted(entry.name)) must be an integer from \(range)\(text.isEmpty ? "" : ", not \(quoted(text))")"
      )
      return nil
    }
    return number
  }

  mutating func boolean(_ entry: Entry) -> Bool {
    guard tree.nodes[entry.value].kind != .missing else { return false }
    let text = tree.isText(entry.value) ? tree.string(entry.value) : ""
    if text == "true" || text == "false" { return text == "true" }
    let words = [
      "yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false",
    ]
    if let word = words[text.lowercased()] {
      diagnose(
        entry.value, "\(quoted(entry.name)) must be true or false; write \(word) instead of \(text)"
      )
    } else {
      diagnose(entry.value, "\(quoted(entry.name)) must be true or false")
    }
    return false
  }

  mutating func duration(_ entry: Entry) -> Duration? {
    guard tree.nodes[entry.value].kind != .missing else { return nil }
    guard tree.isText(entry.value), !tree.isNull(entry.value) else {
      diagnose(
        entry.value, "\(quoted(entry.name)) must be a duration, such as \(DurationParser.examples)")
      return nil
    }
    do {
      return try DurationParser.parse(tree.string(entry.value))
    } catch {
      diagnose(entry.value, error.message)
      return nil
    }
  }

  /// Returns a timeout, `.some(nil)` for `none`, or `nil` after an error.
  mutating func timeout(_ entry: Entry) -> Duration?? {
    if tree.isText(entry.value), tree.string(entry.value) == "none" { return .some(nil) }
    guard let limit = duration(entry) else { return nil }
    guard limit > .zero else {
      diagnose(
        entry.value, "\"timeout\" must be greater than 0; write \"none\" for no limit"
      )
      return nil
    }
    return .some(limit)
  }

  /// Returns a limit in bytes, `.some(nil)` for `none`, or `nil` after an error.
  mutating func sizeLimit(_ entry: Entry) -> Int?? {
    let node = entry.value
    guard tree.nodes[node].kind != .missing else { return nil }
    guard tree.isText(node), !tree.isNull(node) else {
      diagnose(
        node, "\(quoted(entry.name)) must be a size, such as \(SizeParser.examples), or none")
      return nil
    }
    if tree.string(node) == "none" { return .some(nil) }
    do {
      let limit = try SizeParser.parse(tree.string(node))
      if limit > 0 { return limit }
      diagnose(
        node, "\(quoted(entry.name)) must be greater than 0; write \"none\" for no limit")
    } catch {
      diagnose(node, error.message)
    }
    return nil
  }

  /// Returns the variables of an environment.
  mutating func variables(_ entry: Entry) -> [Plan.Variable] {
    var found: [Plan.Variable] = []
    for variable in entries(of: entry.value, "\"env\"", example: "env: { LANG: C }") ?? [] {
      guard !variable.name.isEmpty, !variable.name.utf8.contains(where: { $0 == 0 || $0 == 61 })
      else {
        diagnose(
          variable.key,
          "a variable name must not be empty or contain \"=\" or a null byte")
        continue
      }
      if let text = text(variable.value, "variable \(quoted(variable.name))") {
        found.append(Plan.Variable(name: variable.name, value: text))
      }
    }
    return found
  }

  /// Returns a text and reports it if it is not a valid name.
  mutating func nameText(_ entry: Entry, of what: String) -> String? {
    guard let text = fullText(entry.value, quoted(entry.name)) else { return nil }
    checkName(entry.value, text, of: what)
    return text
  }

  /// Returns whether a text contains only characters that are allowed in names.
  func hasNameCharacters(_ text: String) -> Bool {
    !text.hasUnsafeCharacters
      && !text.containsByte { byte in
        switch Unicode.Scalar(byte) {
        case "[", "]", "{", "}", ",": true
        default: false
        }
      }
  }

  /// Reports an invalid name.
  mutating func checkName(_ node: Int, _ name: String, of what: String) {
    let isShort = (1...PlanLimits.nameBytes).contains(name.utf8.count)
    guard !isShort || !hasNameCharacters(name) || name.hasPrefix("-") else { return }
    diagnose(
      node,
      "invalid \(what) name \(quoted(name)); a name has 1 to \(PlanLimits.nameBytes) bytes, does not start with "
        + "\"-\", and contains no [ ] { } , and no control or invisible characters")
  }
}
