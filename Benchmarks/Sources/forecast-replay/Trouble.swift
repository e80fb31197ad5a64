/// A reason to stop, told to the person at the keyboard in one line.
struct Trouble: Error {
  /// What went wrong and what to do.
  let words: String
  /// The exit code.
  let code: Int32

  /// Words of the command line that are not understood.
  static func usage(_ words: String) -> Trouble {
    Trouble(words: words + "; headway-bench forecast --help tells more", code: 64)
  }

  /// A trace that is missing, cannot be read or is none.
  static func input(_ words: String) -> Trouble { Trouble(words: words, code: 66) }

  /// A picture that cannot be written.
  static func output(_ words: String) -> Trouble { Trouble(words: words, code: 73) }
}
