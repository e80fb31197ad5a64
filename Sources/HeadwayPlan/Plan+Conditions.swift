internal import HeadwayText

extension Plan {
  /// What decides whether a task runs.
  package enum Condition: Hashable, Sendable {
    /// A command that succeeds.
    case command(Command)
    /// Two texts that are equal.
    case equal(String, String)
    /// Two texts that differ.
    case notEqual(String, String)

    /// Whether it is true, or `nil` if a command decides.
    package var value: Bool? {
      switch self {
      case .command: nil
      case .equal(let first, let second): first.isExactly(second)
      case .notEqual(let first, let second): !first.isExactly(second)
      }
    }

    /// Its texts.
    var texts: [String] {
      switch self {
      case .command(let command): command.texts
      case .equal(let first, let second), .notEqual(let first, let second): [first, second]
      }
    }
  }
}
