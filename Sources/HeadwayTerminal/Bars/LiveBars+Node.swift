public import HeadwayProgress

/// Bars that follow a progress tree.
extension LiveBars {
  /// Shows a progress node and its descendants until it finishes or the task is cancelled.
  ///
  /// The node leaves a line when it ends. Its descendants disappear without one, unless you ask for it. Beside each bar are the node's detail and,
  /// if its total is known, its counts. Bars and percentages are those of the counts, and stand still between them.
  ///
  /// The thread that draws reads the tree, so that the bars move while all threads of Swift's pool compute.
  ///
  /// A node does not know whether its work has failed, so one that has finished counts as done. Where work can fail, use
  /// ``follow(_:leavesChildLines:isolation:during:)``.
  ///
  /// - Parameters:
  ///   - node: The node, which is not retained.
  ///   - leavesChildLines: Whether each descendant leaves a line when it ends, as the node does. Of a tree with more than 64
  ///     nodes, only those with bars do.
  public func follow(_ node: ProgressNode, leavesChildLines: Bool = false) async {
    let tree = startFollowing(node, leavesChildLines: leavesChildLines)
    // Only for the end, which must not depend on a thread that cannot draw, because the terminal is gone or left to others.
    for await _ in node.feed(every: BarBoard.interval, limit: 1) {}
    stopFollowing(tree, nil)
  }

  /// Shows a progress node and its descendants while a function does the work, and says at the end whether it failed.
  ///
  /// ```swift
  /// let file = try await bars.follow(node) { try await download(url, node) }
  /// try await bars.follow(launcher.progress) { try await launcher.run().get() }
  /// ```
  ///
  /// The node leaves a line when the function has returned, or has thrown: then it failed, or was stopped if the error is
  /// `CancellationError` or the node was cancelled. That line is about the node alone: those of its descendants do not know whether their
  /// work has failed.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - leavesChildLines: Whether each descendant leaves a line when it ends, as the node does.
  ///   - isolation: The actor of the caller, on which the function runs.
  ///   - body: The function.
  /// - Returns: What the function returns.
  /// - Throws: What the function throws.
  public func follow<Success, Failure: Error>(
    _ node: ProgressNode, leavesChildLines: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    during body: () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let tree = startFollowing(node, leavesChildLines: leavesChildLines)
    let result: Result<Success, Failure>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    stopFollowing(tree, result.ending(isCancelled: node.isCancelled))
    return try result.get()
  }
}

extension Result {
  /// What a bar says about the work.
  fileprivate func ending(isCancelled: Bool) -> BarBoard.Outcome {
    switch self {
    case .success: .succeeded
    case .failure(let error): error is CancellationError || isCancelled ? .stopped : .failed
    }
  }
}
