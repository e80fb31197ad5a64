internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText
internal import HeadwayTime

/// An earlier run with which a run goes on: for `headway resume`, and for `headway run --failed`.
struct ResumedRun {
  /// The plan as it is now.
  let file: PlanFile
  /// The options of the earlier run, unless others were given.
  let options: RunOptions
  /// The lines for the user before the run.
  let notes: [String]

  /// What was asked for.
  struct Request {
    /// The name of the run, nil for the newest that did not succeed.
    var run: String?
    /// The plan whose newest run goes on, nil for any.
    var plan: PlanFile?
    /// The folder in place of the current one, nil for that.
    var directory: String?
    /// The tasks that count as done.
    var done: [String] = []
    /// The tasks that run again.
    var again: [String] = []
    /// The options that were given.
    var options: RunOptions
    /// Whether a policy for failures was given.
    var hasPolicy = false
    /// Whether nothing is to be ended, because only what the run would do is asked for.
    var isDry = false
  }

  /// Finds the run, reads its plan again, and ends what is alive of it.
  ///
  /// - Parameter request: What was asked for.
  /// - Returns: The run, nil if nothing is left to do, which is said.
  /// - Throws: `UsageError` if the plan is invalid, `StateError` if the run cannot be resumed.
  static func find(_ request: Request) throws -> ResumedRun? {
    let stateFolder = absolutePath(try stateFolder(request))
    var earlier: EarlierRuns
    switch try search(request, stateFolder) {
    case .found(let runs): earlier = runs
    // A person may want a task of it to run again.
    case .succeeded(let runs) where !request.again.isEmpty: earlier = runs
    case .succeeded(let runs):
      printMessage("nothing to do: run \(runs.runs[0].header.run) succeeded")
      return nil
    case .none:
      throw StateError.noRun(request.run ?? request.plan?.plan.name, stateFolder)
    }
    let header = earlier.runs[0].header
    let file = try PlanFile(
      header.invocation, folder: header.folder, arguments: header.arguments)
    try file.checkNeeds()
    if header.lacksSecret, !file.plan.secrets.isEmpty || header.hidesOuterSecrets {
      throw StateError.notResumable(
        header.run,
        "a value or an argument of it had a secret, which is stored nowhere; begin a new run")
    }
    let done = try names(request.done, "--done", in: file)
    let again = try names(request.again, "--again", in: file)
    if let both = done.intersection(again).min() {
      throw UsageError(message: "--done and --again name the same task: '\(both)'")
    }
    earlier.done = earlier.done.subtracting(again).union(done)
    earlier.again = earlier.again.subtracting(done).union(again)
    var options = request.options
    options.stateFolder = stateFolder
    options.workers = options.workers ?? header.workers
    options.machines = options.machines.completed(by: header.machines)
    if !request.hasPolicy { options.policy = header.policy }
    options.invocation = file.invocation
    if request.isDry {
      options.earlier = earlier
      return ResumedRun(file: file, options: options, notes: earlier.warnings)
    }
    let ended = try earlier.endLeftovers()
    let unasked = earlier.unasked(with: options.machines)
    if !unasked.isEmpty {
      let time = earlier.longestLife
      printMessage(
        "waits \(DurationText.chosen(time)) until nothing of run \(header.run) can be alive on \(unasked.joined(separator: ", ")); with --on \(unasked.joined(separator: ",")), it would ask there"
      )
      let end = MonotonicTime.continuous + time
      while case let left = end - MonotonicTime.continuous, left > .zero {
        _ = poll(nil, 0, PollTimeout.milliseconds(left))
      }
    }
    options.earlier = earlier
    let notes =
      ended > 0
      ? ["ended \(ended == 1 ? "1 process" : "\(ended) processes") that run \(header.run) had left"]
      : []
    return ResumedRun(file: file, options: options, notes: earlier.warnings + notes)
  }

  /// Searches for the run.
  private static func search(
    _ request: Request, _ stateFolder: String
  ) throws(StateError) -> EarlierRuns.Search {
    guard let run = request.run else {
      guard let plan = request.plan else { return try EarlierRuns.newest(in: stateFolder) }
      return try EarlierRuns.newest(of: plan.plan.name, file: plan.invocation.file, in: stateFolder)
    }
    let only = try RunFolder.only(beginningWith: run, in: stateFolder)
    return try EarlierRuns.named(only?.name ?? run, in: stateFolder)
  }

  /// The state folder: the given one, that of the current folder, or the one beside the plan.
  private static func stateFolder(_ request: Request) throws -> String {
    if let folder = request.options.stateFolder { return folder }
    if let plan = request.plan { return StateFolder.path(in: plan.folder) }
    return try RunSearch(in: request.directory, stateFolder: nil).stateFolder
  }

  /// The names of tasks that were given; the name before a matrix stands for all of its tasks.
  private static func names(
    _ words: [String], _ option: String, in file: PlanFile
  ) throws(UsageError) -> Set<String> {
    var names: Set<String> = []
    for word in words {
      let found = file.plan.tasks.filter { $0.name == word || $0.base == word }.map(\.name)
      if found.isEmpty {
        var spelling = SpellingSuggestion()
        let other = spelling.name(for: word, in: file.plan.tasks.map(\.name))
        throw UsageError(
          message: "\(option) names '\(file.plan.hiding(word))', which is no task of the run"
            + (other.map { "; did you mean \($0)?" } ?? ""))
      }
      names.formUnion(found)
    }
    return names
  }
}
