// Calls the bodies that do not run in a slot, and what the others share with them.

internal import HeadwayProgress
internal import HeadwaySystem

extension Launcher {
  /// Starts an attempt that does not need a slot.
  func start(_ running: RunningTask, _ body: TaskBody) {
    switch body.form {
    case .nothing, .immediate, .asynchronous: break
    case .blocking(let function):
      let error = SystemThread.start(named: "headway-task") {
        self.end(running, self.call(function, running))
      }
      // Asynchronously, so that many such tasks in a row do not use a stack frame each.
      if error != 0 { runTask { self.end(running, .failure(ThreadCreationError(code: error))) } }
    case .reporting(let function): runTask { await self.callReporting(function, running) }
    }
  }

  /// Calls a function that starts something, with its node as the current node, and inside its span if there is a tracer.
  private func callReporting(
    _ function: @Sendable (LaunchContext, TaskReport) async -> Void, _ running: RunningTask
  ) async {
    let context = LaunchContext(running: running)
    let index = running.index
    let report = TaskReport(
      onFurther: { self.noteReportedAgain(index) }, { self.end(running, $0) })
    guard isTraced, let span = running.span else {
      return await ProgressNode.withCurrent(running) { await function(context, report) }
    }
    _ = await span.call(context) {
      await ProgressNode.withCurrent(running) { await function(context, report) }
      return .success(())
    }
  }

  /// Runs a closure in a new Swift task.
  @discardableResult
  func runTask(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if let executor = options.executor {
      return Task.detached(executorPreference: executor, priority: options.priority) {
        await body()
      }
    }
    return Task.detached(priority: options.priority) { await body() }
  }

  /// Calls a synchronous function, inside its span if there is a tracer.
  func call(
    _ function: @Sendable (LaunchContext) throws -> Void, _ running: RunningTask
  ) -> Result<Void, any Error> {
    guard isTraced, let span = running.span else { return Self.call(function, running) }
    return span.call(LaunchContext(running: running)) { Self.call(function, running) }
  }

  /// Calls a synchronous function with its node as the current node.
  private static func call(
    _ function: @Sendable (LaunchContext) throws -> Void, _ running: RunningTask
  ) -> Result<Void, any Error> {
    do {
      try ProgressNode.withCurrent(running) {
        try function(LaunchContext(running: running))
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }
}
