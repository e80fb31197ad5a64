/// How well a rule shows the value of players that run and pause.
///
/// Lags, moves and jumps are in seconds of the video. Lag and speed are looked at while the player runs, from 0.3 s after
/// a pause or its end on.
struct GlideScore: Sendable {
  /// The frames in a second of the published table.
  static let framesPerSecond = 60.0
  /// The time after a pause or its end in which lag and speed are not looked at, in seconds.
  private static let quiet = 0.3

  /// The mean of how far the shown value is behind the player.
  private(set) var meanLag = 0.0
  /// The most that it is away from the player.
  private(set) var mostLag = 0.0
  /// The deviation of the speed from frame to frame, as a part of the normal speed.
  private(set) var jitter = 0.0
  /// The same without the frames in which the word that the player runs again is still on its way.
  private(set) var heardJitter = 0.0
  /// The least speed in those frames, as a part of the normal one.
  private(set) var leastSpeed = Double.infinity
  /// The most speed in those frames, as a part of the normal one.
  private(set) var mostSpeed = -Double.infinity
  /// The most that it goes back from one frame to the next while the player runs.
  private(set) var stepBack = 0.0
  /// The most that it moves between the word of a pause and that of its end.
  private(set) var moveInPause = 0.0
  /// The most that it jumps at the word of a pause.
  private(set) var jumpAtPause = 0.0
  /// The most that it jumps at the word of the end of a pause.
  private(set) var jumpAtResume = 0.0
  /// The most that the speed after a pause differs from the one before, as a part of the normal speed.
  private(set) var speedJumpAtResume = 0.0

  /// Measures a rule.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - runs: The players.
  ///   - framesPerSecond: How often the value is looked at.
  init<Rule: GlideRule>(
    _ rule: Rule.Type, on runs: [PlayerRun], framesPerSecond: Double = framesPerSecond
  ) {
    var means = Means()
    for run in runs { watch(Rule(), run, framesPerSecond: framesPerSecond, &means) }
    meanLag = means.lag.mean
    jitter = means.speed.deviation
    heardJitter = means.heardSpeed.deviation
  }

  /// Measures a rule on the twenty players of the published table.
  init<Rule: GlideRule>(_ rule: Rule.Type) {
    self.init(rule, on: (0..<20).map { PlayerRun(seed: $0) })
  }

  /// Watches a rule on one player.
  private mutating func watch<Rule: GlideRule>(
    _ rule: Rule, _ run: PlayerRun, framesPerSecond: Double, _ means: inout Means
  ) {
    var rule = rule
    var events = run.events[...]
    var (before, wasRunning, restless) = (0.0, false, 0.0)
    var paused: (value: Double, speed: Double)?
    var (now, resumed) = (0.0, 0.0)
    while now < run.length - 1 {
      now += 1 / framesPerSecond
      while let event = events.first, event.time <= now {
        events.removeFirst()
        hear(event, by: &rule, before: before, &paused)
        if event.word != .report { restless = now + Self.quiet }
        if event.word == .resume { resumed = event.time }
      }
      let (value, leg) = (rule.shown(at: now), run.leg(at: now))
      let isRunning = leg.speed != 0 && now > restless
      if isRunning, now > 1 {
        let lag = leg.value(at: now) - value
        means.lag.add(lag)
        mostLag = max(mostLag, abs(lag))
        if wasRunning {
          let speed = (value - before) * framesPerSecond
          means.speed.add(speed)
          if paused == nil, resumed < now - 1 / framesPerSecond {
            means.heardSpeed.add(speed)
            (leastSpeed, mostSpeed) = (min(leastSpeed, speed), max(mostSpeed, speed))
          }
          stepBack = max(stepBack, before - value)
        }
      }
      (before, wasRunning) = (value, isRunning)
    }
  }

  /// Lets a rule hear of the player, and looks how it jumps.
  private mutating func hear<Rule: GlideRule>(
    _ event: PlayerRun.Event, by rule: inout Rule, before: Double,
    _ paused: inout (value: Double, speed: Double)?
  ) {
    let shown = rule.shown(at: event.time)
    let speed = rule.speed(at: event.time)
    rule.hear(event)
    switch event.word {
    case .report, .rate: break
    case .pause:
      let value = rule.shown(at: event.time)
      jumpAtPause = max(jumpAtPause, abs(value - shown))
      paused = (value, speed)
    case .resume:
      // A look at a copy: there are rules for which a look counts.
      var copy = rule
      jumpAtResume = max(jumpAtResume, abs(copy.shown(at: event.time) - shown))
      if let paused {
        moveInPause = max(moveInPause, abs(before - paused.value))
        speedJumpAtResume = max(
          speedJumpAtResume, abs(rule.speed(at: event.time) - paused.speed))
      }
      paused = nil
    }
  }
}

/// What is summed up over all players.
private struct Means {
  /// How far the shown value is behind.
  var lag = Mean()
  /// The speeds from frame to frame.
  var speed = Mean()
  /// Those of frames in which nothing was on its way.
  var heardSpeed = Mean()
}

/// The mean and the deviation of numbers, summed in a way that loses nothing.
private struct Mean {
  /// How many there are.
  private var count = 0.0
  /// The mean.
  private(set) var mean = 0.0
  /// The sum of the squares of the distances from the mean.
  private var squares = 0.0

  /// Takes a number in.
  mutating func add(_ number: Double) {
    count += 1
    let away = number - mean
    mean += away / count
    squares += away * (number - mean)
  }

  /// The standard deviation of all numbers.
  var deviation: Double { count > 0 ? (squares / count).squareRoot() : 0 }
}
