import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import Loopback

/// The tasks of the app's start, as a graph or as a queue.
struct AppStart: Sendable {
  /// The time limit of a task: much longer than it ever needs.
  private static let patience = Duration.seconds(60)
  /// The time limit of the whole start, and the signals that end it.
  private static let options = {
    var options = LauncherOptions(deadline: .seconds(180))
    options.cancellationSignals = [.sigint, .sigterm]
    return options
  }()

  let surroundings: Surroundings
  /// How long the app looks for a path to the server.
  let pathLimit: Duration
  /// The findings of the tasks.
  let findings = Findings()

  /// Prepares a start.
  ///
  /// - Parameters:
  ///   - surroundings: The servers.
  ///   - failing: The tasks that should fail; if no path answers, the silent one gets a shorter time limit.
  init(_ surroundings: Surroundings, failing: Set<StartStep>) {
    self.surroundings = surroundings
    pathLimit = failing.contains(.choosePath) ? .seconds(1) : Self.patience
  }

  /// The start as a graph: the version is checked in parallel, and is optional.
  ///
  /// - Returns: The start, which has not begun.
  /// - Throws: `GraphError` if the graph is invalid.
  func graph() throws(GraphError) -> Launcher {
    let graph = LaunchGraph {
      choosePath
        .timeout(pathLimit)
      PlannedTask(StartStep.loadData.rawValue, .blocking(loadData))
        .after(StartStep.choosePath.rawValue)
        .timeout(Self.patience)
        .retries(Self.retries.limit, backoff: Self.retries.backoff, jitter: Self.retries.jitter)
      checkVersion
        .timeout(Self.patience)
        .optional()
    }
    return try Launcher(graph, name: "start", options: Self.options)
  }

  /// The start as a queue: one task after the other; the first one, the version check, is the queue's own task.
  ///
  /// - Returns: The queue, which has not started; its delegate decides after a failure.
  /// - Throws: `LaunchError` if a task cannot be added.
  func queue() throws(LaunchError) -> Launcher {
    let queue = Launcher.makeQueue(checkVersion, name: "start", options: Self.options)
    try queue.add(choosePath, settings: TaskSettings(timeout: pathLimit))
    try queue.add(
      StartStep.loadData.rawValue,
      settings: TaskSettings(timeout: Self.patience, retries: Self.retries), .blocking(loadData))
    return queue
  }

  /// The number of retries of a download that breaks off.
  static let retries = RetryPolicy(limit: 2, backoff: .milliseconds(100), jitter: 0.5)

  /// The task that chooses the path to the server.
  private var choosePath: ChoosePath { ChoosePath(paths: surroundings.paths, findings: findings) }

  /// The task that looks for the newest version.
  private var checkVersion: CheckVersion {
    CheckVersion(port: surroundings.updates, findings: findings)
  }

  /// Loads the data of the first screen, on a thread that may block.
  ///
  /// The functions that it calls report their progress and know nothing of a launcher.
  ///
  /// - Parameter context: The context of the task.
  /// - Throws: Network errors, `InitialData.Damaged`, and `CancellationError` if the task is cancelled.
  private func loadData(_ context: LaunchContext) throws {
    guard let path = findings.path else { preconditionFailure("no path to the server was chosen") }
    let progress = context.progress
    progress.total = 10
    let data = try progress.withCurrent(units: 7) {
      try HTTP.get("/initial-data", from: path.port)
    }
    try progress.withCurrent(units: 3) { try InitialData.check(data) }
    findings.data = data
  }
}

/// Looks for a newer version.
struct CheckVersion: LaunchTask {
  /// The name.
  let name = StartStep.checkVersion.rawValue
  /// The port of the server.
  let port: UInt16
  /// Receives the answer.
  let findings: Findings

  /// On a thread of its own, because it waits for the server.
  var body: TaskBody { .blocking { _ in try check() } }

  /// The error of an answer that is not a version.
  struct NoVersion: Error, CustomStringConvertible {
    /// The answer.
    let answer: String

    /// The error as text.
    var description: String { "'\(answer)' is no version" }
  }

  /// Does the same without a launcher.
  ///
  /// - Parameter context: The context of the task, which is not used.
  /// - Throws: The error of the request.
  func run(_ context: LaunchContext) async throws { try check() }

  /// Sends the request and reads the answer.
  ///
  /// - Throws: Network errors, and `NoVersion` for an invalid answer.
  private func check() throws {
    let answer = String(decoding: try HTTP.get("/version", from: port), as: UTF8.self)
    guard let version = Version(answer.prefix { !$0.isNewline }) else {
      throw NoVersion(answer: answer)
    }
    findings.newest = version
  }
}

/// Decides after a failure in the queue, and closes the queue when all tasks have ended.
final class AppDelegate: LauncherDelegate {
  /// Proceeds without the version, and ends the launch after any other failure.
  func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) -> FailureDecision {
    task.name == StartStep.checkVersion.rawValue ? .proceed : .end
  }

  /// Closes the queue, because no more tasks will be added.
  func launcherDidEmptyQueue(_ launcher: Launcher) { launcher.close() }
}
