internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayTime

/// How a run takes part in a plan that other runs may carry out at the same time.
package struct PlanSharing: Sendable {
  /// Whether no other run of the plan may go on.
  package var isExclusive = false
  /// How long to wait for other runs.
  package var patience = Duration.zero
  /// Called once before waiting, with the names of the other runs.
  package var onWait: @Sendable ([String]) -> Void = { _ in }

  /// The run in one of whose tasks this one was started, nil for none.
  package var outer: OuterRun?

  /// Creates the sharing of a run that minds no other.
  package init() {}
}

/// The lock of a plan in a state folder: all runs share it, but one that is exclusive has it alone.
///
/// The lock belongs to an open file, and the kernel drops it when the process dies, however that happens.
final class PlanLock: Sendable {
  /// The folder of the locks in a state folder.
  static let folder = "locks"
  /// The time between two attempts to get the lock.
  private static let interval: useconds_t = 50_000

  private let file: Int32

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - name: The file name of the plan.
  ///   - folder: The folder of the locks.
  ///   - sharing: How the run takes part.
  ///   - runs: All runs.
  ///   - plan: The name of the plan.
  ///   - outer: The run of this plan of which this one is a part, nil for none.
  /// - Throws: `StateError.busy` if other runs have the lock until the time is over; `StateError.cannotLock` if the run is
  ///   exclusive and the file system knows no locks; `StateError.notAlone` if it is exclusive and the one around it is not.
  init(
    _ name: String, in folder: PrivateDirectory, _ sharing: PlanSharing, _ runs: RunList,
    plan: String, inside outer: String? = nil
  ) throws(StateError) {
    file = folder.openForLocking("\(name).lock")
    if let outer {
      // If it is refused, the run around this one is exclusive, and then so is this one. Waiting for that run would never end.
      let isShared = file >= 0 && FileLock.take(file, isShared: true) == 0
      if isShared, sharing.isExclusive { throw .notAlone(plan: plan, outer: outer) }
      return
    }
    let end = MonotonicTime.now + sharing.patience
    var hasTold = false
    while true {
      let error =
        file < 0 ? errno : FileLock.take(file, isShared: !sharing.isExclusive)
      if error == 0 { return }
      guard error == EAGAIN || error == EACCES, file >= 0 else {
        // Without locks, runs that mind no other go on.
        if !sharing.isExclusive { return }
        throw .cannotLock("\(folder.path)/\(name).lock", error)
      }
      let others = runs.running(plan)
      guard MonotonicTime.now < end else {
        throw .busy(plan: plan, runs: others, hasWaited: hasTold)
      }
      if !hasTold { sharing.onWait(others) }
      hasTold = true
      usleep(Self.interval)
    }
  }

  /// Whether other runs have the lock, too.
  var isShared: Bool { file >= 0 && FileLock.isTaken(file) == true }

  deinit { if file >= 0 { close(file) } }
}
