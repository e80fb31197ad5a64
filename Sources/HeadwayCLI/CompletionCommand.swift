internal import HeadwayText

/// `headway __complete`: answers the scripts of `headway completion`.
///
/// The first line of the answer is `words`, `files` or `folders` and, after a colon, what was typed; `files` and `folders` ask
/// the shell to offer those. Then comes a line for each candidate. Errors are not reported, because a message would end up in
/// the middle of the command line.
enum CompletionCommand {
  /// Prints the answer.
  ///
  /// - Parameter arguments: `bash`, the characters at which bash splits words, and the line up to the cursor; or `zsh` or
  ///   `fish`, and the words after the name of the program without quotes, the last of which is to be completed.
  /// - Returns: Always success.
  /// - Throws: `RunnerError` if the answer cannot be written.
  static func print(_ arguments: [String]) throws -> ExitCode {
    guard let shell = arguments.first else { return .success }
    let words = Array(arguments.dropFirst())
    if shell == "bash" {
      guard words.count == 2 else { return .success }
      try printOutput(bash(breaks: words[0], line: words[1]))
    } else {
      let answer = Completion(after: words.dropLast(), current: words.last ?? "")
      try printOutput(header(answer) + answer.candidates.map(plain).joined())
    }
    return .success
  }

  private static func header(_ answer: Completion) -> String {
    "\(answer.files.rawValue):\(answer.prefix)\n"
  }

  /// A candidate and what it is, in a line.
  private static func plain(_ candidate: Completion.Candidate) -> String {
    let about = candidate.about.split(whereSeparator: \.isNewline).first ?? ""
    return candidate.text + (about.isEmpty ? "" : "\t\(String(about).sanitized)") + "\n"
  }

  /// The answer for bash, whose candidates are quoted and without the part before the last break of the word, which stays.
  private static func bash(breaks: String, line: String) -> String {
    let line = BashLine(line)
    guard !line.words.isEmpty else { return "" }
    let answer = Completion(
      after: line.words.dropFirst().dropLast(), current: line.words.last ?? "")
    let kept = line.keptCount(breaks: breaks)
    return header(answer)
      + answer.candidates.map { candidate in
        let text = String(candidate.text.dropFirst(kept))
        let end = candidate.isOpen || line.quote != nil ? "" : " "
        return BashLine.quoted(text, in: line.quote) + end + "\n"
      }.joined()
  }
}
