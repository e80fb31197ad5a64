internal import HeadwayLock

/// A collection of elements under numbers, in the order in which they were inserted.
struct Registry<Element: Sendable>: Sendable {
  private var elements: [UInt64: Element] = [:]
  private var nextID: UInt64 = 1

  init() {}

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

/// An event that happens once and that one task can wait for.
final class OneShotEvent: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case signaled
  }

  private let state = Guarded(State.idle)

  init() {}

  /// Wakes the waiting task, or makes a later wait return at once.
  func signal() {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .signaled }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }

  /// Waits for the event or a cancellation of the task.
  func waitOrCancel(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        let isSignaled = state.withLock { state in
          if case .signaled = state { return true }
          state = .waiting(continuation)
          return false
        }
        if isSignaled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
