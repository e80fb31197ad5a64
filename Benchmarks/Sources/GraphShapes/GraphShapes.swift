/// The graphs that all sides of the benchmark run, the same ones everywhere.
public enum GraphShape: String, CaseIterable, Sendable {
  /// Tasks that wait for nothing.
  case wide
  /// Each task waits for the one before.
  case chain
  /// Layers of 100 tasks, each of which waits for three of the layer before.
  case layers

  /// The most tasks that a task waits for.
  public var mostEarlier: Int {
    switch self {
    case .wide: 0
    case .chain: 1
    case .layers: 3
    }
  }

  /// The tasks that a task waits for.
  ///
  /// - Parameters:
  ///   - place: The task, from 0.
  ///   - generator: The random numbers, the same for all sides.
  ///   - body: Is called with each of them.
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

  /// The tasks of a layer.
  @usableFromInline static let width = 100
}

/// Random numbers by xorshift, as `probe.h` has them for the other side.
public struct SeededRandom: Sendable {
  /// The state.
  @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Creates the numbers.
  public init() {}

  /// The next number below a limit, which is below 2³².
  @inlinable
  public mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state >> 32) &* UInt64(limit) >> 32)
  }
}
