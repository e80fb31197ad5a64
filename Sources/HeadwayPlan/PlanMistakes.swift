/// A mistake in a plan file, with the place where it stands.
package struct PlanMistake: Hashable, Sendable {
  /// The line, from 1; 0 when the mistake is not in a line, such as an empty file.
  package var line: Int
  /// The column in characters, from 1.
  package var column: Int
  /// What is wrong and what to do about it.
  package var message: String
  /// The text of the line, without its end.
  package var source: String

  /// Creates a mistake.
  package init(line: Int, column: Int, message: String, source: String) {
    self.line = line
    self.column = column
    self.message = message
    self.source = source
  }
}

/// All the mistakes of a plan file, in the order of their lines.
package struct PlanMistakes: Error, Sendable {
  /// The file as the caller named it.
  package var file: String
  /// The mistakes, at least one.
  package var mistakes: [PlanMistake]
  /// The number of mistakes beyond those, 0 for a file with few.
  package var omitted: Int

  /// Creates the error of a file.
  package init(file: String, mistakes: [PlanMistake], omitted: Int = 0) {
    self.file = file
    self.mistakes = mistakes
    self.omitted = omitted
  }
}
