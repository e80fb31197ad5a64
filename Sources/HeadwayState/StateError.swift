package import HeadwaySystem

/// The reason why a state folder, or a run in it, cannot be used.
package enum StateError: Error, Hashable, Sendable {
  /// The state folder, or something in it, cannot be used for a reason.
  case folder(String, String)
  /// There is no run of that name, or none at all, in a state folder.
  case noRun(String?, String)
  /// The stored run of a name cannot be read for a reason.
  case run(String, String)
  /// The stored run of a name, which may be the newest one that is asked for, cannot be read for a reason.
  case newestRun(String, String)
  /// The run of a name cannot be resumed for a reason.
  case notResumable(String, String)
  /// Other runs of the plan go on, also after this one has waited for them, and one of them or this one is exclusive.
  case busy(plan: String, runs: [String], hasWaited: Bool)
  /// The run is exclusive, but is a part of another run of the plan that is not.
  case notAlone(plan: String, outer: String)
  /// The run is exclusive, but a file cannot be locked because of an error of the system.
  case cannotLock(String, Int32)

  /// A line for the user.
  package var message: String {
    switch self {
    case .folder(let path, let reason):
      "cannot use '\(path)': \(reason); name another folder with --state DIR"
    case .noRun(let name?, let path):
      "there is no run '\(name)' in '\(path)'; headway runs lists them"
    case .noRun(nil, let path): "there are no runs in '\(path)'"
    case .run(let name, let reason):
      "cannot read the run '\(name)': \(reason)"
    case .newestRun(let name, let reason):
      "cannot read the run '\(name)': \(reason); it may be the newest one, so no older one takes its place: name a run, as headway runs lists them"
    case .notResumable(let name, let reason):
      "cannot resume the run '\(name)': \(reason)"
    case .busy(let plan, let runs, let hasWaited):
      "another run of '\(plan)' goes on\(runs.isEmpty ? ", or another program has locked its file in the folder 'locks' of the state folder" : ": \(runs.joined(separator: ", "))"); this run or that one is exclusive, so this one has not begun\(hasWaited ? "" : "; --wait 10m waits for it")"
    case .notAlone(let plan, let outer):
      "this run is inside run \(outer) of '\(plan)', which is not exclusive; begin that one with --exclusive, and leave it out here"
    case .cannotLock(let path, let code):
      "cannot lock '\(path)': \(errorDescription(code))"
    }
  }

  /// The state folder, or something in it, cannot be written because of an error of the system.
  package static func cannotWrite(_ path: String, _ code: Int32) -> StateError {
    .folder(path, errorDescription(code))
  }

  /// Something in the state folder cannot be opened.
  package init(_ error: DirectoryError) { self = .folder(error.path, error.reason) }

  /// Opens something in the state folder.
  ///
  /// - Parameter body: What opens it.
  /// - Returns: What the function returns.
  /// - Throws: `StateError.folder` if the function throws.
  package static func opening<Result>(
    _ body: () throws(DirectoryError) -> Result
  ) throws(StateError) -> Result {
    do throws(DirectoryError) {
      return try body()
    } catch {
      throw StateError(error)
    }
  }
}
