/// The name of an animated change of the value, by which its end is told.
public struct BarTransition: RawRepresentable, Hashable, Sendable {
  /// Its number: 1 for the first of a bar.
  public let rawValue: Int

  /// Creates the name of a number.
  ///
  /// - Parameter rawValue: The number.
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// How an animated change of the value has ended.
public struct BarTransitionEnd: Hashable, Sendable {
  /// The change.
  public let transition: BarTransition
  /// Whether it came to its end; it was interrupted otherwise.
  public let isFinished: Bool

  /// Creates an end.
  ///
  /// - Parameters:
  ///   - transition: The change.
  ///   - isFinished: Whether it came to its end.
  public init(transition: BarTransition, isFinished: Bool) {
    self.transition = transition
    self.isFinished = isFinished
  }
}
