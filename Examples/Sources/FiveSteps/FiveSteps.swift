import Console
import Headway

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Shows five steps, of which only the ends are known, with a bar for each of the two strategies.
///
///     FiveSteps [--speed FACTOR]
///
/// Nothing can be measured within a step. Four of them end after 1, 2, 3 and 1 seconds; when the fourth one ends, a
/// fifth one is added, with two parts that take 3 and 4 seconds. Beside the bars is the expected duration of the
/// current step by each strategy. Exits with 1 unless the average was the steadier one late in the work.
@main
struct FiveSteps {
  /// The ends of the steps in seconds; the last two are parts of one step.
  private static let ends = [1.0, 3, 6, 7, 10, 11]

  /// Runs the program.
  static func main() async {
    guard let speed = speed(CommandLine.arguments.dropFirst()) else {
      tell("usage: FiveSteps [--speed FACTOR]\n")
      exit(64)
    }
    do {
      let courses = try await run(speed: speed)
      let isCalmer = zip(courses.average, courses.recent).allSatisfy { $0 <= $1 + 1e-9 }
      tell(
        isCalmer
          ? "late in the work, the average was never ahead of the last step alone: it was steadier\n"
          : "late in the work, the average was ahead of the last step alone, which is wrong\n")
      exit(isCalmer ? 0 : 1)
    } catch {
      tell("FiveSteps: \(error)\n")
      exit(1)
    }
  }

  /// The factor by which the program is faster than real time.
  private static func speed(_ words: ArraySlice<String>) -> Double? {
    if words.isEmpty { return 1 }
    guard words.count == 2, words.first == "--speed", let speed = words.last.flatMap(Double.init),
      speed > 0, speed <= 1_000
    else { return nil }
    return speed
  }

  /// Runs the steps.
  ///
  /// - Parameter speed: The factor by which it is faster than real time.
  /// - Returns: The values of both strategies at the same moments after the fourth step.
  /// - Throws: `SimulatedProgressError` for a call in the wrong state.
  private static func run(
    speed: Double
  ) async throws -> (recent: [Double], average: [Double]) {
    let row = StatusRow()
    let second = Duration.seconds(1 / speed)
    var (recent, average) = (try ready(.recent), try ready(.average))
    let clock = SuspendingClock()
    let begin = clock.now
    try recent.start(expecting: second, at: .zero)
    try average.start(expecting: second, at: .zero)
    var courses: (recent: [Double], average: [Double]) = ([], [])
    var finished = 0
    while finished < ends.count {
      // The work itself, whose end is not known in advance.
      let end = second * ends[finished]
      let next = min(end, begin.duration(to: clock.now) + second / 20)
      try? await TimerService.suspending.sleep(for: next - begin.duration(to: clock.now))
      let now = begin.duration(to: clock.now)
      if now >= end {
        finished += 1
        try recent.finishStep(at: now)
        try average.finishStep(at: now)
        if finished == 4 {
          try recent.addSteps(1, concurrencies: [2], weights: [1], at: now)
          try average.addSteps(1, concurrencies: [2], weights: [1], at: now)
        }
      }
      let values = (recent.fraction(at: now), average.fraction(at: now))
      if finished >= 4 {
        courses.recent.append(values.0)
        courses.average.append(values.1)
      }
      show(row, values, step: recent.finishedStepCount + 1, of: recent.stepCount)
    }
    if row.isLive { row.clear() }
    return courses
  }

  /// Creates progress with its steps.
  private static func ready(
    _ strategy: SimulatedProgress.Strategy
  ) throws -> SimulatedProgress {
    var progress = SimulatedProgress(strategy: strategy)
    try progress.setUp(steps: 4, weights: [0.1, 0.3, 0.6, 0.75])
    return progress
  }

  /// Draws both values in one row, or prints nothing if a row cannot be redrawn.
  private static func show(
    _ row: StatusRow, _ values: (recent: Double, average: Double), step: Int, of count: Int
  ) {
    guard row.isLive else { return }
    // The shown value stays below the end while a step runs, even if the raw value is 1.
    let shown = min(values.average, 0.99)
    row.draw(
      row.bar(
        shown,
        "step \(min(step, count)) of \(count); by the last step \(Int(min(values.recent, 0.99) * 100))%"
      ))
  }
}
