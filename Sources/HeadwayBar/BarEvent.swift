/// A change that a program may react to.
public enum BarEvent: Hashable, Sendable {
  /// A person has begun to drag.
  case dragBegan
  /// A drag has moved the value.
  case dragged(Double)
  /// A person has chosen another value, by a press, at the end of a drag, or with a key. Send the source there.
  case committed(Double)
  /// A drag was cancelled or has changed nothing, and the value is what it was.
  case dragCancelled
  /// An animated change of the value has ended.
  case transitionEnded(BarTransitionEnd)
}
