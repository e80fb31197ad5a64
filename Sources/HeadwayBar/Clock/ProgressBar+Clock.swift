#if !hasFeature(Embedded)
  /// What the bar shows at a time, and its reports, with times as `Duration`.
  extension ProgressBar {
    // MARK: What it shows

    /// Returns the value that is shown at a time.
    ///
    /// - Parameter now: The time.
    /// - Returns: A value of the range.
    public func shown(at now: Duration) -> Double { visibleValue(at: now.inSeconds) }

    /// Returns the shown value as a fraction of the range.
    ///
    /// - Parameter now: The time.
    /// - Returns: A number from 0 to 1.
    public func fraction(at now: Duration) -> Double { fraction(at: now.inSeconds) }

    /// Returns the speed of the shown value.
    ///
    /// - Parameter now: The time.
    /// - Returns: Units per second; negative if the value moves backwards.
    public func speed(at now: Duration) -> Double { speed(at: now.inSeconds) }

    // MARK: Reports

    /// Shows a value at once, without animation.
    ///
    /// It ends a transition and a pending seek. During a drag the value is only stored.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range; NaN changes nothing.
    ///   - now: The time.
    public mutating func setValue(_ value: Double, at now: Duration) {
      setValue(value, at: now.inSeconds)
    }

    /// Reports the current value of the source.
    ///
    /// A source of `reports` is followed as a clock: the shown value is steered to the line of its reports, a difference
    /// of more than half a second of the source, or of a quarter of the range if that is less, is a seek, and three missing
    /// reports are a stall. With a source of `forecast`, the bar catches up within half a second and never steps back.
    ///
    /// During a drag a report does not move the bar. After the drag the chosen value stays until a report agrees with it, or
    /// two reports show that the source goes on beside it, such as at a key frame, or for ten seconds.
    ///
    /// - Parameters:
    ///   - value: The value of the source, clamped to the range; NaN changes nothing.
    ///   - rate: For a `forecast`, the expected growth in units per second; nil to use the speed of earlier reports. A
    ///     source of `reports` ignores it: its speed follows from `unitsPerSecond` and its playback rate.
    ///   - now: The time.
    public mutating func report(_ value: Double, rate: Double? = nil, at now: Duration) {
      report(value, rate: rate, at: now.inSeconds)
    }

    /// Reports a value that the source will reach, for players that announce the next quarter of a second.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range; NaN changes nothing.
    ///   - duration: The time until the source reaches it; a negative one counts as zero.
    ///   - sourceTime: The source's own time of the report. A report that is not after the last one is late or a duplicate,
    ///     and changes nothing unless it is a seek.
    ///   - now: The time.
    public mutating func report(
      _ value: Double, expectedIn duration: Duration, sourceTime: Duration, at now: Duration
    ) {
      report(
        value, expectedIn: duration.inSeconds, sourceTime: sourceTime.inSeconds, at: now.inSeconds)
    }

    /// Moves to a value at constant speed.
    ///
    /// A later value of any kind, a drag, a stop or a reset interrupts it. During a pause it stops, and then continues.
    ///
    /// - Parameters:
    ///   - value: The target, clamped to the range; NaN counts as the shown value.
    ///   - duration: How long it takes; a negative duration counts as zero.
    ///   - now: The time.
    /// - Returns: The transition. Its end is an event, which `advance(to:)` adds, or whatever interrupts it.
    @discardableResult
    public mutating func animate(
      to value: Double, over duration: Duration, at now: Duration
    ) -> BarTransition {
      animate(to: value, over: duration.inSeconds, at: now.inSeconds)
    }

    /// Jumps to a value and moves on from there at the speed of the source, which was sent there.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range; NaN changes nothing.
    ///   - now: The time.
    public mutating func seek(to value: Double, at now: Duration) {
      seek(to: value, at: now.inSeconds)
    }

    /// Slows to a stop within the usual interval between reports, because the source waits for data.
    ///
    /// While a person's choice is shown that the source has not reached, it also stays for as long as the source repeats one
    /// report.
    ///
    /// - Parameter now: The time.
    public mutating func stall(at now: Duration) { stall(at: now.inSeconds) }

    /// Stops at the shown value and clears the target.
    ///
    /// The bar never jumps to the target. The next report sets it in motion again.
    ///
    /// - Parameter now: The time.
    public mutating func removeAnimation(at now: Duration) { removeAnimation(at: now.inSeconds) }

    /// Goes to the beginning of the range and clears all reports, pauses, drags and pending seeks.
    ///
    /// Range, style, layout and options stay. The playback rate is 1 again.
    ///
    /// - Parameter now: The time.
    public mutating func reset(at now: Duration) { reset(at: now.inSeconds) }

    /// Changes the range, when a total grows or shrinks or a live window moves.
    ///
    /// The shown value stays unless the new range excludes it. Its position glides to the new one within a third of a
    /// second, or jumps there if the range was empty before. During a drag the dot stays under the pointer instead, and
    /// the value changes.
    ///
    /// - Parameters:
    ///   - low: The beginning; NaN counts as 0.
    ///   - high: The end. NaN, or an end below the beginning, makes the range empty.
    ///   - now: The time.
    public mutating func setRange(from low: Double, to high: Double, at now: Duration) {
      setRange(from: low, to: high, at: now.inSeconds)
    }

    // MARK: Time

    /// Stops the value where it is shown, even in the middle of a glide.
    ///
    /// Until `resume(at:)`, only seeks and a person's input move the value. Pausing a paused bar changes nothing.
    ///
    /// - Parameter now: The time.
    public mutating func pause(at now: Duration) { pause(at: now.inSeconds) }

    /// Continues at the same speed from where `pause(at:)` stopped.
    ///
    /// - Parameter now: The time.
    public mutating func resume(at now: Duration) { resume(at: now.inSeconds) }

    /// Changes the playback rate of the source, from the shown value on.
    ///
    /// - Parameters:
    ///   - rate: 1 is normal speed, 0.25 to 4 are usual, and a negative rate plays backwards. At 0 the value stands still.
    ///     NaN and rates beyond a million change nothing.
    ///   - now: The time.
    public mutating func setPlaybackRate(_ rate: Double, at now: Duration) {
      setPlaybackRate(rate, at: now.inSeconds)
    }

    /// Advances to a time and adds an event for each transition that has ended by then.
    ///
    /// Call it once a frame, or at the end of the phase that ``activity(at:)`` returns.
    ///
    /// - Parameter now: The time.
    public mutating func advance(to now: Duration) { advance(to: now.inSeconds) }

    /// Returns what moves from a time on.
    ///
    /// - Parameter now: The time.
    /// - Returns: What a surface has to do.
    public func activity(at now: Duration) -> Activity { activity(at: now.inSeconds) }

    /// Returns when `advance(to:)` or a surface next has something to do without any further call.
    ///
    /// A surface that draws each frame while `activity(at:)` is not still needs nothing more; one that lets a compositor
    /// draw wakes at this time.
    ///
    /// - Parameter now: The time.
    /// - Returns: A time on the same clock, `now` if each frame counts, or nil for never.
    package func nextChange(after now: Duration) -> Duration? {
      nextChange(after: now.inSeconds).flatMap {
        $0.isFinite ? Duration(clampingSeconds: $0) : nil
      }
    }
  }
#endif
