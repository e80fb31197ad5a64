/// Reports of the source, seeks, and changes of the range.
extension ProgressBar {
  package mutating func setValue(_ value: Double, at now: Double) {
    guard let value = clampedValue(value) else { return }
    let now = recordTime(now)
    (pendingSeek, isIndeterminate) = (nil, false)
    glide.set(value, at: time(at: now))
  }

  package mutating func report(_ value: Double, rate: Double? = nil, at now: Double) {
    report(value, ahead: 0, stamp: nil, rate: rate, at: now)
  }

  package mutating func report(
    _ value: Double, expectedIn duration: Double, sourceTime: Double, at now: Double
  ) {
    let stamp = sourceTime.isFinite ? sourceTime : nil
    report(value, ahead: duration.positiveOrZero, stamp: stamp, rate: nil, at: now)
  }

  @discardableResult
  package mutating func animate(
    to value: Double, over duration: Double, at now: Double
  ) -> BarTransition {
    let now = recordTime(now)
    let target = clampedValue(value) ?? shown(at: now)
    pendingSeek = nil
    isIndeterminate = false
    let duration = reducesMotion ? 0 : duration.positiveOrZero
    return glide.animate(to: target, over: duration, at: time(at: now))
  }

  package mutating func seek(to value: Double, at now: Double) {
    guard let value = clampedValue(value) else { return }
    let now = recordTime(now)
    // A source that is sent where the person wants to be still has to get there.
    if value != pendingSeek?.target.value { pendingSeek = nil }
    isIndeterminate = false
    (glide.source, glide.snaps) = (source, reducesMotion)
    glide.seek(to: value, at: time(at: now))
  }

  package mutating func stall(at now: Double) {
    let now = recordTime(now)
    pendingSeek?.isWaiting = true
    glide.stall(at: time(at: now))
  }

  package mutating func removeAnimation(at now: Double) {
    let time = time(at: recordTime(now))
    // A drag shows the person's value; if it is cancelled, the bar is where the animation stopped.
    glide.stop(at: glide.motion.value(at: time), time)
  }

  package mutating func reset(at now: Double) {
    let now = recordTime(now)
    if isDragging { pendingEvents.append(.dragCancelled) }
    (gesture, pendingSeek, isIndeterminate) = (.idle, nil, false)
    timeline = Timeline()
    glide.reset(at: time(at: now))
    rangeChange = RangeChange(glide.range)
    styleChange.finish()
    emphasis = Emphasis()
    announced = nil
  }

  package mutating func setRange(from low: Double, to high: Double, at now: Double) {
    let now = recordTime(now)
    let new = Self.usable(low, high)
    guard new != glide.range else { return }
    let isAnimated = hasRange && !reducesMotion && !isDragging
    if case .dragging(let drag) = gesture {
      let fraction = rangeChange.fraction(of: drag.value, at: now)
      let moved = new.lowerBound.interpolated(to: new.upperBound, fraction).clamped(to: new)
      moveDrag(drag, to: rounded(moved, in: new))
    }
    rangeChange.change(to: new, at: now, isAnimated: isAnimated)
    if let target = pendingSeek?.target.value {
      pendingSeek?.target.value = target.clamped(to: new)
    }
    glide.source = source
    glide.setRange(new, at: time(at: now))
  }

  /// Handles a report of either kind of source.
  @inline(never) private mutating func report(
    _ value: Double, ahead: Double, stamp: Double?, rate: Double?, at now: Double
  ) {
    guard let value = clampedValue(value) else { return }
    isIndeterminate = false
    let now = recordTime(now)
    let time = time(at: now)
    let isPaused = isPaused
    guard
      pendingSeek?.ends(with: value, from: &glide, at: time, isPaused: isPaused, now: now) ?? true
    else { return }
    pendingSeek = nil
    (glide.source, glide.snaps) = (source, reducesMotion)
    switch source {
    case .reports:
      glide.report(value, ahead: ahead, stamp: stamp, at: time, isPaused: isPaused)
    case .forecast:
      let usable = rate.flatMap { $0.isNaN ? nil : min($0, BarLimits.value) }
      glide.forecast(value, rate: usable, at: time)
    }
  }

  /// The value clamped to the range, or nil if it is NaN or infinite.
  func clampedValue(_ value: Double) -> Double? {
    value.isFinite ? value.clamped(to: glide.range) : nil
  }
}
