/// What pointers do to a bar; points are in the coordinates of its layout.
///
/// ```
///                    moved along           moved
///   idle ─ touch ─▶ pressed ──────▶ dragging ⟲ ── lifted ──▶ committed, held
///     │               │ moved across   ▲  └─ Escape, second finger, taken away ─▶ called off
///     └─ mouse, pen ──┼────────────────┘
///                     ▼
///                    idle: the page scrolls
/// ```
extension ProgressBar {
  /// How far a finger moves before it is clear where it wants to go, in points.
  private static let slop = 6.0
  /// How near an end the pointer has to be to mean it, in points: the first and the last pixel.
  private static let endReach = 1.0

  /// Takes a press in: a mouse or a pen begins to drag, anywhere in the hit area, and the value jumps there.
  ///
  /// On the dot, as it is shown, the value stays under the pointer as it was gripped. A finger only begins to drag when it
  /// moves along the bar.
  ///
  /// - Parameters:
  ///   - x: How far right the point is.
  ///   - y: How far down the point is.
  ///   - pointer: What is pressed with.
  ///   - isPrimary: Whether it is the first finger or the main button; others never drag, and a second finger calls a drag
  ///     off.
  ///   - now: The time in seconds.
  /// - Returns: Whether the press belongs to the bar now; the surface then sends it all that this pointer does.
  public mutating func pointerDown(
    x: Double, y: Double, pointer: BarPointer = .mouse, isPrimary: Bool = true, at now: Double
  ) -> Bool {
    let now = moment(now)
    guard x.isFinite, y.isFinite else { return false }
    guard isPrimary else {
      if pointer == .touch { cancelDrag(at: now) }
      return false
    }
    guard case .idle = gesture, canDrag, hits(x: x, y: y, at: now) else { return false }
    let grip = hitsDot(x: x, y: y, at: now) ? layout.along(x: x, y: y) - dotCenter(at: now) : nil
    guard pointer != .touch else {
      gesture = .pressed(Press(x: x, y: y, grip: grip))
      return true
    }
    beginDrag(grip: grip, x: x, y: y, at: now)
    return true
  }

  /// Takes a move in, of a pointer that is down or only hovers, inside the bar or outside.
  ///
  /// - Parameters:
  ///   - x: How far right the point is.
  ///   - y: How far down the point is.
  ///   - now: The time in seconds.
  /// - Returns: Whether the value follows.
  @discardableResult
  public mutating func pointerMoved(x: Double, y: Double, at now: Double) -> Bool {
    let now = moment(now)
    guard x.isFinite, y.isFinite else { return isDragging }
    switch gesture {
    case .idle:
      emphasize(canDrag && hits(x: x, y: y, at: now) ? .hover : .rest, at: now)
      return false
    case .pressed(let press):
      let (right, down) = (abs(x - press.x), abs(y - press.y))
      let isAlong = layout.direction == .upwards ? down >= right : right >= down
      guard max(right, down) >= Self.slop else { return false }
      guard isAlong else {
        gesture = .idle
        return false
      }
      beginDrag(grip: press.grip, x: x, y: y, at: now)
      return true
    case .dragging(let drag):
      drop(drag, x: x, y: y)
      return true
    }
  }

  /// Takes the end of a press in: the value is chosen, once, and held until the source agrees.
  ///
  /// - Parameters:
  ///   - x: How far right the point is.
  ///   - y: How far down the point is.
  ///   - now: The time in seconds.
  public mutating func pointerUp(x: Double, y: Double, at now: Double) {
    let now = moment(now)
    // A tap is a drag of no length; on the dot it changes nothing.
    if case .pressed(let press) = gesture { beginDrag(grip: press.grip, x: x, y: y, at: now) }
    guard case .dragging(let drag) = gesture else { return }
    if x.isFinite, y.isFinite { drop(drag, x: x, y: y) }
    guard case .dragging(let last) = gesture else { return }
    gesture = .idle
    commit(last.value, at: now)
    let isOver = x.isFinite && y.isFinite && hits(x: x, y: y, at: now)
    emphasize(isOver ? .hover : .rest, at: now)
  }

