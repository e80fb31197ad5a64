internal import HeadwayRun

/// Machines that are made for single tasks, as large as each of them needs.
struct OwnMachines: Hashable, Sendable {
  /// How many there may be at once.
  let most: Int
  /// What one may have at most, as far as it is known.
  let largest: Resources
}
