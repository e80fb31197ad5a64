/// A collection of elements under numbers, in the order in which they were inserted.
struct Registry<Element: Sendable>: Sendable {
  private var elements: [UInt64: Element] = [:]
  private var nextID: UInt64 = 1

  /// Adds an element.
  ///
  /// - Returns: The number under which it can be removed.
  mutating func insert(_ element: Element) -> UInt64 {
    defer { nextID += 1 }
    elements[nextID] = element
    return nextID
  }

  /// The element under a number, nil if there is none.
  subscript(id: UInt64) -> Element? {
    get { elements[id] }
    set { elements[id] = newValue }
  }

  /// The numbers of the elements that satisfy a condition, in order.
  ///
  /// - Complexity: O(n log n).
  func ids(where condition: (Element) -> Bool) -> [UInt64] {
    elements.filter { condition($0.value) }.keys.sorted()
  }

  /// Removes the element under a number and returns it, so that the caller can drop it outside of its lock.
  mutating func remove(_ id: UInt64) -> Element? { elements.removeValue(forKey: id) }

  /// Removes all elements and returns them in order.
  ///
  /// - Complexity: O(n log n).
  mutating func removeAll() -> [Element] {
    defer { elements = [:] }
    return elements.sorted { $0.key < $1.key }.map(\.value)
  }
}
