internal import HeadwaySystem
internal import Synchronization

/// Decides whether a task is up to date, by its command and the contents of its inputs and outputs.
///
/// A task is up to date if all three are as they were after its last success. The times of files are ignored.
struct ContentsRecord: Sendable {
  /// The command, inputs and outputs of a task.
  struct Subject: Sendable {
    /// The program, its arguments, its variables and its directory, in a fixed order.
    var command: [String]
    /// The patterns of the files that it reads.
    var inputs: [String]
    /// The patterns of the files that it writes.
    var outputs: [String]
    /// The directory of the record, nil if there is none yet.
    var folder: PrivateDirectory?
    /// The name of the record in its directory.
    var name: String
  }

  /// The state of the files of a task.
  struct State: Hashable, Sendable {
    /// The digest of the command.
    var command: String
    /// The digest of the inputs.
    var inputs: String
    /// The digest of the outputs.
    var outputs: String
    /// The patterns that match no file, and files that cannot be read.
    var unmatched: [String]
    /// Why the task is not up to date, in words; nil if it is, or was not compared with its record.
    var reason: String?

    /// The contents of the record: a line with the format, and one for each digest.
    var bytes: [UInt8] {
      Array("headway contents 1\ncommand \(command)\ninputs \(inputs)\noutputs \(outputs)\n".utf8)
    }
  }

  /// The maximum number of bytes of a record; valid ones have far fewer.
  private static let maxBytes = 1024

  /// Reads the files of a task.
  ///
  /// - Parameters:
  ///   - subject: The task.
  ///   - interruption: Ends the reading when it is set.
  /// - Returns: The state of its files; if one cannot be read, the task is not up to date. Nil if it was interrupted.
  /// - Complexity: O(size of the files).
  static func state(of subject: Subject, until interruption: Interruption = Interruption())
    -> State?
  {
    var command = ContentDigest()
    for word in subject.command { command.add(word) }
    var unmatched: [String] = []
    let inputs = digest(subject.inputs, unmatched: &unmatched, until: interruption)
    let outputs = digest(subject.outputs, unmatched: &unmatched, until: interruption)
    if interruption.isSet { return nil }
    return State(command: command.text, inputs: inputs, outputs: outputs, unmatched: unmatched)
  }

  /// The state of files that cannot be read, so that the task runs.
  static func unreadable(because reason: String) -> State {
    State(command: "", inputs: "", outputs: "", unmatched: [reason])
  }

  /// Whether a state is that after the task's last success.
  static func isUpToDate(_ state: State, _ subject: Subject) -> Bool {
    reason(state, subject) == nil
  }

  /// Why a task is not up to date, in words; nil if it is.
  static func reason(_ state: State, _ subject: Subject) -> String? {
    let bytes = subject.folder?.contents(of: subject.name, most: maxBytes) ?? []
    if bytes.isEmpty { return "no earlier success is on record" }
    if !state.unmatched.isEmpty {
      return "missing: \(state.unmatched.joined(separator: ", "))"
    }
    let old = bytes.split(separator: UInt8(ascii: "\n"))
    let new = state.bytes.split(separator: UInt8(ascii: "\n"))
    guard old.count == new.count, old.first == new.first else {
      return "the record is of another version"
    }
    let parts = ["command or variables", "inputs", "outputs"]
    let changed = zip(parts, zip(old, new).dropFirst()).filter { $1.0 != $1.1 }.map { $0.0 }
    return changed.isEmpty ? nil : "\(changed.joined(separator: ", ")) changed"
  }

  /// Records the state after a success; removes the record if files are missing.
  static func keep(_ state: State, _ subject: Subject) {
    if state.unmatched.isEmpty {
      _ = subject.folder?.replace(subject.name, with: state.bytes)
    } else {
      subject.folder?.remove(subject.name)
    }
  }

  /// The digest of all files that match some patterns.
  private static func digest(
    _ patterns: [String], unmatched: inout [String], until interruption: Interruption
  ) -> String {
    var digest = ContentDigest()
    for pattern in patterns {
      let search = FilePattern(pattern).search(until: interruption)
      if let limit = search.exceededLimit {
        unmatched.append("\(pattern) (\(limit))")
        continue
      }
      if search.files.isEmpty { unmatched.append(pattern) }
      digest.add("pattern \(pattern)")
      for file in search.files where !digest.add(file: file, until: interruption) {
        if interruption.isSet { return "" }
        unmatched.append("\(String(decoding: file, as: UTF8.self)) (cannot be read)")
      }
    }
    return digest.text
  }
}

/// Ends the reading of files, from another thread.
///
/// Reading a file of many gigabytes takes minutes, and the run may end at any time. Safe from any thread.
final class Interruption: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Whether the reading is to end.
  var isSet: Bool { flag.load(ordering: .relaxed) }

  /// Ends the reading at its next step: after at most 256 KiB of a file.
  func set() { flag.store(true, ordering: .relaxed) }
}
