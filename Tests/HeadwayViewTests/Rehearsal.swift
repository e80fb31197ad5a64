internal import HeadwayForecast
internal import HeadwayLaunch
public import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import RunFixtures
import TerminalFixtures

@testable import HeadwayView

/// A run that is played to a renderer, on a terminal in memory and with a clock that the test sets.
///
/// It folds and forecasts once, as the thread of a run does, and gives the renderer the result.
struct Rehearsal {
  /// The renderer.
  var renderer: any RunRenderer
  /// The run.
  let description: RunDescription
  /// The terminal that it writes to.
  var screen: TerminalScreen
  /// The bytes of the last step.
  var written: [UInt8] = []
  /// Folds and forecasts.
  private(set) var forecaster: RunForecaster
  /// The latest forecast.
  private(set) var forecast: RunForecast?
  /// Whether there is a forecast for each frame.
  private let isWatched: Bool

  /// Creates a rehearsal.
  init(
    _ run: SampleRun, columns: Int = 80, rows: Int = 24, isWatched: Bool = true,
    _ make: (RunDescription) -> any RunRenderer
  ) {
    description = run.description
    renderer = make(run.description)
    screen = TerminalScreen(size: TerminalSize(columns: columns, rows: rows))
    forecaster = run.forecaster
    self.isWatched = isWatched
  }

  /// Creates a rehearsal on a screen.
  init(
    _ run: SampleRun, style: TerminalStyle, hidesCursor: Bool = false, columns: Int = 80,
    rows: Int = 24
  ) {
    self.init(run, columns: columns, rows: rows) {
      ScreenRenderer($0, style: style, hidesCursor: hidesCursor)
    }
  }

  /// Plays an event.
  mutating func play(_ seconds: Double, _ kind: RunEvent.Kind) {
    written = []
    let event = RunEvent(time: .milliseconds(Int(seconds * 1000)), kind: kind)
    forecaster.receive(event)
    if case .forecast(let told) = kind { forecast = told }
    update([event])
    screen.write(written)
  }

  /// Draws a frame, after a forecast.
  mutating func draw(_ seconds: Double, forecasts: Bool = true) {
    written = []
    let time = Duration.milliseconds(Int(seconds * 1000))
    if isWatched, forecasts { forecast = forecaster.forecast(at: time) }
    update([])
    renderer.frame(at: time, size: size, into: &written)
    screen.write(written)
  }

  /// Draws a frame, after a forecast with what the tasks of a launcher report.
  mutating func draw(_ seconds: Double, _ reported: inout ReportedTasks) {
    written = []
    let time = Duration.milliseconds(Int(seconds * 1000))
    var reader: RunForecaster? = forecaster
    _ = reported.read(for: &reader, at: time)
    if let reader { forecaster = reader }
    forecast = forecaster.forecast(at: time)
    reported.add(to: &forecast)
    update([])
    renderer.frame(at: time, size: size, into: &written)
    screen.write(written)
  }

  /// Gives the renderer the news.
  private mutating func update(_ events: [RunEvent]) {
    var update = RunUpdate()
    update.events = events.map { RunUpdate.Event($0, forecaster.state) }
    update.snapshot = RunSnapshot(forecaster.state, forecast)
    renderer.update(update, into: &written)
  }

  /// Changes the size of the terminal.
  mutating func resize(columns: Int, rows: Int) {
    screen.resize(to: TerminalSize(columns: columns, rows: rows))
  }

  /// The size of the terminal.
  var size: TerminalSize { screen.size }

  /// What was written in the last step, as text.
  var writtenText: String { String(decoding: written, as: UTF8.self) }
}

/// A run for tests: its description, and a forecaster that knows its history.
struct SampleRun {
  /// What the display of the run needs.
  var description: RunDescription
  /// Folds and forecasts.
  var forecaster: RunForecaster
}

/// A run with the given tasks.
func sample(
  _ names: [String], expected: [Duration?] = [],
  tails: [Int: String] = [:], change: (inout LaunchGraph) -> Void = { _ in }
) -> SampleRun {
  var graph = LaunchGraph()
  for name in names { _ = graph.add(name) }
  change(&graph)
  let forecaster = RunForecaster(graph, workers: 1, history: history(names, expected))
  let tasks = (0..<graph.count).map { TaskID($0) }
  var description = RunDescription(
    name: "release", names: graph.names, timeouts: tasks.map { graph.settings(of: $0).timeout },
    optional: tasks.map { graph.settings(of: $0).isOptional },
    usual: tasks.map { forecaster.usual($0) },
    logs: MemoryLogs(tails))
  description.services = Set(tasks.filter { graph.settings(of: $0).role == .service })
  description.interruptEndsRun = true
  description.serviceUsers = Set(tasks.filter { graph.settings(of: $0).usesServices })
  description.servicesStay = graph.servicesStay
  return SampleRun(description: description, forecaster: forecaster)
}

/// A history of runs in which tasks always took the same; nothing is known of one that is nil.
private func history(_ names: [String], _ durations: [Duration?]) -> DurationHistory {
  let samples = zip(names, durations).compactMap { name, duration in
    duration.map { DurationHistory.Sample(name: name, kind: "", duration: $0) }
  }
  let run = DurationHistory.Run(samples: samples)
  return DurationHistory(runs: samples.isEmpty ? [] : Array(repeating: run, count: 5))
}

extension TaskID: ExpressibleByIntegerLiteral {
  /// Names a task by its index.
  public init(integerLiteral index: Int) { self.init(index) }
}

/// Rows as they are printed without color, each with a line end.
func text(of rows: [Row]) -> String {
  var bytes: [UInt8] = []
  Row.print(rows, color: false, into: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}
