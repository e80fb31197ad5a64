import HeadwayForecast
import Testing

/// Calls that are refused, each by its error, and that change nothing.
struct SimulatedProgressBadInputTests {
  /// Progress in a state, at one second.
  private func progress(_ state: SimulatedProgress.State) throws -> SimulatedProgress {
    var progress = SimulatedProgress()
    if state == .initialized { return progress }
    try progress.setUp(steps: 2, weights: [0.5, 1])
    try progress.start(expecting: .seconds(10), at: .zero)
    switch state {
    case .initialized, .running: break
    case .suspended:
      try progress.start(again: .milliseconds(500))
      progress.advance(to: .seconds(1))
    case .reset: try progress.reset(at: .seconds(1))
    case .finished:
      try progress.finishStep(at: .seconds(1))
      try progress.finishStep(at: .seconds(1))
    }
    #expect(progress.state(at: .seconds(1)) == state)
    return progress
  }

  /// Expects a call to be refused without a trace.
  private func expect(
    _ error: SimulatedProgressError, of progress: SimulatedProgress,
    location: SourceLocation = #_sourceLocation,
    _ call: (inout SimulatedProgress) throws(SimulatedProgressError) -> Void
  ) {
    var copy = progress
    do {
      try call(&copy)
      Issue.record("nothing was refused", sourceLocation: location)
    } catch let thrown {
      // By their words, because what is not a number is not equal to itself.
      #expect(thrown.description == error.description, sourceLocation: location)
      #expect(!thrown.description.isEmpty, sourceLocation: location)
    }
    #expect(copy == progress, sourceLocation: location)
  }

  /// A call that a state may allow.
  private struct Call: Sendable {
    /// The states that allow it.
    let allowed: [SimulatedProgress.State]
    /// The call.
    let call: @Sendable (inout SimulatedProgress) throws(SimulatedProgressError) -> Void
  }

  /// Every call.
  private static let calls: [String: Call] = [
    "setUp": Call(allowed: [.initialized, .reset]) { progress throws(SimulatedProgressError) in
      try progress.setUp(steps: 1)
    },
    "start": Call(allowed: [.initialized, .reset]) { progress throws(SimulatedProgressError) in
      try progress.start(expecting: .seconds(1), at: .seconds(1))
    },
    "addSteps": Call(allowed: [.running, .suspended]) { progress throws(SimulatedProgressError) in
      try progress.addSteps(1, at: .seconds(1))
    },
    "finishStep": Call(allowed: [.running, .suspended]) { progress throws(SimulatedProgressError) in
      try progress.finishStep(at: .seconds(1))
    },
    "reset": Call(allowed: [.running, .suspended, .finished]) {
      progress throws(SimulatedProgressError) in
      try progress.reset(at: .seconds(1))
    },
  ]

  @Test(arguments: SimulatedProgress.State.allCases)
  func `Each call is refused in the states that do not allow it`(
    state: SimulatedProgress.State
  ) throws {
    let progress = try progress(state)
    for (name, call) in Self.calls {
      if !call.allowed.contains(state) {
        expect(.state(state, allowed: call.allowed), of: progress, call.call)
      } else if name == "addSteps" {
        expect(.noWeightLeft, of: progress, call.call)
      } else if name == "start", state == .initialized {
        expect(.notSetUp, of: progress, call.call)
      } else {
        var copy = progress
        try call.call(&copy)
      }
    }
  }

  @Test(arguments: [Double.nan, -1, 0, 0.3, 0.4, 1.0000001, .infinity, -.infinity])
  func `A weight that is not above the one before, or above 1, is refused`(weight: Double) throws {
    expect(.weight(weight, step: 1, above: 0.4), of: SimulatedProgress()) {
      progress throws(SimulatedProgressError) in
      try progress.setUp(steps: 2, weights: [0.4, weight])
    }
    var running = SimulatedProgress()
    try running.setUp(steps: 1, weights: [0.4])
    try running.start(expecting: .seconds(1), at: .zero)
    expect(.weight(weight, step: 0, above: 0.4), of: running) {
      progress throws(SimulatedProgressError) in
      try progress.addSteps(1, weights: [weight], at: .zero)
    }
  }

  @Test func `Numbers that make no sense are refused`() throws {
    let fresh = SimulatedProgress()
    for count in [0, -1, Int.min] {
      expect(.stepCount(count), of: fresh) { progress throws(SimulatedProgressError) in
        try progress.setUp(steps: count)
      }
    }
    expect(.concurrencyCount(1, steps: 2), of: fresh) { progress throws(SimulatedProgressError) in
      try progress.setUp(steps: 2, concurrencies: [1])
    }
    expect(.concurrency(0, step: 1), of: fresh) { progress throws(SimulatedProgressError) in
      try progress.setUp(steps: 2, concurrencies: [1, 0])
    }
    expect(.weightCount(3, steps: 2), of: fresh) { progress throws(SimulatedProgressError) in
      try progress.setUp(steps: 2, weights: [0.1, 0.2, 0.3])
    }
    var ready = fresh
    try ready.setUp(steps: 1)
    for estimate in [Duration.zero, .seconds(-1)] {
      expect(.estimate(estimate), of: ready) { progress throws(SimulatedProgressError) in
        try progress.start(expecting: estimate, at: .zero)
      }
    }
  }

  @Test func `More finishes than steps are refused`() throws {
    var progress = SimulatedProgress()
    try progress.setUp(steps: 1, concurrencies: [2], weights: [0.5])
    try progress.start(expecting: .seconds(1), at: .zero)
    try progress.finishStep(at: .zero)
    try progress.finishStep(at: .zero)
    expect(.everyStepFinished(1), of: progress) { progress throws(SimulatedProgressError) in
      try progress.finishStep(at: .seconds(1))
    }
  }
}

extension SimulatedProgress {
  /// Begins again with another estimate.
  fileprivate mutating func start(again estimate: Duration) throws {
    try reset(at: .zero)
    try start(expecting: estimate, at: .zero)
  }
}
