/// Identifies an animated change of the value, so that its end can be recognized.
///
/// ```swift
/// let transition: BarTransition = bar.animate(to: 80, over: .milliseconds(400), at: now)
/// bar.advance(to: now + .milliseconds(400))
/// for case .transitionEnded(let end) in bar.takeEvents() where end.transition == transition {
///   show(end.isFinished ? "arrived" : "interrupted")
/// }
/// ```
public struct BarTransition: Hashable, Sendable {
  /// 1 for the first transition of a bar.
  package let number: Int
}

/// How an animated change of the value has ended.
///
/// ```swift
/// let ends = bar.takeEvents().compactMap { event -> BarTransitionEnd? in
///   if case .transitionEnded(let end) = event { end } else { nil }
/// }
/// ```
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
