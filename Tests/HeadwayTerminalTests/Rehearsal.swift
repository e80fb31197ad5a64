internal import HeadwayForecast
internal import HeadwayLaunch
public import HeadwayRun
import HeadwayTerminal

/// A run that is played to a surface, on a terminal in memory and with a clock that the test sets.
struct Rehearsal {
  /// The surface.
  var surface: any RunSurface
  /// What it writes to.
  var screen: TerminalScreen
  /// The bytes of the last step.
  var written: [UInt8] = []

  /// Creates a rehearsal.
  init(_ surface: any RunSurface, columns: Int = 80, rows: Int = 24) {
    self.surface = surface
    screen = TerminalScreen(size: ScreenSize(columns: columns, rows: rows))
  }

  /// Tells the surface what happened.
  mutating func tell(_ seconds: Double, _ kind: RunEvent.Kind) {
    written = []
    let time = Duration.milliseconds(Int(seconds * 1000))
    surface.receive(RunEvent(time: time, kind: kind), into: &written)
    screen.write(written)
  }

  /// Lets the surface draw.
  mutating func draw(_ seconds: Double) {
    written = []
    let time = Duration.milliseconds(Int(seconds * 1000))
    surface.frame(at: time, size: screen.size, into: &written)
    screen.write(written)
  }

  /// Changes the size of the terminal.
  mutating func resize(columns: Int, rows: Int) {
    screen.resize(to: ScreenSize(columns: columns, rows: rows))
  }

  /// What was written in the last step, as text.
  var writtenText: String { String(decoding: written, as: UTF8.self) }
}

/// The description of a run with the given tasks.
func describe(
  _ names: [String], expected: [Duration?] = [],
  tails: [Int: String] = [:], change: (inout LaunchGraph) -> Void = { _ in }
) -> RunDescription {
  var graph = LaunchGraph()
  for name in names { _ = graph.add(name) }
  change(&graph)
  return RunDescription(
    name: "release", graph: graph,
    forecaster: RunForecaster(graph, workers: 1, history: history(names, expected)),
    tail: { task, count in Array((tails[task.index] ?? "").utf8.suffix(count)) },
    logPath: { tails[$0.index] == nil ? nil : "logs/\($0.index).log" })
}

/// A history of runs in which tasks always took the same; of one that is nil nothing is known.
private func history(_ names: [String], _ durations: [Duration?]) -> DurationHistory {
  let samples = zip(names, durations).compactMap { name, duration in
    duration.map { DurationHistory.Sample(name: name, kind: "", duration: $0) }
  }
  let run = DurationHistory.Run(samples: samples)
  return DurationHistory(runs: samples.isEmpty ? [] : Array(repeating: run, count: 5))
}

extension TaskID: ExpressibleByIntegerLiteral {
  /// Names a task by its place.
  public init(integerLiteral place: Int) { self.init(place) }
}

extension TerminalStyle {
  /// Colour and all characters.
  static let full = TerminalStyle(colour: true, unicode: true)
  /// All characters without colour.
  static let grey = TerminalStyle(colour: false, unicode: true)
  /// Neither.
  static let ascii = TerminalStyle(colour: false, unicode: false)
}
