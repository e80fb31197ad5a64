internal import HeadwayText

/// What an attempt at a task has used of its machine: its own process, and the processes that it has waited for.
///
/// ```swift
/// func line(of usage: ResourceUsage, after ran: Duration) -> String {
///   let share = Int(usage.cpuTime / ran * 100)
///   return "\(share) % of a processor, "
///     + (usage.peakMemory.map { "\($0 >> 20) MiB" } ?? "little memory")
/// }
/// ```
public struct ResourceUsage: Hashable, Sendable {
  /// The time that processors have spent on it, for itself and for the system on its behalf; several at once add up.
  public var cpuTime: Duration
  /// The memory of its largest process in bytes, nil if that is unknown: one that is smaller than the program that runs the
  /// tasks cannot be told from it.
  public var peakMemory: Int?

  /// Creates a usage.
  ///
  /// - Parameters:
  ///   - cpuTime: The time that processors have spent on it.
  ///   - peakMemory: The memory of its largest process in bytes, nil if that is unknown.
  public init(cpuTime: Duration, peakMemory: Int? = nil) {
    self.cpuTime = cpuTime
    self.peakMemory = peakMemory
  }

  /// The usage in words: `using 1m12s of CPU time` and `and up to 450 MB of memory`, as far as it is known.
  package var words: [String] {
    ["using \(DurationText.measured(cpuTime)) of CPU time"]
      + (peakMemory.map { ["and up to \(byteCount($0)) of memory"] } ?? [])
  }

  /// The usage of this and another process of the same attempt, one after the other.
  package func followed(by other: ResourceUsage) -> ResourceUsage {
    ResourceUsage(
      cpuTime: cpuTime + other.cpuTime,
      peakMemory: peakMemory.map { max($0, other.peakMemory ?? 0) } ?? other.peakMemory)
  }
}
