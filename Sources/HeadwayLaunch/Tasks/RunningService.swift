/// The context of a running service: a task that stays up while other tasks need it.
///
/// ```swift
/// @Sendable func serve(_ service: RunningService<Database>, _ settings: Settings) async throws {
///   let database = try await Database.open(settings.path)
///   service.ready(database)  // what needs the database starts now
///   await service.waitForShutdown()
///   await database.close()
/// }
/// let database = graph.addService("database", providing: Database.self, after: settings) {
///   try await serve($0, $1)
/// }
/// ```
///
/// Safe to use from any thread. After the end of the service its methods have no effect.
public struct RunningService<Value: Sendable>: Sendable {
  /// The context of the attempt: progress, cancellation, and the number of the attempt.
  public let context: LaunchContext

  /// Reports that the service is ready, and what the tasks that need it get.
  ///
  /// Only the first call has an effect. A service that is started again has to call it as well; tasks keep the value that they
  /// received, so pass something that stays valid, such as an address or a pool of connections. The value must not keep this
  /// context, which keeps the launcher, which keeps the value.
  ///
  /// - Parameter value: The output of the service.
  /// - Complexity: O(tasks that wait for the service).
  public func ready(_ value: Value) {
    context.running.launcher.serviceReady(context.running, StoredValue(value))
  }

  /// Waits until the service is told to end: nothing needs it any more, the run was cancelled, or it was not ready in time.
  ///
  /// Call it in the function of the service, or in its child tasks: it waits for the cancellation of the calling Swift task.
  /// What follows has the grace period of the settings, and runs in a cancelled Swift task, in which `Task.sleep` and most
  /// network calls throw at once. Run such calls in `await Task { … }.value`.
  public func waitForShutdown() async {
    let (never, continuation) = AsyncStream<Never>.makeStream()
    // Ends with the cancellation of the task.
    for await _ in never {}
    continuation.finish()
  }
}

extension RunningService<Void> {
  /// Reports that the service is ready.
  public func ready() { ready(()) }
}

/// A service has returned although something still needed it.
///
/// ```swift
/// var graph = LaunchGraph()
/// let server = graph.addService("server", providing: Int.self) { service in service.ready(8080) }
/// graph.add("ask it", after: server) { port in await ask(port) }
/// let result = try await Launcher(graph, options: LauncherOptions(policy: .failFast)).run()
/// let hasEndedEarly = result["server"]?.error is ServiceEnded  // true
/// ```
public struct ServiceEnded: Error, Hashable, Sendable, CustomStringConvertible {
  /// A message with advice.
  public var description: String {
    "a service must stay until it is told to end: let its function wait with waitForShutdown()"
  }
}

extension LaunchGraph {
  /// Adds a service: a task that stays up while other tasks need it, and passes something to them.
  ///
  /// The tasks that come after it start once it is ready; from then on it does not occupy a worker. Once the last of them has
  /// ended, its Swift task is cancelled, and it has its grace period in which to close what it has opened; services are ended
  /// in the reverse order of their dependencies. A service that ends before that has failed, and is started again if its
  /// settings have retries. A service that no task comes after stays until all tasks have ended that do not prepare such a
  /// service; if there are none, until the run is cancelled.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - type: The type of what it passes to ``RunningService/ready(_:)``.
  ///   - inputs: The outputs of the tasks and services that it waits for.
  ///   - settings: The settings; the time limit is that for getting ready, and the retries are those of the whole run. Set a time
  ///     limit, so that a service that never gets ready does not hold up the run.
  ///   - body: The function, which stays until it is cancelled.
  /// - Returns: The output of the service.
  @discardableResult
  public mutating func addService<Value: Sendable, each Input: Sendable>(
    _ name: String, providing type: Value.Type, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (RunningService<Value>, repeat each Input) async throws -> Void
  ) -> TaskOutput<Value> {
    precondition(!settings.alwaysRuns, "service '\(name)' cannot be a task that always runs")
    var settings = settings
    settings.role = .service
    let id = addTask(
      name, settings: settings,
      .asynchronous { context in
        try await body(RunningService(context: context), repeat try context.output(each inputs))
      })
    repeat addInput(of: id, (each inputs).task)
    return TaskOutput(of: id)
  }

  /// Adds a service that passes nothing to other tasks.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks and services that it waits for.
  ///   - settings: The settings; the time limit is that for getting ready, and the retries are those of the whole run. Set a time
  ///     limit, so that a service that never gets ready does not hold up the run.
  ///   - body: The function, which stays until it is cancelled.
  /// - Returns: The output of the service, for tasks that come after it.
  @discardableResult
  public mutating func addService<each Input: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (RunningService<Void>, repeat each Input) async throws -> Void
  ) -> TaskOutput<Void> {
    addService(name, providing: Void.self, after: repeat each inputs, settings: settings, body)
  }
}

extension Launcher {
  /// Records that a service is ready, with its output.
  fileprivate func serviceReady(_ running: RunningTask, _ output: StoredOutput) {
    let index = running.index
    change { state, now in
      guard state.running[index] === running, !state.core.isFinished else { return }
      // After a restart tasks may be reading what they have, without the lock. Those that wait start after this.
      if state.core.serviceReady(state.core.id(index), at: .nanoseconds(now)) {
        outputs?[index] = output
      }
    }
  }
}
