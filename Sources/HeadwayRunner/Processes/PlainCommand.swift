/// Decides whether a command line needs a shell, and splits it where it does not.
///
/// A shell costs as much again as a small command. A line needs none when it is only words: no character that
/// a shell would treat in a special way, no assignment in front, no word that only a shell knows.
enum PlainCommand {
  /// The bytes that stand for themselves in every shell, beside letters and digits.
  private static let plainMarks = Set("%+,-./:=@_".utf8)

  /// The words that a shell runs itself, or that mean something to its grammar.
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
  /// - Parameter line: The command as the plan has it.
  /// - Returns: The program and its arguments, nil when a shell must run the line.
  /// - Complexity: O(length).
  static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var start: String.UTF8View.Index?
    let text = line.utf8
    for place in text.indices {
      let byte = text[place]
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
        if let first = start.take() { words.append(String(line[first..<place])) }
      } else if isPlain(byte) {
        start = start ?? place
      } else {
        return nil
      }
    }
    if let start { words.append(String(line[start...])) }
    guard let first = words.first, !first.utf8.contains(UInt8(ascii: "=")),
      !shellWords.contains(first)
    else { return nil }
    return words
  }

  /// The program that a command line begins with.
  ///
  /// - Parameter text: One command line, or a script of several lines.
  /// - Returns: The first word of the first command that is no assignment; the shell, where only a shell can tell.
  /// - Complexity: O(length).
  static func program(of text: String) -> Substring {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
    let line = lines.first { !$0.isEmpty && $0.first != "#" } ?? ""
    let words = line.split { $0 == " " || $0 == "\t" }
    guard let word = words.first(where: { !$0.utf8.contains(UInt8(ascii: "=")) }),
      word.utf8.allSatisfy(isPlain), !shellWords.contains(String(word))
    else { return "sh" }
    return word
  }

  /// Whether a byte stands for itself in every shell.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      plainMarks.contains(byte)
    }
  }

  /// The program and arguments that run a text of the plan.
  ///
  /// - Parameter text: One command line, or a script of several lines, which stops at its first failure.
  /// - Returns: Words to execute, with the shell in front where one is needed.
  static func arguments(for text: String) -> [String] {
    if let words = split(text) { return words }
    let isScript = text.utf8.dropLast().contains(UInt8(ascii: "\n"))
    return ["/bin/sh", isScript ? "-ec" : "-c", text]
  }
}
