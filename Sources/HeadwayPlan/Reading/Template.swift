internal import HeadwayText

/// Expands braces in the texts of a task: `{key}` for a key of its matrix and `{{` for a brace.
struct Template {
  /// The keys of the matrix.
  let keys: [String]
  /// The value of each key in one combination.
  let values: [String]

  /// Returns whether a text may be changed by a template.
  static func hasBraces(_ text: String) -> Bool {
    text.containsByte { $0 == UInt8(ascii: "{") }
  }

  /// Returns a text with the keys in braces replaced by their values; other braces stay as they are.
  ///
  /// A key is not replaced after a `$`, so that `${key}` is left to the shell.
  ///
  /// - Complexity: O(*n* · *k*) for *n* bytes and *k* keys.
  func expanded(_ text: String) -> String {
    guard Self.hasBraces(text) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "{") else {
        result.append(bytes[index])
        index += 1
        continue
      }
      if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "{") {
        result.append(UInt8(ascii: "{"))
        index += 2
      } else if let key = key(in: bytes, at: index) {
        result += values[key].utf8
        index += keys[key].utf8.count + 2
      } else {
        result.append(UInt8(ascii: "{"))
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the index of the key in the braces that open at an index.
  private func key(in bytes: [UInt8], at index: Int) -> Int? {
    guard index == 0 || bytes[index - 1] != UInt8(ascii: "$") else { return nil }
    return keys.firstIndex { key in
      let end = index + 1 + key.utf8.count
      return end < bytes.count && bytes[end] == UInt8(ascii: "}")
        && bytes[(index + 1)..<end].elementsEqual(key.utf8)
    }
  }
}

/// The fields of a task that contain braces; its variants share the storage of all other fields.
struct TemplateFields {
  private var command = false
  private var environment = false
  private var directory = false
  private var inputs = false
  private var outputs = false
  private var condition = false
  private var service = false
  /// Whether a name in `after` contains braces.
  private(set) var after = false

  /// Finds the fields of a draft that contain braces.
  init(_ draft: borrowing TaskDraft) {
    switch draft.task.command {
    case .shell(let text): command = Template.hasBraces(text)
    case .program(let words): command = words.contains(where: Template.hasBraces)
    case nil: break
    }
    environment = draft.task.environment.contains { Template.hasBraces($0.value) }
    directory = draft.task.directory.map(Template.hasBraces) ?? false
    inputs = draft.task.inputs.contains(where: Template.hasBraces)
    outputs = draft.task.outputs.contains(where: Template.hasBraces)
    condition = draft.task.condition?.texts.contains(where: Template.hasBraces) ?? false
    service = draft.task.service?.texts.contains(where: Template.hasBraces) ?? false
    after = draft.after?.contains { Template.hasBraces($0.name) } ?? false
  }

  /// Whether there are any.
  var any: Bool {
    command || environment || directory || inputs || outputs || condition || service || after
  }

  /// Expands the fields of a task and returns the bytes that this created.
  func expand(_ task: inout Plan.Task, with template: Template) -> Int {
    var bytes = 0
    /// Expands a text and counts its bytes, including the storage of a string.
    func expanded(_ text: String) -> String {
      let result = template.expanded(text)
      bytes += result.utf8.count + 16
      return result
    }
    if command {
      switch task.command {
      case .shell(let text): task.command = .shell(expanded(text))
      case .program(let words): task.command = .program(words.map(expanded))
      case nil: break
      }
    }
    if environment {
      task.environment = task.environment.map {
        Plan.Variable(name: $0.name, value: expanded($0.value))
      }
    }
    if directory { task.directory = task.directory.map(expanded) }
    if inputs { task.inputs = task.inputs.map(expanded) }
    if condition { task.condition = task.condition?.map(expanded) }
    if service { task.service = task.service?.map(expanded) }
    if outputs { task.outputs = task.outputs.map(expanded) }
    return bytes
  }
}
