/// An error that ends the program, with a message of one line.
struct Trouble: Error {
  /// The message, with advice.
  let words: String
  /// The exit code.
  let code: Int32

  /// Invalid arguments.
  static func usage(_ words: String) -> Trouble {
    Trouble(words: words + "; see headway-bench forecast --help", code: 64)
  }

  /// A trace that is missing or invalid.
  static func input(_ words: String) -> Trouble { Trouble(words: words, code: 66) }

  /// A picture that cannot be written.
  static func output(_ words: String) -> Trouble { Trouble(words: words, code: 73) }

  /// A simulated run that is not as the engine runs it.
  static func difference(_ words: String) -> Trouble { Trouble(words: words, code: 1) }
}
