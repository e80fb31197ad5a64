import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import Loopback

/// What the app does at its start, as a graph or as a queue.
struct AppStart: Sendable {
  /// The limit of a task: much more than it ever needs, and still an end.
  private static let patience = Duration.seconds(60)
  /// The limit of the whole start.
  private static let deadline = Duration.seconds(180)

  /// The servers.
  let surroundings: Surroundings
  /// How long the app looks for a way to the server.
  let pathLimit: Duration
  /// What the tasks find.
  let findings = Findings()

  /// Prepares a start.
  ///
  /// - Parameters:
  ///   - surroundings: The servers.
  ///   - failing: The tasks that are to fail. Where no way answers, the silent one is not waited for that long.
  init(_ surroundings: Surroundings, failing: Set<StartStep>) {
    self.surroundings = surroundings
    pathLimit = failing.contains(.choosePath) ? .seconds(1) : Self.patience
  }

  /// The start as a graph: the version is checked beside the rest, and the app does without.
  ///
  /// - Returns: The start, which has not begun.
  /// - Throws: `GraphError` when the graph is not right.
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
    return try Launcher(graph, name: "start", options: LauncherOptions(deadline: Self.deadline))
  }

  /// The start as a queue: one task after the other, the check of the version as the queue's own, which is the first.
  ///
  /// - Returns: The start, which has not begun; its delegate decides what a failure means.
  /// - Throws: `LaunchError` when a task cannot be added.
  func queue() throws(LaunchError) -> Launcher {
    let options = LauncherOptions(deadline: Self.deadline)
    let queue = Launcher.makeQueue(checkVersion, name: "start", options: options)
    try queue.add(choosePath, settings: TaskSettings(timeout: pathLimit))
    try queue.add(
      StartStep.loadData.rawValue,
      settings: TaskSettings(timeout: Self.patience, retries: Self.retries), .blocking(loadData))
    return queue
  }

  /// How often the data are asked for again: a line that breaks once may well hold the next time.
  static let retries = RetryPolicy(limit: 2, backoff: .milliseconds(100), jitter: 0.5)

  /// The task that chooses the way to the server.
  private var choosePath: ChoosePath { ChoosePath(paths: surroundings.paths, findings: findings) }

  /// The task that asks for the newest version.
  private var checkVersion: CheckVersion {
    CheckVersion(port: surroundings.updates, findings: findings)
  }

  /// Loads the data of the first screen, on a thread that may block.
  ///
  /// What it calls reports by itself, and none of it knows of a launcher.
  ///
  /// - Parameter context: Has the node of the task.
  /// - Throws: What keeps the data away, `InitialData.Damaged`, and `CancellationError` when the task is cancelled.
  private func loadData(_ context: LaunchContext) throws {
    guard let path = findings.path else { preconditionFailure("no way to the server is chosen") }
    let progress = context.progress
    progress.total = 10
    let data = try progress.withCurrent(units: 7) {
      try HTTP.get("/initial-data", from: path.port)
    }
    try progress.withCurrent(units: 3) { try InitialData.check(data) }
    findings.data = data
  }
}

/// Asks whether there is a newer version.
struct CheckVersion: LaunchTask {
  /// The name.
  let name = StartStep.checkVersion.rawValue
  /// The port of the server that knows.
  let port: UInt16
  /// Where the answer is noted.
  let findings: Findings

  /// A thread of its own, because it waits for the server.
  var body: TaskBody { .blocking { _ in try check() } }

  /// An answer that is no version.
  struct NoVersion: Error, CustomStringConvertible {
    /// The answer.
    let answer: String

    /// The error in words.
    var description: String { "'\(answer)' is no version" }
  }

  /// The same for those who run the task by hand.
  ///
  /// - Parameter context: What the task may ask of its run, which is nothing.
  /// - Throws: What keeps the answer away.
  func run(_ context: LaunchContext) async throws { try check() }

  /// Asks, and reads the answer.
  ///
  /// - Throws: What keeps the answer away, and `NoVersion` for one that is none.
  private func check() throws {
    let answer = String(decoding: try HTTP.get("/version", from: port), as: UTF8.self)
    guard let version = Version(answer.prefix { !$0.isNewline }) else {
      throw NoVersion(answer: answer)
    }
    findings.newest = version
  }
}

/// Decides what a failure in the queue means, and ends the queue when all is done.
final class AppDelegate: LauncherDelegate {
  /// Goes on without the version, and ends for want of anything else.
  func launcher(
    _ launcher: Launcher, didFail task: TaskID, _ outcome: Outcome, error: (any Error)?
  ) -> FailureDecision {
    task.name == StartStep.checkVersion.rawValue ? .proceed : .end
  }

  /// Lets the queue end: nothing more will be added.
  func launcherDidEmptyQueue(_ launcher: Launcher) { launcher.close() }
}
