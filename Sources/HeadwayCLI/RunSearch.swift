internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText

/// A run and where it is stored.
struct FoundRun {
  /// The folder of the run.
  let folder: RunFolder
  /// The path of the state folder.
  let stateFolder: String
}

/// Finds a run by what a person calls it: in the state folder here, or wherever it goes on.
struct RunSearch {
  /// The path of the state folder.
  let stateFolder: String
  /// The folder to look in, nil for the current one.
  private let directory: String?
  /// The state folder that was named, nil for the one beside the plan.
  private let given: String?

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - directory: The folder to look in, nil for the current one.
  ///   - stateFolder: The state folder, nil for the one beside the plan.
  /// - Throws: `UsageError` if a folder has two plans, or others could have written the plan.
  init(in directory: String?, stateFolder: String?) throws(UsageError) {
    (self.directory, given) = (directory, stateFolder)
    if let stateFolder {
      self.stateFolder = stateFolder
      return
    }
    let here = StateFolder.path(in: directory ?? ".")
    // A plan of another name has its state folder here, too.
    if FileStatus(here, followsLinks: false) != nil {
      self.stateFolder = here
      return
    }
    let prefix = directory.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
    let plan = try PlanSearch.path(from: prefix)
    self.stateFolder = StateFolder.path(in: splitPath(plan).folder)
  }

  /// Creates a search where the options `-C` and `--state` say.
  ///
  /// - Throws: `UsageError` if a folder has two plans, or others could have written the plan.
  init(_ parsed: Arguments) throws(UsageError) {
    try self.init(in: parsed.directory, stateFolder: parsed.options["--state"])
  }

  /// Finds a run that is named, or the only one that goes on.
  ///
  /// - Parameter word: The name of a run, here or elsewhere, or what `findStored(_:)` takes; nil for the only one that goes on, here or
  ///   else, without a state folder that was named, anywhere.
  /// - Returns: The run, nil if there is none.
  /// - Throws: `UsageError` if several go on; `StateError.folder` if the state folder belongs to another user.
  func find(_ word: String?) throws -> FoundRun? {
    if let word {
      // The beginning of a name looks like one, too.
      return try findHere(word) ?? Self.running(named: word)
    }
    let here = try runningRuns(stateFolder: stateFolder).map { $0.header.run }
    // Where a state folder was named, runs elsewhere are not meant.
    let found = here.isEmpty && given == nil ? Self.published() : try here.compactMap(find)
    let own = Set(RunFolder.ownRuns(found.map(\.folder)).map(\.name))
    let running = found.filter { own.contains($0.folder.name) }
    if running.count > 1 {
      throw UsageError(
        details: running.map { "\($0.folder.name)  \($0.stateFolder)\n" }.joined(),
        message: "\(running.count) runs go on; name one of them")
    }
    return running.first
  }

  /// Finds a run that goes on or has ended.
  ///
  /// - Parameter word: The name of a run, `latest`, the beginning of a name that no other run here has, a plan file, or the
  ///   name of a plan; nil for any run here.
  /// - Returns: Of several runs the only one that goes on, or else the newest; nil if there is none.
  /// - Throws: `UsageError` for a plan that cannot be read; `StateError` if the state folder cannot be used.
  func findStored(_ word: String?) throws -> FoundRun? {
    if let word, PlanFile.isPlan(word) {
      let location = try HistoryLocation(word, stateFolder: given, in: directory)
      return try Self.best(of: location.plan, in: location.folder)
    }
    guard let word else {
      return try Self.best(of: nil, in: stateFolder)
    }
    return try findHere(word) ?? Self.running(named: word)
  }

  /// Finds a run in the state folder by its name or the unique beginning of that, or by the name of its plan.
  private func findHere(_ word: String) throws -> FoundRun? {
    if let folder = try RunFolder.named(word, in: stateFolder) { return found(folder) }
    if let folder = try RunFolder.only(beginningWith: word, in: stateFolder) {
      return found(folder)
    }
    return try Self.best(of: word, in: stateFolder)
  }

  /// Finds a run and names of its tasks.
  ///
  /// - Parameter words: A run, as `findStored(_:)` finds it, and tasks; either may be left out. A word that is both is the run.
  /// - Returns: The run and the tasks, nil if there is no such run.
  /// - Throws: `UsageError` for a plan that cannot be read; `StateError` if the state folder cannot be used.
  func findWithTasks(_ words: [String]) throws -> (run: FoundRun, tasks: [String])? {
    if let first = words.first {
      if let run = try findStored(first) { return (run, Array(words.dropFirst())) }
      if RunFolder.isName(first) || PlanFile.isPlan(first) { return nil }
    }
    return try findStored(nil).map { ($0, words) }
  }

  /// The only run that goes on, or else the newest.
  ///
  /// - Parameters:
  ///   - plan: The plan whose runs count, nil for all.
  ///   - stateFolder: The path of the state folder.
  /// - Returns: The run, nil if there is none.
  /// - Throws: `StateError` if the state folder cannot be used, or a run cannot be read that may be the newest.
  private static func best(
    of plan: String?, in stateFolder: String
  ) throws(StateError) -> FoundRun? {
    let running = try RunFolder.all(in: stateFolder).filter { folder in
      guard let plan else { return folder.mayBeRunning }
      return folder.mayBeRunning && (try? folder.header())?.plan.isExactly(plan) == true
    }
    let own = RunFolder.ownRuns(running)
    let folder =
      own.count == 1 ? own[0] : try RunFolder.newest(of: plan, in: stateFolder)
    return folder.map { FoundRun(folder: $0, stateFolder: stateFolder) }
  }

  /// Says that there is no such run.
  ///
  /// - Parameter word: What was asked for, nil for any run.
  /// - Returns: The exit code.
  func notFound(_ word: String?) -> ExitCode {
    printMessage(StateError.noRun(word, stateFolder).message)
    return .unavailable
  }

  private func found(_ folder: RunFolder) -> FoundRun {
    FoundRun(folder: folder, stateFolder: stateFolder)
  }

  /// The runs of this user that go on and are published, wherever they are stored.
  private static func published() -> [FoundRun] {
    PublishedWorks.now(onProblem: { _ in }).publications.compactMap { work in
      guard let name = work.name,
        let process = work.id.split(separator: ".").first.flatMap({ Int32($0) })
      else { return nil }
      return running(name, process)
    }
  }

  /// The run of a name that goes on, wherever it is stored, and although it may not be published yet: its process is in its name.
  private static func running(named word: String) -> FoundRun? {
    StateFolder.processNumber(of: word).flatMap { running(word, $0) }
  }

  /// The run of a name that a process carries out.
  private static func running(_ name: String, _ process: pid_t) -> FoundRun? {
    guard let stateFolder = RunFolder.stateFolder(of: name, heldBy: process) else { return nil }
    return (try? RunFolder.named(name, in: stateFolder)).flatMap(\.self).map {
      FoundRun(folder: $0, stateFolder: stateFolder)
    }
  }
}
