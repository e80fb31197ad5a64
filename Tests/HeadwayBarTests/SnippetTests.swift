import HeadwayBar
import Testing

/// The examples beside the declarations.
struct SnippetTests {
  /// A bar in half an area of 100 x 24.
  private func makeBar() -> ProgressBar {
    var bar = ProgressBar(range: 0...100)
    bar.layout = BarLayout(width: 100, height: 24)
    bar.setValue(50, at: .zero)
    return bar
  }

  @Test func `An announcement has a role and a value`() {
    var bar = makeBar()
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    let now = Duration.seconds(1)
    if let announcement: BarAnnouncement = bar.announcement(at: now) {
      let role = announcement.role == .slider ? "slider" : "progressbar"
      show("\(role) \(announcement.value ?? 0) of \(announcement.maximum)")  // slider 50.0 of 100.0
    }
    #expect(lines == ["slider 50.0 of 100.0"])
  }

  @Test func `A key is used or left to others`() {
    var bar = makeBar()
    let now = Duration.seconds(1)
    let key: BarKey = .pageUp
    let isUsed = bar.press(key, at: now)  // true; other keys are left to the surface
    #expect(isUsed)
  }

  @Test func `A press has a kind of pointer`() {
    var bar = makeBar()
    let now = Duration.seconds(1)
    let pointer: BarPointer = .touch
    let isOnBar = bar.pointerDown(x: 40, y: 12, pointer: pointer, at: now)  // true
    #expect(isOnBar)
  }

  @Test func `A bar has a direction`() {
    var layout = BarLayout(width: 24, height: 100)
    layout.direction = .upwards  // a bar for the loudness
    #expect(layout.direction == .upwards)
  }

  @Test func `A surface asks how long nothing else changes`() {
    func end(of activity: ProgressBar.Activity) -> Duration? {
      switch activity {
      case .gliding(let phase), .sweeping(let phase): phase.end
      case .still, .changing: nil
      }
    }
    var bar = makeBar()
    #expect(end(of: bar.activity(at: .seconds(10))) == nil)
    bar.animate(to: 80, over: .seconds(1), at: .seconds(10))
    #expect(end(of: bar.activity(at: .seconds(10))) != nil)
  }

  @Test func `A phase is a curve of an animation`() {
    func timingFunction(of phase: BarPhase) -> String { phase.isBraking ? "ease-out" : "linear" }
    var bar = makeBar()
    bar.animate(to: 80, over: .seconds(1), at: .seconds(10))
    guard case .gliding(let phase) = bar.activity(at: .seconds(10)) else {
      Issue.record("the bar does not glide")
      return
    }
    #expect(["ease-out", "linear"].contains(timingFunction(of: phase)) && phase.start <= phase.end)
  }

  @Test func `A style is changed`() {
    var bar = makeBar()
    let now = Duration.seconds(1)
    var style = BarStyle()
    style.barHeight = 8
    style.defaultColor = BarColor(0x3366CC)
    bar.setStyle(style, over: .milliseconds(200), at: now)
    #expect(bar.style.barHeight == 8)
  }

  @Test func `A transition is found among the events`() {
    var bar = makeBar()
    let now = Duration.seconds(1)
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    let transition: BarTransition = bar.animate(to: 80, over: .milliseconds(400), at: now)
    bar.advance(to: now + .milliseconds(400))
    for case .transitionEnded(let end) in bar.takeEvents() where end.transition == transition {
      show(end.isFinished ? "arrived" : "interrupted")
    }
    #expect(lines == ["arrived"])
  }

  @Test func `An interrupted transition ends too`() {
    var bar = makeBar()
    let now = Duration.seconds(1)
    bar.animate(to: 80, over: .seconds(1), at: now)
    bar.seek(to: 20, at: now + .milliseconds(100))
    let ends = bar.takeEvents().compactMap { event -> BarTransitionEnd? in
      if case .transitionEnded(let end) = event { end } else { nil }
    }
    #expect(ends.map(\.isFinished) == [false])
  }

  @Test func `A shape may be clipped`() {
    var bar = makeBar()
    var style = BarStyle()
    style.bufferedRanges = [10...60]
    bar.setStyle(style, at: .zero)
    var clips: [Double] = []
    let surface = (
      clip: { (rect: BarRect, radius: Double) in clips.append(rect.width) },
      fill: { (_: BarRect) in }
    )
    var shapes: [BarShape] = []
    bar.draw(at: .seconds(1), into: &shapes)
    for shape in shapes {
      if let clip: BarShape.Clip = shape.clip { surface.clip(clip.rect, clip.radius) }
      surface.fill(shape.rect)
    }
    #expect(clips.allSatisfy { $0 > 0 } && !shapes.isEmpty)
  }
}
