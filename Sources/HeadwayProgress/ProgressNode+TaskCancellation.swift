internal import HeadwayLock

extension ProgressNode {
  /// Runs a closure that is cancelled with the node, and cancels the node with the calling task.
  ///
  /// - When the node is cancelled, the task of the closure is cancelled.
  /// - When the calling task is cancelled, the node and its descendants are cancelled.
  ///
  /// The closure runs on the caller's actor and can use values that are not `Sendable`. It runs as a child task of the
  /// caller, so that a cancel of the node does not cancel the caller.
  ///
  /// ```swift
  /// try await node.withTaskCancellation {
  ///   try await download(url)   // uses Task.isCancelled only
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; by default the caller's.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  public func withTaskCancellation<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    await withTaskCancellationHandler {
      await runAsChild(isolation: isolation) {
        do throws(Failure) {
          result = .success(try await body())
        } catch {
          result = .failure(error)
        }
      }
    } onCancel: {
      cancel()
    }
    guard let result else { preconditionFailure("a closure without a result") }
    return try result.get()
  }

  /// Runs a closure in a child task that the node cancels.
  private func runAsChild(isolation: isolated (any Actor)?, _ body: () async -> Void) async {
    // The child ends before this function returns, and runs on this actor while it waits.
    nonisolated(unsafe) let body = body
    let child = ChildTask()
    async let end: Void = unsafe run(child, isolation: isolation, body)
    await end
  }

  /// Runs a closure as the child task.
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
