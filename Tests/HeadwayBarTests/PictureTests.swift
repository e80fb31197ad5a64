import BarCases
import HeadwayBar
import Testing

/// The pictures that the terminal, the page and the window also show.
struct PictureTests {
  @Test(arguments: BarCase.all())
  func `A bar is drawn as in the table`(picture: BarCase) {
    let bar = picture.bar()
    #expect(abs(bar.shown(at: picture.time) - picture.shown) < 1e-6)
    #expect(picture.lines(of: bar) == picture.shapes)
  }

  @Test(arguments: BarCase.all().filter { $0.looks != nil })
  func `A bar has the colors and clips of the table`(picture: BarCase) {
    #expect(picture.looks(of: picture.bar()) == picture.looks)
  }

  @Test(arguments: BarCase.all())
  func `A bar that is off by ten points is not drawn as in the table`(picture: BarCase) {
    let wrong = picture.bar(offset: 10)
    guard !wrong.isIndeterminate else { return }
    #expect(picture.lines(of: wrong) != picture.shapes)
  }

  @Test(arguments: BarCase.all())
  func `The filled part ends under the center of the dot, less the gap`(picture: BarCase) {
    let bar = picture.bar()
    guard bar.layout.direction == .leftToRight, !bar.isIndeterminate else { return }
    var drawing: [BarShape] = []
    bar.draw(at: picture.time, into: &drawing)
    guard let fill = drawing.first(where: { $0.part == .fill })?.rect else { return }
    let end = bar.range.upperBound > bar.range.lowerBound ? bar.style.gap : 0
    #expect(abs(fill.x + fill.width + end - bar.dotCenter(at: picture.time)) < 1e-9)
    if let dot = drawing.first(where: { $0.part == .dot })?.rect {
      #expect(abs(dot.x + dot.width / 2 - bar.dotCenter(at: picture.time)) < 1e-9)
    }
  }
}
