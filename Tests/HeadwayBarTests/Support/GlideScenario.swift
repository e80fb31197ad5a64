import HeadwayBar

/// A player that runs and pauses, and what is heard of it: four reports a second, all of them a little late.
///
/// Everything follows from the legs and the seed, in virtual time, so it is the same in every run. With a seed alone it
/// is the player for which the numbers of other rules were published.
struct PlayerRun: Sendable {
  /// What is heard.
  enum Word: Int, Sendable {
    /// It stands from now on.
    case pause
    /// It is at a value.
    case report
    /// It runs from now on.
    case resume
    /// It runs at another speed from now on.
    case rate
  }

  /// Something that is heard of the player.
  struct Event: Sendable {
    /// When it is heard, in seconds.
    let time: Double
    /// What is heard.
    let word: Word
    /// Where the player was when it said so; its new speed for `rate`.
    let value: Double
  }

  /// A stretch of time in which the player runs at one speed.
  struct Leg: Sendable {
    /// When it begins, in seconds.
    let time: Double
    /// Where the player is then.
    let value: Double
    /// How fast it runs, in seconds of the video a second; 0 where it stands.
    let speed: Double

    /// Where the player is at a time of the leg.
    func value(at now: Double) -> Double { value + (now - time) * speed }
  }

  /// The longest time that a word takes to be heard, in seconds.
  static let mostDelay = 0.04
  /// The time between two reports, in seconds.
  static let period = 0.25
  /// By how much that time varies, in seconds.
  private static let unevenness = 0.02
  /// By how much the speed of a player differs from the one that it states.
  private static let drift = 0.02

  /// What is heard, the earliest first.
  private(set) var events: [Event]
  /// The truth, the earliest leg first; the first begins at zero.
  private let legs: [Leg]
  /// How long it is watched, in seconds.
  let length: Double

  /// Creates the player of the published table, which runs for 3 to 7 s and pauses for 0.4 to 1.5 s in turn.
  ///
  /// - Parameters:
  ///   - seed: The number that Python's generator is given.
  ///   - length: How long it is watched, in seconds.
  init(seed: UInt32, length: Double = 120) {
    var random = MersenneTwister(seed: seed)
    let speed = 1 + random.uniform(-Self.drift, Self.drift)
    var legs = [Leg(time: 0, value: 0, speed: speed)]
    var (report, turn) = (Self.period, random.uniform(3, 7))
    var events: [Event] = []
    var leg = legs[0]
    repeat {
      let time = min(report, turn)
      let (isRunning, value) = (leg.speed != 0, leg.value(at: time))
      if time == turn {
        leg = Leg(time: time, value: value, speed: isRunning ? 0 : speed)
        legs.append(leg)
        let heard = time + random.uniform(0, Self.mostDelay)
        events.append(Event(time: heard, word: isRunning ? .pause : .resume, value: value))
        turn = time + (isRunning ? random.uniform(0.4, 1.5) : random.uniform(3, 7))
        if !isRunning { report = time + Self.period }
      } else {
        if isRunning {
          let heard = time + random.uniform(0, Self.mostDelay)
          events.append(Event(time: heard, word: .report, value: value))
        }
        report = time + Self.period + random.uniform(-Self.unevenness, Self.unevenness)
      }
    } while min(report, turn) < length
    self.init(legs: legs, events: events, length: length)
  }

  /// Creates a player that follows legs and reports while it runs.
  ///
  /// - Parameters:
  ///   - legs: The truth.
  ///   - seed: The number from which delays and gaps are made.
  ///   - length: How long it is watched, in seconds.
  ///   - period: The time between two reports, in seconds.
  ///   - isRateHeard: Whether it tells that its speed changes.
  ///   - repeatsItself: Whether it goes on with reports while it stands.
  init(
    legs: [Leg], seed: UInt32, length: Double, period: Double = period,
    isRateHeard: Bool = false, repeatsItself: Bool = false
  ) {
    var random = MersenneTwister(seed: seed)
    var events: [Event] = []
    if isRateHeard {
      for leg in legs.dropFirst() {
        let heard = leg.time + random.uniform(0, Self.mostDelay)
        events.append(Event(time: heard, word: .rate, value: leg.speed))
      }
    }
    var report = period
    while report < length {
      let leg = Self.leg(of: legs, at: report)
      if leg.speed != 0 || repeatsItself {
        let heard = report + random.uniform(0, Self.mostDelay)
        events.append(Event(time: heard, word: .report, value: leg.value(at: report)))
      }
      report += period + random.uniform(-Self.unevenness, Self.unevenness)
    }
    self.init(legs: legs, events: events, length: length)
  }

