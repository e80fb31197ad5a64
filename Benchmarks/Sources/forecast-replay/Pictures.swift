import Foundation
import HeadwayForecast
import HeadwayRun

/// The pictures of the documentation, drawn from replays; they are always the same.
struct Pictures {
  /// The replay that is drawn.
  private let setting: Setting
  /// The group it belongs to.
  private let group: String
  /// The times at which an estimator is asked.
  private let scenes: [Scene]

  /// Chooses the plan with the longest run on eight workers, and its run of median length.
  ///
  /// - Parameter traces: The traces.
  /// - Throws: `Trouble` if no plan was recorded twice.
  init(_ traces: [Trace]) throws {
    var chosen: (runs: [Setting], group: String) = ([], "")
    for trace in traces where trace.runs.count > 1 {
      let runs = trace.runs.enumerated().filter { $1.tasks.count <= Replay.largestRun }.map {
        place, run in
        let others = Array(trace.runs[(place + 1)...] + trace.runs[..<place])
        return Setting(
          replay: Replay(Plan(run), workers: 8), history: others.suffix(KnownRuns.all.count))
      }.sorted { $0.replay.length < $1.replay.length }
      if runs.last?.replay.length ?? 0 > chosen.runs.last?.replay.length ?? 0 {
        chosen = (runs, trace.group)
      }
    }
    guard !chosen.runs.isEmpty else {
      throw Trouble.input("nothing to draw: no plan was recorded twice")
    }
    setting = chosen.runs[chosen.runs.count / 2]
    group = chosen.group
    let replay = setting.replay
    scenes = (0..<400).map { replay.scene(at: replay.length * Double($0) / 400) }
  }

