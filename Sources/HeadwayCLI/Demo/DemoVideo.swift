internal import HeadwayBar

/// A video that plays and reports its position.
///
/// A pure value with times in seconds.
struct DemoVideo: Hashable, Sendable {
  /// A position at a time.
  struct Report: Hashable, Sendable {
    let time: Double
    /// The position in seconds.
    let position: Double
  }

  /// The position at `start`, or while paused.
  private var position = 0.0
  /// The time of that position, nil before playback and while paused.
  private var start: Double?
  /// The time of the next report.
  private var nextReport: Double?
  private(set) var isPaused = false

  /// The position at a time.
  func position(at now: Double) -> Double {
    min(start.map { position + now - $0 } ?? position, BarDemoRenderer.length)
  }

  /// Whether it has played to its end.
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

  /// Pauses or resumes.
  mutating func togglePause(at now: Double) {
    position = position(at: now)
    isPaused.toggle()
    start = isPaused ? nil : now
    nextReport = isPaused ? nil : now + BarDemoRenderer.period
  }

  /// Moves to another position.
  mutating func seek(to new: Double, at now: Double) {
    position = new
    guard !isPaused else { return }
    (start, nextReport) = (now, now + BarDemoRenderer.period)
  }

  /// Plays from the beginning.
  mutating func restart(at now: Double) {
    isPaused = false
    (position, start, nextReport) = (0, now, now)
  }
}

/// Decodes keyboard input as keys.
struct DemoKeys: Hashable, Sendable {
  /// The keys of the demo.
  enum Key: Hashable, Sendable {
    /// Ends the demo.
    case quit
    /// Pauses or resumes.
    case pause
    /// Moves the value.
    case bar(BarKey)
  }

  /// The keys since the last call of `pressed()`.
  private var waiting: [Key] = []
  /// The bytes of an unfinished sequence.
  private var sequence: [UInt8] = []

  /// Decodes the next byte.
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

  /// The key of a byte outside an escape sequence.
  private static func plain(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): .quit
    case UInt8(ascii: " "): .pause
    case UInt8(ascii: "h"): .bar(.left)
    case UInt8(ascii: "l"): .bar(.right)
    default: nil
    }
  }

  /// Removes and returns the pressed keys.
  mutating func pressed() -> [Key] {
    defer { waiting = [] }
    return waiting
  }
}
