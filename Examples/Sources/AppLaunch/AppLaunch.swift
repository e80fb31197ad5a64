import Console
import HeadwayLaunch
import HeadwayRun
import Loopback

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Starts an app: chooses a path to the server, loads the initial data, checks the version, and shows all of it.
@main
enum AppLaunch {
  /// Runs the program.
  ///
  /// It exits with 1 if a required task failed, with 124 if one timed out, with 64 if the arguments are invalid, and
  /// with 70 if the launch did not go as requested.
  static func main() async {
    // Writing to a client that has gone must not end the program.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      if arguments.isHelp { return print(UsageError.usage) }
      exit(try await launch(arguments))
    } catch let error as UsageError {
      tell("AppLaunch: \(error.description)\n")
      exit(64)
    } catch {
      tell("AppLaunch: \(error)\n")
      exit(1)
    }
  }

  /// Starts the app.
  ///
  /// - Parameter arguments: The arguments.
  /// - Returns: The code to exit with.
  /// - Throws: `NetworkError` if the servers cannot be started.
  private static func launch(_ arguments: Arguments) async throws -> Int32 {
    let surroundings = try Surroundings(
      failing: arguments.failing, size: arguments.megabytes * 1_000_000)
    defer { surroundings.close() }
    let start = AppStart(surroundings, failing: arguments.failing)
    let launcher = try arguments.isQueue ? start.queue() : start.graph()
    // The launcher holds its delegate weakly.
    let delegate = AppDelegate()
    defer { withExtendedLifetime(delegate) {} }
    launcher.setDelegate(delegate)

    let optional = arguments.isQueue ? [] : [StartStep.checkVersion.rawValue]
    let result = await LaunchScreen(optional: Set(optional)).show(launcher)
    if let signal = result.signal, result.endReason == .cancelled {
      tell("AppLaunch: ended before the app was ready\n")
      signal.endProcess()
    }

    if let difference = Verdict(arguments, surroundings, start.findings).difference(in: result) {
      tell("AppLaunch: unexpected result: \(difference)\n")
      return 70
    }
    return sum(up: result, start.findings)
  }

  /// Prints the result of a launch.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - findings: The findings of the tasks.
  /// - Returns: The code to exit with.
  private static func sum(up result: LaunchResult, _ findings: Findings) -> Int32 {
    let failures = result.failures.filter { $0.name != StartStep.checkVersion.rawValue }
    if let failure = failures.first {
      let times = failure.attempts > 1 ? ", tried \(failure.attempts) times" : ""
      let isLate = failures.allSatisfy { if case .timedOut = $0.outcome { true } else { false } }
      let reason = isLate ? "timed out" : failure.error.map { "\($0)" } ?? "it failed"
      tell("AppLaunch: could not \(failure.name)\(times): \(reason)\n")
      return isLate ? 124 : 1
    }
    let version = findings.newest.map { $0 > Version.own ? "\($0) is available" : "the newest" }
    let size = findings.data.count / 1_000_000
    let path = findings.path?.name ?? ""
    print(
      """
      ready after \(milliseconds(result.duration)): \(size) MB by the \(path) way, \
      version \(Version.own) (\(version ?? "the newest version is unknown"))
      """)
    return 0
  }
}
