/// How long what a task has left behind may go on writing into its output before it is asked to end.
///
/// A shell does not wait for the `tee` in `> >(tee file)`, which only needs a moment more. A pure value that
/// is told the time. Not thread safe.
struct WritersPatience {
  /// How long they may.
  static let length = Duration.milliseconds(200)

  /// Until when, by place of the task.
  private var ends: [Int: Duration] = [:]

  /// When the first patience ends, nil when nobody writes.
  var next: Duration? { ends.values.min() }

  /// Tells whether writers may go on; the first question begins their time.
  ///
  /// - Parameters:
  ///   - place: The place of the task.
  ///   - now: The time since the run began.
  /// - Returns: Whether their time is not over.
  mutating func allows(_ place: Int, at now: Duration) -> Bool {
    let end = ends[place] ?? now + Self.length
    ends[place] = now < end ? end : nil
    return now < end
  }

  /// Forgets the writers of a task.
  mutating func forget(_ place: Int) { ends[place] = nil }
}
