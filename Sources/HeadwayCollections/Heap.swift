/// A binary min-heap.
///
/// Not thread safe.
package struct Heap<Element: Comparable> {
  /// The elements; the children of the one at `i` are at `2i + 1` and `2i + 2`.
  @usableFromInline var elements: [Element] = []

  /// Creates an empty heap.
  @inlinable package init() {}

  /// The number of elements.
  @inlinable package var count: Int { elements.count }

  /// Whether there is no element.
  @inlinable package var isEmpty: Bool { elements.isEmpty }

  /// The least element, nil if there is none.
  @inlinable package var min: Element? { elements.first }

  /// Adds an element.
  ///
  /// - Complexity: O(log n), amortized.
  @inlinable package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard element < elements[parent] else { break }
      elements[child] = elements[parent]
      child = parent
    }
    elements[child] = element
  }

  /// Removes and returns the least element, nil if there is none.
  ///
  /// - Complexity: O(log n).
  @discardableResult
  @inlinable package mutating func popMin() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let least = elements.first else { return last }
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < last else { break }
      elements[parent] = elements[child]
      parent = child
    }
    elements[parent] = last
    return least
  }

  /// Removes all elements and keeps the memory.
  @inlinable package mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
}

extension Heap: Sendable where Element: Sendable {}
