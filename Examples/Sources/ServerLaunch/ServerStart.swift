import Console
import HeadwayLaunch

/// The life of the server in two runs: its start, which has a deadline, is a task of the outer run.
struct ServerStart: Sendable {
  /// The names of the tasks that other code uses.
  enum Name {
    /// Announces the server to the registry; the task that hangs.
    static let announce = "announce to the registry"
    /// The start, as a task of the outer run.
    static let start = "start"
    /// Prints the result of the start.
    static let sumUp = "sum up"
    /// Answers requests until it is cancelled.
    static let serve = "serve"
    /// Releases the resources of the other tasks.
    static let close = "close"
  }

  /// The time limit of a task: much longer than it ever needs.
  private static let patience = Duration.seconds(60)
  /// The time limit of the announcement, which is optional.
  static let announceLimit = Duration.seconds(1)
  /// The grace period of the announcement.
  static let announceGrace = Duration.milliseconds(200)

  /// The server.
  let shop: Shop
  /// The registry.
  let registry: Registry
  /// The folder of a temporary database.
  let folder: Folder?
  /// The file of the database.
  let path: String

  /// The tasks of the start.
  ///
  /// Only one of them at a time may use the database; those on which listening depends go first.
  func startGraph() -> LaunchGraph {
    LaunchGraph(pools: ["database": 1]) {
      PlannedTask(
        "open the database",
        .blocking { _ in
          try folder?.make()
          try shop.open(path)
        }
      )
      .timeout(Self.patience)
      PlannedTask("migrate the schema", .blocking { _ in try shop.migrate() })
        .after("open the database")
        .pool("database")
        // Another program may be writing at the moment.
        .retries(5, backoff: .milliseconds(100), jitter: 0.5)
        .timeout(Self.patience)
      PlannedTask("read the settings", .blocking { _ in try shop.readSettings() })
        .after("migrate the schema")
        .pool("database")
        .priority(1)
        .timeout(Self.patience)
      PlannedTask("warm the cache", .blocking { _ in try shop.warmCache() })
        .after("migrate the schema")
        .pool("database")
        .timeout(Self.patience)
      PlannedTask("listen", .blocking { _ in try shop.listen() })
        .after("read the settings")
        .timeout(Self.patience)
      PlannedTask(Name.announce, .blocking { _ in try registry.announce(shop.port ?? 0) })
        .after("listen")
        .timeout(Self.announceLimit, grace: Self.announceGrace)
        .optional()
      PlannedTask("answer a first question", .blocking { _ in try shop.checkReadiness() })
        .after("listen", "warm the cache")
        .pool("database")
        .timeout(Self.patience)
    }
  }

  /// The outer run: the start and its result, serving if requested, and the clean-up in any case.
  ///
  /// - Parameters:
  ///   - start: The start.
  ///   - isServing: Whether to serve afterwards.
  ///   - sumUp: Prints the result of the start.
  /// - Returns: The tasks.
  func wholeGraph(
    _ start: Launcher, isServing: Bool, sumUp: @escaping @Sendable () async -> Void
  ) -> LaunchGraph {
    LaunchGraph {
      start
      PlannedTask(Name.sumUp) { _ in await sumUp() }
        .after(Name.start)
      if isServing {
        PlannedTask(Name.serve) { _ in
          tell("serving http://127.0.0.1:\(shop.port ?? 0)/items/42 until Ctrl-C\n")
          // Ends when the task is cancelled.
          for await question in shop.questions { tell("\(question)\n") }
        }
        .after(Name.sumUp)
      }
      PlannedTask(
        Name.close,
        .blocking { _ in
          shop.close()
          registry.close()
          try folder?.remove()
        }
      )
      .after(isServing ? Name.serve : Name.sumUp)
      .always()
    }
  }
}
