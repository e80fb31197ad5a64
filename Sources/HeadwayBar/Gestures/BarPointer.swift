/// What a person points with.
public enum BarPointer: UInt8, Sendable {
  /// A mouse, or a touch pad that acts like one.
  case mouse
  /// A finger: it may mean to scroll, so the value follows only once it moves along the bar, or when it is lifted.
  case touch
  /// A pen.
  case pen
}

/// A key that means something to a bar.
public enum BarKey: Hashable, Sendable {
  /// Left, as it is printed on the key.
  case left
  /// Right.
  case right
  /// Up.
  case up
  /// Down.
  case down
  /// Ten steps on.
  case pageUp
  /// Ten steps back.
  case pageDown
  /// The beginning of the range.
  case home
  /// The end of the range.
  case end
  /// A digit from 0 to 9: so many tenths of the range.
  case digit(Int)
  /// Calls off a drag.
  case escape
}

/// What a person does with a bar.
enum Gesture: Hashable, Sendable {
  /// Nothing.
  case idle
  /// A finger is down and has not yet said what it wants.
  case pressed(Press)
  /// The value is dragged.
  case dragging(Drag)
}

/// A finger that is down.
struct Press: Hashable, Sendable {
  /// Where it came down.
  var x: Double
  /// Where it came down.
  var y: Double
  /// How far it lies beside the dot along the bar, nil where it is not on the dot.
  var grip: Double?
}

/// A value that is dragged.
struct Drag: Hashable, Sendable {
  /// How far the pointer lies beside the dot, along the bar.
  var grip: Double
  /// The value.
  var value: Double
}

/// A value that a person has chosen and the source has not agreed to yet.
struct Hold: Hashable, Sendable {
  /// The value.
  var target: Double
  /// When the source is believed all the same, in seconds.
  var end: Double
  /// Since when the source may have gone on from there, in seconds of the bar.
  var start: Double

  /// For how many seconds the source may take to agree: loading a part of a film that is far away.
  static let patience = 10.0
}