  /// Tells that no pointer is over the bar any more.
  ///
  /// - Parameter now: The time in seconds.
  public mutating func pointerLeft(at now: Double) {
    let now = moment(now)
    guard case .idle = gesture else { return }
    emphasize(.rest, at: now)
  }

  /// Calls off what a pointer has begun: the value is where the source is, and nothing is chosen.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: Whether there was a drag.
  @discardableResult
  public mutating func cancelDrag(at now: Double) -> Bool {
    let now = moment(now)
    let wasDragging = isDragging
    dropGesture()
    emphasize(.rest, at: now)
    return wasDragging
  }

  // MARK: Hits

  /// Tells whether a press at a point counts for the bar.
  ///
  /// The hit area is the bar with its margins, at least 24 points wide and high, 44 for fingers; and the dot where it is
  /// seen at that time, with the same least size.
  ///
  /// - Parameters:
  ///   - x: How far right the point is.
  ///   - y: How far down the point is.
  ///   - now: The time in seconds.
  /// - Returns: Whether the point is in the hit area or on the dot.
  @inline(never) public func hits(x: Double, y: Double, at now: Double) -> Bool {
    layout.hitArea.contains(x: x, y: y) || hitsDot(x: x, y: y, at: now)
  }

  /// Tells whether a point is on the dot where it is seen, or so near that it must be meant.
  ///
  /// - Parameters:
  ///   - x: How far right the point is.
  ///   - y: How far down the point is.
  ///   - now: The time in seconds.
  /// - Returns: Whether a press there grips the dot.
  public func hitsDot(x: Double, y: Double, at now: Double) -> Bool {
    let size = dotSize(at: now)
    guard size > 0, hasRange else { return false }
    let center = dotCenter(at: now)
    return layout.rectangle(from: center - size / 2, to: center + size / 2, thickness: size)
      .grown(to: layout.leastSize)
      .contains(x: x, y: y)
  }

  // MARK: Dragging

  /// Whether a pointer can drag the value.
  private var canDrag: Bool { isAdjustable && layout.length > 0 }

  /// Begins to drag: the animation is removed, and the value goes to the pointer unless that is on the dot.
  @inline(never) private mutating func beginDrag(
    grip: Double?, x: Double, y: Double, at now: Double
  ) {
    let shown = shown(at: now)
    // A change that was on its way ends here; a clock below goes on, for the case that the drag is called off.
    if glide.transition != nil { glide.stop(at: shown, time(at: now)) }
    hold = nil
    let drag = Drag(grip: grip ?? 0, value: shown)
    gesture = .dragging(drag)
    happened.append(.dragBegan)
    emphasize(.drag, at: now)
    drop(drag, x: x, y: y)
  }

  /// Moves the value of a drag under the pointer.
  private mutating func drop(_ drag: Drag, x: Double, y: Double) {
    let length = layout.length
    guard length > 0 else { return }
    var along = layout.along(x: x, y: y) - drag.grip
    if along <= Self.endReach { along = 0 }
    if along >= length - Self.endReach { along = length }
    let range = glide.range
    let value =
      along == length
      ? range.upperBound
      : range.lowerBound + along / length * (range.upperBound - range.lowerBound)
    drop(drag, on: value.limited(to: range))
  }

  /// Moves the value of a drag.
  @inline(never) mutating func drop(_ drag: Drag, on value: Double) {
    guard value != drag.value else { return }
    gesture = .dragging(Drag(grip: drag.grip, value: value))
    happened.append(.dragged(value))
  }

  /// Chooses a value: it is held until the source agrees.
  @inline(never) mutating func commit(_ value: Double, at now: Double) {
    glide.stop(at: value, time(at: now))
    glide.remember(value)
    hold = Hold(target: value, end: now + Hold.patience, start: time(at: now))
    happened.append(.committed(value))
    announced?.isStale = true
  }

  /// Forgets what a pointer does.
  @inline(never) mutating func dropGesture() {
    if isDragging { happened.append(.dragCancelled) }
    if gesture != .idle { emphasize(.rest, at: latest) }
    gesture = .idle
  }
}
