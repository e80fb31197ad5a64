internal import HeadwayRelay
package import HeadwayState
internal import HeadwaySystem

extension OuterRun {
  /// The run around this program, nil if there is none or it is over: a process that it has left may live on.
  package static var current: OuterRun? {
    guard let outer = environmentValue(RunWork.Variable.identity).flatMap(OuterRun.init) else {
      return nil
    }
    return outer.isAlive ? outer : nil
  }

  /// Whether the innermost run goes on: its process exists here, or takes reports of a task on another machine.
  private var isAlive: Bool {
    if let process = StateFolder.processNumber(of: runs[runs.count - 1]),
      ProcessIdentity.exists(process)
    {
      return true
    }
    #if os(Linux)
      let share = environmentValue(RunWork.Variable.progress).flatMap { ParentShare($0) }
      return share?.connect() != nil
    #else
      return false
    #endif
  }
}
