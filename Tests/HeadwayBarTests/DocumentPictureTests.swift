import BarCases
import Foundation
import HeadwayBar
import Testing

/// The pictures in the guides.
///
/// With `HEADWAY_PICTURES=write` in the environment they are written instead of compared.
struct DocumentPictureTests {
  /// Compares a picture with the file in the documentation catalog, or writes it.
  private func check(_ name: String, _ picture: SVGSurface) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "Sources/HeadwayBar/HeadwayBar.docc/\(name).svg")
    if ProcessInfo.processInfo.environment["HEADWAY_PICTURES"] == "write" {
      try Data(picture.text.utf8).write(to: file)
    }
    let kept = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    #expect(kept == picture.text, "run the tests once with HEADWAY_PICTURES=write, and look at it")
  }

  /// A bar of 360 points at 40 of 0 to 100.
  private func bar(_ change: (inout BarStyle) -> Void = { _ in }) -> ProgressBar {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 360, height: 28)
    bar.setValue(40, at: 0)
    bar.changeStyle(at: 0, change)
    return bar
  }

  /// The drawing of a bar.
  private func shapes(_ bar: ProgressBar, at now: Double) -> [BarShape] {
    var shapes: [BarShape] = []
    bar.draw(at: now, into: &shapes)
    return shapes
  }

  @Test func `The styles of the guide are drawn by the model`() throws {
    var hovered = bar()
    hovered.pointerMoved(x: 144, y: 14, at: 0)
    var dragged = bar()
    _ = dragged.pointerDown(x: 144, y: 14, at: 0)
    var wanderer = bar()
    wanderer.isIndeterminate = true
    var readOnly = bar {
      ($0.barHeight, $0.fillHeight, $0.cornerRadius) = (10, 10, 5)
      $0.inProgressColor = BarColor(0x1A7F37)
    }
    readOnly.isReadOnly = true
    let rows: [(String, ProgressBar)] = [
      ("the default", bar()), ("under a pointer", hovered), ("dragged", dragged),
      (
        "buffered, marks",
        bar {
          ($0.bufferedRanges, $0.marks) = ([0...62, 75...88], [25, 50, 80])
        }
      ),
      (
        "thick, an icon",
        bar {
          ($0.barHeight, $0.fillHeight, $0.cornerRadius) = (14, 14, 7)
          ($0.dotSize, $0.icon, $0.iconScale) = (26, 1, 0.45)
          ($0.inProgressColor, $0.dotColor) = (BarColor(0xC2410C), BarColor(0x9A3412))
        }
      ),
      (
        "a gap, a slim dot",
        bar {
          ($0.barHeight, $0.fillHeight, $0.cornerRadius, $0.gap) = (8, 8, 4, 8)
          $0.dotSize = 10
        }
      ),
      ("read-only", readOnly), ("indeterminate", wanderer),
    ]
    var picture = SVGSurface(width: 540, height: Double(rows.count) * 40 + 8)
    for (index, (name, bar)) in rows.enumerated() {
      let y = Double(index) * 40 + 10
      picture.write(name, x: 12, y: y + 18)
      picture.draw(shapes(bar, at: 0.75), x: 156, y: y)
    }
    try check("styles", picture)
  }

  @Test func `The pause of the guide is at the position of the video`() throws {
    var bar = ProgressBar(range: 1...3, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 360, height: 28)
    for index in 4...8 { bar.report(Double(index) / 4, at: Double(index) / 4) }
    var picture = SVGSurface(width: 540, height: 208)
    var place = 0
    func row(_ text: String, _ now: Double) {
      let y = Double(place) * 40 + 10
      picture.write(text, x: 12, y: y + 18)
      picture.draw(shapes(bar, at: now), x: 156, y: y)
      place += 1
    }
    row("2.00 s: a report", 2)
    bar.pause(at: 2.01)
    row("2.01 s: paused", 2.01)
    row("2.25 s", 2.25)
    row("an hour later", 3_600)
    bar.resume(at: 3_600)
    row("0.24 s after that", 3_600.24)
    try check("pause", picture)
  }

  @Test func `The curve of the guide is shown by the model between reports`() throws {
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    var random = MersenneTwister(seed: 7)
    let reports = (0...12).map { index -> (at: Double, value: Double) in
      let made = Double(index) * 0.25 + (index == 0 ? 0 : random.uniform(-0.02, 0.02))
      return (made + random.uniform(0, 0.04), made)
    }
    let scale = { (time: Double, value: Double) in
      (x: 20 + time * 160, y: 190 - value * 56)
    }
    var (shown, steps, index) = ([(x: Double, y: Double)](), [scale(0, 0)], 0)
    for frame in 0...180 {
      let time = Double(frame) / 60
      while index < reports.count, reports[index].at <= time {
        let report = reports[index]
        steps.append(scale(report.at, bar.reported))
        bar.report(report.value, at: report.at)
        steps.append(scale(report.at, bar.reported))
        index += 1
      }
      shown.append(scale(time, bar.shown(at: time)))
    }
    steps.append(scale(3, bar.reported))
    var picture = SVGSurface(width: 540, height: 220)
    picture.line([(20, 12), (20, 190), (520, 190)], color: "#7a8494", thickness: 1)
    picture.line(steps, color: "#c2410c", thickness: 1.5)
    picture.line(shown, color: "#0b57d0", thickness: 2.5)
    picture.write("value", x: 26, y: 20)
    picture.write("3 s", x: 500, y: 207, anchor: "end")
    picture.write("what was reported, in steps; what is shown, as a line", x: 60, y: 207)
    try check("glide", picture)
  }
}
