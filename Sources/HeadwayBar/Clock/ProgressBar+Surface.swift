#if !hasFeature(Embedded)
  /// Style, drawing, input and announcements, with times as `Duration`.
  extension ProgressBar {
    // MARK: Style

    /// Returns the style that is shown at a time.
    ///
    /// - Parameter now: The time.
    /// - Returns: The style, which lies between two others during a change.
    /// - Complexity: O(ranges and marks).
    package func shownStyle(at now: Duration) -> BarStyle { shownStyle(at: now.inSeconds) }

    /// Changes the style, at once or gradually; the position of the value stays.
    ///
    /// - Parameters:
    ///   - style: The new style.
    ///   - duration: How long the change takes; a negative duration counts as zero.
    ///   - now: The time.
    /// - Complexity: O(ranges and marks).
    public mutating func setStyle(
      _ style: BarStyle, over duration: Duration = .zero, at now: Duration
    ) {
      setStyle(style, over: duration.inSeconds, at: now.inSeconds)
    }

    /// Changes parts of the style, at once or gradually.
    ///
    /// ```swift
    /// bar.changeStyle(over: .milliseconds(200), at: now) { $0.barHeight = 8 }
    /// ```
    ///
    /// A change at once leaves gradual changes of other parts in progress.
    ///
    /// - Parameters:
    ///   - duration: How long the change takes; a negative duration counts as zero.
    ///   - now: The time.
    ///   - change: Changes the style.
    /// - Complexity: O(ranges and marks).
    public mutating func changeStyle(
      over duration: Duration = .zero, at now: Duration, _ change: (inout BarStyle) -> Void
    ) {
      changeStyle(over: duration.inSeconds, at: now.inSeconds, change)
    }

    // MARK: Drawing

    /// Returns the position of a value along the bar, in the unit of the layout.
    ///
    /// When that value is shown, the filled part ends there and the dot has its center there, whatever the style.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range.
    ///   - now: The time.
    /// - Returns: The distance from the beginning of the bar.
    public func position(of value: Double, at now: Duration) -> Double {
      position(of: value, at: now.inSeconds)
    }

    /// Returns the position of the dot's center along the bar.
    ///
    /// - Parameter now: The time.
    /// - Returns: The distance from the beginning of the bar.
    public func dotCenter(at now: Duration) -> Double { dotCenter(at: now.inSeconds) }

    /// Returns the size of the dot.
    ///
    /// - Parameter now: The time.
    /// - Returns: The width and height, or 0 if there is no dot.
    public func dotSize(at now: Duration) -> Double { dotSize(at: now.inSeconds) }

    /// Appends the shapes that are shown at a time to a drawing, the lowest first.
    ///
    /// Shapes with `followsValue` keep their size. While nothing but the value changes, they only move.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - drawing: The list to append to.
    /// - Complexity: O(ranges and marks); no allocation if the list has capacity.
    public func draw(at now: Duration, into drawing: inout [BarShape]) {
      draw(at: now.inSeconds, into: &drawing)
    }

    // MARK: Pointer

    /// Handles a press: a mouse or a pen begins to drag, anywhere in the hit area, and the value jumps there.
    ///
    /// A press on the dot, as it is shown, keeps the dot's offset from the pointer. A finger begins to drag only when it
    /// moves along the bar.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - pointer: The kind of pointer.
    ///   - isPrimary: Whether it is the main button or the first finger. Others never drag, and a second finger cancels a
    ///     drag.
    ///   - now: The time.
    /// - Returns: Whether the bar handles the press; if so, pass on everything else that this pointer does.
    public mutating func pointerDown(
      x: Double, y: Double, pointer: BarPointer = .mouse, isPrimary: Bool = true, at now: Duration
    ) -> Bool {
      pointerDown(x: x, y: y, pointer: pointer, isPrimary: isPrimary, at: now.inSeconds)
    }

    /// Handles a move of a pointer that is down or hovers, inside or outside the bar.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    /// - Returns: Whether the value follows the pointer.
    @discardableResult
    public mutating func pointerMoved(x: Double, y: Double, at now: Duration) -> Bool {
      pointerMoved(x: x, y: y, at: now.inSeconds)
    }

    /// Handles the end of a press, which chooses a value.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    public mutating func pointerUp(x: Double, y: Double, at now: Duration) {
      pointerUp(x: x, y: y, at: now.inSeconds)
    }

    /// Handles the exit of the pointer from the bar.
    ///
    /// - Parameter now: The time.
    public mutating func pointerLeft(at now: Duration) { pointerLeft(at: now.inSeconds) }

    /// Cancels a drag: the value is that of the source again, and none is chosen.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether there was a drag.
    @discardableResult
    public mutating func cancelDrag(at now: Duration) -> Bool { cancelDrag(at: now.inSeconds) }

    /// Returns whether a press at a point counts for the bar.
    ///
    /// The hit area is the bar with its margins, at least 24 points wide and high, or 44 for fingers, and the dot where it
    /// is shown, with the same minimum size.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    /// - Returns: Whether the point is in the hit area or on the dot.
    public func hits(x: Double, y: Double, at now: Duration) -> Bool {
      hits(x: x, y: y, at: now.inSeconds)
    }

    /// Returns whether a press at a point grips the dot where it is shown.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    /// - Returns: Whether the point is on the dot or so near that the dot must be meant.
    public func hitsDot(x: Double, y: Double, at now: Duration) -> Bool {
      hitsDot(x: x, y: y, at: now.inSeconds)
    }

    // MARK: Keys

    /// Handles a key; each key that changes the value chooses one.
    ///
    /// Right and up go forward, left and down go back. If the value grows from right to left, left goes forward. Escape
    /// cancels a drag.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - now: The time.
    /// - Returns: Whether the bar handled the key; if so, keep it from scrolling the view.
    public mutating func press(_ key: BarKey, at now: Duration) -> Bool {
      press(key, at: now.inSeconds)
    }

    /// Handles a turn of the mouse wheel, if the bar accepts the wheel.
    ///
    /// - Parameters:
    ///   - steps: The number of steps forward, or back if negative.
    ///   - now: The time.
    /// - Returns: Whether the bar handled it.
    public mutating func scroll(steps: Double, at now: Duration) -> Bool {
      scroll(steps: steps, at: now.inSeconds)
    }

    /// Sets whether the bar has the keyboard focus, which enlarges the dot.
    ///
    /// - Parameters:
    ///   - hasFocus: Whether the bar has the focus.
    ///   - now: The time.
    public mutating func setFocus(_ hasFocus: Bool, at now: Duration) {
      setFocus(hasFocus, at: now.inSeconds)
    }

    // MARK: Accessibility

    /// Handles a value that a person has chosen with assistive technology, as a key that goes there.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range.
    ///   - now: The time.
    /// - Returns: Whether the bar has chosen it; a bar that nobody can change has not, nor one that is being dragged.
    public mutating func choose(_ value: Double, at now: Duration) -> Bool {
      choose(value, at: now.inSeconds)
    }

    /// Returns what to announce to assistive technology now, if anything.
    ///
    /// A gliding value is announced once a second, and a value that a person has changed at once.
    ///
    /// - Parameter now: The time.
    /// - Returns: The announcement, or nil if the last one still holds.
    public mutating func announcement(at now: Duration) -> BarAnnouncement? {
      announcement(at: now.inSeconds)
    }

    /// Returns when `announcement(at:)` may next return something without any further call.
    ///
    /// - Parameter now: The time.
    /// - Returns: A time on the same clock, `now` if an announcement is due, or nil for never.
    public func nextAnnouncement(after now: Duration) -> Duration? {
      nextAnnouncement(after: now.inSeconds).map { Duration(clampingSeconds: $0) }
    }
  }
#endif
