// A surface in two files: a video with chapters, a label that follows the value and a thumbnail, drawn four times: between two
// reports, paused, an hour later, and during a drag.
//
//   OwnSurface [FILE]        writes the picture to FILE, or to video.svg
//
// It exits with 1 unless the paused bar stands still and the label is at the dot in every drawing.
import Foundation
import Headway

/// The moments that are drawn.
let moments: [(now: Duration, change: (inout ProgressBar, Duration) -> Void)] = [
  (.seconds(70.1), { bar, _ in bar.report(70, at: .seconds(70)) }),
  (.seconds(70.2), { bar, now in bar.pause(at: now) }),
  (.seconds(3_670), { _, _ in }),
  (.seconds(3_671), { bar, now in _ = bar.pointerDown(x: 300, y: 10, at: now) }),
]

/// A time in seconds as text, such as 1:05.
func text(_ seconds: Double) -> String {
  let (minutes, rest) = (Int(seconds) / 60, Int(seconds) % 60)
  return "\(minutes):\(rest < 10 ? "0" : "")\(rest)"
}

var video = ProgressBar(range: 0...240, unitsPerSecond: 1)
video.layout = BarLayout(width: 480, height: 20)
video.changeStyle(at: .zero) { $0.bufferedRanges = [0...130] }
let chapters = [24.0, 96, 180]

var picture = SVGPicture()
var centers: [Double] = []
var isRight = true
for (row, moment) in moments.enumerated() {
  moment.change(&video, moment.now)
  video.advance(to: moment.now)
  var drawing: [BarShape] = []
  video.draw(at: moment.now, into: &drawing)

  // Custom shapes: the bar positions them, and its animation and gestures ignore them.
  for chapter in chapters {
    let x = video.point(at: video.position(of: chapter, at: moment.now)).x
    drawing.append(
      BarShape(
        .custom, number: SVGPicture.Part.chapter.rawValue,
        rect: BarRect(x: x - 1, y: 2, width: 2, height: 16), color: BarColor(0xC2410C)))
  }
  let center = video.point(at: video.dotCenter(at: moment.now)).x
  drawing.append(
    BarShape(
      .custom, number: SVGPicture.Part.label.rawValue,
      rect: BarRect(x: center - 22, y: 24, width: 44, height: 20), radius: 10,
      color: BarColor(0x1F2937), followsValue: true))
  if video.isDragging {
    drawing.append(
      BarShape(
        .custom, number: SVGPicture.Part.thumbnail.rawValue,
        rect: BarRect(x: center - 34, y: -52, width: 68, height: 46), radius: 6,
        color: BarColor(0x1E3A8A), followsValue: true))
  }
  let shown = text(video.shown(at: moment.now))
  picture.draw(drawing, x: 30, y: 20 + Double(row) * 76, text: shown)
  centers.append(center)
  let middle = { (rect: BarRect) in rect.x + rect.width / 2 }
  let label = drawing.first {
    $0.part == .custom && $0.number == SVGPicture.Part.label.rawValue
  }
  if let dot = drawing.first(where: { $0.part == .dot })?.rect, let label {
    isRight = isRight && abs(middle(dot) - middle(label.rect)) < 1e-9
  } else {
    isRight = false
  }
  print(
    "at \(text(moment.now / .seconds(1))) the video is at \(shown), \(center) points from the left")
}
isRight = isRight && centers[1] == centers[2] && centers[3] == 300

let file = CommandLine.arguments.dropFirst().first ?? "video.svg"
do {
  try Data(picture.text(width: 540, height: 350).utf8).write(to: URL(fileURLWithPath: file))
} catch {
  FileHandle.standardError.write(Data("cannot write \(file): \(error.localizedDescription)\n".utf8))
  exit(73)
}
print("the picture is in \(file)")
exit(isRight ? 0 : 1)
