// A surface of our own in two files: a film with chapters, a label that follows the value and a picture of the film over
// it, drawn four times: between two reports, paused, an hour later, and while it is dragged.
//
//   OwnSurface [FILE]        writes the picture, to film.svg unless told
//
// It exits with 1 unless the pause stands still and the label stands over the dot in every drawing.
import Foundation
import Headway

/// The moments that are drawn.
let moments: [(now: Double, change: (inout ProgressBar, Double) -> Void)] = [
  (70.1, { bar, _ in bar.report(70, at: 70) }),
  (70.2, { bar, now in bar.pause(at: now) }),
  (3_670, { _, _ in }),
  (3_671, { bar, now in _ = bar.pointerDown(x: 300, y: 10, at: now) }),
]

/// The text of a time.
func clock(_ seconds: Double) -> String {
  var text: [UInt8] = []
  BarWords().append(clock: seconds, to: &text)
  return String(decoding: text, as: UTF8.self)
}

var film = ProgressBar(range: 0...240, unitsPerSecond: 1)
film.layout = BarLayout(width: 480, height: 20)
film.changeStyle(at: 0) { $0.bufferedRanges = [0...130] }
let chapters = [24.0, 96, 180]

var picture = SVGPicture()
var places: [Double] = []
var isRight = true
for (row, moment) in moments.enumerated() {
  moment.change(&film, moment.now)
  film.advance(to: moment.now)
  var drawing: [BarShape] = []
  film.draw(at: moment.now, into: &drawing)

  // What is ours: placed by the bar, and no business of its animation or its gestures.
  for chapter in chapters {
    let place = film.point(along: film.place(of: chapter, at: moment.now)).x
    drawing.append(
      BarShape(
        .own, number: SVGPicture.Part.chapter.rawValue,
        rect: BarRect(x: place - 1, y: 2, width: 2, height: 16), color: BarColor(0xC2410C)))
  }
  let center = film.point(along: film.dotCenter(at: moment.now)).x
  drawing.append(
    BarShape(
      .own, number: SVGPicture.Part.label.rawValue,
      rect: BarRect(x: center - 22, y: 24, width: 44, height: 20), radius: 10,
      color: BarColor(0x1F2937), followsValue: true))
  if film.isDragging {
    drawing.append(
      BarShape(
        .own, number: SVGPicture.Part.thumbnail.rawValue,
        rect: BarRect(x: center - 34, y: -52, width: 68, height: 46), radius: 6,
        color: BarColor(0x1E3A8A), followsValue: true))
  }
  let shown = clock(film.shown(at: moment.now))
  picture.draw(drawing, x: 30, y: 20 + Double(row) * 76, text: shown)
  places.append(center)
  let middle = { (rect: BarRect) in rect.x + rect.width / 2 }
  let label = drawing.first { $0.part == .own && $0.number == SVGPicture.Part.label.rawValue }
  if let dot = drawing.first(where: { $0.part == .dot })?.rect, let label {
    isRight = isRight && abs(middle(dot) - middle(label.rect)) < 1e-9
  } else {
    isRight = false
  }
  print("at \(clock(moment.now)) the film stands at \(shown), \(center) points from the left")
}
isRight = isRight && places[1] == places[2] && places[3] == 300

let file = CommandLine.arguments.dropFirst().first ?? "film.svg"
do {
  try Data(picture.text(width: 540, height: 350).utf8).write(to: URL(fileURLWithPath: file))
} catch {
  FileHandle.standardError.write(Data("cannot write \(file): \(error.localizedDescription)\n".utf8))
  exit(73)
}
print("the picture is in \(file)")
exit(isRight ? 0 : 1)
