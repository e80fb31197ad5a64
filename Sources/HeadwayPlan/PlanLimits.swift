/// The limits of a plan file, each far beyond real plans, so that a malicious file is harmless.
package enum PlanLimits {
  /// The size of a file: 64 MiB, a hundred times a plan of 10,000 tasks.
  package static let fileBytes = 64 << 20
  /// The files that a plan may include, with those that they include.
  package static let includedFiles = 200
  /// The files between a plan and one that it includes, and that file itself.
  package static let includeDepth = 8
  /// The size of a dotenv file.
  package static let dotenvBytes = 1 << 20
  /// The bytes of a variable with its name, `=` and the byte at its end, as Linux allows them.
  package static let variableBytes = 128 << 10
  /// The bytes of all variables of `vars`, half of what Linux passes to a program by default.
  package static let variablesBytes = 1 << 20
  /// The nesting depth of lists and maps; a plan needs five levels.
  package static let depth = 64
  /// The values in a file after aliases are expanded, so that nested aliases cannot exhaust memory.
  package static let values = 5_000_000
  /// The combinations of one matrix.
  package static let combinations = 10_000
  /// The keys of one matrix.
  package static let matrixKeys = 16
  /// The tasks of a plan after matrices are expanded.
  package static let tasks = 1_000_000
  /// The dependencies of all tasks together.
  package static let dependencies = 5_000_000
  /// The bytes of text that the expansion of matrices may create in all.
  package static let expandedBytes = 64 << 20
  /// The bytes of a name.
  package static let nameBytes = 200
  /// The diagnostics that are reported; the rest are counted.
  package static let diagnostics = 100
  /// The attempts after the first that a task may have.
  package static let retries = 1000
  /// The number of runs that a state folder may keep.
  package static let runs = 100_000
  /// The names that a message lists before it counts the rest.
  package static let listedNames = 8
  /// The bytes of a source line that are kept in a diagnostic.
  package static let lineBytes = 64 << 10
  /// The bytes of a file that are searched for the place of a value within a text.
  package static let searchedBytes = 1 << 20
  /// The comparisons of names that the spelling suggestions of a file may cost.
  package static let comparisons = 1_000_000
}
