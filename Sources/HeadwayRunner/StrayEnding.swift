/// The end of processes that belong to no attempt: they are asked to end, and killed after a second.
struct StrayEnding {
  /// How long they may take to end when they are asked to.
  private static let grace = Duration.seconds(1)

  /// The processes that were found, in words.
  let names: [String]
  private let begin: Duration

  /// Asks processes to end; nil if there are none.
  ///
  /// - Parameters:
  ///   - strays: The processes.
  ///   - executor: The executor that knows them.
  ///   - now: The time.
  init?(_ strays: [Stray], _ executor: any Executor, at now: Duration) {
    guard !strays.isEmpty else { return nil }
    names = strays.map(\.name)
    begin = now
    for stray in strays { executor.signal(stray, .terminate) }
  }

  /// Kills processes that do not end.
  ///
  /// - Parameters:
  ///   - strays: The processes that are left.
  ///   - executor: The executor that knows them.
  ///   - isUrgent: Whether they have no time left.
  ///   - now: The time.
  /// - Returns: Whether this is over: none is left, or they cannot be ended.
  func isOver(
    with strays: [Stray], _ executor: any Executor, isUrgent: Bool, at now: Duration
  ) -> Bool {
    guard !strays.isEmpty else { return true }
    let time = now - begin
    if time > Self.grace || isUrgent {
      for stray in strays { executor.signal(stray, .kill) }
    }
    return time > Self.grace * 2
  }
}
