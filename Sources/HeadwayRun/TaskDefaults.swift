/// The defaults for tasks in plan files and in graphs of functions.
@usableFromInline
package enum TaskDefaults {
  /// The time between asking a task to end and ending it by force.
  @usableFromInline package static let grace = Duration.seconds(5)
  /// The delay before the second attempt.
  @usableFromInline package static let backoff = Duration.seconds(1)
  /// By how much each further delay is longer.
  @usableFromInline package static let backoffFactor = 2.0
}
