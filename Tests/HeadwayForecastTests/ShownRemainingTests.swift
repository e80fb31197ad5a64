import HeadwayRun
import Testing

@testable import HeadwayForecast

/// The remaining time that a person sees.
struct ShownRemainingTests {
  /// A forecast of so many seconds, wide by a factor on either side.
  private func range(_ median: Double, by factor: Double = 1.2) -> RemainingTime {
    RemainingTime(
      low: .seconds(median / factor), median: .seconds(median), high: .seconds(median * factor))
  }

  /// The upper end that a value says, in seconds, nil where it says none.
  private func upper(_ value: RoundedRemaining) -> Double? {
    switch value {
    case .about(let time), .between(_, let time): time / .seconds(1)
    case .unknown, .late: nil
    }
  }

  @Test func `Without a forecast there is no estimate`() {
    var shown = ShownRemaining()
    #expect(shown.advance(to: .seconds(9), forecast: nil) == .unknown)
    #expect(shown.remaining == nil)
  }

  @Test func `It runs down by a second each second without news`() throws {
    var shown = ShownRemaining()
    shown.advance(to: .zero, forecast: range(100))
    for second in 1...99 {
      let forecast = second % 3 == 0 ? nil : range(100 - Double(second))
      shown.advance(to: .seconds(second), forecast: forecast)
      let left = try #require(shown.remaining?.median)
      #expect(abs(left / .seconds(1) - Double(100 - second)) < 1e-6)
    }
  }

