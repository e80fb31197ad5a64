/// What happened to a bar.
public enum BarEvent: Hashable, Sendable {
  /// A person has begun to drag.
  case dragBegan
  /// The value was dragged to another one.
  case dragged(Double)
  /// A person has chosen a value: by a press, at the end of a drag, with a key. The source is to go there.
  case committed(Double)
  /// A drag was called off, and the value is what it was.
  case dragCancelled
  /// An animated change of the value has ended.
  case transitionEnded(BarTransitionEnd)
}
