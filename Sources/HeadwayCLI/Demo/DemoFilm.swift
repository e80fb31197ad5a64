internal import HeadwayBar

/// A film that plays, and reports where it is.
///
/// A pure value with times in seconds.
struct DemoFilm: Hashable, Sendable {
  /// Where it is when.
  struct Report: Hashable, Sendable {
    /// When it reports.
    let time: Double
    /// Where it is then, in seconds of the film.
    let position: Double
  }

  /// Where it was at `start`, or is while it is paused.
  private var position = 0.0
  /// When it was there, nil before it plays and while it is paused.
  private var start: Double?
  /// When it reports next.
  private var nextReport: Double?
  /// Whether it is paused.
  private(set) var isPaused = false

  /// Where it is at a time.
  func position(at now: Double) -> Double {
    min(start.map { position + now - $0 } ?? position, BarDemoRenderer.length)
  }

  /// Whether it has been played.
  func isAtEnd(at now: Double) -> Bool { position(at: now) >= BarDemoRenderer.length }

  /// The reports up to a time; the first call begins to play.
  mutating func reports(to now: Double) -> [Report] {
    guard !isPaused else { return [] }
    if start == nil { (start, nextReport) = (now, now) }
    var reports: [Report] = []
    while let next = nextReport, next <= now {
      reports.append(Report(time: next, position: position(at: next)))
      nextReport = next + BarDemoRenderer.period
    }
    return reports
  }

  /// Stops or goes on.
  mutating func togglePause(at now: Double) {
    position = position(at: now)
    isPaused.toggle()
    start = isPaused ? nil : now
    nextReport = isPaused ? nil : now + BarDemoRenderer.period
  }

  /// Goes on from another place, or stands there while it is paused.
  mutating func seek(to new: Double, at now: Double) {
    position = new
    guard !isPaused else { return }
    (start, nextReport) = (now, now + BarDemoRenderer.period)
  }

  /// Plays it from the beginning.
  mutating func restart(at now: Double) {
    isPaused = false
    (position, start, nextReport) = (0, now, now)
  }
}

/// Makes keys out of what a keyboard sends.
struct DemoKeys: Hashable, Sendable {
  /// What a person wants.
  enum Key: Hashable, Sendable {
    /// The end.
    case quit
    /// To stop or to go on.
    case pause
    /// To move the value.
    case bar(BarKey)
  }

  /// The keys that nobody has taken.
  private var waiting: [Key] = []
  /// The bytes of an unfinished sequence.
  private var sequence: [UInt8] = []

  /// Takes a byte in.
  mutating func take(_ byte: UInt8) {
    if byte == 0x1B {
      sequence = [byte]
      return
    }
    if sequence.count == 1, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
      return sequence.append(byte)
    }
    let isArrow = sequence.count == 2
    sequence = []
    if let key = isArrow ? Self.arrow(byte) : Self.plain(byte) { waiting.append(key) }
  }

  /// The key of the last byte of a sequence.
  private static func arrow(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "A"): .bar(.up)
    case UInt8(ascii: "B"): .bar(.down)
    case UInt8(ascii: "C"): .bar(.right)
    case UInt8(ascii: "D"): .bar(.left)
    case UInt8(ascii: "H"): .bar(.home)
    case UInt8(ascii: "F"): .bar(.end)
    default: nil
    }
  }

  /// The key of a byte of its own.
  private static func plain(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): .quit
    case UInt8(ascii: " "): .pause
    case UInt8(ascii: "h"): .bar(.left)
    case UInt8(ascii: "l"): .bar(.right)
    default: nil
    }
  }

  /// Takes the keys that were pressed.
  mutating func pressed() -> [Key] {
    defer { waiting = [] }
    return waiting
  }
}
