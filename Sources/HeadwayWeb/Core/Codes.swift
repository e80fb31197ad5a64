// The numbers that the page and the core exchange, and the only place in which they are written down: `Scripts/web` makes
// `codes.js` from this file, with an object of the same name for each enumeration. Every case is one line with its number.

/// What `headway_bar_value` does with a value.
enum ValueCode: Int32 {
  case set = 0
  case report = 1
  case expect = 2
  case animate = 3
  case seek = 4
  case playbackRate = 5
  case range = 6
}

/// The commands of `headway_bar_command`, which need no value.
enum CommandCode: Int32 {
  case pause = 0
  case resume = 1
  case stall = 2
  case removeAnimation = 3
  case reset = 4
  case pointerLeft = 5
  case cancelDrag = 6
  case blur = 7
  case focus = 8
}

/// What a pointer does, for `headway_bar_pointer`.
enum PointerCode: Int32 {
  case down = 0
  case move = 1
  case up = 2
}

/// The keys of `headway_bar_key`; a digit is `digit0` and its value.
enum KeyCode: Int32 {
  case left = 0
  case right = 1
  case up = 2
  case down = 3
  case pageUp = 4
  case pageDown = 5
  case home = 6
  case end = 7
  case escape = 8
  case digit0 = 16
}

/// The bits of `headway_bar_options`.
enum OptionBit: Int32 {
  case forecast = 1
  case readOnly = 2
  case disabled = 4
  case indeterminate = 8
  case reducedMotion = 16
  case wheel = 32
  case digits = 64
}

/// The bits that `headway_bar_state` returns.
enum StateBit: Int32 {
  case paused = 1
  case dragging = 2
  case seekPending = 4
  case indeterminate = 8
  case adjustable = 16
}

/// The bit of `headway_bar_layout` for coarse pointers, beside the two of the direction.
enum LayoutBit: Int32 {
  case coarse = 4
}

/// What `headway_bar_activity` returns.
enum ActivityCode: Int32 {
  case still = 0
  case gliding = 1
  case changing = 2
  case sweeping = 3
}

/// The kinds of events that `headway_bar_events` writes.
enum EventCode: Int32 {
  case dragBegan = 0
  case dragged = 1
  case committed = 2
  case dragCancelled = 3
  case transitionInterrupted = 4
  case transitionFinished = 5
}

/// The formats of `headway_bar_text`.
enum TextCode: Int32 {
  case percent = 0
  case time = 1
}

/// The order of the numbers of a style, for `headway_bar_style`; ranges and marks follow from `lists` on.
enum StyleIndex: Int32 {
  case barHeight = 0
  case fillHeight = 1
  case cornerRadius = 2
  case dotSize = 3
  case hoverDotSize = 4
  case dragDotSize = 5
  case gap = 6
  case markWidth = 7
  case emphasisDuration = 8
  case iconScale = 9
  case icon = 10
  case isDraggable = 11
  case trackColor = 12
  case fillColor = 13
  case dragColor = 14
  case dotColor = 15
  case bufferedColor = 16
  case markColor = 17
  case rangeCount = 18
  case markCount = 19
  case lists = 20
}

/// The order of the numbers of a shape that `headway_bar_draw` writes; `count` is how many a shape takes.
enum ShapeIndex: Int32 {
  case part = 0
  case number = 1
  case x = 2
  case y = 3
  case width = 4
  case height = 5
  case radius = 6
  case color = 7
  case followsValue = 8
  case isClipped = 9
  case clipX = 10
  case clipY = 11
  case clipWidth = 12
  case clipHeight = 13
  case clipRadius = 14
  case count = 16
}
