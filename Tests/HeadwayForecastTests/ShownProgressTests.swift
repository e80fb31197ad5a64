import HeadwayCollections
import Testing

@testable import HeadwayForecast

/// What a bar shows of a forecast.
struct ShownProgressTests {
  @Test func `A forecast that holds is a straight line`() {
    var shown = ShownProgress()
    for second in 1...99 {
      shown.advance(
        to: .seconds(second), target: Double(second) / 100, remaining: .seconds(100 - second))
      // The last parts are drawn closer together.
      let bend = second <= 97 ? 1e-9 : 0.01
      #expect(abs(shown.fraction - Double(second) / 100) < bend)
    }
  }

  @Test
  func
    `The time before the first estimate is not caught up with, however long ago the last call was`()
  {
    var shown = ShownProgress()
    shown.advance(to: .seconds(1), target: 0, remaining: nil)
    shown.advance(to: .seconds(9), target: 0.9, remaining: .seconds(1))
    #expect(shown.fraction == 0)
    shown.advance(to: .milliseconds(9_100), target: 0.9, remaining: .seconds(1))
    #expect(shown.fraction > 0 && shown.fraction < 0.05)
  }

  @Test func `A value that is shown elsewhere is shown here as it is, but never less than before`()
  {
    var shown = ShownProgress()
    shown.advance(to: .seconds(1), target: 0.5, remaining: .seconds(1))
    shown.advance(to: .seconds(2), target: 0.9, remaining: .seconds(1))
    #expect(shown.fraction > 0.2)
    #expect(shown.follow(0.2, isFirst: true) == 0.2)
    #expect(shown.follow(0.7) == 0.7)
    #expect(shown.follow(0.6) == 0.7)
    #expect(shown.follow(.nan) == 0.7)
    #expect(shown.follow(1) == 0.99)
    shown.finish()
    #expect(shown.follow(0.5) == 1)
  }

  @Test
  func `Whatever is forecast, the value moves, never back, within its speed and below the end`() {
    var generator: UInt64 = 7
    var shown = ShownProgress()
    var before = 0.0
    for step in 1...5_000 {
      generator = SplitMix64.mixed(generator)
      let target = Double(generator % 1_000) / 1_000
      let now = Duration.milliseconds(100 * step)
      let value = shown.advance(to: now, target: target, remaining: .seconds(Int(generator % 97)))
      #expect(value > before)
      #expect(value < 0.99)
      before = value
    }
    shown.finish()
    #expect(shown.fraction == 1)
  }

  @Test func `A jump of the forecast is eased in at five times the speed at most`() {
    var shown = ShownProgress()
    for second in 1...20 {
      shown.advance(to: .seconds(second), target: Double(second) / 100, remaining: .seconds(80))
    }
    let before = shown.fraction
    shown.advance(to: .seconds(21), target: 0.7, remaining: .seconds(9))
    #expect(shown.fraction - before <= 5.0 / 30 + 1e-9)
  }

  @Test func `A value without news and one whose clock goes back stands still`() {
    var shown = ShownProgress()
    shown.advance(to: .seconds(10), target: 0.1, remaining: .seconds(90))
    let value = shown.fraction
    shown.advance(to: .seconds(5), target: 0.9, remaining: .seconds(1))
    #expect(shown.fraction == value)
    shown.advance(to: .seconds(11), target: .nan, remaining: nil)
    #expect(shown.fraction >= value)
  }

  /// A run of ten minutes of which the forecast is wrong twice: at 2 min it jumps ahead, and at 6 min it falls back.
  private static func forecast(at second: Double) -> (target: Double, remaining: Duration) {
    let whole = second < 120 ? 840.0 : second < 360 ? 420 : 660
    return (second / whole, .seconds(whole - second))
  }

  @Test(arguments: [500, 1_000, 4_000])
  func `Ten frames a second, two, one, and one in four seconds show nearly the same`(_ frame: Int) {
    var often = ShownProgress()
    var seldom = ShownProgress()
    var furthest = 0.0
    for step in 1...6_000 {
      let forecast = Self.forecast(at: Double(step) / 10)
      let now = Duration.milliseconds(100 * step)
      often.advance(to: now, target: forecast.target, remaining: forecast.remaining)
      guard step * 100 % frame == 0 else { continue }
      seldom.advance(to: now, target: forecast.target, remaining: forecast.remaining)
      furthest = max(furthest, abs(seldom.fraction - often.fraction))
    }
    #expect(furthest < 0.035, "\(furthest)")
  }

  @Test func `As long as nothing is known, the value stands at its beginning`() {
    var shown = ShownProgress()
    for tenth in 1...1_000 {
      shown.advance(to: .milliseconds(100 * tenth), target: 0, remaining: nil)
    }
    #expect(shown.fraction == 0)
    shown.advance(to: .seconds(101), target: 0.01, remaining: nil)
    #expect(shown.fraction == 0)
    shown.advance(to: .seconds(102), target: 0.01, remaining: nil)
    #expect(shown.fraction > 0 && shown.fraction < 0.01)
  }

  @Test func `A bar that is far ahead near its end slows down and does not wait there`() {
    var shown = ShownProgress()
    for second in 1...97 {
      shown.advance(to: .seconds(second), target: Double(second) / 100, remaining: .seconds(3))
    }
    // The last task takes as long again as all before.
    for second in 98...194 {
      let before = shown.fraction
      shown.advance(to: .seconds(second), target: 0.9, remaining: .seconds(second / 9))
      #expect(shown.fraction > before)
    }
    #expect(shown.fraction < 0.995, "\(shown.fraction)")
  }
}
