import HeadwayCollections
import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What is forecast of tasks that share processors, from runs with other numbers of workers.
struct SharedProcessorsTests {
  /// A plan, and how much its tasks compute.
  struct Plan: CustomTestStringConvertible {
    let testDescription: String
    let tasks: [SharedMachine.Task]

    /// The plan as the forecast knows it.
    var input: ForecastInput {
      ForecastInput(
        tasks: tasks.map { ForecastInput.Task(name: $0.name) },
        edges: tasks.indices.flatMap { after in
          tasks[after].after.map { (before: $0, after: after) }
        })
    }
  }

  private static let machine = SharedMachine(processors: 2)
  private static let workers = [1, 2, 4, 8]

  /// One task after the other: of one, one and two seconds.
  private static func chain(_ name: String, _ computing: [Int]) -> Plan {
    Plan(
      testDescription: "a chain of \(name)",
      tasks: zip([1000, 1000, 2000], computing).enumerated().map { index, task in
        SharedMachine.Task(
          name: "t\(index)", length: task.0, computing: task.1, after: index > 0 ? [index - 1] : [])
      })
  }

  /// Tasks that may all run at once.
  private static func row(_ name: String, _ computing: [Int]) -> Plan {
    Plan(
      testDescription: "a row of \(name)",
      tasks: computing.enumerated().map { index, computing in
        SharedMachine.Task(name: "t\(index)", length: 1000, computing: computing)
      })
  }

  private static let chains = [
    chain("sleeps", [0, 0, 0]), chain("tasks that compute", [10, 10, 10]),
    chain("sleeps and tasks that compute", [0, 10, 0]), chain("tasks that do both", [5, 5, 5]),
  ]
  private static let rows = [
    row("sleeps", Array(repeating: 0, count: 8)),
    row("tasks that compute", Array(repeating: 10, count: 8)),
    row("sleeps and tasks that compute", [0, 10, 0, 10, 0, 10, 0, 10]),
  ]

  /// The first forecast in seconds after three runs each with some numbers of workers.
  private func forecast(_ plan: Plan, history: [Int], workers: Int) throws -> Double {
    let runs = history.flatMap {
      Array(repeating: Self.machine.run(plan.tasks, workers: $0).record, count: 3)
    }
    var forecast = GraphForecast(
      plan.input, workers: workers, history: DurationHistory(runs: runs),
      processors: Self.machine.processors)
    return try #require(forecast.forecast(at: .zero).remaining).median / .seconds(1)
  }

