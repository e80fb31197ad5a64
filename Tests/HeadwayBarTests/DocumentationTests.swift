import DocumentedPages
import HeadwayBar
import Testing

/// The examples of the guides, run, and proof that none was left out.
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
    var film = ProgressBar(range: 0...240, unitsPerSecond: 1)
    film.layout = BarLayout(width: 480, height: 24)
    film.report(2, at: 2)
    film.pause(at: 2.01)
    let seconds = film.shown(at: 3_600)  // 2.01
    let place = film.dotCenter(at: 3_600)  // 4.02 points from the left
    #expect(abs(seconds - 2.01) < 1e-9 && abs(place - 4.02) < 1e-9)
  }

  @Test func `A source that is a clock`() {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.report(10, at: 0)
    bar.report(10.25, at: 0.27)  // each quarter of a second, a little late
    bar.pause(at: 0.3)
    bar.resume(at: 7)
    bar.setPlaybackRate(2, at: 8)
    bar.stall(at: 9)  // it waits for data
    #expect(bar.speed(at: 9.5) == 0 && bar.shown(at: 60) > 10.3)
  }

  @Test func `What a person has chosen`() {
    struct Player {
      var place = 0.0
      mutating func seek(to value: Double) { place = value }
    }
    var player = Player()
    var film = ProgressBar(range: 0...240, unitsPerSecond: 1)
    film.layout = BarLayout(width: 480, height: 24)
    let isMine = film.pointerDown(x: 240, y: 12, at: 0)
    film.pointerUp(x: 240, y: 12, at: 0.1)
    for case .committed(let value) in film.takeEvents() { player.seek(to: value) }
    film.report(3, at: 0.2)  // was under way: the bar stays at 120
    #expect(isMine && player.place == 120 && film.shown(at: 0.3) == 120)
    film.report(120.1, at: 0.4)  // there it is; the bar goes on, and is there within a moment
    #expect(!film.isHeld && abs(film.shown(at: 0.4) - 120) < 1e-9)
    #expect(abs(film.shown(at: 0.5) - 120.2) < 1e-9)

    let live = LiveBar(film)
    live.update { bar, now in bar.report(121, at: now) }
    live.update { bar, now in bar.pause(at: now) }
    let seconds = live.shown
    #expect(live.reported == 121 && seconds == live.shown)
  }

  @Test func `A source that is work`() {
    var work = ProgressBar(range: 0...100, source: .forecast)
    work.report(20, rate: 2, at: 0)  // 20 of 100 done, two more each second
    let shown = work.shown(at: 5.5)  // 31
    let late = work.shown(at: 3_600)  // 99.9: the end is shown when it is reported
    work.report(100, at: 3_601)
    #expect(abs(shown - 31) < 1e-9 && abs(late - 99.9) < 1e-9 && work.shown(at: 3_602) == 100)
  }

  @Test func `A value that goes there in a given time`() {
    var any = ProgressBar(range: 0...1)
    let transition = any.setValue(0.8, duration: 2, at: 0)
    any.advance(to: 2)
    let events = any.takeEvents()  // the transition has ended, and was not interrupted
    #expect(
      events == [.transitionEnded(BarTransitionEnd(transition: transition, isFinished: true))])
  }

  @Test func `Nested time`() {
    let lines = TimeLines([
      TimeLine(duration: .infinity, speed: 2), TimeLine(duration: 8, speed: 2),
    ])
    let time = lines.convert(8, from: 2, to: 0)  // 2: eight seconds at two times two take two
    #expect(time == 2)
  }

  @Test func `Styles and margins`() {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 480, height: 28)
    bar.changeStyle(at: 0) { style in
      style.barHeight = 8
      style.fillHeight = 8
      style.cornerRadius = 4
      style.inProgressColor = BarColor(0xC2410C)
      style.bufferedRanges = [0...150]
      style.marks = [60, 180]
    }
    bar.changeStyle(over: 0.2, at: 5) { $0.dotSize = 20 }  // grows within a fifth of a second
    #expect(abs(bar.dotSize(at: 5.1) - 16) < 1e-9)
    bar.layout.margins = BarLayout.Margins(top: 20, right: 8, bottom: 4, left: 8)
    #expect(bar.hits(x: 5, y: -20, at: 0) && !bar.hits(x: 5, y: 33, at: 0))
    bar.layout.margins = BarLayout.Margins(extent: 30)  // 15 on every side
    bar.layout.precision = .coarse  // at least 44 points for fingers, 24 otherwise
    #expect(bar.hits(x: -15, y: 43, at: 0))
  }

  @Test func `A surface of your own`() {
    var filled: [BarRect] = []
    func fill(_ rect: BarRect, radius: Double, color: BarColor, within clip: BarShape.Clip?) {
      filled.append(rect)
    }
    var bar = ProgressBar(range: 0...100, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 200, height: 24)
    bar.report(40, at: 0)

    var drawing: [BarShape] = []
    bar.draw(at: 0.5, into: &drawing)
    for shape in drawing {
      fill(shape.rect, radius: shape.radius, color: shape.color, within: shape.clip)
    }
    #expect(filled.map(\.x) == [0, -119, 75])
    let place = bar.point(along: bar.place(of: 75, at: 0.5))
    let flag = BarShape(
      .own, number: 1, rect: BarRect(x: place.x - 4, y: 0, width: 8, height: 8), radius: 4,
      color: BarColor(0xC2410C))
    drawing.append(flag)
    #expect(drawing.last?.rect.x == 146 && drawing.count == 4)
  }
}
