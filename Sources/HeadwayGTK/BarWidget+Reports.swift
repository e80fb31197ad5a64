#if GTK
  internal import HeadwayBar

  /// Reports of the source, at the time of the frame clock.
  extension BarWidget {
    /// Shows a value at once, without animation.
    ///
    /// - Parameter value: The value, clamped to the range; NaN changes nothing.
    public func setValue(_ value: Double) { update { $0.setValue(value, at: $1) } }

    /// Reports the current value of the source.
    ///
    /// - Parameters:
    ///   - value: The value of the source.
    ///   - rate: For a source of `forecast`, the expected growth in units per second; nil to use the speed of earlier
    ///     reports.
    public func report(_ value: Double, rate: Double? = nil) {
      update { $0.report(value, rate: rate, at: $1) }
    }

    /// Reports a value that the source will reach.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - duration: The time until the source reaches it.
    ///   - sourceTime: The source's own time of the report, by which late and repeated reports are recognized.
    public func report(_ value: Double, expectedIn duration: Duration, sourceTime: Duration) {
      update { $0.report(value, expectedIn: duration, sourceTime: sourceTime, at: $1) }
    }

    /// Moves to a value at constant speed.
    ///
    /// The end is found in a frame, or when something else changes. While the widget is not mapped, the completion waits.
    ///
    /// - Parameters:
    ///   - value: The target, clamped to the range.
    ///   - duration: How long it takes.
    ///   - completion: Called once at the end, with whether the value reached its target or was interrupted.
    public func animate(
      to value: Double, over duration: Duration,
      completion: @escaping (_ isFinished: Bool) -> Void
    ) {
      let now = now
      let transition = bar.animate(to: value, over: duration, at: now)
      completions[transition] = completion
      changed(at: now)
    }

    /// Stops the value exactly where it was drawn last, even in the middle of a glide.
    public func pause() {
      // The time since the last frame was never shown.
      let drawn = tick == 0 ? nil : drawnTime
      update { $0.pause(at: drawn ?? $1) }
    }

    /// Continues at the same speed from where `pause()` stopped.
    public func resume() { update { $0.resume(at: $1) } }

    /// Stops at the shown value and clears the target.
    public func removeAnimation() { update { $0.removeAnimation(at: $1) } }

    /// Goes to the beginning of the range and clears all reports, pauses, drags and pending seeks.
    public func reset() { update { $0.reset(at: $1) } }
  }
#endif
