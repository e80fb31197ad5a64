import BarCases
import HeadwayBar
import Testing

/// Invalid input: promise 21 of `WhatThisBarPromises`.
struct OddInputTests {
  /// Unusual numbers.
  private static let odd: [Double] = [
    0, -0.0, 1, -1, 0.5, 100, 1e-300, 1e300, -1e300, .nan, .infinity, -.infinity,
    .greatestFiniteMagnitude,
  ]

  /// A random number from 0 to below `count`.
  private func pick(_ count: Int, _ random: inout MersenneTwister) -> Int {
    Int(random.unit() * Double(count))
  }

  /// Calls a random method with unusual arguments.
  private func disturb(_ bar: inout ProgressBar, _ random: inout MersenneTwister, at now: Double) {
    func number() -> Double {
      pick(3, &random) == 0
        ? Self.odd[pick(Self.odd.count, &random)] : random.uniform(-20, 120)
    }
    switch pick(25, &random) {
    case 0: bar.setValue(number(), at: now)
    case 1: bar.animate(to: number(), over: number(), at: now)
    case 2: bar.report(number(), expectedIn: number(), sourceTime: number(), at: now)
    case 3, 4, 5, 6: bar.report(number(), at: now)
    case 7: bar.report(number(), rate: number(), at: now)
    case 8: bar.pause(at: now)
    case 9: bar.resume(at: now)
    case 10: bar.seek(to: number(), at: now)
    case 11: bar.setPlaybackRate(number(), at: now)
    case 12: bar.setRange(from: number(), to: number(), at: now)
    case 13: bar.stall(at: now)
    case 14: bar.removeAnimation(at: now)
    case 15: bar.layout = BarLayout(width: number(), height: number())
    case 16: _ = bar.pointerDown(x: number(), y: number(), at: now)
    case 17: bar.pointerMoved(x: number(), y: number(), at: now)
    case 18: bar.pointerUp(x: number(), y: number(), at: now)
    case 19: _ = bar.press([.left, .right, .pageUp, .home, .end][pick(5, &random)], at: now)
    case 20: bar.source = pick(2, &random) == 0 ? .reports : .forecast
    case 21: bar.changeStyle(over: number(), at: now) { $0.dotSize = number() }
    case 22: bar.layout.direction = .upwards
    case 23: bar.isIndeterminate.toggle()
    default: if pick(8, &random) == 0 { bar.reset(at: now) }
    }
  }

  @Test(arguments: 0..<40)
  func `Nothing traps, and the shown value is in the range`(seed: Int) {
    var random = MersenneTwister(seed: UInt32(seed))
    var bar = ProgressBar(
      range: 0...100, source: seed % 2 == 0 ? .reports : .forecast,
      unitsPerSecond: seed % 3 == 0 ? nil : 1)
    bar.layout = BarLayout(width: 200, height: 24)
    var now = 0.0
    var drawing: [BarShape] = []
    for _ in 0..<2_000 {
      now += random.uniform(0, 0.3)
      let asked = pick(50, &random) == 0 ? Self.odd[pick(13, &random)] : now
      disturb(&bar, &random, at: asked)
      bar.advance(to: asked)
      for time in [now, now + 0.1, now + 3_600] {
        let shown = bar.shown(at: time)
        #expect(bar.range.contains(shown) && (0...1).contains(bar.fraction(at: time)))
        #expect(bar.dotCenter(at: time).isFinite && !bar.speed(at: time).isNaN)
      }
      drawing.removeAll(keepingCapacity: true)
      bar.draw(at: now, into: &drawing)
      for shape in drawing {
        #expect(shape.rect.x.isFinite && shape.rect.width.isFinite && shape.rect.width >= 0)
      }
      _ = bar.takeEvents()
      _ = bar.announcement(at: now)
      _ = bar.activity(at: now)
      _ = bar.nextChange(after: now)
    }
  }

  @Test func `Sizes of 0 and 1 and back leave no stale position`() {
    var bar = ProgressBar(range: 0...100)
    bar.setValue(40, at: 0)
    var drawing: [BarShape] = []
    bar.draw(at: 0, into: &drawing)
    #expect(drawing.isEmpty, "nothing is drawn where there is no room")
    for width in [1.0, 0, -5, .nan, 200] {
      bar.layout = BarLayout(width: width, height: 24)
      #expect(bar.dotCenter(at: 1) == 0.4 * (width > 0 ? width : 0))
    }
  }

  @Test func `A frame clock that stops and starts shows the right value`() {
    var bar = ProgressBar(range: 0...7_200, unitsPerSecond: 1)
    for index in 0...8 { bar.report(Double(index) / 4, at: Double(index) / 4) }
    // The page was hidden for an hour in which the video went on.
    bar.report(3_602, at: 3_602)
    #expect(bar.shown(at: 3_602) == 3_602, "right in the first frame")
    #expect(bar.speed(at: 3_602) == 1)
  }
}
