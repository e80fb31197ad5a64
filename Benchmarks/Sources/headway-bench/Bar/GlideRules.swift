import Foundation

/// Shows the last report and nothing between.
struct LastReport: GlideRule {
  static let title = "last report"
  /// The last report.
  private var value = 0.0

  init() {}

  mutating func report(_ value: Double, at time: Double) { self.value = value }
  mutating func pause(_ value: Double, at time: Double) { self.value = value }
  mutating func resume(_ value: Double, at time: Double) { self.value = value }
  mutating func shown(at time: Double) -> Double { value }
}

/// Moves evenly to each report in a quarter of a second, as a CSS transition of that length does.
struct Transition: GlideRule {
  static let title = "CSS transition"
  /// How long it takes, in seconds.
  private static let duration = 0.25
  /// Where it began.
  private var start = 0.0
  /// Where it goes.
  private var target = 0.0
  /// When it began, in seconds.
  private var began = 0.0

  init() {}

  mutating func report(_ value: Double, at time: Double) {
    start = shown(at: time)
    (target, began) = (value, time)
  }
  mutating func pause(_ value: Double, at time: Double) { report(value, at: time) }
  mutating func resume(_ value: Double, at time: Double) { report(value, at: time) }
  mutating func shown(at time: Double) -> Double {
    let part = min(max((time - began) / Self.duration, 0), 1)
    return start + (target - start) * part
  }
}

/// Goes on from the last report at normal speed.
struct Extrapolation: GlideRule {
  static let title = "extrapolation"
  /// The last report.
  private var value = 0.0
  /// When it came, in seconds.
  private var time = 0.0
  /// Whether the player runs.
  private var isRunning = true

  init() {}

  mutating func report(_ value: Double, at time: Double) { (self.value, self.time) = (value, time) }
  mutating func pause(_ value: Double, at time: Double) {
    report(value, at: time)
    isRunning = false
  }
  mutating func resume(_ value: Double, at time: Double) {
    report(value, at: time)
    isRunning = true
  }
  mutating func shown(at time: Double) -> Double { value + (isRunning ? time - self.time : 0) }
}

/// Goes on from the last report, takes jumps forward at once, and creeps on instead of stepping back, as media-chrome.
struct Creep: GlideRule {
  static let title = "creep"
  /// What a step keeps of its length from frame to frame.
  private static let decay = 0.995
  /// Where it would go on.
  private var line = Extrapolation()
  /// What is shown.
  private var value = 0.0
  /// By how much it creeps in the next frame.
  private var step = 1 / GlideScore.framesPerSecond
  /// Whether the player runs.
  private var isRunning = true

  init() {}

  mutating func report(_ value: Double, at time: Double) {
    self.value = max(self.value, value)
    line.report(value, at: time)
  }
  mutating func pause(_ value: Double, at time: Double) {
    report(value, at: time)
    isRunning = false
  }
  mutating func resume(_ value: Double, at time: Double) {
    report(value, at: time)
    isRunning = true
  }
  mutating func shown(at time: Double) -> Double {
    guard isRunning else { return value }
    let wanted = line.shown(at: time)
    if wanted > value {
      (value, step) = (wanted, 1 / GlideScore.framesPerSecond)
    } else {
      step *= Self.decay
      value += step
    }
    return value
  }
}

/// Follows each report as a spring that is damped so that it just does not swing.
struct Spring: GlideRule {
  static let title = "spring"
  /// How stiff it is: its frequency in radians a second.
  private static let frequency = 12.0
  /// In how many steps the time between two looks is taken.
  private static let steps = 8
  /// Where it goes.
  private var target = 0.0
  /// What is shown.
  private var value = 0.0
  /// How fast that moves.
  private var speed = 0.0
  /// The time of the last look, in seconds.
  private var time = 0.0

  init() {}

  mutating func report(_ value: Double, at time: Double) { target = value }
  mutating func pause(_ value: Double, at time: Double) { target = value }
  mutating func resume(_ value: Double, at time: Double) { target = value }
  mutating func shown(at time: Double) -> Double {
    let step = (time - self.time) / Double(Self.steps)
    self.time = time
    for _ in 0..<Self.steps {
      let pull = Self.frequency * Self.frequency * (target - value) - 2 * Self.frequency * speed
      speed += pull * step
      value += speed * step
    }
    return value
  }
}
