/// How long leftovers of a task may still write to its output before they are asked to end.
///
/// A shell does not wait for the `tee` in `> >(tee file)`, which only needs another moment. A pure value without a
/// clock. Not thread safe.
struct DrainTimeout {
  static let length = Duration.milliseconds(200)

  /// The end of each task's time-out, by the task's index.
  private var ends: [Int: Duration] = [:]

  /// When the first time-out ends, nil if none is running.
  var next: Duration? { ends.isEmpty ? nil : ends.values.min() }

  /// Checks the time-out of a task; the first call starts it.
  ///
  /// - Parameters:
  ///   - index: The index of the task.
  ///   - now: The time since the run began.
  /// - Returns: Whether the task's leftovers may still write.
  mutating func allows(_ index: Int, at now: Duration) -> Bool {
    let end = ends[index] ?? now + Self.length
    ends[index] = now < end ? end : nil
    return now < end
  }

  /// Removes the time-out of a task.
  mutating func cancel(_ index: Int) {
    if !ends.isEmpty { ends[index] = nil }
  }
}
