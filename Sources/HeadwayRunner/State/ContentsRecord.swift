internal import Glibc

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
    /// The path of the record.
    var path: String
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

    /// The contents of the record: a line with the format, and one for each digest.
    var bytes: [UInt8] {
      Array("headway contents 1\ncommand \(command)\ninputs \(inputs)\noutputs \(outputs)\n".utf8)
    }
  }

  /// The maximum number of bytes of a record; valid ones have far fewer.
  private static let maxBytes = 1024

  /// Reads the files of a task.
  ///
  /// - Parameter subject: The task.
  /// - Returns: The state of its files; if one cannot be read, the task is not up to date.
  /// - Complexity: O(size of the files).
  static func state(of subject: Subject) -> State {
    var command = ContentDigest()
    for word in subject.command { command.add(word) }
    var unmatched: [String] = []
    let inputs = digest(subject.inputs, unmatched: &unmatched)
    let outputs = digest(subject.outputs, unmatched: &unmatched)
    return State(command: command.text, inputs: inputs, outputs: outputs, unmatched: unmatched)
  }

  /// Whether a state is that after the task's last success.
  static func isUpToDate(_ state: State, _ subject: Subject) -> Bool {
    state.unmatched.isEmpty && readFile(subject.path, most: maxBytes) == state.bytes
  }

  /// Records the state after a success; removes the record if files are missing.
  static func keep(_ state: State, _ subject: Subject) {
    if state.unmatched.isEmpty {
      _ = replaceFile(subject.path, with: state.bytes)
    } else {
      unsafe unlink(subject.path)
    }
  }

  /// The digest of all files that match some patterns.
  private static func digest(_ patterns: [String], unmatched: inout [String]) -> String {
    var digest = ContentDigest()
    for pattern in patterns {
      let files = FilePattern(pattern).files()
      if files.isEmpty { unmatched.append(pattern) }
      digest.add("pattern \(pattern)")
      for file in files where !digest.add(file: file) {
        unmatched.append("\(String(decoding: file, as: UTF8.self)) (cannot be read)")
      }
    }
    return digest.text
  }
}
