internal import HeadwayText

extension Command {
  /// `headway demo`.
  static let demo = Command(
    name: "demo", usage: ["demo bar"], summary: "show the styles of progress bars",
    about: """
      Shows progress bars of every style for a video of twelve seconds that reports its position
      four times a second. Space pauses, the arrow keys seek, q quits. If no key is pressed, it
      ends with the video. In a pipe, in CI, with TERM=dumb and with ACCESSIBLE set, it prints
      each style as a line.
      """,
    operands: .words(["bar"]),
    exits: "Exits with 0, or by the signal that ended it (130 after Ctrl-C).",
    related: ["watch"], start: { try DemoCommand($0).run() })

  /// `headway worker`.
  static let worker = Command(
    name: "worker", usage: ["worker [RUN]"],
    summary: "carry out tasks for a run on another machine",
    about: """
      Carries out the tasks of a run on another machine, which talks to it on standard input and
      output: `headway run --on HOST` starts it with ssh. It ends with the connection, and ends
      the tasks that still run. RUN only shows to which run it belongs.

      With --connect, it connects to the run over TCP instead, with TLS 1.3.
      """,
    options: [
      .init(
        name: "--connect", value: "FILE",
        help:
          "connect to the address in this file, which only its user may read, with the key in it"),
      .init(
        name: "--as", value: "JOB", help: "with --connect, which job of the run it is in"),
      .init(
        name: "--messages", help: "print the version of the messages that it understands, and end"),
    ],
    exits:
      "Exits with 0, with 2 if a message of the run cannot be read, or with 69 if it cannot connect.",
    related: ["run"],
    start: { try WorkerCommand($0).run() })

  /// `headway completion`.
  static let completion = Command(
    name: "completion", usage: ["completion bash|zsh|fish"],
    summary: "print a script that completes words at Tab", group: .more,
    shortUsage: "completion SHELL",
    about: """
      Prints a script for a shell that completes commands, options and their values, plans, the
      tasks of a plan, runs and running work. `make install` installs it. Without that, add one
      of these lines:

        source <(headway completion bash)             in ~/.bashrc
        source <(headway completion zsh)              in ~/.zshrc, after compinit
        headway completion fish | source              in ~/.config/fish/config.fish

      The bash of macOS, version 3.2, needs: eval "$(headway completion bash)"
      """,
    operands: .words(CompletionScript.shells), related: ["help"],
    start: { try CompletionScript.print($0) })

  /// `headway help`.
  static let help = Command(
    name: "help", usage: ["help [COMMAND]", "COMMAND --help"],
    summary: "show the help of a command",
    group: .more, shortUsage: "help COMMAND, --version",
    shortSummary: "show the help of a command, or the version",
    about: "Shows the help of a command, or an overview of all commands.", operands: .command,
    start: { arguments in
      let words = try Arguments(arguments, known: []).words
      guard let name = words.first else {
        try printOutput(Help.overview)
        return .success
      }
      guard let command = Command.named(name) else {
        throw UsageError(message: unknown(name))
      }
      try printOutput(Help.text(of: command))
      return .success
    })

  /// The message for an unknown command.
  static func unknown(_ word: String) -> String {
    var spelling = SpellingSuggestion()
    let names = all.map(\.name)
    if let suggestion = spelling.name(for: word, in: names) {
      return "unknown command '\(word)'; did you mean \(suggestion)?"
    }
    return "unknown command '\(word)'; valid commands: \(names.joined(separator: ", "))"
  }
}
