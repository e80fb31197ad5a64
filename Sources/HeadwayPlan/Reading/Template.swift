internal import HeadwayText

/// Expands braces in the texts of a task: `{key}` for a key of its matrix or a variable of the plan, and `{{` for a brace.
struct Template {
  /// The keys of the matrix.
  var keys: [String] = []
  /// The value of each key in one combination.
  var values: [String] = []
  /// The variables of the file.
  var definitions = VariableTable()

  /// The name in braces that stands for the arguments of the command line.
  static let arguments = "args"

  /// A name in braces.
  struct Key {
    let name: String
    /// Its value, or `nil` for a variable that has none and for the arguments of the command line.
    let value: String?
    /// The variable that must be given for it to have a value, or `nil` if it is not a variable.
    let needed: String?

    /// Whether it stands for the arguments of the command line.
    var isArguments: Bool { value == nil && needed == nil }
  }

  /// Returns whether a text may be changed by a template.
  static func hasBraces(_ text: String) -> Bool {
    text.containsByte { $0 == UInt8(ascii: "{") }
  }

  /// Returns a text with the keys in braces replaced by their values; other braces stay as they are.
  func expanded(_ text: String) -> String { replaced(text) { $0.value } }

  /// Returns a text with the keys in braces replaced; other braces stay as they are.
  ///
  /// A key is not replaced after a `$`, so that `${key}` is left to the shell.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - replacement: What takes the place of a key, nil for nothing; then it stays.
  /// - Returns: The text.
  /// - Complexity: O(*n* + *k*) for *n* bytes and *k* keys of the matrix at each brace.
  func replaced(_ text: String, _ replacement: (Key) -> String?) -> String {
    replaced(text) { key, _ in replacement(key) }
  }

  /// The keys in braces in a text, with the ranges of the braces in its bytes.
  func places(in text: String) -> [(key: Key, range: Range<Int>)] {
    var places: [(key: Key, range: Range<Int>)] = []
    _ = replaced(text) { key, place in
      places.append((key, place..<place + key.name.utf8.count + 2))
      return nil
    }
    return places
  }

  /// Returns a text with the keys in braces replaced, given the place of each in the old text.
  private func replaced(_ text: String, _ replacement: (Key, Int) -> String?) -> String {
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
      } else if let key = key(in: bytes, at: index), let value = replacement(key, index) {
        result += value.utf8
        index += key.name.utf8.count + 2
      } else {
        result.append(UInt8(ascii: "{"))
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the key in the braces that open at an index.
  private func key(in bytes: [UInt8], at index: Int) -> Key? {
    guard index == 0 || bytes[index - 1] != UInt8(ascii: "$") else { return nil }
    let rest = bytes[(index + 1)...].prefix(PlanLimits.nameBytes + 1)
    guard let end = rest.firstIndex(where: { !PlanReader.isPartOfKey($0) }),
      end > index + 1, bytes[end] == UInt8(ascii: "}")
    else { return nil }
    let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
    if let key = keys.firstIndex(of: name) {
      return Key(name: name, value: values[key], needed: nil)
    }
    if let definition = definitions[name] {
      return Key(name: name, value: definition.value, needed: definition.needed)
    }
    return name == Self.arguments ? Key(name: name, value: nil, needed: nil) : nil
  }
}

/// The fields of a task that contain braces; its variants share the storage of all other fields.
struct TemplateFields {
  private(set) var command = false
  private(set) var environment = false
  private(set) var directory = false
  private(set) var inputs = false
  private(set) var outputs = false
  private(set) var condition = false
  private(set) var service = false
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
}
