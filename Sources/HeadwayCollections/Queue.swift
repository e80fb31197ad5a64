/// A queue: the elements come out in the order in which they were added.
///
/// Elements stay in memory until the queue is empty; then their room is used again. So it is for queues that are emptied again
/// and again. A value without synchronization.
package struct Queue<Element> {
  private var elements: [Element] = []
  /// The number of elements that were taken.
  private var taken = 0

  /// Creates an empty queue.
  package init() {}

  /// Whether there is nothing to take.
  package var isEmpty: Bool { taken == elements.count }

  /// Adds an element to the end.
  ///
  /// - Complexity: O(1), amortized.
  package mutating func append(_ element: Element) { elements.append(element) }

  /// Takes the first element, nil if there is none.
  ///
  /// - Complexity: O(1), amortized.
  package mutating func popFirst() -> Element? {
    guard taken < elements.count else {
      elements.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    taken += 1
    return elements[taken - 1]
  }
}

extension Queue: Sendable where Element: Sendable {}
