/// An error in a plan file, with its location.
package struct PlanDiagnostic: Hashable, Sendable {
  /// The line, from 1, or 0 if the error belongs to no line, as in an empty file.
  package var line: Int
  /// The column in characters, from 1.
  package var column: Int
  /// What is wrong and how to fix it.
  package var message: String
  /// The text of the line, without its line break.
  package var source: String = ""
  /// The included file that has the error, nil for the plan itself.
  package var file: String?
}

/// All errors in a plan file and in the files that it includes, in the order of their locations in each file.
package struct PlanDiagnostics: Error, Sendable {
  /// The file as the caller named it.
  package var file: String
  /// The diagnostics, at least one.
  package var diagnostics: [PlanDiagnostic]
  /// The number of further diagnostics that are left out.
  package var omitted: Int = 0
}
