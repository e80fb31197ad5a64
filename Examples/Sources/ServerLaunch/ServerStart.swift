import Console
import HeadwayLaunch

/// The life of the server as two runs: its start, which has a deadline, is a task of the whole.
struct ServerStart: Sendable {
  /// The names of the tasks that are asked for by name.
  enum Name {
    /// Tells the registry of the server; the task that hangs.
    static let announce = "announce to the registry"
    /// The start, as a task of the whole.
    static let start = "start"
    /// Says how the start went.
    static let sumUp = "sum up"
    /// Answers questions until it is cancelled.
    static let serve = "serve"
    /// Gives back what the others have taken.
    static let close = "close"
  }

  /// The limit of a task: much more than it ever needs, and still an end.
  private static let patience = Duration.seconds(60)
  /// The limit of the announcement, which the server does not need.
  static let announceLimit = Duration.seconds(1)
  /// How long the announcement may go on after it was cancelled.
  static let announceGrace = Duration.milliseconds(200)

  /// The server.
  let shop: Shop
  /// Where it announces itself.
  let registry: Registry
  /// The folder of the database where it is removed at the end.
  let folder: Folder?
  /// The file of the database.
  let path: String

  /// The tasks of the start.
  ///
  /// The database lets one of them in at a time. What the way to listening goes through is let in first.
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

  /// The whole life: the start and how it went, serving where that is wanted, and the clean-up, however the others
  /// ended.
  ///
  /// - Parameters:
  ///   - start: The start.
  ///   - isServing: Whether to serve afterwards.
  ///   - sumUp: Says how the start went.
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
