/// The graphs of the benchmark, the same for all peers.
public enum GraphShape: String, CaseIterable, Sendable {
  /// Tasks without dependencies.
  case wide
  /// A chain: each task depends on the previous one.
  case chain
  /// Layers of 100 tasks, each of which depends on three tasks of the previous layer.
  case layers

  /// The maximum number of dependencies of a task.
  public var mostEarlier: Int {
    switch self {
    case .wide: 0
    case .chain: 1
    case .layers: 3
    }
  }

  /// Calls a function with the dependencies of a task.
  ///
  /// - Parameters:
  ///   - place: The index of the task.
  ///   - generator: The random numbers, the same for all peers.
  ///   - body: Called with each dependency.
  @inlinable
  public func eachEarlier(_ place: Int, _ generator: inout SeededRandom, _ body: (Int) -> Void) {
    switch self {
    case .wide: break
    case .chain: if place > 0 { body(place - 1) }
    case .layers:
      guard place >= Self.width else { return }
      let layer = (place / Self.width - 1) * Self.width
      for _ in 0..<3 { body(layer + generator.below(Self.width)) }
    }
  }

  /// The number of tasks in a layer.
  @usableFromInline static let width = 100
}

/// Random numbers by xorshift, the same as in `probe.h`.
public struct SeededRandom: Sendable {
  @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Creates a generator.
  public init() {}

  /// The next number below a limit, which must be below 2³².
  @inlinable
  public mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state >> 32) &* UInt64(limit) >> 32)
  }
}
