/// Identifies an animated change of the value, so that its end can be recognized.
public struct BarTransition: Hashable, Sendable {
  /// 1 for the first transition of a bar.
  package let number: Int
}

/// How an animated change of the value has ended.
public struct BarTransitionEnd: Hashable, Sendable {
  /// The transition that ended.
  public let transition: BarTransition
  /// Whether the transition reached its target; it was interrupted otherwise.
  public let isFinished: Bool

  package init(transition: BarTransition, isFinished: Bool) {
    self.transition = transition
    self.isFinished = isFinished
  }
}
