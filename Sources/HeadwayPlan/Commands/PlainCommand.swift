internal import HeadwayText

/// Decides whether a command line needs a shell, and splits it into words if it does not.
///
/// Starting a shell costs as much as a small command. A line needs none if it has only words: no character that is
/// special to a shell, no assignment before the program, and no name of a shell's own command as the program.
package enum PlainCommand {
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
  package static func split(_ line: String) -> [String]? {
    let bytes = line.utf8Span.span
    var words: [String] = []
    var start: Int?
    for index in bytes.indices {
      if isBlank(bytes[index]) {
        if let first = start.take() { words.append(line.part(first..<index)) }
      } else if isPlain(bytes[index]) {
        start = start ?? index
      } else {
        return nil
      }
    }
    if let start { words.append(line.part(start..<bytes.count)) }
    guard let first = words.first, isProgram(first) else { return nil }
    return words
  }

  /// Whether a word at the beginning of a line is a program, and neither an assignment nor a word of the shell.
  static func isProgram(_ word: String) -> Bool {
    var isPath = false
    for byte in word.utf8 {
      if byte == UInt8(ascii: "=") { return false }
      isPath = isPath || byte == slash
    }
    // A word of the shell is no path, so a path need not be looked up.
    return isPath || !shellWords.contains(word)
  }

  /// The program that a command line starts.
  ///
  /// - Parameter text: A command line, or a script of several lines.
  /// - Returns: The first word that is not an assignment; `sh` if the line needs a shell to find it.
  /// - Complexity: O(length).
  package static func program(of text: String) -> String {
    let bytes = text.utf8Span.span
    let newline = UInt8(ascii: "\n")
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "#") {
        while index < bytes.count, bytes[index] != newline { index += 1 }
      } else if isBlank(bytes[index]) || bytes[index] == newline {
        index += 1
      } else {
        break
      }
    }
    // The first command: its first word that is not an assignment.
    while index < bytes.count, bytes[index] != newline {
      let start = index
      var (isAssignment, isPath, isWord) = (false, false, true)
      while index < bytes.count, bytes[index] != newline, !isBlank(bytes[index]) {
        isAssignment = isAssignment || bytes[index] == UInt8(ascii: "=")
        isPath = isPath || bytes[index] == slash
        isWord = isWord && isPlain(bytes[index])
        index += 1
      }
      if !isAssignment {
        guard isWord else { return "sh" }
        let name = text.part(start..<index)
        return isPath || !shellWords.contains(name) ? name : "sh"
      }
      while index < bytes.count, isBlank(bytes[index]) { index += 1 }
    }
    return "sh"
  }

  /// The part of a path after its last slash; a slash at the end belongs to the part before it.
  package static func lastComponent(_ path: String) -> String {
    let bytes = path.utf8Span.span
    var end = bytes.count
    while end > 0, bytes[end - 1] == slash { end -= 1 }
    var start = end
    while start > 0, bytes[start - 1] != slash { start -= 1 }
    return path.part(start..<end)
  }

  private static let slash = UInt8(ascii: "/")

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Whether a text is one word that no shell reads as anything else.
  package static func isPlainWord(_ text: String) -> Bool {
    !text.isEmpty && !text.containsByte { !isPlain($0) }
  }

  /// Whether texts are for a shell, and not for an interpreter such as `python3`.
  ///
  /// In a list, any word can name the shell, as in `[ssh, host, zsh, -c]`. No list means `sh`.
  static func isShell(_ shell: [String]?) -> Bool {
    shell?.contains { lastComponent($0).hasSuffix("sh") } ?? true
  }

  /// Whether a byte is special to no shell.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "%", "+", ",", "-", ".", "/", ":", "=", "@", "_": true
    default: false
    }
  }

  /// The program and arguments that run a command of the plan, with a shell if it needs one.
  ///
  /// - Parameters:
  ///   - text: A command line, or a script of several lines, which stops at its first failure.
  ///   - shell: The shell that the plan asks for: its name, or its words before the text; nil for `sh`.
  ///   - positional: The arguments that the text knows as `$1`, `$2` and so on.
  /// - Returns: The program and its arguments.
  package static func arguments(
    for text: String, shell: [String]? = nil, positional: [String] = []
  ) -> [String] {
    // The shell's own name stays in its messages.
    let rest = positional.isEmpty ? [] : [shell?.first ?? "/bin/sh"] + positional
    if let shell, shell.count > 1 { return shell + [text] + rest }
    // Which words belong to another shell is not known.
    if shell == nil, let words = split(text) { return words }
    let isScript = text.utf8.dropLast().contains(UInt8(ascii: "\n"))
    return [shell?.first ?? "/bin/sh", isScript ? "-ec" : "-c", text] + rest
  }
}

extension String {
  /// The part of the text between two offsets in bytes, which must be at the boundaries of Unicode scalars.
  fileprivate func part(_ range: Range<Int>) -> String {
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    return String(self[start..<utf8.index(start, offsetBy: range.count)])
  }
}
