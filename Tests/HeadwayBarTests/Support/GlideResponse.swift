/// How a rule takes something that befalls a player at a time: a jump, or a stall.
///
/// Values are in seconds of the video.
struct GlideResponse: Sendable {
  /// From how far on the shown value counts as away from the player.
  private static let near = 0.05

  /// How long it takes until the shown value is near the player and stays there, in seconds.
  private(set) var settling = 0.0
  /// The most that it is ahead of the player.
  private(set) var mostAhead = 0.0
  /// The most that it goes back from one frame to the next.
  private(set) var stepBack = 0.0
  /// The most that it goes on from one frame to the next.
  private(set) var stepOn = 0.0

  /// Watches a rule.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - runs: The players.
  ///   - start: When it befalls them, in seconds.
  ///   - end: Until when to look, in seconds.
  init<Rule: GlideRule>(
    _ rule: Rule.Type, on runs: [PlayerRun], from start: Double, to end: Double
  ) {
    for run in runs {
      var rule = Rule()
      var events = run.events[...]
      var (now, before) = (0.0, 0.0)
      while now < end {
        now += 1 / GlideScore.framesPerSecond
        while let event = events.first, event.time <= now {
          events.removeFirst()
          rule.hear(event)
        }
        let value = rule.shown(at: now)
        let lag = run.leg(at: now).value(at: now) - value
        if now >= start {
          if abs(lag) > Self.near { settling = max(settling, now - start) }
          mostAhead = max(mostAhead, 0 - lag)
          stepBack = max(stepBack, before - value)
          stepOn = max(stepOn, value - before)
        }
        before = value
      }
    }
  }
}

/// What a rule shows thirty times a second, asked at another number of frames.
struct GlideTrace: Sendable {
  /// The frames in a second that are kept.
  private static let kept = 30.0
  /// What is shown in those.
  private var values: [Double] = []

  /// Watches a rule.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - run: The player.
  ///   - framesPerSecond: How often it is asked; a multiple of 30.
  init<Rule: GlideRule>(_ rule: Rule.Type, on run: PlayerRun, framesPerSecond: Double) {
    var rule = Rule()
    var events = run.events[...]
    let stride = Int(framesPerSecond / Self.kept)
    for frame in 1...Int(run.length * framesPerSecond) {
      // Exactly the same moments, however often it is asked.
      let now = Double(frame / stride) / Self.kept + Double(frame % stride) / framesPerSecond
      while let event = events.first, event.time <= now {
        events.removeFirst()
        rule.hear(event)
      }
      let value = rule.shown(at: now)
      if frame.isMultiple(of: stride) { values.append(value) }
    }
  }

  /// The most that two differ.
  func distance(from other: GlideTrace) -> Double {
    zip(values, other.values).map { abs($0 - $1) }.max() ?? .infinity
  }
}

extension PlayerRun {
  /// Twenty players that jump at ten seconds.
  ///
  /// - Parameter distance: By how much they jump, in seconds; negative for back.
  /// - Returns: The players.
  static func jumping(by distance: Double) -> [PlayerRun] {
    let legs = [
      Leg(time: 0, value: 0, speed: 1), Leg(time: 10, value: 10 + distance, speed: 1),
    ]
    return (0..<20).map { PlayerRun(legs: legs, seed: $0, length: 30) }
  }

  /// Twenty players that hang for two seconds at ten.
  ///
  /// - Parameter repeatsItself: Whether they say where they are meanwhile.
  /// - Returns: The players.
  static func hanging(repeatsItself: Bool) -> [PlayerRun] {
    let legs = [
      Leg(time: 0, value: 0, speed: 1), Leg(time: 10, value: 10, speed: 0),
      Leg(time: 12, value: 10, speed: 1),
    ]
    return (0..<20).map {
      PlayerRun(legs: legs, seed: $0, length: 30, repeatsItself: repeatsItself)
    }
  }

  /// Twenty players that run at other speeds, five seconds each.
  ///
  /// - Parameter isRateHeard: Whether they tell that.
  /// - Returns: The players.
  static func changingSpeed(isRateHeard: Bool) -> [PlayerRun] {
    var legs = [Leg(time: 0, value: 0, speed: 1)]
    for speed in [2, 0.5, 4, 0.25, 1.5, 1] {
      let time = legs[legs.count - 1].time + 5
      legs.append(Leg(time: time, value: legs[legs.count - 1].value(at: time), speed: speed))
    }
    return (0..<20).map {
      PlayerRun(legs: legs, seed: $0, length: 35, isRateHeard: isRateHeard)
    }
  }
}
