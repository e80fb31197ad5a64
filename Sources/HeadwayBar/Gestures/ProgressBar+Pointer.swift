/// Pointer input; points are in the coordinates of the layout.
///
/// ```
///                    moved along           moved
///   idle ─ touch ─▶ pressed ──────▶ dragging ⟲ ── lifted ──▶ committed, seek pending
///     │               │ moved across   ▲  └─ Escape, second finger, lost ─▶ cancelled
///     └─ mouse, pen ──┼────────────────┘
///                     ▼
///                    idle: the page scrolls
/// ```
///
/// A drag that has not changed the value, such as a click on the dot, chooses nothing and ends as a cancelled one.
extension ProgressBar {
  /// The distance after which the direction of a finger is clear, in points.
  private static let slop = 6.0
  /// The distance from an end within which a press means that end, in points: the first and the last pixel.
  private static let endTolerance = 1.0
  /// The part of the range that a pointer on the dot may miss its value by, because positions are rounded.
  private static let gripTolerance = 1e-9

  package mutating func pointerDown(
    x: Double, y: Double, pointer: BarPointer = .mouse, isPrimary: Bool = true, at now: Double
  ) -> Bool {
    let now = recordTime(now)
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

  @discardableResult
  package mutating func pointerMoved(x: Double, y: Double, at now: Double) -> Bool {
    let now = recordTime(now)
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
      moveDrag(drag, toX: x, y: y)
      return true
    }
  }

  package mutating func pointerUp(x: Double, y: Double, at now: Double) {
    let now = recordTime(now)
    // A tap is a drag of length zero; on the dot it changes nothing.
    if case .pressed(let press) = gesture { beginDrag(grip: press.grip, x: x, y: y, at: now) }
    guard case .dragging(let drag) = gesture else { return }
    if x.isFinite, y.isFinite { moveDrag(drag, toX: x, y: y) }
    guard case .dragging(let last) = gesture else { return }
    if last.hasMoved {
      gesture = .idle
      commit(last.value, at: now)
    } else {
      // Nothing was chosen.
      endGesture()
    }
    let isOver = x.isFinite && y.isFinite && hits(x: x, y: y, at: now)
    emphasize(isOver ? .hover : .rest, at: now)
  }

  package mutating func pointerLeft(at now: Double) {
    let now = recordTime(now)
    guard case .idle = gesture else { return }
    emphasize(.rest, at: now)
  }

  @discardableResult
  package mutating func cancelDrag(at now: Double) -> Bool {
    let now = recordTime(now)
    let wasDragging = isDragging
    endGesture()
    emphasize(.rest, at: now)
    return wasDragging
  }

  // MARK: Hit testing

  @inline(never) package func hits(x: Double, y: Double, at now: Double) -> Bool {
    layout.hitArea.contains(x: x, y: y) || hitsDot(x: x, y: y, at: now)
  }

  package func hitsDot(x: Double, y: Double, at now: Double) -> Bool {
    let size = dotSize(at: now)
    guard size > 0, hasRange else { return false }
    let center = dotCenter(at: now)
    return layout.rectangle(from: center - size / 2, to: center + size / 2, thickness: size)
      .grown(to: layout.minimumTargetSize)
      .contains(x: x, y: y)
  }

  // MARK: Dragging

  private var canDrag: Bool { isAdjustable && layout.length > 0 }

  /// Begins a drag: a transition ends, and the value jumps to the pointer unless that grips the dot.
  @inline(never) private mutating func beginDrag(
    grip: Double?, x: Double, y: Double, at now: Double
  ) {
    let shown = shown(at: now)
    // A transition ends here. The glide of a clock continues unseen, in case the drag is cancelled.
    if glide.transition != nil { glide.stop(at: shown, time(at: now)) }
    let drag = Drag(grip: grip ?? 0, value: shown)
    gesture = .dragging(drag)
    pendingEvents.append(.dragBegan)
    emphasize(.drag, at: now)
    moveDrag(drag, toX: x, y: y)
  }

  /// Moves the value of a drag under the pointer.
  private mutating func moveDrag(_ drag: Drag, toX x: Double, y: Double) {
    let length = layout.length
    guard length > 0 else { return }
    let along = layout.along(x: x, y: y) - drag.grip
    let range = glide.range
    let span = range.upperBound - range.lowerBound
    var value = range.lowerBound + along / length * span
    guard (value - drag.value).magnitude > Self.gripTolerance * span else { return }
    if along <= Self.endTolerance { value = range.lowerBound }
    if along >= length - Self.endTolerance { value = range.upperBound }
    moveDrag(drag, to: rounded(value, in: range))
  }

  @inline(never) mutating func moveDrag(_ drag: Drag, to value: Double) {
    guard value != drag.value else { return }
    gesture = .dragging(Drag(grip: drag.grip, value: value, hasMoved: true))
    pendingEvents.append(.dragged(value))
  }

  /// Chooses a value, which is shown until the source has reached it.
  @inline(never) mutating func commit(_ value: Double, at now: Double) {
    let time = time(at: now)
    // If a choice is pending, its target is no place of the source, but a report may have shown that it is under way.
    let old = pendingSeek?.latest ?? TimedValue(value: glide.reported, time: glide.latestTime)
    glide.stop(at: value, time)
    glide.setReported(value)
    pendingSeek = PendingSeek(
      target: TimedValue(value: value, time: time), end: now + PendingSeek.timeout, old: old,
      latest: old, isWaiting: pendingSeek?.isWaiting ?? false)
    pendingEvents.append(.committed(value))
    announced?.isStale = true
  }

  @inline(never) mutating func endGesture() {
    if isDragging { pendingEvents.append(.dragCancelled) }
    if case .idle = gesture { return }
    emphasize(.rest, at: latest)
    gesture = .idle
  }
}
