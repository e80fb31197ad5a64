internal import HeadwayLibc
package import HeadwayState
internal import HeadwaySystem

/// The reason why a run could not begin.
package enum RunnerError: Error, Hashable, Sendable {
  /// The system refused something that the runner needs.
  case system(String, Int32)
  /// The state folder, or a run in it, cannot be used.
  case state(StateError)
  /// The directory of the plan cannot be entered.
  case folder(String, Int32)
  /// The path of the plan's directory is not UTF-8, so that it can be neither stored nor passed on.
  case oddFolder(String)
  /// The limit on open descriptors is too low for a task, or to look at a run.
  case descriptors(limit: Int, needed: Int)
  /// Only this machine can carry out a task, for a reason.
  case notElsewhere(String, String)
  /// A machine cannot take part in the run for a reason.
  case worker(String, String)
  /// Workers cannot connect over TCP as a file, or to an address, for a reason.
  case connection(String, String)
  /// The folder for copies of files on another machine, or something in it, cannot be used for a reason.
  case copies(String, String)
  /// A task needs something that no machine has.
  case doesNotFit(String, String, String)
  /// Secrets of the plan are not set, or too short to be hidden.
  case secrets(missing: [String], short: [String])

  /// A line for the user.
  package var message: String {
    switch self {
    case .system(let what, let code):
      "\(what): \(errorDescription(code))"
    case .state(let error): error.message
    case .folder(let path, let code):
      "cannot enter the plan's folder '\(path)': \(errorDescription(code))"
    case .oddFolder(let path):
      "cannot use the plan's folder: its path is not UTF-8: '\(path)'; rename the folder"
    case .descriptors(let limit, let needed):
      "the limit on open files is \(limit), and headway needs \(needed); raise it with ulimit -n"
    case .notElsewhere(let task, let reason):
      "task '\(task)' can run only on this machine, because \(reason); run the plan without --on"
    case .worker(let host, let reason):
      "cannot use \(host): \(reason)"
    case .connection(let what, let reason):
      "cannot connect to the run by '\(what)': \(reason)"
    case .copies(let path, let reason):
      "cannot copy files to '\(path)': \(reason); name another folder with \"folder\" in the plan"
    case .doesNotFit(let task, let needs, let machines):
      "task '\(task)' fits on no machine of the run: it needs \(needs); \(machines)"
    case .secrets(let missing, let short):
      Self.words(missing, short)
    }
  }

  /// The error without secrets in what other machines and programs have said.
  func masked(by masked: (String) -> String) -> RunnerError {
    guard case .worker(let host, let reason) = self else { return self }
    return .worker(host, masked(reason))
  }

  /// What is wrong with secrets.
  private static func words(_ missing: [String], _ short: [String]) -> String {
    func list(_ names: [String]) -> String {
      "\(names.count == 1 ? "secret" : "secrets") \(names.map { "'\($0)'" }.joined(separator: ", "))"
    }
    let lost =
      "not set: \(list(missing)); set each in the environment or in a dotenv file of the plan"
    let bad =
      "too short to be hidden in output: \(list(short)); a secret has at least \(SecretMask.leastBytes) bytes"
    return [missing.isEmpty ? nil : lost, short.isEmpty ? nil : bad].compactMap { $0 }.joined(
      separator: "; ")
  }

  /// Something could not be written to standard output.
  package static func lostOutput(_ code: Int32, isError: Bool = false) -> RunnerError {
    // Without a thread or a descriptor it was not even tried.
    .system(
      [EAGAIN, EMFILE].contains(code)
        ? "cannot show the run" : "cannot write to standard \(isError ? "error" : "output")",
      code)
  }

  /// Uses the state folder.
  ///
  /// - Parameter body: What uses it.
  /// - Returns: What the function returns.
  /// - Throws: `RunnerError.state` if the function throws.
  static func using<Result>(
    _ body: () throws(StateError) -> Result
  ) throws(RunnerError) -> Result {
    do throws(StateError) {
      return try body()
    } catch {
      throw .state(error)
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

extension Poller {
  /// Creates a poller without descriptors.
  ///
  /// - Throws: `RunnerError.system` if no descriptor is left.
  static func opened() throws(RunnerError) -> Poller {
    let poller = Poller()
    guard poller.isOpen else { throw .system("cannot wait for events", errno) }
    return poller
  }
}
