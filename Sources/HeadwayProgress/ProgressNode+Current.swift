internal import HeadwayLock
internal import Synchronization

extension ProgressNode {
  /// The node of the innermost ``withCurrent(units:_:)`` around this code, nil if there is none.
  ///
  /// Tasks inherit it unless they are detached. To report progress, use ``joinCurrent(_:units:total:)`` instead.
  ///
  /// - Complexity: O(1): one read of a task-local value.
  public static var current: ProgressNode? { ProgressScope.current.get()?.scope.node }

  /// Makes this the current node while a closure runs, so that the functions it calls can report some of its units.
  ///
  /// ```swift
  /// let node = ProgressNode(total: 2)
  /// let image = node.withCurrent(units: 1) { load(file) }
  /// node.withCurrent(units: 1) { blur(image) }
  /// ```
  ///
  /// A function joins with ``joinCurrent(_:units:total:)``, or does not report progress at all. When the closure
  /// returns or throws, the units that no function has taken are completed. A child that is still alive keeps its
  /// units until it finishes.
  ///
  /// - Parameters:
  ///   - units: The units of this node that the closure stands for; less than 0 counts as 0.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  /// - Complexity: O(1), without a lock.
  @inlinable
  public func withCurrent<Result, Failure: Error>(
    units: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let scope = ProgressScope(of: self, units: units)
    defer { scope.end() }
    var result: Swift.Result<Result, Failure>?
    ProgressScope.current.withValue(scope) {
      do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
    }
    guard let result else { preconditionFailure("a closure without a result") }
    return try result.get()
  }

  /// Makes this the current node while an asynchronous closure runs.
  ///
  /// Works like the synchronous version. Child tasks and unstructured tasks can join as well; detached tasks cannot.
  ///
  /// - Parameters:
  ///   - units: The units of this node that the closure stands for; less than 0 counts as 0.
  ///   - isolation: The actor to run on; by default the caller's.
  ///   - body: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  /// - Complexity: O(1), without a lock.
  @inlinable
  public func withCurrent<Result, Failure: Error>(
    units: Int, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let scope = ProgressScope(of: self, units: units)
    defer { scope.end() }
    var result: Swift.Result<Result, Failure>?
    await ProgressScope.current.withValue(
      scope,
      operation: {
        do throws(Failure) {
          result = .success(try await body())
        } catch {
          result = .failure(error)
        }
      }, isolation: isolation)
    guard let result else { preconditionFailure("a closure without a result") }
    return try result.get()
  }

  /// Creates a node for the work of a function: a child of the current node, or a root if there is none.
  ///
  /// With this a function reports its progress without a parameter:
  ///
  /// ```swift
  /// func blur(_ image: Image) {
  ///   let progress = ProgressNode.joinCurrent("Blurring", total: image.height)
  ///   for row in image.rows {
  ///     blur(row)
  ///     progress.complete(1)
  ///   }
  /// }
  /// ```
  ///
  /// The child takes the given number of the scope's remaining units, or all of them. If none remain, it counts for
  /// nothing, but cancel, pause and typed values still work.
  ///
  /// - Parameters:
  ///   - label: A short name of the work; empty for none.
  ///   - units: The units of the current node to take, nil for all that remain.
  ///   - total: The units of the work itself, nil while unknown.
  /// - Returns: The node. It finishes at the latest when its last reference is dropped.
  /// - Complexity: O(1): one lock.
  public static func joinCurrent(
    _ label: String = "", units: Int? = nil, total: Int? = nil
  ) -> ProgressNode {
    guard let current = ProgressScope.current.get() else {
      return ProgressNode(label, total: total)
    }
    return current.scope.child(label, units: units, total: total)
  }
}

/// The current progress while a closure runs: a scope, or an object that creates one when a function joins.
@usableFromInline
package protocol CurrentProgress: AnyObject, Sendable {
  /// The scope; the same one each time.
  var scope: ProgressScope { get }
}

extension ProgressNode {
  /// Makes a node current that is created when a function joins it.
  @inlinable
  package static func withCurrent<Failure: Error>(
    _ current: any CurrentProgress, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    var result = Result<Void, Failure>.success(())
    ProgressScope.current.withValue(current) {
      do throws(Failure) { try body() } catch { result = .failure(error) }
    }
    try result.get()
  }

  /// Makes a node current that is created when a function joins it, while an asynchronous closure runs.
  @inlinable
  package static func withCurrent(
    _ current: any CurrentProgress, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows {
    try await ProgressScope.current.withValue(current, operation: body, isolation: isolation)
  }
}

/// The units of a node that a closure stands for while it runs.
@safe
@usableFromInline
package final class ProgressScope: CurrentProgress {
  /// The current progress of the running code.
  @usableFromInline static let current = TaskLocal<(any CurrentProgress)?>(wrappedValue: nil)

  /// The node, retained by hand so that joining does not retain it again.
  private let object: Unmanaged<ProgressNode>
  /// The units that no function has taken.
  private let remaining: Atomic<Int>

  @usableFromInline
  init(of node: ProgressNode, units: Int) {
    unsafe object = Unmanaged.passRetained(node)
    remaining = Atomic(max(units, 0))
  }

  /// Creates the scope of a node that the closure may also count in itself.
  ///
  /// If the node has no total, the first function that joins stands for all of it. Otherwise it counts for nothing.
  ///
  /// - Parameter node: A node without children.
  package convenience init(joining node: ProgressNode) {
    let isWhole = node.total == nil
    if isWhole { node.total = 1 }
    self.init(of: node, units: isWhole ? 1 : 0)
  }

  deinit { unsafe object.release() }

  var node: ProgressNode { unsafe object.takeUnretainedValue() }

  @usableFromInline
  package var scope: ProgressScope { self }

  /// Creates a child with units of this scope; nil units stand for all that remain.
  func child(_ label: String, units: Int?, total: Int?) -> ProgressNode {
    let taken = take(units)
    return unsafe object._withUnsafeGuaranteedRef { $0.child(label, units: taken, total: total) }
  }

  /// Takes units for a child.
  ///
  /// - Parameter units: How many, nil for all that remain.
  /// - Returns: The number of units taken, which is less if fewer remain.
  private func take(_ units: Int?) -> Int {
    guard let units else { return remaining.exchange(0, ordering: .relaxed) }
    var available = remaining.load(ordering: .relaxed)
    while true {
      let taken = min(max(units, 0), available)
      let (done, seen) = remaining.compareExchange(
        expected: available, desired: available - taken, ordering: .relaxed)
      if done { return taken }
      available = seen
    }
  }

  /// Completes the units that no function has taken, so that a child that joins later counts for nothing.
  @usableFromInline
  func end() {
    // No unit can be given back, so nothing remains once this is 0.
    guard remaining.load(ordering: .relaxed) > 0 else { return }
    let units = remaining.exchange(0, ordering: .relaxed)
    unsafe object._withUnsafeGuaranteedRef { $0.complete(units) }
  }
}
