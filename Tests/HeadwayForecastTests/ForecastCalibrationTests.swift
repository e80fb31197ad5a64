import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What earlier misses make of the ranges of a forecast.
struct ForecastCalibrationTests {
  /// Runs that each told 50 to 200 s around 100 s ten times, while other times remained.
  private static func runs(_ count: Int, truths: (Int) -> Double) -> [DurationHistory.Run] {
    let told = RemainingTime(low: .seconds(50), median: .seconds(100), high: .seconds(200))
    return (0..<count).map { run in
      let misses = (0..<10).map { index in
        DurationHistory.Miss(predicted: told, actual: .seconds(truths(run * 10 + index)))
      }
      return DurationHistory.Run(samples: [], misses: misses)
    }
  }

  /// The factor that some runs teach.
  private static func factor(_ runs: [DurationHistory.Run]) -> Double {
    ForecastCalibration(runs, ForecastParameters()).factor
  }

  @Test func `Ranges that missed are widened, the more the more often and the further`() {
    let factors = [1, 3, 9].map { count in
      Self.factor(Self.runs(count) { $0 % 2 == 0 ? 300 : 40 })
    }
    #expect(factors[0] > 1.05 && factors[0] < 1.2, "one run says little: \(factors)")
    #expect(factors == factors.sorted())
    let further = Self.factor(Self.runs(9) { $0 % 2 == 0 ? 900 : 10 })
    #expect(further > factors[2])
    #expect(further <= ForecastParameters().maximumCalibration)
  }

  @Test func `Ranges that always held are narrowed slowly`() {
    let factors = [1, 3, 9].map { count in Self.factor(Self.runs(count) { $0 % 2 == 0 ? 120 : 90 })
    }
    #expect(factors == factors.sorted(by: >))
    #expect(factors[0] > 0.65 && factors[0] < 1, "\(factors)")
  }

  @Test func `Ranges that held four times in five stay as they are`() {
    // One in ten lies far below, one far above, and the eight between just within.
    let factor = Self.factor(
      Self.runs(9) { [10, 51, 199, 51, 199, 51, 199, 51, 199, 900][$0 % 10] })
    #expect(abs(factor - 1) < 0.02, "\(factor)")
  }

  @Test func `A correction stays when it has made the ranges right`() {
    var runs = Self.runs(6) { $0 % 2 == 0 ? 300 : 40 }
    let before = Self.factor(runs)
    // From here on ranges are told so wide that they hold four times in five.
    let told = RemainingTime(low: .seconds(40), median: .seconds(100), high: .seconds(300))
    for _ in 0..<6 {
      let misses = (0..<10).map { index in
        DurationHistory.Miss(predicted: told, actual: .seconds(index < 2 ? 900 : 299))
      }
      runs.append(DurationHistory.Run(samples: [], misses: misses))
    }
    #expect(Self.factor(runs) > 1 + (before - 1) / 2)
  }

  @Test func `Odd misses leave a finite factor`() {
    let odd = [Duration.zero, .seconds(-5), .seconds(365 * 86_400), .milliseconds(1)]
    for low in odd {
      for truth in odd {
        let told = RemainingTime(low: low, median: .seconds(1), high: low)
        let run = DurationHistory.Run(
          samples: [], misses: [DurationHistory.Miss(predicted: told, actual: truth)])
        let factor = Self.factor([run, run])
        #expect(factor > 0.2 && factor < 5)
      }
    }
  }

  @Test func `A forecast has the range that its misses call for, and the median that it had`()
    throws
  {
    let graph = chains(4, of: 5)
    var known = history(of: graph) { _ in 10 }
    var plain = GraphForecast(graph, workers: 2, history: known)
    let before = plain.forecast(at: .zero)
    for (index, run) in Self.runs(8, truths: { $0 % 2 == 0 ? 300 : 40 }).enumerated() {
      known.runs[index].misses = run.misses
    }
    var warned = GraphForecast(graph, workers: 2, history: known)
    let after = warned.forecast(at: .zero)
    let narrow = try #require(before.remaining)
    let wide = try #require(after.remaining)
    #expect(wide.median == narrow.median)
    #expect(wide.low < narrow.low && wide.high > narrow.high)
  }
}
