internal import CSystem

/// A signal that asks for the end of a run.
package struct EndRequest: Hashable, Sendable {
  /// The number of the signal.
  package let number: Int32
  /// Whether the kernel sent it on behalf of the terminal: for a key, or because the terminal was closed.
  package let isFromTerminal: Bool
  /// When it came, in milliseconds on any clock.
  package let milliseconds: Int64

  package init(number: Int32, isFromTerminal: Bool, milliseconds: Int64) {
    self.number = number
    self.isFromTerminal = isFromTerminal
    self.milliseconds = milliseconds
  }
}

/// The signals that have asked for the end of a run, of which some only repeat another one.
package struct EndRequests: Sendable {
  private var latest = hw_request()

  package init() {}

  /// Adds a signal to those that have come before; see `hw_add_request`.
  ///
  /// - Returns: Whether it is a request of its own, and not a copy of one.
  package mutating func add(_ next: EndRequest) -> Bool {
    var next = hw_request(
      number: next.number, is_from_terminal: next.isFromTerminal, milliseconds: next.milliseconds)
    return unsafe hw_add_request(&latest, &next)
  }
}
