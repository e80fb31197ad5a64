import DocumentedPages
import HeadwayBar
import Testing

/// Runs every example of the guides, and checks that none is missing here.
struct DocumentationTests {
  @Test(arguments: [
    "HeadwayBar", "FollowingASource", "StylingTheBar", "DrawingYourOwnSurface",
  ])
  func `Every example of a page is run here`(page: String) throws {
    let missing = try DocumentedPages(of: "HeadwayBar")
      .examplesNotRun(of: page, in: "DocumentationTests")
    #expect(missing.isEmpty, "\(page): \(missing)")
  }

  @Test func `The example of the landing page`() {
    var video = ProgressBar(range: 0...240, unitsPerSecond: 1)
    video.layout = BarLayout(width: 480, height: 24)
    video.report(2, at: .seconds(2))
    video.pause(at: .seconds(2.01))
    let position = video.shown(at: .seconds(3_600))  // 2.01
    let center = video.dotCenter(at: .seconds(3_600))  // 4.02 points from the left
    #expect(abs(position - 2.01) < 1e-9 && abs(center - 4.02) < 1e-9)
  }

  @Test func `A source that is a clock`() {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.report(10, at: .zero)
    bar.report(10.25, at: .milliseconds(270))  // every 250 ms, a little late
    bar.pause(at: .milliseconds(300))
    bar.resume(at: .seconds(7))
    bar.setPlaybackRate(2, at: .seconds(8))
    bar.stall(at: .seconds(9))  // the player waits for data
    #expect(bar.speed(at: .seconds(9.5)) == 0 && bar.shown(at: .seconds(60)) > 10.3)
  }

  @Test func `A value that a person has chosen`() {
    struct Player {
      var place = 0.0
      mutating func seek(to value: Double) { place = value }
    }
    var player = Player()
    var video = ProgressBar(range: 0...240, unitsPerSecond: 1)
    video.layout = BarLayout(width: 480, height: 24)
    let isHandled = video.pointerDown(x: 240, y: 12, at: .zero)
    video.pointerUp(x: 240, y: 12, at: .milliseconds(100))
    for case .committed(let value) in video.takeEvents() { player.seek(to: value) }
    video.report(3, at: .milliseconds(200))  // an old report: the bar stays at 120
    #expect(isHandled && player.place == 120 && video.shown(at: .milliseconds(300)) == 120)
    video.report(120.1, at: .milliseconds(400))  // there it is, and the bar follows again
    #expect(!video.isSeekPending && abs(video.shown(at: .milliseconds(400)) - 120) < 1e-9)
    #expect(abs(video.shown(at: .milliseconds(500)) - 120.2) < 1e-9)
  }

  @Test func `A source that is work`() {
    var work = ProgressBar(range: 0...100, source: .forecast)
    work.report(20, rate: 2, at: .zero)  // 20 of 100 are done, two more each second
    let shown = work.shown(at: .seconds(5.5))  // 31
    let late = work.shown(at: .seconds(3_600))  // 99.9: the end is shown when it is reported
    work.report(100, at: .seconds(3_601))
    #expect(abs(shown - 31) < 1e-9 && abs(late - 99.9) < 1e-9)
    #expect(work.shown(at: .seconds(3_602)) == 100)
  }

  @Test func `Moving to a value in a given time`() {
    var any = ProgressBar(range: 0...1)
    let transition = any.animate(to: 0.8, over: .seconds(2), at: .zero)
    any.advance(to: .seconds(2))
    let events = any.takeEvents()  // the transition has ended without interruption
    #expect(
      events == [.transitionEnded(BarTransitionEnd(transition: transition, isFinished: true))])
  }

  @Test func `Styles and margins`() {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 480, height: 28)
    bar.changeStyle(at: .zero) { style in
      style.barHeight = 8
      style.fillHeight = 8
      style.cornerRadius = 4
      style.inProgressColor = BarColor(0xC2410C)
      style.bufferedRanges = [0...150]
      style.marks = [60, 180]
    }
    bar.changeStyle(over: .milliseconds(200), at: .seconds(5)) { $0.dotSize = 20 }  // gradually
    #expect(abs(bar.dotSize(at: .seconds(5.1)) - 16) < 1e-9)
    bar.layout.margins = BarLayout.Margins(top: 20, right: 8, bottom: 4, left: 8)
    #expect(bar.hits(x: 5, y: -20, at: .zero) && !bar.hits(x: 5, y: 33, at: .zero))
    bar.layout.margins = BarLayout.Margins(extent: 30)  // 15 on each side
    bar.layout.precision = .coarse  // at least 44 points for fingers, 24 otherwise
    #expect(bar.hits(x: -15, y: 43, at: .zero))
  }

  @Test func `A surface of your own`() {
    var filled: [BarRect] = []
    func fill(_ rect: BarRect, radius: Double, color: BarColor, within clip: BarShape.Clip?) {
      filled.append(rect)
    }
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 200, height: 24)
    bar.report(40, at: .zero)

    var drawing: [BarShape] = []
    bar.draw(at: .milliseconds(500), into: &drawing)
    for shape in drawing {
      fill(shape.rect, radius: shape.radius, color: shape.color, within: shape.clip)
    }
    #expect(filled.map(\.x) == [0, -119, 75])
    let point = bar.point(at: bar.position(of: 75, at: .milliseconds(500)))
    let flag = BarShape(
      .custom, number: 1, rect: BarRect(x: point.x - 4, y: 0, width: 8, height: 8), radius: 4,
      color: BarColor(0xC2410C))
    drawing.append(flag)
    #expect(drawing.last?.rect.x == 146 && drawing.count == 4)
  }
}
