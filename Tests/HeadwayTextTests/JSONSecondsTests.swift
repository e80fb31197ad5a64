import HeadwayCollections
import HeadwayText
import Testing

/// Durations as numbers of JSON.
struct JSONSecondsTests {
  /// A random duration of nanoseconds, short or long, up to where exactness ends.
  private func duration(_ generator: inout SplitMix64) -> Duration {
    let limit = Int64(JSONSeconds.exactLimit) * 1_000_000_000
    let most = min(limit, 1 << Int64.random(in: 1...53, using: &generator))
    return .nanoseconds(Int64.random(in: -most...most, using: &generator))
  }

  @Test(arguments: [
    (Duration.zero, "0.000", 0), (.nanoseconds(1), "0.000000001", 1e-9),
    (.milliseconds(1500), "1.500", 1.5), (.nanoseconds(1_234_567_890), "1.23456789", 1.23456789),
    (.microseconds(-250), "-0.00025", -0.00025), (.seconds(86_400), "86400.000", 86_400),
    (.nanoseconds(8_388_607_999_999_999), "8388607.999999999", 8_388_607.999999999),
    (Duration(attoseconds: 499_999_999), "0.000", 0),
    (Duration(attoseconds: 500_000_000), "0.000000001", 1e-9),
    (Duration(attoseconds: -500_000_000), "-0.000000001", -1e-9),
    (.seconds(Int64.max), "9223372036854775807.000", 0x1p63),
    (Duration(attoseconds: .max), "9223372036854775807.000", 0x1p63),
    (Duration(attoseconds: .min), "-9223372036854775808.000", -0x1p63),
  ])
  func `A duration is written to the nanosecond`(duration: Duration, text: String, number: Double) {
    let seconds = JSONSeconds(duration)
    var bytes: [UInt8] = []
    seconds.append(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
    #expect(seconds.number == number)
    #expect(Double(text) == number)
    #expect(JSONSeconds(number) == seconds)
  }

  @Test func `Durations below 97 days come back exactly, as number and as text`() {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<100_000 {
      let seconds = JSONSeconds(duration(&generator))
      #expect(JSONSeconds(seconds.number) == seconds)
      var bytes: [UInt8] = []
      seconds.append(to: &bytes)
      #expect(Double(String(decoding: bytes, as: UTF8.self)).flatMap(JSONSeconds.init) == seconds)
    }
  }

  @Test func `Durations of a year come back to a few nanoseconds`() {
    var generator = SplitMix64(seed: 5)
    for _ in 0..<10_000 {
      let duration = Duration.nanoseconds(
        Int64.random(in: 8_388_608_000_000_000...31_536_000_000_000_000, using: &generator))
      let back = JSONSeconds(JSONSeconds(duration).number)?.duration ?? .zero
      #expect(abs((back - duration).attoseconds) <= 4_000_000_000)
    }
  }

  @Test func `What is no number of seconds is none`() {
    for number in [Double.nan, .infinity, -.infinity, 0x1p64, -0x1p64, 1e300] {
      #expect(JSONSeconds(number) == nil)
    }
  }
}
