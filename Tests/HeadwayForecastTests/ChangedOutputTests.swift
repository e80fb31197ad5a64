import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What follows from tasks that have changed their outputs, and from those that have not.
struct ChangedOutputTests {
  /// Ten sources of ten seconds each, an archive of five and five programs of twenty.
  private static let count = 16
  private static let archive = 10
  private static let names =
    (0..<10).map { "source \($0)" } + ["archive"] + (0..<5).map { "program \($0)" }
  private static let seconds =
    Array(repeating: 10, count: 10) + [5] + Array(repeating: 20, count: 5)
  private static let kinds =
    Array(repeating: "cc", count: 10) + ["ar"] + Array(repeating: "ld", count: 5)

  /// A run in which some tasks did their work and the others were up to date.
  private static func run(_ works: Set<Int>) -> DurationHistory.Run {
    var run = DurationHistory.Run(
      samples: works.sorted().map {
        DurationHistory.Sample(name: names[$0], kind: kinds[$0], duration: .seconds(seconds[$0]))
      })
    run.upToDate = (0..<count).filter { !works.contains($0) }.map {
      DurationHistory.Task(name: names[$0], kind: kinds[$0])
    }
    return run
  }

  private static let everything = run(Set(0..<count))

  /// A forecast of a run with one worker after some whole runs and others.
  private static func forecast(after runs: [DurationHistory.Run] = []) -> GraphForecast {
    let tasks = (0..<count).map { index in
      var task = ForecastInput.Task(name: names[index], kind: kinds[index])
      task.mayBeUpToDate = true
      return task
    }
    var edges: [TaskGraph.Edge] = (0..<10).map { TaskGraph.Edge(before: $0, after: archive) }
    edges += (11..<count).map { TaskGraph.Edge(before: archive, after: $0) }
    return GraphForecast(
      ForecastInput(tasks: tasks, edges: edges), workers: 1,
      history: DurationHistory(runs: Array(repeating: everything, count: 3) + runs))
  }

  /// The expected seconds that remain.
  private static func remaining(_ forecast: GraphForecast, at now: Duration = .zero) throws
    -> Double
  {
    var forecast = forecast
    return try #require(forecast.forecast(at: now).remaining).median / .seconds(1)
  }

  /// Records in a forecast which tasks have changed files.
  private static func look(_ forecast: inout GraphForecast, changed: Set<Int>) {
    for task in 0..<count { forecast.found(task, changed: changed.contains(task), at: .zero) }
  }

  @Test func `Nothing follows from a task that leaves its outputs as they were`() throws {
    for changed in [true, false] {
      var forecast = Self.forecast()
      Self.look(&forecast, changed: [3])
      forecast.start(3, at: .zero)
      forecast.foundOutputs(of: 3, changed: changed, at: .seconds(10))
      forecast.end(3, .succeeded, at: .seconds(10))
      let left = try Self.remaining(forecast, at: .seconds(10))
      #expect(changed ? abs(left / 105 - 1) < 0.15 : left == 0, "\(left)")
    }
  }

  @Test func `Tasks that leave their outputs as they were make that likely for the others`() throws
  {
    var forecast = Self.forecast()
    Self.look(&forecast, changed: Set(0..<6))
    // At first, all programs are expected to be linked again.
    #expect(try Self.remaining(forecast) > 120)
    for task in 0..<4 {
      let now = Duration.seconds(10 * task)
      forecast.start(task, at: now)
      forecast.foundOutputs(of: task, changed: false, at: now + .seconds(10))
      forecast.end(task, .succeeded, at: now + .seconds(10))
    }
    // Two sources remain, and probably nothing else; but the range still contains the programs.
    let left = try #require(forecast.forecast(at: .seconds(40)).remaining)
    #expect(abs(left.median / .seconds(20) - 1) < 0.3, "\(left.median)")
    #expect(left.high > .seconds(100))
  }

  @Test func `Whether outputs change is learned from earlier runs`() throws {
    // In eight runs a source was compiled and nothing followed, as after changes of comments.
    var forecast = Self.forecast(after: (0..<8).map { Self.run([$0]) })
    Self.look(&forecast, changed: [7])
    #expect(abs(try Self.remaining(forecast) / 10 - 1) < 0.3)
    // In this run they do change, which the next tasks are expected to do, too.
    for task in 0..<8 where task != 7 { forecast.found(task, changed: true, at: .zero) }
    for task in 0..<6 {
      let now = Duration.seconds(10 * task)
      forecast.start(task, at: now)
      forecast.foundOutputs(of: task, changed: true, at: now + .seconds(10))
      forecast.end(task, .succeeded, at: now + .seconds(10))
    }
    #expect(try Self.remaining(forecast, at: .seconds(60)) > 100)
  }

  @Test func `A task that only waits for its dependencies is not expected to follow them`() throws {
    // The archive is a generated file that the programs wait for but do not read.
    let runs = (0..<12).map { Self.run([$0 % 10, Self.archive]) }
    var forecast = Self.forecast(after: runs)
    Self.look(&forecast, changed: [0, 1, 2])
    for task in 0..<3 {
      let now = Duration.seconds(10 * task)
      forecast.start(task, at: now)
      forecast.foundOutputs(of: task, changed: true, at: now + .seconds(10))
      forecast.end(task, .succeeded, at: now + .seconds(10))
    }
    #expect(try Self.remaining(forecast, at: .seconds(30)) < 50)
  }

}
