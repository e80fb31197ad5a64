import Repetitions
import Testing

@testable import HeadwayTime

/// A combination of a runner's policies, for tests that try them all.
struct RunnerPolicy: CustomTestStringConvertible, Sendable {
  /// The policy for repeated keys.
  var repeatedKey: RepeatedKeyPolicy
  /// The number of restarts.
  var restarts: Int

  static let all = [RepeatedKeyPolicy.join, .replace, .refuse].flatMap { repeatedKey in
    [0, 1, 3].map { RunnerPolicy(repeatedKey: repeatedKey, restarts: $0) }
  }

  var testDescription: String { "\(repeatedKey), \(restarts) restarts" }
}

/// All short sequences of calls on a small runner, and long random ones: `RehearsedRunner` checks every promise after
/// every step.
struct TimeoutCoreModelTests {
  /// The number of steps of a short sequence.
  static let steps = repetitions(4, real: 5)
  /// The number of random sequences for each seed.
  static let courses = repetitions(10, real: 40)

  @Test(arguments: RunnerPolicy.all)
  func `Every short sequence of calls keeps every promise`(policy: RunnerPolicy) {
    let runner = RehearsedRunner(
      threads: 1, stuck: 1, queue: 1, repeatedKey: policy.repeatedKey, restarts: policy.restarts)
    var visited = 0
    let violation = explore(runner, steps: Self.steps, &visited)
    #expect(violation == nil)
    #expect(visited > 1_000)
  }

  @Test(arguments: RunnerPolicy.all, [1, 2, 3] as [UInt64])
  func `Long random sequences of calls keep every promise`(policy: RunnerPolicy, seed: UInt64) {
    var random = CourseRandom(seed: seed)
    for _ in 0..<Self.courses {
      var runner = RehearsedRunner(
        threads: random.number(1...3), stuck: random.number(0...3), queue: random.number(0...6),
        repeatedKey: policy.repeatedKey, restarts: policy.restarts)
      for step in 0..<150 where runner.violation == nil {
        takeStep(&runner, &random, mayFail: step % 50 == 49)
      }
      finish(&runner)
      #expect(runner.violation == nil)
      #expect(runner.submissions.allSatisfy { ($0.id == nil) == ($0.verdict == nil) })
      guard runner.violation == nil else { return }
    }
  }

  /// Tries every possible step from a state, recursively.
  private func explore(_ runner: RehearsedRunner, steps: Int, _ visited: inout Int) -> String? {
    visited += 1
    if let violation = runner.violation { return violation }
    guard steps > 0 else {
      var end = runner
      finish(&end)
      return end.violation
    }
    for choice in 0..<9 {
      var next = runner
      guard take(choice, &next) else { continue }
      if let violation = explore(next, steps: steps - 1, &visited) {
        return "\(choice) → \(violation)"
      }
    }
    return nil
  }

  /// Performs a step by its number.
  ///
  /// - Parameters:
  ///   - choice: The number of the step.
  ///   - runner: The runner.
  /// - Returns: Whether the step was possible.
  private func take(_ choice: Int, _ runner: inout RehearsedRunner) -> Bool {
    switch choice {
    case 0: runner.submit(0, timeout: 2)
    case 1: runner.submit(0, timeout: 5)
    case 2: runner.submit(1, timeout: 3)
    case 3: runner.wait(1)
    case 4: runner.wait(3)
    case 5: runner.wait(3, isFiring: false)
    case 6:
      guard let ready = runner.threads.keys.sorted().first(where: runner.isReady) else {
        return false
      }
      runner.step(ready)
    case 7:
      guard let body = runner.running.first else { return false }
      runner.finish(body)
    default:
      guard let waiter = runner.core.callers.keys.min() else { return false }
      runner.cancel(runner.core.callers[waiter]?.caller ?? 0)
    }
    return true
  }

  /// Performs a random step.
  private func takeStep(
    _ runner: inout RehearsedRunner, _ random: inout CourseRandom, mayFail: Bool
  ) {
    switch random.number(0...11) {
    case 0...3:
      runner.submit(
        random.number(0...4),
        timeout: UInt64([0, 1, 3, 10, 30, 100].randomElement(using: &random) ?? 1))
    case 4, 5:
      var order = random
      runner.wait(UInt64(random.number(0...12))) { $0.randomElement(using: &order) }
    case 6: runner.wait(UInt64(random.number(0...3)), isFiring: false)
    case 7, 8:
      guard
        let thread = runner.threads.keys.sorted().filter(runner.isReady)
          .randomElement(using: &random)
      else { return }
      runner.step(thread)
    case 9:
      guard let body = runner.running.randomElement(using: &random) else { return }
      runner.finish(body, hasFailed: random.number(0...3) == 0)
    case 10:
      guard !runner.submissions.isEmpty, random.number(0...2) == 0 else { return }
      let number = random.number(0...(runner.submissions.count - 1))
      if runner[number] == nil { runner.cancel(number) }
    default:
      if mayFail { runner.failThread() } else { runner.settle() }
    }
  }

  /// Shuts a runner down, lets all functions return, and checks that nothing is left.
  private func finish(_ runner: inout RehearsedRunner) {
    runner.shutDown()
    while let body = runner.running.first { runner.finish(body) }
    runner.settle()
    let core = runner.core
    let isEmpty =
      core.callers.isEmpty && core.tasks.isEmpty && core.taskIDs.isEmpty && core.runs.isEmpty
      && core.queue.count == 0 && core.stuckCount == 0
    if !isEmpty { runner.report("something is left over") }
    if !runner.threads.isEmpty { runner.report("threads are left over: \(runner.threads)") }
    if !runner.timers.isEmpty { runner.report("timers are left over: \(runner.timers)") }
    if core.counts.started != runner.started.count { runner.report("starts are miscounted") }
    if core.counts.late != runner.late.count { runner.report("late results are miscounted") }
    let isAnswered = runner.submissions.allSatisfy { ($0.id == nil) == ($0.verdict == nil) }
    if !isAnswered { runner.report("a caller was not answered") }
  }
}

/// Reproducible random numbers.
struct CourseRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
