import Synchronization

/// The findings of the tasks of the start, for later tasks and for the app.
///
/// Safe to use from any thread.
final class Findings: Sendable {
  private struct Values {
    /// The path to the server.
    var path: NetworkPath?
    /// The data of the first screen.
    var data: [UInt8] = []
    /// The newest version.
    var newest: Version?
  }

  private let values = Mutex(Values())

  /// The path to the server, nil until one is chosen.
  var path: NetworkPath? { values.withLock { $0.path } }

  /// The data of the first screen, empty until they are loaded.
  var data: [UInt8] {
    get { values.withLock { $0.data } }
    set { values.withLock { $0.data = newValue } }
  }

  /// The newest version, nil until it is known.
  var newest: Version? {
    get { values.withLock { $0.newest } }
    set { values.withLock { $0.newest = newValue } }
  }

  /// Sets the path, unless one is chosen already.
  ///
  /// - Parameter path: The path.
  /// - Returns: Whether it was the first.
  func choose(_ path: NetworkPath) -> Bool {
    values.withLock { values in
      if values.path != nil { return false }
      values.path = path
      return true
    }
  }
}

/// A version with three numbers.
struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The version of this app.
  static let own = Version([2, 3, 0])

  /// The numbers, the most significant first.
  private let parts: [Int]

  /// Creates a version.
  private init(_ parts: [Int]) { self.parts = parts }

  /// Parses a version such as `2.4.0`.
  ///
  /// - Parameter text: The text; nil if it is not a version.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    let numbers = parts.compactMap { $0 }
    guard parts.count == 3, numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    self.init(numbers)
  }

  /// Compares versions number by number.
  static func < (left: Version, right: Version) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }

  /// The version as text.
  var description: String { parts.map(String.init).joined(separator: ".") }
}