  @Test func `The words run down in steps that become finer`() {
    var shown = ShownRemaining()
    var steps: [Int64] = []
    for tenth in 0..<8_000 {
      let left = Double(8_000 - tenth) / 10
      let value = shown.advance(to: .milliseconds(100 * tenth), forecast: range(left))
      guard case .about(let time) = value else { continue }
      if steps.last != time.components.seconds { steps.append(time.components.seconds) }
    }
    #expect(
      steps == [900, 600, 540, 480, 420, 360, 300, 240, 180, 120, 60, 55, 50, 45, 40, 35, 30, 25]
        + [20, 15, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  }

  @Test func `A small change is no news`() {
    var shown = ShownRemaining()
    for second in 0..<60 {
      let noise = second % 2 == 0 ? 2.0 : -2.0
      shown.advance(to: .seconds(second), forecast: range(300 - Double(second) + noise))
      let left = (shown.remaining?.median ?? .zero) / .seconds(1)
      #expect(abs(left - (302 - Double(second))) < 1e-6)
    }
  }

  @Test(arguments: [(600.0, 200.0), (600, 1_800), (40, 8), (20, 60), (36_000, 3_600)])
  func `A change that lasts is eased in and has arrived within fifty seconds`(
    first: Double, then: Double
  ) {
    var shown = ShownRemaining()
    let width = 0.0625 * (then * 1.2 - then / 1.2)
    shown.advance(to: .zero, forecast: range(first))
    var before = abs(first - then)
    for tenth in 1...500 where then - Double(tenth) / 10 > 0 {
      let time = Double(tenth) / 10
      shown.advance(to: .milliseconds(100 * tenth), forecast: range(then - time))
      let after = abs((shown.remaining?.median ?? .zero) / .seconds(1) - (then - time))
      // Nearer each time; with a half time of a second, a tenth of a second takes back an eleventh.
      #expect(after <= before + 1e-6)
      #expect(before - after <= before / 11 + 1e-6)
      if time == 50 || time == then / 2 { #expect(after <= width + abs(first - then) * 0.05) }
      before = after
    }
  }

  @Test func `A rise is shown openly`() {
    var shown = ShownRemaining()
    shown.advance(to: .zero, forecast: range(120))
    var seen: [RoundedRemaining] = []
    for second in 1...60 {
      seen.append(shown.advance(to: .seconds(second), forecast: range(600 - Double(second))))
    }
    #expect(seen.contains(.about(.seconds(300))))
    #expect(seen.last == .about(.seconds(540)))
  }

  @Test func `A wide range is shown as two times and does not flicker between the forms`() {
    var shown = ShownRemaining()
    #expect(
      shown.advance(to: .zero, forecast: range(200, by: 1.6))
        == .between(.seconds(120), .seconds(300)))
    var changes = 0
    var isRange = true
    for second in 1...60 {
      let factor = second % 2 == 0 ? 1.5 : 1.42
      let value = shown.advance(
        to: .seconds(second), forecast: range(200 - Double(second), by: factor))
      guard case .between = value else {
        changes += isRange ? 1 : 0
        isRange = false
        continue
      }
      changes += isRange ? 0 : 1
      isRange = true
    }
    #expect(changes == 0)
    for second in 61...120 {
      shown.advance(to: .seconds(second), forecast: range(200 - Double(second), by: 1.1))
    }
    #expect(shown.value == .about(.seconds(60)))
  }

  @Test func `A range between narrow and wide keeps the form that was shown before`() {
    /// Whether a value is two times.
    func isRange(_ value: RoundedRemaining) -> Bool {
      if case .between = value { true } else { false }
    }
    var before = ShownRemaining()
    before.advance(to: .zero, forecast: range(400, by: 1.6))
    for second in 1...120 {
      let value = before.advance(
        to: .seconds(second), forecast: range(400 - Double(second), by: 1.36))
      #expect(isRange(value), "\(second)")
    }
    var fresh = ShownRemaining()
    #expect(!isRange(fresh.advance(to: .zero, forecast: range(280, by: 1.36))))
  }

  @Test func `A lower end that is far below the upper one is said to be zero`() {
    var shown = ShownRemaining()
    let forecast = RemainingTime(low: .seconds(5), median: .seconds(60), high: .seconds(300))
    #expect(shown.advance(to: .zero, forecast: forecast) == .between(.zero, .seconds(300)))
  }

  @Test func `A first run has a wide range at once, and it follows what is learned`() throws {
    var shown = ShownRemaining()
    shown.advance(to: .seconds(3), forecast: range(60, by: 4))
    #expect(shown.value == .between(.zero, .seconds(240)))
    for second in 4...60 {
      shown.advance(to: .seconds(second), forecast: range(180 - Double(second), by: 1.2))
    }
    #expect(shown.value == .about(.seconds(120)))
  }

  @Test func `It is late when every expectation has passed, and not for a moment`() {
    var shown = ShownRemaining()
    let none = range(0)
    shown.advance(to: .zero, forecast: range(10))
    #expect(shown.advance(to: .seconds(11), forecast: none) == .about(.seconds(1)))
    #expect(shown.advance(to: .seconds(13), forecast: none) == .late)
    #expect(shown.remaining?.high == .zero)
    // A task was added: the new time is shown as it is.
    #expect(shown.advance(to: .seconds(14), forecast: range(300)) == .about(.seconds(300)))
  }

  @Test func `It is late as well when there is no forecast any more`() {
    var shown = ShownRemaining()
    shown.advance(to: .zero, forecast: range(10))
    #expect(shown.advance(to: .seconds(9), forecast: nil) == .about(.seconds(1)))
    #expect(shown.advance(to: .seconds(13), forecast: nil) == .late)
  }

  @Test func `A last task that takes ever longer is never late and never at zero`() throws {
    var shown = ShownRemaining()
    shown.advance(to: .zero, forecast: range(10))
    for second in 1...600 {
      let rest = max(10 - Double(second), Double(second) * 0.2)
      let value = shown.advance(to: .seconds(second), forecast: range(rest))
      #expect(try #require(upper(value)) >= 1)
    }
    #expect(shown.value == .about(.seconds(120)))
  }

  @Test func `A clock that stands and one that goes back stand`() {
    var shown = ShownRemaining()
    shown.advance(to: .seconds(10), forecast: range(90))
    let before = shown
    shown.advance(to: .seconds(10), forecast: range(90))
    #expect(shown == before)
    shown.advance(to: .seconds(3), forecast: range(90))
    #expect(shown == before)
  }

  @Test func `Hours that no work was done in are not counted down`() {
    var shown = ShownRemaining()
    shown.advance(to: .zero, forecast: range(600))
    // The computer slept and the clock went on; the forecast says what is left of the work.
    shown.advance(to: .seconds(7_200), forecast: range(590))
    #expect(shown.value == .about(.seconds(600)))
  }

  @Test func `Times that make no sense do no harm`() throws {
    var shown = ShownRemaining()
    let year = Duration.seconds(Int64.max / 2)
    let odd = RemainingTime(low: year, median: .seconds(-5), high: .seconds(-9))
    #expect(shown.advance(to: .seconds(-4), forecast: odd) != .late)
    let long = RemainingTime(low: .zero, median: year, high: year)
    shown.advance(to: .seconds(1), forecast: long)
    shown.advance(to: year, forecast: long)
    let most = try #require(upper(shown.value))
    #expect(most >= 1 && most <= 3_155_760_000 + 86_400)
  }
}
