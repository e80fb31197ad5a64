/// Pauses, speeds, and what changes with time.
extension ProgressBar {
  /// What moves from a time on, and so what a surface has to do.
  ///
  /// ```swift
  /// func end(of activity: ProgressBar.Activity) -> Duration? {
  ///   switch activity {
  ///   case .gliding(let phase), .sweeping(let phase): phase.end
  ///   case .still, .changing: nil
  ///   }
  /// }
  /// ```
  public enum Activity: Hashable, Sendable {
    /// Nothing moves: the drawing stays right until the next call that changes the bar.
    case still
    /// Only the value moves, in the given phase, so a compositor can draw it.
    case gliding(BarPhase)
    /// Only the block of an indeterminate bar moves, so a compositor can draw it: in the given phase from one end of the bar
    /// to the other, and then back and forth in the same time.
    case sweeping(BarPhase)
    /// More changes than the value: draw each frame.
    case changing
  }

  package mutating func pause(at now: Double) {
    let now = recordTime(now)
    guard !isPaused else { return }
    timeline.pause(at: now)
  }

  package mutating func resume(at now: Double) {
    let now = recordTime(now)
    guard isPaused else { return }
    timeline.resume(at: now)
    glide.clearReports(at: time(at: now))
  }

  package mutating func setPlaybackRate(_ rate: Double, at now: Double) {
    guard abs(rate) <= BarLimits.playbackRate else { return }
    let rate = abs(rate) < 1 / BarLimits.playbackRate ? 0 : rate
    guard rate != glide.playbackRate else { return }
    let now = recordTime(now)
    glide.setPlaybackRate(rate, at: time(at: now))
  }

  /// The playback rate of the source: 1 is normal speed.
  public var playbackRate: Double { glide.playbackRate }

  package mutating func advance(to now: Double) {
    let now = recordTime(now)
    glide.finish(at: time(at: now))
    rangeChange.finish(at: now)
    styleChange.finish(at: now)
    emphasis.finish(at: now)
  }

  package func activity(at now: Double) -> Activity {
    if rangeChange.isChanging(at: now) || styleChange.isChanging(at: now)
      || emphasis.isChanging(at: now)
    {
      return .changing
    }
    if isIndeterminate { return sweepingPhase(at: now).map { .sweeping($0) } ?? .still }
    guard let phase = glidingPhase(at: now) else { return .still }
    return .gliding(phase)
  }

  /// The phase in which the value moves, or nil if it stands still.
  func glidingPhase(at now: Double) -> BarPhase? {
    guard !isDragging, pendingSeek == nil, !isPaused, hasRange else { return nil }
    let phase = glide.motion.phase(at: time(at: now))
    guard phase.endTime.isFinite, let end = timeline.clockTime(at: phase.endTime) else {
      return nil
    }
    return BarPhase(
      startTime: timeline.clockTime(at: phase.startTime) ?? now, endTime: end, from: phase.from,
      to: phase.to, isBraking: phase.isBraking)
  }

  /// The phase in which the block of an indeterminate bar moves from one end to the other, or nil if the bar is paused.
  private func sweepingPhase(at now: Double) -> BarPhase? {
    guard !isPaused else { return nil }
    let (time, value) = (time(at: now), glide.reported)
    let start = time - time.wrapped(to: sweepTime)
    return BarPhase(
      startTime: timeline.clockTime(at: start) ?? now,
      endTime: timeline.clockTime(at: start + sweepTime) ?? now, from: value, to: value,
      isBraking: false)
  }

  package func nextChange(after now: Double) -> Double? {
    switch activity(at: now) {
    case .changing, .sweeping: now
    case .gliding(let phase): phase.endTime
    case .still: glide.transition != nil ? timeline.clockTime(at: glide.motion.restTime) : nil
    }
  }
}
