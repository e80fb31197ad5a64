/// A binary min-heap.
///
/// Not thread safe.
package struct Heap<Element: Comparable> {
  /// The elements; the children of the one at `i` are at `2i + 1` and `2i + 2`.
  ///
  /// Not an `Array`, whose mutable span needs macOS 26.
  @usableFromInline var elements: ContiguousArray<Element> = []

  /// Creates an empty heap.
  @inlinable package init() {}

  /// The number of elements.
  @inlinable package var count: Int { elements.count }

  /// Whether the heap is empty.
  @inlinable package var isEmpty: Bool { elements.isEmpty }

  /// The minimum element, or nil if the heap is empty.
  @inlinable package var min: Element? { elements.first }

  /// Adds an element.
  ///
  /// - Complexity: O(log n), amortized.
  @inlinable package mutating func insert(_ element: Element) {
    var count = elements.count
    elements.append(element)
    var span = elements.mutableSpan
    span.insertIntoHeap(element, count: &count)
  }

  /// Removes and returns the minimum element, nil if there is none.
  ///
  /// - Complexity: O(log n).
  @discardableResult
  @inlinable package mutating func popMin() -> Element? {
    if elements.isEmpty { return nil }
    var count = elements.count
    var span = elements.mutableSpan
    let minimum = span.popFromHeap(count: &count)
    elements.removeLast()
    return minimum
  }

  /// Removes all elements and keeps the memory.
  @inlinable package mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
}

extension Heap: Sendable where Element: Sendable {}

/// A binary min-heap in a span of fixed size, which needs none of the checks for unique ownership of an array.
extension MutableSpan where Element: Comparable {
  /// Adds an element to the heap in the first `count` elements.
  @inline(__always)
  @inlinable package mutating func insertIntoHeap(_ element: Element, count: inout Int) {
    var child = count
    count &+= 1
    while child > 0 {
      let parent = (child &- 1) &>> 1
      guard element < self[parent] else { break }
      self[child] = self[parent]
      child = parent
    }
    self[child] = element
  }

  /// Removes and returns the minimum of the heap in the first `count` elements, which must not be empty.
  @inline(__always)
  @inlinable package mutating func popFromHeap(count: inout Int) -> Element {
    let minimum = self[0]
    count &-= 1
    let last = self[count]
    var parent = 0
    while true {
      var child = 2 &* parent &+ 1
      guard child < count else { break }
      if child &+ 1 < count, self[child &+ 1] < self[child] { child &+= 1 }
      guard self[child] < last else { break }
      self[parent] = self[child]
      parent = child
    }
    self[parent] = last
    return minimum
  }
}
