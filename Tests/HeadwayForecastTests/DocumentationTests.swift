import DocumentedPages
import HeadwayForecast
import Testing

/// The examples of the documentation, run as they stand there.
struct DocumentationTests {
  /// The pages of the module.
  private let pages = DocumentedPages(of: "HeadwayForecast")

  @Test func `The landing page tells the truth`() throws {
    var progress = SimulatedProgress(strategy: .average)
    try progress.setUp(steps: 2, weights: [0.25, 1])
    try progress.start(expecting: .seconds(2), at: .zero)
    try progress.finishStep(at: .seconds(4))
    let value = progress.fraction(at: .seconds(10))  // 0.625
    #expect(value == 0.625)
  }

  @Test func `The landing page tells the truth of counted work`() {
    var estimator = RateEstimator(total: 1000, completed: 400, at: .zero)
    estimator.report(430, at: .seconds(3))
    let remaining = estimator.remaining(at: .seconds(4))  // 56 s
    #expect(remaining == .seconds(56))
  }

  @Test func `Simulating progress tells the truth`() throws {
    var progress = SimulatedProgress(strategy: .average)
    try progress.setUp(steps: 3, weights: [0.2, 0.7, 1])
    try progress.start(expecting: .seconds(2), at: .zero)
    try progress.finishStep(at: .seconds(4))  // it took twice as long as expected
    // The second step is expected to take ten seconds.
    let value = progress.fraction(at: .seconds(9))  // 0.45
    #expect(abs(value - 0.45) < 1e-12)
  }

  @Test(arguments: ["HeadwayForecast", "SimulatingProgress"])
  func `Every example is run here`(page: String) throws {
    let missing = try pages.examplesNotRun(
      of: page, in: "DocumentationTests")
    #expect(missing == [])
  }
}
