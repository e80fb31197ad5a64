/// The kind of a pointer.
///
/// ```swift
/// let pointer: BarPointer = .touch
/// let isOnBar = bar.pointerDown(x: 40, y: 12, pointer: pointer, at: now)  // true
/// ```
public enum BarPointer: UInt8, Sendable {
  /// A mouse or a touch pad.
  case mouse
  /// A finger. It may scroll, so the value follows only once it moves along the bar, or when it is lifted.
  case touch
  /// A pen.
  case pen
}

/// A key that a bar handles.
///
/// ```swift
/// let key: BarKey = .pageUp
/// let isUsed = bar.press(key, at: now)  // true; other keys are left to the surface
/// ```
public enum BarKey: Hashable, Sendable {
  /// The left arrow.
  case left
  /// The right arrow.
  case right
  /// The up arrow.
  case up
  /// The down arrow.
  case down
  /// Page Up: ten steps forward.
  case pageUp
  /// Page Down: ten steps back.
  case pageDown
  /// Home: the beginning of the range.
  case home
  /// End: the end of the range.
  case end
  /// A digit from 0 to 9: that many tenths of the range.
  case digit(Int)
  /// Escape: cancels a drag.
  case escape
}

/// The gesture in progress.
enum Gesture: Hashable, Sendable {
  case idle
  /// A finger is down and may still scroll.
  case pressed(Press)
  case dragging(Drag)
}

/// A finger that is down.
struct Press: Hashable, Sendable {
  var x: Double
  var y: Double
  /// Its offset from the dot along the bar, or nil if it is not on the dot.
  var grip: Double?
}

/// A drag of the value.
struct Drag: Hashable, Sendable {
  /// The offset of the pointer from the dot, along the bar.
  var grip: Double
  var value: Double
  /// Whether the value has changed since the drag began.
  var hasMoved = false
}
