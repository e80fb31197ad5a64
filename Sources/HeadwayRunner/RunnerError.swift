internal import Glibc
internal import HeadwaySystem

/// The reason why a run could not begin.
package enum RunnerError: Error, Hashable, Sendable {
  /// The system refused something that the runner needs.
  case system(String, Int32)
  /// The state folder, or something in it, cannot be used for a reason.
  case state(String, String)
  /// The directory of the plan cannot be entered.
  case folder(String, Int32)
  /// The limit on open descriptors is too low for a task.
  case descriptors(limit: Int, needed: Int)

  /// A line for the user.
  package var message: String {
    switch self {
    case .system(let what, let code):
      "\(what): \(Self.words(code))"
    case .state(let path, let reason):
      "cannot use '\(path)': \(reason); name another folder with --state DIR"
    case .folder(let path, let code):
      "cannot enter the plan's folder '\(path)': \(Self.words(code))"
    case .descriptors(let limit, let needed):
      "the limit on open files is \(limit), and a run needs \(needed); raise it with ulimit -n"
    }
  }

  /// Something could not be written to standard output.
  package static func lostOutput(_ code: Int32) -> RunnerError {
    // Without a thread or a descriptor it was not even tried.
    .system(
      [EAGAIN, EMFILE].contains(code) ? "cannot show the run" : "cannot write to standard output",
      code)
  }

  /// The state folder, or something in it, cannot be written because of an error of the system.
  static func cannotWrite(_ path: String, _ code: Int32) -> RunnerError {
    .state(path, words(code))
  }

  /// The text for an error of the system; for a limit, its name and the command that changes it.
  static func words(_ code: Int32) -> String {
    switch code {
    case EAGAIN: "the limit on processes and threads is reached (ulimit -u)"
    case EMFILE: "the limit on open files is reached (ulimit -n)"
    case EFBIG: "the limit on the size of files is reached (ulimit -f)"
    default: unsafe String(cString: strerror(code))
    }
  }
}

extension WaitableEvent {
  /// Creates an event that is not set.
  ///
  /// - Throws: `RunnerError.system` if no descriptor is left.
  static func opened() throws(RunnerError) -> WaitableEvent {
    let event = WaitableEvent()
    guard event.isOpen else { throw .system("cannot wait for events", errno) }
    return event
  }
}
