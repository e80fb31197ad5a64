/// The limits of what a run can be asked for, each far beyond real runs.
package enum RunLimits {
  /// The number of tasks that a plan, a pool or a machine may run at once.
  package static let concurrency = 100_000
  /// The days in the longest duration: ten years, far from overflow in nanoseconds.
  package static let days = 3650
  /// The bytes of the largest size, such as the limit of a log: 1,024 TiB, far from overflow.
  package static let sizeBytes = 1 << 50
  /// The characters of a text that a message repeats.
  package static let quotedCharacters = 200
}
