/// The limits of a plan file; each is far beyond plans that people write and keeps a bad file harmless.
package enum PlanLimits {
  /// The size of a file: 64 MiB, a hundred times a plan of 10,000 tasks.
  package static let fileBytes = 64 << 20
  /// How deep lists and maps may nest; a plan needs five levels.
  package static let depth = 64
  /// The values of a file with every alias written out, so that an alias cannot fill the memory.
  package static let values = 5_000_000
  /// The combinations of one matrix.
  package static let combinations = 1000
  /// The keys of one matrix.
  package static let matrixKeys = 16
  /// The tasks of a plan, each combination counted.
  package static let tasks = 1_000_000
  /// The waits of a plan: the sum over all tasks of the tasks that each waits for.
  package static let waits = 5_000_000
  /// The bytes of text that matrix tasks may make of their braces, all together.
  package static let expandedBytes = 64 << 20
  /// The bytes of a name.
  package static let nameBytes = 200
  /// The mistakes that are told; the rest are counted.
  package static let mistakes = 100
  /// The attempts after the first that a task may have.
  package static let retries = 1000
  /// The tasks at once that a plan or a pool may allow.
  package static let width = 100_000
  /// The days of the longest duration: ten years, far from the end of an integer of nanoseconds.
  package static let days = 3650
  /// The names that a message lists before it counts the rest.
  package static let listedNames = 8
  /// The characters of a corrected text that a message gives.
  package static let quotedCharacters = 200
  /// The bytes of a line that a mistake quotes; a file of one endless line is not worth more.
  package static let lineBytes = 64 << 10
  /// The comparisons of names that the search for "did you mean" may cost in a file.
  package static let comparisons = 1_000_000
}
