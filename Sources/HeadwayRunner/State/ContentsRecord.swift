internal import Glibc

/// What decides whether a task is up to date: its command, and the contents of what it reads and makes.
///
/// A task is up to date when all three are as they were after its last success. Times of files play no part.
struct ContentsRecord: Sendable {
  /// What a task reads and makes.
  struct Subject: Sendable {
    /// The program, its arguments, its own variables and its folder, in a fixed order.
    var command: [String]
    /// The patterns of the files that it reads.
    var inputs: [String]
    /// The patterns of the files that it makes.
    var outputs: [String]
    /// The file that keeps the record.
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
    /// The patterns that match no file, and the files that cannot be read.
    var unmatched: [String]

    /// The record as it is kept: a line for the form and one for each digest.
    var bytes: [UInt8] {
      Array("headway contents 1\ncommand \(command)\ninputs \(inputs)\noutputs \(outputs)\n".utf8)
    }
  }

  /// The most bytes of a record; ours have far fewer.
  private static let mostBytes = 1024

  /// Looks at the files of a task.
  ///
  /// - Parameter subject: What the task reads and makes.
  /// - Returns: The state; a file that cannot be read makes it differ from every other state.
  /// - Complexity: O(size of the files).
  static func state(of subject: Subject) -> State {
    var command = ContentDigest()
    for word in subject.command { command.add(word) }
    var unmatched: [String] = []
    let inputs = digest(subject.inputs, unmatched: &unmatched)
    let outputs = digest(subject.outputs, unmatched: &unmatched)
    return State(command: command.text, inputs: inputs, outputs: outputs, unmatched: unmatched)
  }

  /// Whether a state is the one after the task's last success.
  static func isUpToDate(_ state: State, _ subject: Subject) -> Bool {
    state.unmatched.isEmpty && readFile(subject.path, most: mostBytes) == state.bytes
  }

  /// Keeps the state after a success, or forgets the last one where the state does not allow a verdict.
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