  @Test(arguments: chains + rows, [[1], [2], [4], [8], [1, 2, 4, 8]])
  func `The first forecast is within a tenth, whatever the numbers of workers were and are`(
    plan: Plan, history: [Int]
  ) throws {
    for workers in Self.workers {
      let actual = Self.machine.run(plan.tasks, workers: workers).total / .seconds(1)
      let forecast = try forecast(plan, history: history, workers: workers)
      #expect(
        abs(forecast / actual - 1) < 0.1,
        "\(history) workers, then \(workers): \(forecast) instead of \(actual)")
    }
  }

  @Test func `A run with enough processors says how much tasks compute in one without`() throws {
    let plan = Self.row("tasks that do both", Array(repeating: 5, count: 8))
    for workers in Self.workers {
      let actual = Self.machine.run(plan.tasks, workers: workers).total / .seconds(1)
      let forecast = try forecast(plan, history: [2, 8], workers: workers)
      #expect(abs(forecast / actual - 1) < 0.1, "\(workers): \(forecast) instead of \(actual)")
    }
  }

  @Test func `Tasks that waited beside others that compute keep their own time`() {
    let computing = [0, 0, 10, 10, 10, 10]
    let plan = Self.row("both", computing)
    let record = Self.machine.run(plan.tasks, workers: 6).record
    for (index, own) in record.ownTimes().enumerated() {
      #expect(abs(own.seconds - 1) < 0.05, "task \(index): \(own.seconds)")
      #expect(abs((own.share ?? -1) - Double(computing[index]) / 10) < 0.05)
    }
    // They really took twice as long.
    #expect(record.samples.map { $0.duration > .milliseconds(1900) } == computing.map { $0 > 0 })
  }

  @Test func `Tasks that compute are known as such beside other programs`() {
    let plan = Self.row("tasks that compute", Array(repeating: 10, count: 8))
    var record = Self.machine.run(plan.tasks, workers: 8).record
    // Others had a fifth of both processors.
    for index in record.samples.indices { record.samples[index].cpuTime = .milliseconds(800) }
    let own = record.ownTimes()
    #expect(own.allSatisfy { $0.seconds < 1.1 && $0.share ?? 0 > 0.7 }, "\(own)")
  }

  @Test func `What is unknown is taken as it was`() {
    let plan = Self.row("tasks that compute", Array(repeating: 10, count: 8))
    var record = Self.machine.run(plan.tasks, workers: 8).record
    let seconds = record.samples.map { $0.duration / .seconds(1) }
    record.processors = nil
    #expect(record.ownTimes().map(\.seconds) == seconds)
    record.processors = 2
    for index in record.samples.indices { record.samples[index].cpuTime = nil }
    #expect(record.ownTimes().map(\.seconds) == seconds)
    #expect(record.ownTimes().allSatisfy { $0.share == nil })
  }

  @Test func `Tasks on other machines need no processor of this one`() {
    let plan = Self.row("tasks that compute", Array(repeating: 10, count: 4))
    var record = Self.machine.run(plan.tasks, workers: 4).record
    record.samples[0].host = "a"
    record.samples[1].host = "b"
    let own = record.ownTimes().map(\.seconds)
    #expect(own.allSatisfy { abs($0 - 2) < 0.05 }, "\(own)")
  }

  @Test func `A task with several threads makes the others wait`() throws {
    var run = DurationHistory.Run(
      samples: ["a", "b"].map { name in
        var sample = DurationHistory.Sample(name: name, kind: "", duration: .seconds(4))
        sample.cpuTime = .seconds(8)
        sample.start = name == "a" ? .zero : .seconds(4)
        return sample
      }, workers: 1)
    run.processors = 2
    var forecast = GraphForecast(
      ForecastInput(tasks: ["a", "b"].map { ForecastInput.Task(name: $0) }), workers: 2,
      history: DurationHistory(runs: [run, run, run]), processors: 2)
    let remaining = try #require(forecast.forecast(at: .zero).remaining).median / .seconds(1)
    #expect(abs(remaining / 8 - 1) < 0.1, "\(remaining)")
  }

  @Test func `Running tasks that share processors are half as far as they seem`() throws {
    let plan = Self.row("tasks that compute", Array(repeating: 10, count: 4))
    let run = Self.machine.run(plan.tasks, workers: 1).record
    var forecast = GraphForecast(
      plan.input, workers: 4, history: DurationHistory(runs: [run, run, run]), processors: 2)
    for task in 0..<4 { forecast.start(task, at: .zero) }
    let all = try #require(forecast.forecast(at: .seconds(1)).remaining).median / .seconds(1)
    #expect(abs(all - 1) < 0.15, "\(all)")
    let left = forecast.remaining(of: 0, at: .seconds(1))
    let one = try #require(left).median / .seconds(1)
    #expect(abs(one - 1) < 0.15, "\(one)")
    #expect(forecast.overdue(at: .seconds(2)) == nil)
    // Their ends are no news: the run is as fast as usual.
    for task in 0..<4 { forecast.end(task, .succeeded, at: .seconds(2)) }
    #expect(abs(forecast.cachedOutlook(at: 2).shifts[0]) < 0.05)
    #expect(abs((forecast.usual(0) ?? .zero) / .seconds(2) - 1) < 0.05)
  }

  /// A random plan whose tasks took about what they usually take in each of some runs.
  private struct RandomPlan {
    var input: ForecastInput
    var history: DurationHistory
    var workers: Int

    init(_ random: inout some RandomNumberGenerator) {
      let count = Int.random(in: 1...12, using: &random)
      let levels = (0..<count).map { _ in Double.random(in: 0.1...20, using: &random) }
      let kinds = ["", "cc", "ld"]
      let tasks = (0..<count).map {
        ForecastInput.Task(name: "t\($0)", kind: kinds[Int.random(in: 0..<3, using: &random)])
      }
      var edges: [(before: Int, after: Int)] = []
      for after in 0..<count {
        for before in 0..<after where Double.random(in: 0..<1, using: &random) < 0.3 {
          edges.append((before, after))
        }
      }
      input = ForecastInput(tasks: tasks, edges: edges)
      workers = Int.random(in: 1...8, using: &random)
      let runs = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        var run = DurationHistory.Run(
          samples: tasks.indices.map { index in
            let noise = Double.random(in: 0.5...2, using: &random)
            var sample = DurationHistory.Sample(
              name: tasks[index].name, kind: tasks[index].kind,
              duration: .seconds(levels[index] * noise))
            sample.cpuTime = sample.duration * Double.random(in: 0...1, using: &random)
            sample.start = .seconds(Double.random(in: 0...10, using: &random))
            return sample
          }, workers: Int.random(in: 1...8, using: &random))
        run.processors = 2
        return run
      }
      history = DurationHistory(runs: runs)
    }
  }

  @Test func `No forecast is below the longest path of the usual times`() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<300 {
      let plan = RandomPlan(&random)
      var forecast = GraphForecast(
        plan.input, workers: plan.workers, history: plan.history, processors: 2)
      var ends = [Duration](repeating: .zero, count: plan.input.tasks.count)
      for index in ends.indices {
        let start = plan.input.edges.filter { $0.after == index }.map { ends[$0.before] }.max()
        ends[index] = (start ?? .zero) + (forecast.usual(index) ?? .zero)
      }
      let longest = try #require(ends.max())
      let remaining = try #require(forecast.forecast(at: .zero).remaining)
      #expect(remaining.median >= longest * 0.999, "\(remaining) for \(longest)")
      #expect(remaining.low <= remaining.median && remaining.median <= remaining.high)
    }
  }

  @Test func `The floor is what is left of the longest path`() throws {
    let samples = [("a", 10), ("b", 20)].map {
      DurationHistory.Sample(name: $0.0, kind: "", duration: .seconds($0.1))
    }
    let run = DurationHistory.Run(samples: samples)
    var forecast = GraphForecast(
      ForecastInput(
        tasks: ["a", "b"].map { ForecastInput.Task(name: $0) }, edges: [(before: 0, after: 1)]),
      workers: 1, history: DurationHistory(runs: [run, run]))
    func floor(at time: Duration) -> Double {
      let now = forecast.seconds(time)
      let outlook = forecast.cachedOutlook(at: now)
      return forecast.pathFloor(outlook, at: now)
    }
    #expect(abs(floor(at: .zero) - 30) < 0.01)
    forecast.start(0, at: .zero)
    #expect(abs(floor(at: .seconds(4)) - 26) < 0.01)
    // One that is late, reports how far it is, or is tried again, says nothing about its end.
    #expect(abs(floor(at: .seconds(15)) - 20) < 0.01)
    forecast.report(0, part: 0.5, at: .seconds(15))
    #expect(abs(floor(at: .seconds(15)) - 20) < 0.01)
    forecast.retry(0, after: .zero, at: .seconds(16))
    #expect(abs(floor(at: .seconds(16)) - 20) < 0.01)
    // What took a fifth of its time makes the rest of the run shorter, too.
    forecast.end(0, .succeeded, at: .seconds(18))
    #expect(floor(at: .seconds(18)) < 20)
  }
}