  /// Creates the folder of the pictures, so that an invalid path is reported before everything is replayed.
  ///
  /// - Parameter folder: The folder.
  /// - Throws: `Trouble` if it cannot be created.
  static func make(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Trouble.output("\(folder.relativePath): there can be no folder of that name")
    }
  }

  /// Draws all pictures.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - summaries: The scores with all earlier runs, by estimator and number of workers.
  /// - Throws: `Trouble` if they cannot be written.
  func write(to folder: URL, _ summaries: [Summary]) throws {
    do {
      try course().write("course", to: folder)
      try interval().write("interval", to: folder)
      try errors(summaries).write("errors", to: folder)
    } catch {
      throw Trouble.output("\(folder.relativePath): the pictures cannot be written there")
    }
  }

  /// The title of the run that is drawn.
  private var subject: String {
    let number = setting.plan.count
    return "\(group), \(number) tasks, 8 workers, \(setting.history.count) earlier runs"
  }

  /// The forecasts of an estimator during the run.
  private func shown(_ type: any Estimator.Type) -> [Shown] {
    var estimator = type.init(setting)
    return scenes.map { estimator.shown($0) }
  }

  /// The labels of the horizontal axis: quarters of the run.
  private var quarters: [(Double, String)] {
    (0...4).map { quarter in
      let seconds = setting.replay.length * Double(quarter) / 4
      return (seconds, quarter == 0 ? "0 s" : String(format: "%.0f s", seconds))
    }
  }

  /// The fraction: raw, shown, the count of tasks, and the actual one.
  private func course() -> Canvas {
    var canvas = Canvas(
      title: "The fraction over a run",
      summary: "The fraction that is forecast moves to and fro around the truth; the one that is "
        + "shown rises evenly beside it. The count of finished tasks is far from both.")
    let plot = Canvas.Plot(mostX: setting.replay.length)
    canvas.text(subject, x: 56, y: 24, style: "bold")
    canvas.legend(
      [
        ("green", "shown", 90), ("orange", "forecast", 105), ("blue", "tasks done", 120),
        ("soft", "truth", 0),
      ], y: 48)
    canvas.axes(
      plot, x: quarters, y: [(0, "0"), (0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %"), (1, "100 %")])
    for (type, style): (any Estimator.Type, String) in [
      (Count.self, "blue"), (RawForecast.self, "orange"), (ShownForecast.self, "green"),
    ] {
      let places = zip(scenes, shown(type)).map { (plot.x($0.time), plot.y($1.fraction)) }
      canvas.line(places, style: style)
    }
    canvas.line(
      [(plot.x(0), plot.y(0)), (plot.x(setting.replay.length), plot.y(1))], style: "soft")
    return canvas
  }

  /// The remaining time: raw, shown with its range, and the actual one.
  private func interval() -> Canvas {
    var canvas = Canvas(
      title: "The remaining time over a run",
      summary: "The remaining time that is forecast jumps; the one that is shown runs down beside "
        + "the truth, within a range that is wide at first and closes towards the end.")
    var said = ShownRemaining()
    var raw: [(time: Double, seconds: Double)] = []
    var steered: [(time: Double, left: RemainingTime)] = []
    for (scene, one) in zip(scenes, shown(RawForecast.self)) {
      guard let range = one.range else { continue }
      let forecast = RemainingTime(
        low: .seconds(range.lowerBound), median: .seconds(one.remaining),
        high: .seconds(range.upperBound))
      said.advance(to: .seconds(scene.time), forecast: forecast)
      raw.append((scene.time, one.remaining))
      if let left = said.remaining { steered.append((scene.time, left)) }
    }
    let length = setting.replay.length
    let widest = steered.map { $0.left.high / .seconds(1) }.max() ?? length
    // A range that begins wider than this would press the lines to the lower edge.
    let highest = min(widest, 3 * length)
    let step = 5 * max(1, (highest / 20).rounded(.up))
    let plot = Canvas.Plot(mostX: length, mostY: 4 * step)
    canvas.text(subject, x: 56, y: 24, style: "bold")
    canvas.legend(
      [
        ("green", "shown, with its range", 190), ("orange", "forecast", 105),
        ("soft", "truth", 0),
      ], y: 48)
    canvas.axes(
      plot, x: quarters, y: (0...4).map { (Double($0) * step, "\($0 * Int(step)) s") })
    func places(_ value: (RemainingTime) -> Duration) -> [(x: Double, y: Double)] {
      steered.map { (plot.x($0.time), plot.y(value($0.left) / .seconds(1))) }
    }
    canvas.area(places(\.low) + places(\.high).reversed(), style: "band")
    if widest > plot.mostY {
      canvas.text(
        String(format: "the range reaches %.0f s at first", widest), x: plot.left + 36,
        y: plot.top + 17)
    }
    canvas.line(raw.map { (plot.x($0.time), plot.y($0.seconds)) }, style: "orange")
    canvas.line(places(\.median), style: "green")
    canvas.line([(plot.x(0), plot.y(length)), (plot.x(length), plot.y(0))], style: "soft")
    return canvas
  }

  /// The mean error of each estimator for each number of workers.
  private func errors(_ summaries: [Summary]) -> Canvas {
    // The names of the estimators, as in the table of the same page.
    let types: [(type: any Estimator.Type, words: String)] = [
      (ShownForecast.self, "this forecast"), (MeanSchedule.self, MeanSchedule.name),
      (Lmake.self, Lmake.name), (Ninja.self, Ninja.name), (Count.self, Count.name),
      (AverageSteps.self, "SimulatedProgress, average"), (Jenkins.self, Jenkins.name),
    ]
    let rows = types.map { one in summaries.filter { $0.estimator == one.type.name } }
    let widths = rows.first?.map(\.workers) ?? []
    var canvas = Canvas(
      title: "The mean error by estimator and width",
      summary: "The forecast is nearest to the truth with every number of workers.",
      height: 74 + 58 * Double(types.count))
    let groups = summaries.first?.groups ?? 0
    canvas.text(
      "mean error in per cent of the run, \(groups) plans with earlier runs", x: 16, y: 24,
      style: "bold")
    let highest = rows.joined().map(\.mae).max() ?? 1
    let left = 210.0
    let shades = ["", " half", " third"]
    for (place, width) in widths.enumerated() {
      let x = left + 120 * Double(place)
      let shade = shades[place % shades.count]
      canvas.bar(x: x, y: 39, width: 14, height: 10, style: "blue" + shade)
      canvas.text("\(width) workers", x: x + 21, y: 49)
    }
    for (row, line) in rows.enumerated() {
      let top = 66 + 58 * Double(row)
      let isOurs = row == 0
      canvas.text(
        types[row].words, x: left - 14, y: top + 29, style: isOurs ? "bold" : "soft", anchor: "end")
      for (place, one) in line.enumerated() {
        let y = top + 16 * Double(place)
        let length = 460 * one.mae / highest
        let style = (isOurs ? "green" : "blue") + shades[place % shades.count]
        canvas.bar(x: left, y: y, width: length, height: 13, style: style)
        canvas.text(String(format: "%.1f", one.mae), x: left + 8 + length, y: y + 11.5)
      }
    }
    return canvas
  }
}
