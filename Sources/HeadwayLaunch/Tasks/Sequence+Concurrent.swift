internal import HeadwaySystem

extension Sequence where Element: Sendable {
  /// Calls a function for each element, several at a time, and returns the results in the order of the elements.
  ///
  /// ```swift
  /// let bar = bars.add("resize", total: photos.count)
  /// let sizes = try await photos.concurrentMap { photo in
  ///   let size = try await resize(photo)
  ///   bar.complete()
  ///   return size
  /// }
  /// bar.end()
  /// ```
  ///
  /// The first error ends the rest: once it is noticed, calls that have begun are cancelled and waited for, and no further ones
  /// begin. The same happens if the calling task is cancelled. The calls are Swift tasks, so a function that blocks its thread, or
  /// computes for long, keeps other tasks of the program waiting. For jobs that need retries, time limits, names or priorities, see ``Launcher/makeQueue(_:settings:name:workers:policy:options:)``.
  ///
  /// - Parameters:
  ///   - workers: The number of calls at a time, at least 1; nil for one for each core.
  ///   - isolation: The actor of the caller, on which the elements are read.
  ///   - body: The function.
  /// - Returns: What the function returns for each element.
  /// - Throws: The first error of the function, or `CancellationError`.
  public func concurrentMap<Result: Sendable>(
    workers: Int? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (Element) async throws -> Result
  ) async throws -> [Result] {
    var results: [Result?] = []
    results.reserveCapacity(underestimatedCount)
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var free = Swift.max(workers ?? Processors.count, 1)
      for (index, element) in enumerated() {
        if free > 0 {
          free -= 1
        } else if let (ended, result) = try await group.next() {
          results[ended] = result
        }
        try Task.checkCancellation()
        results.append(nil)
        group.addTask { (index, try await body(element)) }
      }
      for try await (ended, result) in group { results[ended] = result }
    }
    // Every element has a result, otherwise the group has thrown.
    return results.compactMap(\.self)
  }

  /// Calls a function for each element, several at a time.
  ///
  /// The first error ends the rest, as in ``concurrentMap(workers:isolation:_:)``.
  ///
  /// - Parameters:
  ///   - workers: The number of calls at a time, at least 1; nil for one for each core.
  ///   - isolation: The actor of the caller, on which the elements are read.
  ///   - body: The function.
  /// - Throws: The first error of the function, or `CancellationError`.
  public func concurrentForEach(
    workers: Int? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (Element) async throws -> Void
  ) async throws {
    _ = try await concurrentMap(workers: workers, body)
  }
}
