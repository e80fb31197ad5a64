// Measures a frame of our bars in a terminal, as Peers/terminal_bars.py measures others.
//
//   bar-terminal CASE BARS FRAMES
//       CASE is all (each bar makes one of its thousand steps in each frame), cell (one bar at a time moves by one
//       cell, back and forth), counted (one bar at a time counts as many units as move it by one cell, with its count,
//       speed and remaining time beside it) or none (nothing moves)
//
// Prints the microseconds of processor time and the bytes of a frame, and the maximum bytes of a frame. The terminal
// has 80 columns and 24 rows, and there are ten frames a second. Exits with 69 if there is no such case.

import CProbe
import Glibc
import HeadwayBar
import HeadwayTerminal
import Stopwatch

/// The bars of a measurement.
struct Stage {
  /// The number of steps of a bar.
  private static let total = 1000
  /// The number of steps of a bar by cells: it has 19 columns beside a short name in 80 columns.
  private static let cell = 1000.0 / 19

  /// The bars.
  private var board = BarBoard(style: TerminalStyle(color: true, unicode: true))
  /// Their names.
  private var names: [BarBoard.ID] = []
  /// The bytes of a frame.
  private var bytes: [UInt8] = []
  /// The bytes of all frames.
  private(set) var allBytes = 0
  /// The most bytes of a frame.
  private(set) var mostBytes = 0

  /// Adds bars and draws them for the first time.
  init(bars: Int) {
    for place in 0..<bars {
      var bar = ProgressBar(range: 0...Double(Self.total), source: .forecast)
      bar.isReadOnly = true
      names.append(board.add("task \(place)", bar, at: .zero))
    }
    bytes.reserveCapacity(1 << 16)
    draw(0)
    (allBytes, mostBytes) = (0, 0)
  }

  /// The position after a number of steps back and forth.
  private func count(_ step: Double) -> Double {
    let rest = step.truncatingRemainder(dividingBy: Double(2 * Self.total))
    return min(rest, Double(2 * Self.total) - rest)
  }

  /// Shows a bar at a count.
  private mutating func show(_ place: Int, _ count: Double, _ frame: Int) {
    board.update(names[place]) { $0.setValue(count, at: Self.time(frame)) }
  }

  /// The time of a frame.
  private static func time(_ frame: Int) -> Duration { .milliseconds(1000 + 100 * frame) }

  /// Draws a frame.
  private mutating func draw(_ frame: Int) {
    bytes.removeAll(keepingCapacity: true)
    let size = TerminalSize(columns: 80, rows: 24)
    board.frame(at: Self.time(frame), size: size, into: &bytes)
    allBytes += bytes.count
    mostBytes = max(mostBytes, bytes.count)
  }

  /// Draws frames in which every bar makes a step.
  @inline(never)
  mutating func moveAll(_ frames: Int) {
    for frame in 1...frames {
      for place in names.indices {
        show(place, count(Double(frame)), frame)
        board.setFacts(["\(Int(count(Double(frame)))) of \(Self.total)"], of: names[place])
      }
      draw(frame)
    }
  }

  /// Draws frames in which one bar moves by a cell.
  @inline(never)
  mutating func moveCell(_ frames: Int) {
    for frame in 1...frames {
      let step = frame / names.count + 1
      // Slightly more, to be independent of rounding.
      show(frame % names.count, count(Self.cell * Double(step) + 1e-6), frame)
      draw(frame)
    }
  }

  /// Draws frames in which nothing moves.
  @inline(never)
  mutating func moveNone(_ frames: Int) {
    for frame in 1...frames { draw(frame) }
  }
}

/// Bars of counted work, which say how much is done, how fast, and how long the rest takes.
struct CountedStage {
  /// The number of units of a bar.
  private static let total = 1000.0
  /// The number of steps of a bar; each moves it by a cell.
  private static let steps = 19

  private(set) var allBytes = 0
  private(set) var mostBytes = 0
  /// The nanoseconds of processor time of the frames.
  private(set) var nanoseconds = 0

  /// Draws frames, on new bars whenever all are full.
  @inline(never)
  mutating func move(_ frames: Int, bars: Int) {
    var left = frames
    while left > 0 {
      let count = min(left, (Self.steps - 1) * bars)
      draw(count, bars: bars)
      left -= count
    }
  }

  private mutating func draw(_ frames: Int, bars: Int) {
    var board = BarBoard(style: TerminalStyle(color: true, unicode: true))
    let names = (0..<bars).map { board.add("task \($0)", total: Self.total, at: .zero) }
    let size = TerminalSize(columns: 80, rows: 24)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 << 16)
    for name in names { board.report(Self.total / Double(Self.steps), of: name, at: .seconds(1)) }
    board.frame(at: .seconds(1), size: size, into: &bytes)
    let start = probe_cpu()
    for frame in 1...frames {
      let now = Duration.milliseconds(1000 + 100 * frame)
      bytes.removeAll(keepingCapacity: true)
      board.complete(Self.total / Double(Self.steps), of: names[frame % bars], at: now)
      board.frame(at: now, size: size, into: &bytes)
      allBytes += bytes.count
      mostBytes = max(mostBytes, bytes.count)
    }
    nanoseconds += Int(probe_cpu() - start)
  }
}

let arguments = CommandLine.arguments
guard
  arguments.count == 4, let bars = Int(arguments[2]), bars > 0, let frames = Int(arguments[3]),
  frames > 0
else {
  print("bar-terminal: see the comment at the top of its source")
  exit(64)
}
probe_pin()
if arguments[1] == "counted" {
  var counted = CountedStage()
  counted.move(frames, bars: bars)
  Stopwatch.tell([
    Double(counted.nanoseconds) / 1000 / Double(frames),
    Double(counted.allBytes) / Double(frames), Double(counted.mostBytes),
  ])
  exit(0)
}
var stage = Stage(bars: bars)
let start = probe_cpu()
switch arguments[1] {
case "all": stage.moveAll(frames)
case "cell": stage.moveCell(frames)
case "none": stage.moveNone(frames)
default: exit(69)
}
let microseconds = Double(probe_cpu() - start) / 1000 / Double(frames)
Stopwatch.tell([
  microseconds, Double(stage.allBytes) / Double(frames), Double(stage.mostBytes),
])
