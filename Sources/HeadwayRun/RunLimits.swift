/// The limits of what a run can be asked for, each far beyond real runs.
package enum RunLimits {
  /// The number of tasks that a plan, a pool or a machine may run at once.
  package static let concurrency = 100_000
  /// The days in the longest duration: ten years, far from overflow in nanoseconds.
  package static let days = 3650
}
