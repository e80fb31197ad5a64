package import HeadwayProgress
package import HeadwayRun
internal import HeadwayTerminal

/// What is known of work that another program publishes, as it is shown.
package struct WatchedWork: Sendable, Equatable, Identifiable {
  /// How work ended.
  package enum End: Sendable, Equatable {
    case finished
    case cancelled
    /// It has failed; the text says why, and may be empty.
    case failed(String)
    /// It was not seen to its end; the text says why.
    case lost(String)
  }

  /// The ID of the publication, such as `12345.1`.
  package let id: String
  /// The name by which people can choose it, nil if it has none.
  package let name: String?
  /// The name of the publishing program.
  package let program: String
  /// Whether it was published before the watching began.
  package let isOld: Bool
  /// The tree of the work.
  package var snapshot: ProgressSnapshot
  /// The remaining time, `unknown` if there is no estimate.
  package var remaining: RoundedRemaining
  /// How it ended, nil while it lasts.
  package var end: End?

  /// Describes published work.
  package init(
    id: String, name: String? = nil, program: String, isOld: Bool = true,
    snapshot: ProgressSnapshot, remaining: RoundedRemaining = .unknown, end: End? = nil
  ) {
    (self.id, self.name, self.program, self.isOld) = (id, name, program, isOld)
    (self.snapshot, self.remaining, self.end) = (snapshot, remaining, end)
  }

  /// What people call the work, safe to show: its label, otherwise its name or its program.
  package var title: String {
    for text in [snapshot.label, name ?? "", program] {
      let line = TaskOutputText.line(text)
      if !line.isEmpty { return line }
    }
    return TaskOutputText.line(id)
  }

  /// Whether a publication comes before another one in a list: by process, then by the order in a process.
  package static func precedes(_ first: String, _ second: String) -> Bool {
    let (one, two) = (numbers(first), numbers(second))
    return one == two ? first < second : one.lexicographicallyPrecedes(two)
  }

  /// The numbers of an ID; none if it has another form.
  private static func numbers(_ id: String) -> [Int] {
    let parts = id.split(separator: ".").map { Int($0) }
    return parts.contains(nil) ? [] : parts.compactMap { $0 }
  }
}
