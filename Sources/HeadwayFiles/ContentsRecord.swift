package import HeadwaySystem

/// Decides whether a task is up to date, by its command and the contents of its inputs and outputs.
///
/// A task is up to date if all three are as they were after its last success. The times of files are ignored.
package struct ContentsRecord: Sendable {
  /// The command, inputs and outputs of a task.
  package struct Subject: Sendable {
    /// The program and its arguments.
    package var command: [String]
    /// The directory in which it runs.
    package var directory = "."
    /// Its variables, in a fixed order.
    package var variables: [Variable] = []
    /// The patterns of the files that it reads.
    package var inputs: [String]
    /// The patterns of the files that it writes.
    package var outputs: [String]
    /// The directory of the record, nil if there is none yet.
    package var folder: PrivateDirectory?
    /// The name of the record in its directory.
    package var name: String
    /// The key of the digests, nil for none.
    package var key: [UInt8]?

    /// Creates a subject.
    package init(
      command: [String], directory: String = ".", variables: [Variable] = [], inputs: [String],
      outputs: [String], folder: PrivateDirectory?, name: String, key: [UInt8]? = nil
    ) {
      (self.command, self.directory, self.variables) = (command, directory, variables)
      (self.inputs, self.outputs) = (inputs, outputs)
      (self.folder, self.name, self.key) = (folder, name, key)
    }
  }

  /// A variable of a task.
  package struct Variable: Sendable {
    package let name: String
    /// What stands for the name and the value in digests: only the name if it is not set, never the value of a secret.
    package let text: String

    /// Creates a variable.
    package init(name: String, text: String) { (self.name, self.text) = (name, text) }

    /// Whether the variable is set.
    var isSet: Bool { text != name }
  }

  /// The state of the files of a task.
  package struct State: Hashable, Sendable {
    /// The digest of the command, its directory and its variables.
    package var command: String
    /// The digest of the inputs.
    package var inputs: String
    /// The digest of the outputs.
    package var outputs: String
    /// The patterns that match no file, and files that cannot be read.
    package var unmatched: [String]
    /// The parts of the command, which say what of it has changed.
    var parts = CommandParts()
    /// Why the task is not up to date, in words; nil if it is, or was not compared with its record.
    package var reason: String?

    /// Creates a state.
    package init(command: String, inputs: String, outputs: String, unmatched: [String]) {
      (self.command, self.inputs) = (command, inputs)
      (self.outputs, self.unmatched) = (outputs, unmatched)
    }

    /// Whether not all files were read.
    package var isPartial: Bool { outputs.isEmpty }

    /// The contents of the record: a line with the format, one for each digest, and those of the parts of the command.
    var bytes: [UInt8] {
      Array(
        "\(ContentsRecord.format)\ncommand \(command)\ninputs \(inputs)\noutputs \(outputs)\n\(parts.lines)"
          .utf8)
    }
  }

  /// The first line of a record.
  private static let format = "headway contents 2"
  /// The first line of a record without the parts of the command.
  private static let formatWithoutParts = "headway contents 1"
  /// The number of lines up to the parts of the command.
  private static let digestLines = 4

  /// The maximum number of bytes of a record.
  private static let maxBytes = CommandParts.maxBytes + 1024

  /// Reads the files of a task.
  ///
  /// - Parameters:
  ///   - subject: The task.
  ///   - interruption: Ends the reading when it is set.
  ///   - isEnough: Whether the state so far is enough, so that it is returned as it is; digests that are missing are empty.
  /// - Returns: The state of its files; if one cannot be read, the task is not up to date. Nil if it was interrupted.
  /// - Complexity: O(size of the files).
  package static func state(
    of subject: Subject, until interruption: Interruption = Interruption(),
    or isEnough: (State) -> Bool = { _ in false }
  ) -> State? {
    var command = ContentDigest()
    for word in subject.command + ["", subject.directory] { command.add(word) }
    for variable in subject.variables { command.add(variable.text) }
    var state = State(
      command: command.text(under: subject.key), inputs: "", outputs: "", unmatched: [])
    if isEnough(state) { return state }
    state.inputs = digest(
      subject.inputs, of: subject, unmatched: &state.unmatched, until: interruption)
    if interruption.isSet { return nil }
    if isEnough(state) { return state }
    state.outputs = digest(
      subject.outputs, of: subject, unmatched: &state.unmatched, until: interruption)
    if interruption.isSet { return nil }
    state.parts = CommandParts(subject)
    return state
  }

  /// The state of files that cannot be read, so that the task runs.
  package static func unreadable(because reason: String) -> State {
    State(command: "", inputs: "", outputs: "", unmatched: [reason])
  }

  /// Whether a state is that after the task's last success.
  package static func isUpToDate(_ state: State, _ subject: Subject) -> Bool {
    reason(state, subject) == nil
  }

  /// Why a task is not up to date, in words; nil if it is.
  package static func reason(_ state: State, _ subject: Subject) -> String? {
    reason(state, since: record(of: subject))
  }

  /// The lines of the record of a task, nil if there is no record.
  package static func record(of subject: Subject) -> [String]? {
    let bytes = subject.folder?.contents(of: subject.name, most: maxBytes) ?? []
    return bytes.isEmpty ? nil : lines(of: bytes)
  }

  /// Whether a record has the format of this version, or of one before it.
  private static func isKnown(_ record: [String]) -> Bool {
    record.count >= digestLines && (record[0] == format || record[0] == formatWithoutParts)
  }

  /// Whether the files that were read so far show already that a task is not up to date.
  package static func isChanged(_ state: State, since record: [String]?) -> Bool {
    guard let record, isKnown(record), state.unmatched.isEmpty else { return true }
    return record[1] != "command \(state.command)"
      || (!state.inputs.isEmpty && record[2] != "inputs \(state.inputs)")
      || (!state.outputs.isEmpty && record[3] != "outputs \(state.outputs)")
  }

  /// Finds out why a task is not up to date.
  ///
  /// - Parameters:
  ///   - state: The state of all its files.
  ///   - old: The lines of its record.
  /// - Returns: The reason in words, nil if it is up to date.
  package static func reason(_ state: State, since old: [String]?) -> String? {
    guard let old else { return "no earlier success is on record" }
    if !state.unmatched.isEmpty {
      return "missing: \(state.unmatched.joined(separator: ", "))"
    }
    let new = lines(of: state.bytes)
    guard isKnown(old) else { return "the record is of another version" }
    let names = ["command", "inputs", "outputs"]
    var changed = zip(names, zip(old.dropFirst(), new.dropFirst())).filter { $1.0 != $1.1 }.map(\.0)
    if changed.isEmpty { return nil }
    var reasons: [String] = []
    if changed[0] == "command" {
      let change = state.parts.change(since: CommandParts(lines: old.dropFirst(digestLines)))
      changed.replaceSubrange(0...0, with: change.changed)
      reasons = change.reasons
    }
    if !changed.isEmpty { reasons.insert("\(changed.joined(separator: ", ")) changed", at: 0) }
    return reasons.joined(separator: "; ")
  }

  private static func lines(of bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Records the state after a success; removes the record if files are missing.
  package static func keep(_ state: State, _ subject: Subject) {
    if state.unmatched.isEmpty {
      _ = subject.folder?.replace(subject.name, with: state.bytes)
    } else {
      subject.folder?.remove(subject.name)
    }
  }

  /// What is said of a pattern that matches no file.
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - directory: The directory in which the task runs, to which its patterns are often thought to belong.
  /// - Returns: The pattern, and if the task has a directory of its own, where it was looked for and what was probably meant.
  package static func words(forUnmatched pattern: String, directory: String) -> String {
    guard directory != ".", !pattern.isAbsolutePattern else { return pattern }
    let folder = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    let meant = "\(folder.escapedForPattern)/\(pattern)"
    let hint =
      FilePattern(meant, maxEntries: 10_000).search().files.isEmpty ? "" : "; write \(meant)"
    return "\(pattern) (in the plan's folder\(hint))"
  }

  /// The digest of all files that match some patterns.
  private static func digest(
    _ patterns: [String], of subject: Subject, unmatched: inout [String],
    until interruption: Interruption
  ) -> String {
    var digest = ContentDigest()
    for pattern in patterns {
      let search = FilePattern(pattern).search(until: interruption)
      if let limit = search.exceededLimit {
        unmatched.append("\(pattern) (\(limit))")
        continue
      }
      if search.files.isEmpty {
        unmatched.append(words(forUnmatched: pattern, directory: subject.directory))
      }
      digest.add("pattern \(pattern)")
      for file in search.files where !digest.add(file: file, until: interruption) {
        if interruption.isSet { return "" }
        unmatched.append("\(String(decoding: file, as: UTF8.self)) (cannot be read)")
      }
    }
    return digest.text(under: subject.key)
  }
}
