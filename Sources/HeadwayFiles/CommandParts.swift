internal import HeadwayText

/// The parts of a task's command in its content record, which say what of it has changed.
///
/// They do not decide whether a task is up to date, so short digests are enough.
struct CommandParts: Hashable, Sendable {
  /// The digest of the program and its arguments; empty if the record does not say.
  private var program = ""
  /// The digest of the directory.
  private var directory = ""
  /// The digest of each variable by its name, nil for one that is not set.
  private var variables: [String: String?] = [:]

  /// The maximum number of bytes of the lines; with more variables, the record does not name them.
  static let maxBytes = 8192
  /// The number of hexadecimal digits of a digest: enough to see that a value differs.
  private static let digits = 8

  /// Creates the parts of nothing.
  init() {}

  /// Creates the parts of a task's command.
  init(_ subject: ContentsRecord.Subject) {
    // Beside the name, a line has its first word, the digest, two blanks and its end.
    let bytes = subject.variables.reduce(0) { $0 + $1.name.utf8.count + Self.digits + 11 }
    guard bytes <= Self.maxBytes - 64 else { return }
    program = Self.digest(subject.command, under: subject.key)
    directory = Self.digest([subject.directory], under: subject.key)
    for variable in subject.variables {
      let name = String(variable.name.map { $0.isNewline ? " " : $0 })
      variables[name] = .some(
        variable.isSet ? Self.digest([variable.text], under: subject.key) : nil)
    }
  }

  /// Creates the parts that a record has.
  init(lines: some Sequence<String>) {
    for line in lines {
      let words = line.split(
        separator: " ", maxSplits: 2, omittingEmptySubsequences: false
      ).map { String($0) }
      switch (words.first, words.count) {
      case ("program", 2): program = words[1]
      case ("dir", 2): directory = words[1]
      case ("variable", 3): variables[words[2]] = .some(words[1] == "-" ? nil : words[1])
      default: break
      }
    }
  }

  /// The lines of a record.
  var lines: String {
    guard !program.isEmpty else { return "" }
    let known = variables.sorted { $0.key < $1.key }
      .map { "variable \($0.value ?? "-") \($0.key)\n" }
    return "program \(program)\ndir \(directory)\n\(known.joined())"
  }

  /// Returns what of a command that has changed is another than before.
  ///
  /// - Returns: What has changed by name, and in words what is set now or was set before.
  func change(since old: CommandParts) -> (changed: [String], reasons: [String]) {
    let unknown = ["command or variables"]
    guard !program.isEmpty, !old.program.isEmpty else { return (unknown, []) }
    var changed: [String] = []
    if program != old.program { changed.append("command") }
    if directory != old.directory { changed.append("dir") }
    var (gone, new): ([String], [String]) = ([], [])
    for name in Set(variables.keys).union(old.variables.keys).sorted() {
      // Another command can name other variables, whether they are set or not.
      if program != old.program, variables[name] == nil || old.variables[name] == nil { continue }
      switch (old.variables[name] ?? nil, variables[name] ?? nil) {
      case (let before?, let now?): if before != now { changed.append(name) }
      case (_?, nil): gone.append(name)
      case (nil, _?): new.append(name)
      case (nil, nil): break
      }
    }
    let reasons = [(gone, "no longer set"), (new, "now set")].filter { !$0.0.isEmpty }
      .map { "\($0.joined(separator: ", ")) \($0.count == 1 ? "is" : "are") \($1)" }
    return changed.isEmpty && reasons.isEmpty ? (unknown, []) : (changed, reasons)
  }

  private static func digest(_ texts: [String], under key: [UInt8]?) -> String {
    var digest = ContentDigest()
    for text in texts { digest.add(text) }
    return String(digest.text(under: key).prefix(digits))
  }
}
