/// Decides whether a command line needs a shell, and splits it into words if it does not.
///
/// Starting a shell costs as much as a small command. A line needs none if it has only words: no character that is
/// special to a shell, no assignment before the program, and no name of a shell's own command as the program.
enum PlainCommand {
  /// The names of a shell's own commands, and the words of its grammar.
  private static let shellWords: Set<String> = [
    ".", ":", "alias", "bg", "bind", "break", "builtin", "case", "cd", "chdir", "command",
    "continue",
    "declare", "do", "done", "elif", "else", "esac", "eval", "exec", "exit", "export", "false",
    "fc", "fg",
    "fi", "for", "function", "getopts", "hash", "history", "if", "in", "jobs", "kill", "let",
    "local",
    "login", "logout", "newgrp", "popd", "pushd", "pwd", "read", "readonly", "return", "select",
    "set",
    "shift", "source", "suspend", "test", "then", "time", "times", "trap", "true", "type",
    "typeset",
    "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "echo", "printf",
  ]

  /// Splits a line that needs no shell.
  ///
  /// - Parameter line: The command line in the plan.
  /// - Returns: The program and its arguments, nil if the line needs a shell.
  /// - Complexity: O(length).
  static func split(_ line: String) -> [String]? {
    // Bytes in an array are several times faster than those of a string.
    let bytes = Array(line.utf8)
    var words: [String] = []
    var start: Int?
    for (index, byte) in bytes.enumerated() {
      if isBlank(byte) {
        if let first = start.take() {
          words.append(String(decoding: bytes[first..<index], as: UTF8.self))
        }
      } else if isPlain(byte) {
        start = start ?? index
      } else {
        return nil
      }
    }
    if let start { words.append(String(decoding: bytes[start...], as: UTF8.self)) }
    guard let first = words.first, !first.utf8.contains(UInt8(ascii: "=")),
      !shellWords.contains(first)
    else { return nil }
    return words
  }

  /// The program that a command line starts.
  ///
  /// - Parameter text: A command line, or a script of several lines.
  /// - Returns: The first word that is not an assignment; `sh` if the line needs a shell to find it.
  /// - Complexity: O(length).
  static func program(of text: String) -> String {
    let bytes = Array(text.utf8)
    var index = 0
    func isAtEnd(_ index: Int) -> Bool {
      index == bytes.count || bytes[index] == UInt8(ascii: "\n")
    }
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "#") {
        while !isAtEnd(index) { index += 1 }
      }
      if isAtEnd(index) || isBlank(bytes[index]) {
        index = min(index + 1, bytes.count)
        continue
      }
      // The first command: its first word that is not an assignment.
      while !isAtEnd(index) {
        let start = index
        while !isAtEnd(index), !isBlank(bytes[index]) { index += 1 }
        let word = bytes[start..<index]
        if !word.contains(UInt8(ascii: "=")) {
          let name = String(decoding: word, as: UTF8.self)
          return word.allSatisfy(isPlain) && !shellWords.contains(name) ? name : "sh"
        }
        while !isAtEnd(index), isBlank(bytes[index]) { index += 1 }
      }
      return "sh"
    }
    return "sh"
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Whether a byte is special to no shell.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "%", "+", ",", "-", ".", "/", ":", "=", "@", "_": true
    default: false
    }
  }

  /// The program and arguments that run a command of the plan, with a shell if it needs one.
  ///
  /// - Parameter text: A command line, or a script of several lines, which stops at its first failure.
  /// - Returns: The program and its arguments.
  static func arguments(for text: String) -> [String] {
    if let words = split(text) { return words }
    let isScript = text.utf8.dropLast().contains(UInt8(ascii: "\n"))
    return ["/bin/sh", isScript ? "-ec" : "-c", text]
  }
}
