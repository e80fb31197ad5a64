internal import HeadwayRun

/// Machines that carry out a single task each, and are as large as it needs.
struct DedicatedMachines: Hashable, Sendable {
  /// How many there may be at once.
  let most: Int
  /// What one may have at most, as far as it is known.
  let largest: Resources
}
