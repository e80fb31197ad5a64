internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

/// What programs of this user publish at a moment.
struct PublishedWorks: Sendable {
  /// How long to wait for programs that do not answer, such as stopped ones; the others take milliseconds.
  static let patience = Duration.seconds(2)
  /// The trees are read once.
  private static let interval = Duration.seconds(10)

  /// The publications, by process and in the order of their beginnings.
  let publications: [WatchedPublication]
  /// The same as they are shown.
  let described: [WatchedWork]
  /// What was wrong, such as that a program did not answer.
  let problems: [RelayError]

  /// Looks for what is published now.
  ///
  /// - Parameters:
  ///   - patience: How long to wait for programs that do not answer.
  ///   - onProblem: What to do with a problem.
  /// - Returns: What was found.
  static func now(
    within patience: Duration = patience,
    onProblem: @escaping @Sendable (RelayError) -> Void = { printMessage("\($0)") }
  ) -> PublishedWorks {
    let problems = Guarded<[RelayError]>([])
    let publications = BlockingTask.run {
      await Subscription(
        every: interval,
        onProblem: { problem in
          problems.withLock { $0.append(problem) }
          onProblem(problem)
        }
      ).current(within: patience)
    }
    return PublishedWorks(
      publications.sorted { WatchedWork.precedes($0.id, $1.id) }.filter { $0.end == nil },
      problems.withLock { $0 })
  }

  private init(_ publications: [WatchedPublication], _ problems: [RelayError]) {
    (self.publications, self.problems) = (publications, problems)
    described = publications.map { WatchedWork($0) }
  }

  /// Finds what a person means, and prints a message if there is no such work.
  ///
  /// - Parameter word: An ID, a name, the unique beginning of a name, or a label.
  /// - Returns: The work, nil if nothing is called so.
  /// - Throws: `UsageError` if several are called so.
  func find(_ word: String) throws(UsageError) -> WatchedPublication? {
    switch WorkChoice(word, among: described) {
    case .none:
      printMessage(
        "nothing that is running is called '\(word)'; headway watch --once lists what is")
      return nil
    case .one(let id): return publications.first { $0.id == id }
    case .several(let ids):
      let table = WatchTable.text(
        described.filter { ids.contains($0.id) },
        style: TerminalStyle(environment: environmentValue))
      throw UsageError(
        details: table, message: "\(ids.count) are called '\(word)'; use the ID of one of them")
    }
  }
}

extension WatchedWork {
  /// A remaining time from which on it says nothing.
  private static let longestRemaining = Duration.seconds(1_000 * 86_400)

  /// Describes a publication.
  ///
  /// - Parameters:
  ///   - publication: The publication.
  ///   - snapshot: Its tree, nil to read it.
  init(_ publication: WatchedPublication, _ snapshot: ProgressSnapshot? = nil) {
    let tree = snapshot ?? publication.node.snapshot(limit: WatchCommand.nodes)
    var remaining = publication.forecast?.shown ?? .unknown
    if publication.forecast == nil, let time = tree[ProgressKeys.RemainingTime.self],
      time < Self.longestRemaining
    {
      remaining = .about(time)
    }
    self.init(
      id: publication.id, name: publication.name, program: publication.program,
      isOld: publication.isOld, snapshot: tree, remaining: remaining,
      end: publication.end.map { End($0, tree) })
  }
}

extension WatchedWork.End {
  fileprivate init(_ end: WatchedPublication.End, _ tree: ProgressSnapshot) {
    switch end {
    case .finished: self = tree.isCancelled ? .cancelled : .finished
    case .failed: self = tree.isCancelled ? .cancelled : .failed(tree.detail ?? "")
    case .unpublished: self = .lost("no longer published")
    case .died: self = .lost("its process ended")
    case .lost: self = .lost("the connection was lost")
    @unknown default: self = .lost("ended")
    }
  }
}
