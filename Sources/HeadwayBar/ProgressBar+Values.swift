/// What the source says.
extension ProgressBar {
  /// Shows a value at once, without animation.
  ///
  /// It ends a transition that is on its way and what is held after a drag; during a drag it is only remembered.
  ///
  /// - Parameters:
  ///   - value: The value; outside of the range it counts as the nearer end, no number changes nothing.
  ///   - now: The time in seconds.
  public mutating func setValue(_ value: Double, at now: Double) {
    guard let value = admitted(value) else { return }
    let now = moment(now)
    (hold, isIndeterminate) = (nil, false)
    glide.set(value, at: time(at: now))
  }

  /// Takes a report of the source.
  ///
  /// A source of `reports` is followed as a clock: the shown value is steered to the line of its reports, a difference of
  /// more than half a second of the source is a seek, and three gaps without a report are a stall. One of `forecast` is
  /// caught up with in half a second and never followed back. During a drag a report moves nothing; after it the value
  /// that a person chose is held until a report agrees; after ten seconds any report is believed.
  ///
  /// - Parameters:
  ///   - value: Where the source is; outside of the range it counts as the nearer end, no number changes nothing.
  ///   - rate: For a `forecast`, by how much the value will grow in a second; nil for what earlier reports tell. A clock has
  ///     its speed from `unitsPerSecond` and its playback rate, and does not look at this.
  ///   - now: The time in seconds.
  public mutating func report(_ value: Double, rate: Double? = nil, at now: Double) {
    report(value, ahead: 0, stamp: nil, rate: rate, at: now)
  }

  /// Takes a report that tells where the source will be, as players that announce their next quarter of a second do.
  ///
  /// - Parameters:
  ///   - value: Where the source will be; outside of the range it counts as the nearer end, no number changes nothing.
  ///   - duration: In how many seconds; what is negative or no number counts as 0.
  ///   - sourceTime: The source's own time of the report, in its seconds. One that is not after the last is late or
  ///     twice, and changes nothing unless it is a seek.
  ///   - now: The time in seconds.
  public mutating func setValue(
    _ value: Double, duration: Double, time sourceTime: Double, at now: Double
  ) {
    let stamp = sourceTime.isFinite ? sourceTime : nil
    report(value, ahead: duration.drawn, stamp: stamp, rate: nil, at: now)
  }

  /// Moves evenly to a value in a given time; its end is told by an event.
  ///
  /// A later value of any kind, a drag, a stop or a reset interrupts it. In a pause it stands, and goes on after it.
  ///
  /// - Parameters:
  ///   - value: The value; outside of the range it counts as the nearer end, no number as the one that is shown.
  ///   - duration: For how many seconds; what is negative, infinite or no number counts as 0.
  ///   - now: The time in seconds.
  /// - Returns: The name of the change, which the event of its end carries: `advance(to:)` finds it, or at once what
  ///   interrupts it.
  @discardableResult
  public mutating func setValue(
    _ value: Double, duration: Double, at now: Double
  ) -> BarTransition {
    let now = moment(now)
    let target = admitted(value) ?? shown(at: now)
    if !isDragging { hold = nil }
    isIndeterminate = false
    let duration = reducesMotion ? 0 : duration.drawn
    return glide.animate(to: target, for: duration, at: time(at: now))
  }

  /// Goes to a value and on from there at the speed of the source: what it has been told to seek.
  ///
  /// - Parameters:
  ///   - value: The value; outside of the range it counts as the nearer end, no number changes nothing.
  ///   - now: The time in seconds.
  public mutating func seek(to value: Double, at now: Double) {
    guard let value = admitted(value) else { return }
    let now = moment(now)
    // Told to go where a person has sent it, it still has to get there.
    if value != hold?.target { hold = nil }
    isIndeterminate = false
    (glide.source, glide.snaps) = (source, reducesMotion)
    glide.seek(to: value, at: time(at: now))
  }

  /// Slows to a stop within one gap between reports: the source says that it waits for data.
  ///
  /// - Parameter now: The time in seconds.
  public mutating func stall(at now: Double) {
    let now = moment(now)
    glide.stall(at: time(at: now))
  }

  /// Stays at the value that is shown and forgets where it was going, the source's `removeProgressAnimation`.
  ///
  /// It never jumps to the target. A report sets it in motion again.
  ///
  /// - Parameter now: The time in seconds.
  public mutating func removeAnimation(at now: Double) {
    let time = time(at: moment(now))
    // What a drag shows is the person's: called off, it leaves the bar where the animation has stopped.
    glide.stop(at: glide.motion.value(at: time), time)
  }

  /// Goes to the beginning of the range and forgets everything that was reported, paused, dragged or held.
  ///
  /// Range, style, layout and the choices of the program stay; rate and speed are 1 again.
  ///
  /// - Parameter now: The time in seconds.
  public mutating func reset(at now: Double) {
    let now = moment(now)
    if isDragging { happened.append(.dragCancelled) }
    (gesture, hold, isIndeterminate) = (.idle, nil, false)
    (timeLine, timeSpeed) = (TimeLine(), 1)
    glide.reset(at: time(at: now))
    rangeChange = RangeChange(glide.range)
    styleChange.finish()
    emphasis = Emphasis()
    announced = nil
  }

  /// Changes the range, when a total grows or shrinks or a live window slides.
  ///
  /// The shown value stays unless it is outside now. Its place glides to the new one within a third of a second, at once
  /// only where there was no range before. During a drag the dot stays under the pointer instead, and the value changes.
  ///
  /// - Parameters:
  ///   - low: The beginning; no number counts as 0.
  ///   - high: The end; what is no number or below the beginning counts as the beginning, and makes an empty bar.
  ///   - now: The time in seconds.
  public mutating func setRange(from low: Double, to high: Double, at now: Double) {
    let now = moment(now)
    let new = Self.usable(low, high)
    guard new != glide.range else { return }
    let isAnimated = hasRange && !reducesMotion && !isDragging
    if case .dragging(let drag) = gesture {
      let part = rangeChange.part(of: drag.value, at: now)
      drop(drag, on: new.lowerBound.mixed(with: new.upperBound, part).limited(to: new))
    }
    rangeChange.change(to: new, at: now, isAnimated: isAnimated)
    if let target = hold?.target { hold?.target = target.limited(to: new) }
    glide.source = source
    glide.setRange(new, at: time(at: now))
  }

  // MARK: Reports

  /// Takes a report of either source.
  @inline(never) private mutating func report(
    _ value: Double, ahead: Double, stamp: Double?, rate: Double?, at now: Double
  ) {
    guard let value = admitted(value) else { return }
    isIndeterminate = false
    let now = moment(now)
    let time = time(at: now)
    if let hold {
      let elapsed = max(time - hold.start, 0)
      guard glide.agree(value, hold.target, after: elapsed) else {
        guard now >= hold.end else { return glide.remember(value) }
        // It does not go there: what it says is true.
        self.hold = nil
        return glide.set(value, at: time)
      }
      // The bar rests on what the person chose, and is steered to the source from there.
      self.hold = nil
    }
    (glide.source, glide.snaps) = (source, reducesMotion)
    switch source {
    case .reports:
      glide.report(value, ahead: ahead, stamp: stamp, at: time, isHeld: isPaused)
    case .forecast:
      let usable = rate.flatMap { $0.isNaN ? nil : min($0, BarLimits.value) }
      glide.forecast(value, rate: usable, at: time)
    }
  }

  /// A value of the range, nil for what is no number.
  func admitted(_ value: Double) -> Double? {
    value.isNaN ? nil : value.limited(to: glide.range)
  }
}
