import HeadwayForecast
import HeadwayLaunch
import HeadwayProgress
import HeadwayTestSupport
import HeadwayTime
import ProcessFixtures
import Testing

/// The published technique on a clock, driving a node.
struct SimulatedProgressRunTests {
  /// What the listeners of a run were told, with the time.
  private struct Course: Sendable {
    /// The values, in order.
    var values: [(time: Duration, value: Double)] = []
    /// When the end was told.
    var ends: [Duration] = []
    /// The fractions of the node at the times of the values.
    var shown: [Double] = []
  }

  /// Runs the published example.
  private func example(_ strategy: SimulatedProgress.Strategy) throws -> Course {
    try withVirtualLaunch { launch in
      let run = SimulatedProgressRun(
        "example", strategy: strategy, interval: .milliseconds(250), timers: launch.timers)
      let course = Box(Course())
      let begin = launch.clock.now
      let node = run.node
      try run.setUp(steps: 4, weights: [0.1, 0.3, 0.6, 0.75])
      try run.setListeners { value in
        course.change { course in
          course.values.append((begin.duration(to: launch.clock.now), value))
          course.shown.append(node.fraction)
        }
      } completion: {
        course.change { $0.ends.append(begin.duration(to: launch.clock.now)) }
      }
      try run.start(expecting: .seconds(1))
      for (number, pause) in [1, 2, 3, 1, 3, 1].enumerated() {
        try await launch.sleep(pause)
        try run.finishStep()
        if number == 3 { try run.addSteps(1, concurrencies: [2], weights: [1]) }
      }
      #expect(run.currentState == .finished)
      #expect(node.isFinished && node.fraction == 1)
      try await launch.sleep(5)
      return course.value
    }
  }

  @Test(arguments: SimulatedProgress.Strategy.allCases)
  func `The published example moves a node and tells its listeners`(
    strategy: SimulatedProgress.Strategy
  ) throws {
    let course = try example(strategy)
    // Compared with the value itself, which has tests of its own.
    var progress = SimulatedProgress(strategy: strategy)
    try progress.setUp(steps: 4, weights: [0.1, 0.3, 0.6, 0.75])
    try progress.start(expecting: .seconds(1), at: .zero)
    var finishes = [1, 3, 6, 7, 10, 11]
    for (time, value) in course.values {
      // At the moment of a finish the clock may come first.
      let before = progress.fraction(at: time)
      while let next = finishes.first, .seconds(next) <= time {
        try progress.finishStep(at: .seconds(next))
        if next == 7 { try progress.addSteps(1, concurrencies: [2], weights: [1], at: .seconds(7)) }
        finishes.removeFirst()
      }
      let distance = [before, progress.fraction(at: time)].map { abs($0 - value) }.min() ?? 1
      #expect(distance < 1e-5, "at \(time)")
    }
    #expect(course.values.map(\.value) == course.values.map(\.value).sorted())
    #expect(course.ends == [.seconds(11)])
    // The raw value stood at 1 for a while; the node did not.
    #expect(course.values.contains { $0.value == 1 && $0.time < .seconds(10) })
    #expect(course.shown.allSatisfy { $0 < 1 })
    // It moved between the finishes, four times a second.
    #expect(course.values.count > 30)
  }

  @Test func `Nothing is told while the value stands, and a reset tells no end`() throws {
    let course = try withVirtualLaunch { launch in
      let run = SimulatedProgressRun(timers: launch.timers)
      let course = Box(Course())
      try run.setUp(steps: 2)
      try run.setListeners { value in
        course.change { $0.values.append((.zero, value)) }
      } completion: {
        course.change { $0.ends.append(.zero) }
      }
      try run.start(expecting: .milliseconds(200))
      try await launch.sleep(100)
      #expect(run.currentState == .suspended)
      #expect(course.value.values.map(\.value) == [0.25, 0.5])
      try run.reset()
      #expect(run.fraction == 0)
      // The same listeners, and the same steps.
      try run.start(expecting: .milliseconds(100))
      try await launch.sleep(1)
      try run.finishStep()
      try run.finishStep()
      return course.value
    }
    #expect(course.values.map(\.value) == [0.25, 0.5, 0, 0.5, 1])
    #expect(course.ends.count == 1)
  }