  /// Creates a run of its parts.
  private init(legs: [Leg], events: [Event], length: Double) {
    self.legs = legs
    self.length = length
    self.events = events.sorted {
      ($0.time, $0.word.rawValue, $0.value) < ($1.time, $1.word.rawValue, $1.value)
    }
  }

  /// The same player, of whom one report in ten is heard twice and one in ten only after the next one.
  ///
  /// - Parameter seed: The number from which it is decided which.
  /// - Returns: The same truth, heard so.
  func garbled(seed: UInt32) -> PlayerRun {
    var random = MersenneTwister(seed: seed)
    var heard: [Event] = []
    for event in events {
      let chance = event.word == .report ? random.unit() : 1
      let isLate = chance < 0.1
      heard.append(
        Event(time: event.time + (isLate ? 0.3 : 0), word: event.word, value: event.value))
      if chance > 0.9, chance < 1 {
        heard.append(Event(time: event.time + 0.06, word: event.word, value: event.value))
      }
    }
    return PlayerRun(legs: legs, events: heard, length: length)
  }

  /// The leg at a time.
  func leg(at now: Double) -> Leg { Self.leg(of: legs, at: now) }

  /// The leg of some at a time.
  private static func leg(of legs: [Leg], at now: Double) -> Leg {
    legs.last { $0.time <= now } ?? legs[0]
  }
}

/// A way to show the value of a player between its reports.
protocol GlideRule: SendableMetatype {
  /// What it is called in the table.
  static var title: String { get }
  /// Creates one for a player that is at zero and runs.
  init()
  /// Takes in where the player is.
  mutating func report(_ value: Double, at time: Double)
  /// Takes in that the player stands.
  mutating func pause(_ value: Double, at time: Double)
  /// Takes in that the player runs again.
  mutating func resume(_ value: Double, at time: Double)
  /// Takes in that the player runs at another speed.
  mutating func changeRate(_ rate: Double, at time: Double)
  /// What is shown at a time, which is never before one that was asked for; some rules count such looks.
  mutating func shown(at time: Double) -> Double
}

extension GlideRule {
  /// Does nothing: most rules know one speed.
  mutating func changeRate(_ rate: Double, at time: Double) {}

  /// Takes in what is heard of the player.
  mutating func hear(_ event: PlayerRun.Event) {
    switch event.word {
    case .pause: pause(event.value, at: event.time)
    case .report: report(event.value, at: event.time)
    case .resume: resume(event.value, at: event.time)
    case .rate: changeRate(event.value, at: event.time)
    }
  }

  /// How fast the shown value goes on at a time, in units a second.
  func speed(at time: Double) -> Double {
    let step = 0.001
    var copy = self
    let before = copy.shown(at: time)
    return (copy.shown(at: time + step) - before) / step
  }
}

/// The bar of this package.
struct OurGlide: GlideRule {
  static let title = "Headway"
  private var bar = ProgressBar(range: 0...1000, unitsPerSecond: 1)

  init() {}

  mutating func report(_ value: Double, at time: Double) { bar.report(value, at: .seconds(time)) }
  mutating func pause(_ value: Double, at time: Double) { bar.pause(at: .seconds(time)) }
  mutating func resume(_ value: Double, at time: Double) { bar.resume(at: .seconds(time)) }
  mutating func changeRate(_ rate: Double, at time: Double) {
    bar.setPlaybackRate(rate, at: .seconds(time))
  }
  mutating func shown(at time: Double) -> Double { bar.shown(at: .seconds(time)) }
}
