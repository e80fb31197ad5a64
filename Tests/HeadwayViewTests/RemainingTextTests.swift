import HeadwayForecast
import HeadwayRun
import HeadwayTerminal
import Testing

@testable import HeadwayView

/// The words for the time that is left.
struct RemainingTextTests {
  @Test(arguments: [
    (1, "about 1 s left", "1s left"), (45, "about 45 s left", "45s left"),
    (60, "about 1 min left", "1m left"), (3_300, "about 55 min left", "55m left"),
    (3_600, "about 1 h left", "1h left"), (4_500, "about 1 h 15 min left", "1h15m left"),
    (86_400, "about 1 d left", "1d left"), (129_600, "about 1 d 12 h left", "1d12h left"),
    (32_700, "about 9 h 5 min left", "9h05m left"), (-5, "about 0 s left", "0s left"),
  ])
  func `A time has a word or two`(seconds: Int, long: String, short: String) {
    #expect(RemainingText.long(.about(.seconds(seconds))) == long)
    #expect(RemainingText.short(.about(.seconds(seconds))) == short)
  }

  @Test(arguments: [
    (120, 300, "2–5 min left", "2–5m left"), (45, 120, "45 s–2 min left", "45s–2m left"),
    (7_200, 10_800, "2–3 h left", "2–3h left"), (0, 300, "up to 5 min left", "<5m left"),
    (5, 25, "up to 25 s left", "<25s left"), (5, 15, "5–15 s left", "5–15s left"),
    (1_800, 4_500, "30 min–1 h 15 min left", "30m–1h15m left"),
    (3_600, 4_500, "1 h–1 h 15 min left", "1h–1h15m left"),
    (4_500, 7_200, "1 h 15 min–2 h left", "1h15m–2h left"),
  ])
  func `A range shares its unit`(low: Int, high: Int, long: String, short: String) {
    let value = RoundedRemaining.between(.seconds(low), .seconds(high))
    #expect(RemainingText.long(value) == long)
    #expect(RemainingText.short(value) == short)
  }

  @Test func `A terminal without the dash gets a hyphen`() {
    let value = RoundedRemaining.between(.seconds(120), .seconds(300))
    #expect(RemainingText.long(value, dash: "-") == "2-5 min left")
    #expect(RemainingText.short(value, dash: "-") == "2-5m left")
  }

  @Test func `What is not known and what is late have words too`() {
    #expect(RemainingText.long(.unknown) == "first run, no estimate yet")
    #expect(RemainingText.short(.unknown) == "")
    #expect(RemainingText.long(.late) == "longer than expected")
    #expect(RemainingText.short(.late) == "late")
  }

  @Test func `The widest words are as wide as stated`() {
    let long = Duration.seconds(99 * 86_400 + 43_200)
    let value = RoundedRemaining.between(.seconds(10 * 86_400 + 43_200), long)
    #expect(RemainingText.long(value).count <= 33)
    #expect(RemainingText.short(value).count <= 18)
  }
}