  @Test func `Work that begins again after its end has a node that moves again`() throws {
    try withVirtualLaunch { launch in
      let parent = ProgressNode("all", total: 1)
      let run = parent.withCurrent(units: 1) {
        SimulatedProgressRun("sign in", timers: launch.timers)
      }
      let first = run.node
      try run.setUp(steps: 1)
      try run.start(expecting: .milliseconds(200))
      try await launch.sleep(100)
      try run.finishStep()
      #expect(first.isFinished && parent.completed == 1)
      try run.reset()
      try run.start(expecting: .milliseconds(200))
      try await launch.sleep(100)
      let second = run.node
      #expect(!second.isFinished && second.label == "sign in")
      #expect(abs(second.fraction - run.fraction) < 0.01 && second.fraction > 0)
      try run.finishStep()
      #expect(second.isFinished && run.node === second)
      #expect(parent.completed == 1)
    }
  }

  @Test func `The completion comes after the last value`() throws {
    let calls = try withVirtualLaunch { launch in
      // No values between the ends of the steps.
      let run = SimulatedProgressRun(interval: .seconds(1_000), timers: launch.timers)
      let calls = Box<[String]>([])
      try run.setUp(steps: 2)
      try run.setListeners { value in
        calls.change { $0.append("\(value)") }
      } completion: {
        calls.change { $0.append("completion") }
      }
      try run.start(expecting: .seconds(100))
      for pause in [10, 5] {
        try await launch.sleep(pause)
        try run.finishStep()
      }
      return calls.value
    }
    #expect(calls == ["0.5", "1.0", "completion"])
  }

  @Test func `What is refused is refused here as well, and changes nothing`() throws {
    try withVirtualLaunch { launch in
      let run = SimulatedProgressRun(timers: launch.timers)
      #expect(throws: SimulatedProgressError.notSetUp) { try run.start(expecting: .seconds(1)) }
      try run.setUp(steps: 1)
      try run.start(expecting: .seconds(1))
      #expect(throws: SimulatedProgressError.state(.running, allowed: [.initialized, .reset])) {
        try run.setListeners(progress: nil, completion: nil)
      }
      #expect(throws: SimulatedProgressError.state(.running, allowed: [.initialized, .reset])) {
        try run.setUp(steps: 2)
      }
      try run.finishStep()
      #expect(throws: SimulatedProgressError.self) { try run.finishStep() }
      #expect(run.currentState == .finished)
    }
  }

  @Test func `Steps are finished from many threads, and listeners may call back`() async throws {
    let run = SimulatedProgressRun(interval: .milliseconds(1))
    let values = Box<[Double]>([])
    let ends = Box(0)
    try run.setUp(steps: 1, concurrencies: [1_000])
    try run.setListeners { [weak run] value in
      values.change { $0.append(value) }
      _ = run?.fraction
    } completion: { [weak run] in
      ends.change { $0 += 1 }
      try? run?.reset()
    }
    try run.start(expecting: .seconds(3_600))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 {
        group.addTask { for _ in 0..<100 { try? run.finishStep() } }
      }
    }
    // The thread that was calling a listener calls the others, too, and nobody waits for it.
    #expect(eventually { values.value.last == 0 })
    #expect(ends.value == 1)
    #expect(run.currentState == .reset)
    #expect(values.value.dropLast() == values.value.dropLast().sorted()[...])
    #expect(values.value.suffix(2) == [1, 0])
  }

  @Test func `Work inside a body that reports joins its node`() throws {
    try withVirtualLaunch { launch in
      let whole = ProgressNode(total: 4)
      let run = whole.withCurrent(units: 2) {
        SimulatedProgressRun("part", interval: .milliseconds(100), timers: launch.timers)
      }
      try run.setUp(steps: 1)
      try run.start(expecting: .seconds(10))
      try await launch.sleep(5)
      #expect(abs(whole.fraction - 0.25) < 1e-5)
      try run.finishStep()
      #expect(whole.fraction == 0.5)
    }
  }
}
