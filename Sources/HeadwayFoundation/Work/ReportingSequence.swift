internal import HeadwayProgress

/// A sequence that reports to a node how many of its elements were worked on.
///
/// An element counts as completed when the next one is asked for, that is when the body of the loop is
/// through with it; the element at which a loop is left does not count. Each iteration counts anew.
///
/// As safe as the sequence that it wraps; an iterator belongs to one thread at a time.
public struct ReportingSequence<Base: Sequence>: Sequence {
  /// An element.
  public typealias Element = Base.Element

  /// The elements.
  let base: Base
  /// What to report to.
  let target: ReportTarget

  /// Begins to go through the elements.
  public func makeIterator() -> Iterator {
    Iterator(base: base.makeIterator(), node: target.begin())
  }

  /// A number of elements that is certainly not too large.
  public var underestimatedCount: Int { base.underestimatedCount }

  /// One way through the elements.
  public struct Iterator: IteratorProtocol {
    /// The elements that are left.
    private var base: Base.Iterator
    /// What to report to.
    private var steps: ReportedSteps

    /// Begins.
    fileprivate init(base: Base.Iterator, node: ReportTarget.Begun) {
      self.base = base
      steps = ReportedSteps(node)
    }

    /// Reports the element before, and goes on to the next.
    ///
    /// - Returns: The next element, nil after the last.
    public mutating func next() -> Base.Element? {
      steps.completeLast()
      guard let element = base.next() else {
        steps.end()
        return nil
      }
      steps.begin()
      return element
    }
  }
}

extension ReportingSequence: Sendable where Base: Sendable {}

/// An asynchronous sequence that reports to a node how many of its elements were worked on.
///
/// An element counts as completed when the next one is asked for. Before each element the iterator waits
/// while the node is paused, and throws when the node or the task is cancelled.
public struct AsyncReportingSequence<Base: AsyncSequence>: AsyncSequence {
  /// An element.
  public typealias Element = Base.Element
  /// What the sequence throws, or `CancellationError`.
  public typealias Failure = any Error

  /// The elements.
  let base: Base
  /// What to report to.
  let target: ReportTarget

  /// Begins to go through the elements.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), node: target.begin())
  }

  /// One way through the elements.
  public struct Iterator: AsyncIteratorProtocol {
    /// The elements that are left.
    private var base: Base.AsyncIterator
    /// What to report to.
    private var steps: ReportedSteps

    /// Begins.
    fileprivate init(base: Base.AsyncIterator, node: ReportTarget.Begun) {
      self.base = base
      steps = ReportedSteps(node)
    }

    /// Reports the element before, waits while the node is paused, and goes on to the next.
    ///
    /// - Parameter actor: The actor to wait on: the caller's.
    /// - Returns: The next element, nil after the last.
    /// - Throws: What the sequence throws; `CancellationError` when the node or the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Base.Element? {
      steps.completeLast()
      if let node = steps.node { try await node.checkpoint(isolation: actor) }
      guard let element = try await base.next(isolation: actor) else {
        steps.end()
        return nil
      }
      steps.begin()
      return element
    }

    /// Reports the element before, waits while the node is paused, and goes on to the next.
    ///
    /// - Returns: The next element, nil after the last.
    /// - Throws: What the sequence throws; `CancellationError` when the node or the task is cancelled.
    public mutating func next() async throws -> Base.Element? { try await next(isolation: nil) }
  }
}

extension AsyncReportingSequence: Sendable where Base: Sendable {}

/// What an iteration reports to.
struct ReportTarget: Sendable {
  /// How the node comes about.
  enum Source: Sendable {
    /// It is given.
    case given(ProgressNode)
    /// It joins the current node when the iteration begins.
    case current(label: String, units: Int?)
  }

  /// A node for one iteration.
  struct Begun {
    /// The node.
    let node: ProgressNode
    /// Whether it ends with the iteration.
    let isOwned: Bool
  }

  /// How the node comes about.
  var source: Source
  /// The number of elements, nil when nobody knows or the node is not to be told.
  var count: Int?

  /// Finds or makes the node of an iteration.
  func begin() -> Begun {
    switch source {
    case .given(let node):
      if let count { node.addToTotal(count) }
      return Begun(node: node, isOwned: false)
    case .current(let label, let units):
      return Begun(
        node: ProgressNode.joinCurrent(label, units: units, total: count), isOwned: true)
    }
  }
}

/// The elements of an iteration as units of its node.
struct ReportedSteps {
  /// The node, nil after the end.
  private(set) var node: ProgressNode?
  /// Whether the node ends with the iteration.
  private let isOwned: Bool
  /// Whether an element is being worked on.
  private var isAtWork = false

  /// Begins.
  init(_ begun: ReportTarget.Begun) {
    node = begun.node
    isOwned = begun.isOwned
  }

  /// Notes that an element is being worked on.
  mutating func begin() { isAtWork = true }

  /// Completes the element that was worked on.
  mutating func completeLast() {
    if isAtWork { node?.complete(1) }
    isAtWork = false
  }

  /// Ends the iteration.
  mutating func end() {
    if isOwned { node?.finish() }
    node = nil
  }
}
