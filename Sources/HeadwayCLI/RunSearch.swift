internal import Glibc
internal import HeadwayConsole
internal import HeadwayRelay
internal import HeadwayRunner
internal import HeadwaySystem

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

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - directory: The folder to look in, nil for the current one.
  ///   - stateFolder: The state folder, nil for the one beside the plan.
  /// - Throws: `UsageError` if a folder has two plans, or others could have written the plan.
  init(in directory: String?, stateFolder: String?) throws(UsageError) {
    if let stateFolder {
      self.stateFolder = stateFolder
      return
    }
    let prefix = directory.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
    let here = "\(prefix).headway"
    // A plan of another name has its state folder here, too.
    if FileSystem.kind(of: Array(here.utf8), followsLinks: false) != nil {
      self.stateFolder = here
      return
    }
    let plan = try PlanSearch.path(from: prefix)
    let folder = plan.lastIndex(of: "/").map { String(plan[...$0]) } ?? ""
    self.stateFolder = "\(folder).headway"
  }

  /// Finds a run that is named, or the only one that goes on.
  ///
  /// - Parameter word: The name of a run or `latest`; nil for the only one that goes on, here or else anywhere.
  /// - Returns: The run, nil if there is none.
  /// - Throws: `UsageError` if several go on; `RunnerError.state` if the state folder belongs to another user.
  func find(_ word: String?) throws -> FoundRun? {
    if let word {
      if let folder = try RunFolder.named(word, in: stateFolder) { return found(folder) }
      return Self.published().first { $0.folder.name == word }
    }
    let here = try runningRuns(stateFolder: stateFolder).map { $0.header.run }
    let running = here.isEmpty ? Self.published() : try here.compactMap(find)
    if running.count > 1 {
      throw UsageError(
        details: running.map { "\($0.folder.name)  \($0.stateFolder)\n" }.joined(),
        message: "\(running.count) runs go on; name one of them")
    }
    return running.first
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
      guard let stateFolder = RunFolder.stateFolder(of: name, heldBy: process) else { return nil }
      return (try? RunFolder.named(name, in: stateFolder)).flatMap(\.self).map {
        FoundRun(folder: $0, stateFolder: stateFolder)
      }
    }
  }
}
