#if GTK
  internal import HeadwayBar

  /// What the source says, with the time of the frame clock.
  extension BarWidget {
    /// Shows a value at once, without animation.
    ///
    /// - Parameter value: The value; outside of the range it counts as the nearer end, no number changes nothing.
    public func setValue(_ value: Double) { update { $0.setValue(value, at: $1) } }

    /// Takes a report that tells where the source will be.
    ///
    /// - Parameters:
    ///   - value: Where the source will be.
    ///   - duration: In how many seconds.
    ///   - sourceTime: The source's own time of the report, in its seconds, by which late and repeated ones are told.
    public func setValue(_ value: Double, duration: Double, time sourceTime: Double) {
      update { $0.setValue(value, duration: duration, time: sourceTime, at: $1) }
    }

    /// Moves evenly to a value in a given time.
    ///
    /// The end is found in a frame, or when something else changes: while the widget is not mapped it is not told.
    ///
    /// - Parameters:
    ///   - value: The value; outside of the range it counts as the nearer end.
    ///   - duration: For how many seconds.
    ///   - completion: Called once when the change has ended, with whether it came to its end or was interrupted.
    public func setValue(
      _ value: Double, duration: Double, completion: @escaping (_ isFinished: Bool) -> Void
    ) {
      let now = now
      let transition = bar.setValue(value, duration: duration, at: now)
      completions[transition] = completion
      settle(at: now)
    }

    /// Takes a report of the source.
    ///
    /// - Parameters:
    ///   - value: Where the source is.
    ///   - rate: For a source of `forecast`, by how much the value will grow in a second; nil for what earlier reports
    ///     tell.
    public func report(_ value: Double, rate: Double? = nil) {
      update { $0.report(value, rate: rate, at: $1) }
    }

    /// Stops the value exactly where it was drawn last, in the middle of a glide too.
    public func pause() {
      // What is seen is the last frame: the time since then was never shown.
      let seen = tick == 0 ? nil : drawnTime
      update { $0.pause(at: seen ?? $1) }
    }

    /// Goes on from where `pause()` stopped, at the same speed.
    public func resume() { update { $0.resume(at: $1) } }

    /// Stays at the value that is shown and forgets where it was going.
    public func removeAnimation() { update { $0.removeAnimation(at: $1) } }

    /// Goes to the beginning of the range and forgets everything that was reported, paused, dragged or held.
    public func reset() { update { $0.reset(at: $1) } }
  }
#endif
