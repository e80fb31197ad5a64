/// How the bar looks.
extension ProgressBar {
  /// The style that was set, which may still be on its way.
  public var style: BarStyle { styleChange.to }

  /// The style that is seen at a time.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: The style, between two others while it changes.
  /// - Complexity: O(ranges and marks).
  public func shownStyle(at now: Double) -> BarStyle { styleChange.style(at: now) }

  /// Changes the style, at once or gradually; the place of the value stays.
  ///
  /// - Parameters:
  ///   - style: The style.
  ///   - duration: For how many seconds it changes; what is negative, infinite or no number counts as 0.
  ///   - now: The time in seconds.
  /// - Complexity: O(ranges and marks).
  public mutating func setStyle(_ style: BarStyle, over duration: Double = 0, at now: Double) {
    let now = moment(now)
    styleChange.change(to: style, over: reducesMotion ? 0 : duration, at: now)
    if !style.isDraggable { cancelDrag(at: now) }
  }

  /// Changes parts of the style, at once or gradually; at once, other parts that are on their way go on.
  ///
  /// ```swift
  /// bar.changeStyle(over: 0.2, at: now) { $0.barHeight = 8 }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: For how many seconds it changes; what is negative, infinite or no number counts as 0.
  ///   - now: The time in seconds.
  ///   - change: Changes the parts.
  /// - Complexity: O(ranges and marks).
  public mutating func changeStyle(
    over duration: Double = 0, at now: Double, _ change: (inout BarStyle) -> Void
  ) {
    var new = style
    change(&new)
    guard duration.drawn > 0, !reducesMotion else {
      styleChange.changeAtOnce(to: new)
      if !style.isDraggable { cancelDrag(at: now) }
      return
    }
    setStyle(new, over: duration, at: now)
  }

  /// The size of the dot at a time.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: The width and height, 0 where there is no dot.
  public func dotSize(at now: Double) -> Double { dotSize(in: styleChange.style(at: now), at: now) }

  /// The size of the dot in a style at a time.
  @inline(never) func dotSize(in style: BarStyle, at now: Double) -> Double {
    let rest = style.dotSize.drawn
    guard rest > 0 else { return 0 }
    let emphasis = emphasis.value(at: now)
    let hover = style.hoverDotSize.drawn
    return emphasis > 1
      ? hover.mixed(with: style.dragDotSize.drawn, emphasis - 1) : rest.mixed(with: hover, emphasis)
  }

  /// Lets the dot stand out more or less.
  @inline(never) mutating func emphasize(_ state: Emphasis.State, at now: Double) {
    let seconds = reducesMotion ? 0 : styleChange.to.emphasisDuration
    let rest: Emphasis.State = hasFocus && isAdjustable ? .hover : .rest
    emphasis.change(to: state == .rest ? rest : state, over: seconds, at: now)
  }
}
