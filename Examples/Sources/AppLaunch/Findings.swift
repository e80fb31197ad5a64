import Synchronization

/// What the tasks of the start have found, for those that come after them and for the app.
///
/// Safe from any thread.
final class Findings: Sendable {
  /// What was found.
  private struct Values {
    /// The way to the server.
    var path: NetworkPath?
    /// The data of the first screen.
    var data: [UInt8] = []
    /// The newest version.
    var newest: Version?
  }

  /// What was found.
  private let values = Mutex(Values())

  /// The way to the server, nil while none is chosen.
  var path: NetworkPath? { values.withLock { $0.path } }

  /// The data of the first screen, empty until they are loaded.
  var data: [UInt8] {
    get { values.withLock { $0.data } }
    set { values.withLock { $0.data = newValue } }
  }

  /// The newest version, nil while it is not known.
  var newest: Version? {
    get { values.withLock { $0.newest } }
    set { values.withLock { $0.newest = newValue } }
  }

  /// Chooses a way, if none is chosen yet.
  ///
  /// - Parameter path: The way.
  /// - Returns: Whether it was the first.
  func choose(_ path: NetworkPath) -> Bool {
    values.withLock { values in
      if values.path != nil { return false }
      values.path = path
      return true
    }
  }
}

/// The number of a version, in three parts.
struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// This app's own.
  static let own = Version([2, 3, 0])

  /// The parts, the most important first.
  private let parts: [Int]

  /// Creates a version of its parts.
  private init(_ parts: [Int]) { self.parts = parts }

  /// Reads a version, such as `2.4.0`.
  ///
  /// - Parameter text: The text, nil for one that is no version.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    let numbers = parts.compactMap { $0 }
    guard parts.count == 3, numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    self.init(numbers)
  }

  /// Orders versions by their first part that differs.
  static func < (left: Version, right: Version) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }

  /// The version with dots.
  var description: String { parts.map(String.init).joined(separator: ".") }
}
