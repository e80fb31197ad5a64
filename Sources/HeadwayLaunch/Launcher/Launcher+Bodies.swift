// Calls the bodies that do not run in a slot, and what the others share with them.

internal import HeadwayProgress
internal import HeadwaySystem

extension Launcher {
  /// Starts an attempt that does not need a slot.
  func start(_ running: RunningTask, _ body: TaskBody) {
    switch body.form {
    case .nothing, .immediate, .asynchronous: break
    case .blocking(let function):
      startThread {
        self.end(running, self.call(function, running))
      } orFail: {
        self.end(running, .failure($0))
      }
    case .reporting(let function): runTask { await self.callReporting(function, running) }
    case .blockingReporting(let function):
      let report = report(of: running)
      // A report that is released with the closure would be a failure of its own.
      startThread {
        self.callBlockingReporting(function, running, report)
      } orFail: {
        report.fail($0)
      }
    }
  }

  /// Runs a closure on a thread of its own; if there is none, another one is called with the error.
  private func startThread(
    _ body: @escaping @Sendable () -> Void,
    orFail fail: @escaping @Sendable (ThreadCreationError) -> Void
  ) {
    let error = SystemThread.start(named: "headway-task", body)
    // Asynchronously, so that many such tasks in a row do not use a stack frame each.
    if error != 0 { runTask { fail(ThreadCreationError(code: error)) } }
  }

  /// Calls a function that blocks and reports later, with its node as the current node, and inside its span if there is a tracer.
  private func callBlockingReporting(
    _ function: @Sendable (LaunchContext, TaskReport) -> Void, _ running: RunningTask,
    _ report: TaskReport
  ) {
    _ = call({ function($0, report) }, running)
  }

  /// The report of an attempt.
  private func report(of running: RunningTask) -> TaskReport {
    let index = running.index
    return TaskReport(onFurther: { self.noteReportedAgain(index) }, { self.end(running, $0) })
  }

  /// Calls a function that starts something, with its node as the current node, and inside its span if there is a tracer.
  private func callReporting(
    _ function: @Sendable (LaunchContext, TaskReport) async -> Void, _ running: RunningTask
  ) async {
    let context = LaunchContext(running: running)
    let report = report(of: running)
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
