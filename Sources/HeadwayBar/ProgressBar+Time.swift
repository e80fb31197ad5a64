/// How time passes for the bar.
extension ProgressBar {
  /// What a surface has to do to show the bar rightly from now on.
  public enum Activity: Hashable, Sendable {
    /// Nothing: what is drawn stays right until something is said or done.
    case still
    /// Only the value moves, in the phase that is given, on the clock of the surface: a compositor can draw it.
    case gliding(BarMotion.Phase)
    /// More changes than the value: each frame is drawn.
    case changing
  }

  /// Stops the value where it is seen, in the middle of a glide too.
  ///
  /// It is the source's `pauseAnimation`: the time line of the bar stands, and nothing moves until `resume(at:)` but
  /// what a person does and seeks. A bar that is paused stays so.
  ///
  /// - Parameter now: The time in seconds.
  public mutating func pause(at now: Double) {
    let now = moment(now)
    guard !isPaused else { return }
    timeLine.pause(at: now)
  }

  /// Goes on from where `pause(at:)` stopped, at the same speed; the source's `resumeAnimation`.
  ///
  /// - Parameter now: The time in seconds.
  public mutating func resume(at now: Double) {
    let now = moment(now)
    guard isPaused else { return }
    timeLine.resume(at: now, speed: timeSpeed)
    glide.forgetReports(at: time(at: now))
  }

  /// Changes how fast the source plays, from the shown value on.
  ///
  /// - Parameters:
  ///   - rate: 1 is normal speed, 0.25 to 4 are usual, negative is backwards; what is no number or beyond a
  ///     million changes nothing, and 0 stands still until another rate.
  ///   - now: The time in seconds.
  public mutating func setPlaybackRate(_ rate: Double, at now: Double) {
    guard abs(rate) <= BarLimits.playbackRate else { return }
    let rate = abs(rate) < 1 / BarLimits.playbackRate ? 0 : rate
    guard rate != glide.playbackRate else { return }
    let now = moment(now)
    glide.setPlaybackRate(rate, at: time(at: now))
  }

  /// How fast the source plays.
  public var playbackRate: Double { glide.playbackRate }

  /// Changes how fast time passes for the bar as a whole, reports and all; the shown value stays.
  ///
  /// It is the speed of a layer, which multiplies with the speeds inside: for a film of the bar in slow motion, not for
  /// a source that plays faster. In a pause it counts from the end of that.
  ///
  /// - Parameters:
  ///   - speed: Seconds of the bar in a second of the clock, above zero and up to 1,000; anything else changes
  ///     nothing.
  ///   - now: The time in seconds.
  public mutating func setSpeed(_ speed: Double, at now: Double) {
    guard speed > 0, speed <= BarLimits.speed else { return }
    let now = moment(now)
    timeSpeed = speed
    if !isPaused { timeLine.setSpeed(speed, at: now) }
  }

  /// Goes on to a time and finds what has ended by then; call it once a frame, or when `nextChange(after:)` says.
  ///
  /// - Parameter now: The time in seconds.
  public mutating func advance(to now: Double) {
    let now = moment(now)
    glide.finish(at: time(at: now))
    rangeChange.finish(at: now)
    styleChange.finish(at: now)
    emphasis.finish(at: now)
  }

  /// What moves from a time on.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: What a surface has to do.
  public func activity(at now: Double) -> Activity {
    if rangeChange.isChanging(at: now) || styleChange.isChanging(at: now)
      || emphasis.isChanging(at: now) || (isIndeterminate && !isPaused)
    {
      return .changing
    }
    guard let phase = glidingPhase(at: now) else { return .still }
    return .gliding(phase)
  }

  /// The phase in which the value moves, nil where it stands.
  func glidingPhase(at now: Double) -> BarMotion.Phase? {
    guard !isDragging, hold == nil, !isPaused, hasRange else { return nil }
    let phase = glide.motion.phase(at: time(at: now))
    guard phase.end.isFinite, let end = timeLine.parentTime(at: phase.end) else { return nil }
    return BarMotion.Phase(
      start: timeLine.parentTime(at: phase.start) ?? now, end: end, from: phase.from,
      to: phase.to, isBraking: phase.isBraking)
  }

  /// When `advance(to:)` or a surface has something to do of itself, nil for never.
  ///
  /// A surface that draws each frame while `activity(at:)` is not still needs no more than that; one that lets a
  /// compositor draw wakes then.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: A time of the same clock; `now` itself where each frame counts.
  public func nextChange(after now: Double) -> Double? {
    switch activity(at: now) {
    case .changing: now
    case .gliding(let phase): phase.end
    case .still: glide.transition != nil ? timeLine.parentTime(at: glide.motion.restTime) : nil
    }
  }
}
