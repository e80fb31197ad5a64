internal import HeadwayProgress

/// A sequence that reports its elements to a node as they are processed.
///
/// An element counts as completed when the next one is requested, that is when the loop body has processed it. If a
/// loop is left early, the current element does not count. Each iteration counts again.
struct ReportingSequence<Base: Sequence>: Sequence {
  typealias Element = Base.Element

  let base: Base
  let target: ReportTarget

  /// Creates an iterator, and the child node if the sequence reports to the current one.
  func makeIterator() -> Iterator {
    Iterator(base: base.makeIterator(), node: target.begin())
  }

  /// A lower bound of the number of elements.
  var underestimatedCount: Int { base.underestimatedCount }

  /// An iterator that reports to the node.
  struct Iterator: IteratorProtocol {
    private var base: Base.Iterator
    private var reporter: ElementReporter

    fileprivate init(base: Base.Iterator, node: ReportTarget.Begun) {
      self.base = base
      reporter = ElementReporter(node)
    }

    /// Completes the previous element and returns the next.
    ///
    /// - Returns: The next element, nil after the last.
    mutating func next() -> Base.Element? {
      reporter.completeLast()
      guard let element = base.next() else {
        reporter.end()
        return nil
      }
      reporter.begin()
      return element
    }
  }
}

/// An asynchronous sequence that reports its elements to a node as they are processed.
///
/// An element counts as completed when the next one is requested. Before each element, the iterator waits
/// while the node is paused and throws if the node or the task is cancelled.
struct AsyncReportingSequence<Base: AsyncSequence>: AsyncSequence {
  typealias Element = Base.Element
  typealias Failure = any Error

  let base: Base
  let target: ReportTarget

  /// Creates an iterator, and the child node if the sequence reports to the current one.
  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), node: target.begin())
  }

  /// An iterator that reports to the node.
  struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private var reporter: ElementReporter

    fileprivate init(base: Base.AsyncIterator, node: ReportTarget.Begun) {
      self.base = base
      reporter = ElementReporter(node)
    }

    /// Completes the previous element, waits while the node is paused, and returns the next element.
    ///
    /// - Parameter actor: The actor to wait on; by default the caller's.
    /// - Returns: The next element, nil after the last.
    /// - Throws: The error of the base sequence; `CancellationError` if the node or the task is cancelled.
    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Base.Element? {
      reporter.completeLast()
      if let node = reporter.node { try await node.checkpoint(isolation: actor) }
      guard let element = try await base.next(isolation: actor) else {
        reporter.end()
        return nil
      }
      reporter.begin()
      return element
    }

    /// Completes the previous element, waits while the node is paused, and returns the next element.
    ///
    /// - Returns: The next element, nil after the last.
    /// - Throws: The error of the base sequence; `CancellationError` if the node or the task is cancelled.
    mutating func next() async throws -> Base.Element? { try await next(isolation: nil) }
  }
}

/// The node to which an iteration reports.
struct ReportTarget: Sendable {
  enum Source: Sendable {
    case given(ProgressNode)
    /// A child that joins the current node when the iteration begins.
    case current(label: String, units: Int?)
  }

  struct Begun {
    let node: ProgressNode
    /// Whether the node finishes with the iteration.
    let isOwned: Bool
  }

  var source: Source
  /// The number of elements to add to the total; nil if unknown or not wanted.
  var count: Int?

  /// Begins an iteration.
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

/// Reports the elements of one iteration to its node.
struct ElementReporter {
  /// The node, nil after the end.
  private(set) var node: ProgressNode?
  /// Whether the node finishes with the iteration.
  private let isOwned: Bool
  /// Whether an element is being processed.
  private var isProcessing = false

  init(_ begun: ReportTarget.Begun) {
    node = begun.node
    isOwned = begun.isOwned
  }

  /// Records that an element is being processed.
  mutating func begin() { isProcessing = true }

  /// Completes the element that was being processed.
  mutating func completeLast() {
    if isProcessing { node?.complete(1) }
    isProcessing = false
  }

  mutating func end() {
    if isOwned { node?.finish() }
    node = nil
  }
}
