/// The style of the bar, and its changes.
extension ProgressBar {
  /// The style that was set last; a gradual change to it may be in progress.
  public var style: BarStyle { styleChange.to }

  package func shownStyle(at now: Double) -> BarStyle { styleChange.style(at: now) }

  package mutating func setStyle(_ style: BarStyle, over duration: Double = 0, at now: Double) {
    let now = recordTime(now)
    styleChange.change(to: style, over: reducesMotion ? 0 : duration, at: now)
    if !style.isDraggable { cancelDrag(at: now) }
  }

  package mutating func changeStyle(
    over duration: Double = 0, at now: Double, _ change: (inout BarStyle) -> Void
  ) {
    var new = style
    change(&new)
    guard duration.positiveOrZero > 0, !reducesMotion else {
      styleChange.changeAtOnce(to: new)
      if !style.isDraggable { cancelDrag(at: now) }
      return
    }
    setStyle(new, over: duration, at: now)
  }

  package func dotSize(at now: Double) -> Double {
    dotSize(in: styleChange.style(at: now), at: now)
  }

  /// The size of the dot in a given style.
  @inline(never) func dotSize(in style: BarStyle, at now: Double) -> Double {
    let rest = style.dotSize.positiveOrZero
    guard rest > 0 else { return 0 }
    let emphasis = emphasis.value(at: now)
    let hover = style.hoverDotSize.positiveOrZero
    return emphasis > 1
      ? hover.interpolated(to: style.dragDotSize.positiveOrZero, emphasis - 1)
      : rest.interpolated(to: hover, emphasis)
  }

  /// Enlarges or shrinks the dot to a state; with the focus it does not fall below `hover`.
  @inline(never) mutating func emphasize(_ state: Emphasis.State, at now: Double) {
    let seconds = reducesMotion ? 0 : styleChange.to.emphasisSeconds
    let rest: Emphasis.State = hasFocus && isAdjustable ? .hover : .rest
    emphasis.change(to: state == .rest ? rest : state, over: seconds, at: now)
  }
}
