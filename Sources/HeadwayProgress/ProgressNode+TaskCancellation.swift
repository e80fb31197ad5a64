internal import HeadwayLock

extension ProgressNode {
  /// Runs a body that is cancelled with the node, and the node with it.
  ///
  /// - When the node is cancelled, the body's task is: `Task.isCancelled` holds in it, and what it waits for
  ///   throws.
  /// - When the calling task is cancelled, the node is, with all that is below it.
  ///
  /// The body runs on the caller's actor and may use what is not `Sendable`. It is a child task of the caller, so that
  /// cancelling it leaves the caller alone.
  ///
  /// ```swift
  /// try await node.withTaskCancellation {
  ///   try await download(url)   // knows of tasks, not of nodes
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on: the caller's.
  ///   - body: What to do.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func withTaskCancellation<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    var result: Swift.Result<Result, any Error>?
    await withTaskCancellationHandler {
      await runAsChild(isolation: isolation) {
        do {
          result = .success(try await body())
        } catch {
          result = .failure(error)
        }
      }
    } onCancel: {
      cancel()
    }
    guard let result else { preconditionFailure("a body has ended without a result") }
    return try result.get()
  }

  /// Runs a body in a child task that the node cancels.
  private func runAsChild(isolation: isolated (any Actor)?, _ body: () async -> Void) async {
    // The child ends before this function returns, and runs on this actor while it waits.
    nonisolated(unsafe) let body = body
    let child = ChildTask()
    async let end: Void = unsafe run(child, isolation: isolation, body)
    await end
  }

  /// Runs a body as the child task.
  private func run(
    _ child: ChildTask, isolation: isolated (any Actor)?, _ body: () async -> Void
  ) async {
    child.begin()
    let handler = onCancel { child.cancel() }
    await body()
    handler.remove()
    while !child.end() { await Task.yield() }
  }
}
