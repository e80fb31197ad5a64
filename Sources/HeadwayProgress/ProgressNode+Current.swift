internal import HeadwayLock
internal import Synchronization

extension ProgressNode {
  /// The node of the innermost ``withCurrent(units:_:)`` that this code runs in, nil when there is none.
  ///
  /// Tasks that are not detached have the node of the code that made them. Reporting needs no look at it: see
  /// ``joinCurrent(_:units:total:)``.
  ///
  /// - Complexity: O(1): one look at a task-local value.
  public static var current: ProgressNode? { ProgressScope.current.get()?.scope.node }

  /// Makes this the current node while a body runs, so that whatever is called can report some of its units.
  ///
  /// ```swift
  /// let node = ProgressNode(total: 2)
  /// let image = node.withCurrent(units: 1) { load(file) }
  /// node.withCurrent(units: 1) { blur(image) }
  /// ```
  ///
  /// What is called joins by ``joinCurrent(_:units:total:)``, or does not know of progress. When the body ends, by
  /// returning or by throwing, the units that nobody took are completed. A child that is still alive keeps its
  /// units until it finishes.
  ///
  /// - Parameters:
  ///   - units: The units of this node that the body stands for; less than 0 counts as 0.
  ///   - body: What to do.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
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
    guard let result else { preconditionFailure("a body that has not ended") }
    return try result.get()
  }

  /// Makes this the current node while an asynchronous body runs.
  ///
  /// All that is said of the form for synchronous code holds. Child tasks, and unstructured ones, join as well;
  /// detached tasks do not.
  ///
  /// - Parameters:
  ///   - units: The units of this node that the body stands for; less than 0 counts as 0.
  ///   - isolation: The actor to run on: the caller's.
  ///   - body: What to do.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  /// - Complexity: O(1), without a lock.
  @inlinable
  public func withCurrent<Result>(
    units: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = ProgressScope(of: self, units: units)
    defer { scope.end() }
    return try await ProgressScope.current.withValue(scope, operation: body, isolation: isolation)
  }

  /// Makes a node for what is about to be done: a child of the current node, or else a root that nobody watches.
  ///
  /// A function that calls this reports its progress to whoever wants to know, without a parameter:
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
  /// Of the units of the scope the child takes those that it names, or what is left if that is less; one that names
  /// none takes all that is left. With nothing left it joins all the same and weighs nothing: cancel, pause and
  /// typed sums work.
  ///
  /// - Parameters:
  ///   - label: The words that name the work; none by default.
  ///   - units: The units of the current node to take, nil for all that are left.
  ///   - total: The units of the work itself, nil while not known.
  /// - Returns: The node. It finishes at the latest when nobody holds it any more.
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

/// What is current while a body runs: a scope, or something that makes one when somebody joins it.
@usableFromInline
package protocol CurrentProgress: AnyObject, Sendable {
  /// The scope, the same each time.
  var scope: ProgressScope { get }
}

extension ProgressNode {
  /// Makes a node current that is made when somebody joins it.
  ///
  /// - Parameters:
  ///   - current: Has the node.
  ///   - body: What to do.
  /// - Throws: What the body throws.
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

  /// Makes a node current that is made when somebody joins it, while an asynchronous body runs.
  ///
  /// - Parameters:
  ///   - current: Has the node.
  ///   - isolation: The actor to run on: the caller's.
  ///   - body: What to do.
  /// - Throws: What the body throws.
  @inlinable
  package static func withCurrent(
    _ current: any CurrentProgress, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows {
    try await ProgressScope.current.withValue(current, operation: body, isolation: isolation)
  }
}

/// The units of a node that a body stands for, while it runs.
@safe
@usableFromInline
package final class ProgressScope: CurrentProgress {
  /// What is current for the code that runs.
  @usableFromInline static let current = TaskLocal<(any CurrentProgress)?>(wrappedValue: nil)

  /// The node, retained by hand so that to join does not count it once more.
  private let object: Unmanaged<ProgressNode>
  /// The units that nobody has taken.
  private let left: Atomic<Int>

  /// Creates the scope of a body.
  @usableFromInline
  init(of node: ProgressNode, units: Int) {
    unsafe object = Unmanaged.passRetained(node)
    left = Atomic(max(units, 0))
  }

  /// Creates the scope of a body that is joined.
  ///
  /// Who joins first gets all of a node without a total, and nothing of one that the body counts itself.
  ///
  /// - Parameter node: The node of the body, of which nothing is shared out yet.
  package convenience init(joining node: ProgressNode) {
    let isWhole = node.total == nil
    if isWhole { node.total = 1 }
    self.init(of: node, units: isWhole ? 1 : 0)
  }

  deinit { unsafe object.release() }

  /// The node.
  var node: ProgressNode { unsafe object.takeUnretainedValue() }

  /// The scope itself.
  @usableFromInline
  package var scope: ProgressScope { self }

  /// Makes a child with units of this scope.
  ///
  /// - Parameters:
  ///   - label: The words that name the work.
  ///   - units: How many units of the scope to take, nil for all that are left.
  ///   - total: The units of the work itself.
  /// - Returns: The child.
  func child(_ label: String, units: Int?, total: Int?) -> ProgressNode {
    let taken = take(units)
    return unsafe object._withUnsafeGuaranteedRef { $0.child(label, units: taken, total: total) }
  }

  /// Takes units for a child.
  ///
  /// - Parameter units: How many, nil for all that are left.
  /// - Returns: Those, or what was left if that is less.
  private func take(_ units: Int?) -> Int {
    guard let units else { return left.exchange(0, ordering: .relaxed) }
    var available = left.load(ordering: .relaxed)
    while true {
      let taken = min(max(units, 0), available)
      let (done, seen) = left.compareExchange(
        expected: available, desired: available - taken, ordering: .relaxed)
      if done { return taken }
      available = seen
    }
  }

  /// Completes what nobody took, so that what joins later weighs nothing.
  @usableFromInline
  func end() {
    // Where all is taken already nobody can take more.
    guard left.load(ordering: .relaxed) > 0 else { return }
    let units = left.exchange(0, ordering: .relaxed)
    unsafe object._withUnsafeGuaranteedRef { $0.complete(units) }
  }
}
