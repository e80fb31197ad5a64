import HeadwayRun
import Repetitions
import Testing

@testable import HeadwayForecast

/// What is true of the forecasts of any run, whatever its history is: random runs from random histories.
struct GraphForecastPropertyTests {
  private static let seeds = repetitions(25, real: 100)

  /// What a task takes: nearly nothing, seconds, or a year.
  private static func seconds(_ random: inout SeededNumbers) -> Double {
    let draw = random.unit()
    return draw < 0.1 ? 0 : draw < 0.13 ? 31_536_000 : random.exponential() * 10
  }

  /// A random graph, of which some tasks are groups and some may be up to date.
  private static func graph(_ random: inout SeededNumbers) -> ForecastInput {
    let count = 1 + Int(random.unit() * 14)
    var edges: [TaskGraph.Edge] = []
    let tasks = (0..<count).map { index in
      for before in 0..<index where random.unit() < 0.2 {
        edges.append(TaskGraph.Edge(before: before, after: index))
      }
      var task = ForecastInput.Task(name: "t\(index)", kind: "kind \(Int(random.unit() * 3))")
      task.isGroup = random.unit() < 0.1
      task.mayBeUpToDate = task.isGroup || random.unit() < 0.6
      if random.unit() < 0.2 { task.hint = .seconds(seconds(&random)) }
      return task
    }
    return ForecastInput(tasks: tasks, edges: edges)
  }

  /// Up to eight runs in which tasks ran, failed, were tried again, were up to date or were no part of it.
  private static func history(
    of graph: ForecastInput, _ random: inout SeededNumbers
  ) -> DurationHistory {
    let runs = (0..<Int(random.unit() * 9)).map { _ in
      var run = DurationHistory.Run(samples: [])
      for task in graph.tasks {
        let draw = random.unit()
        if draw < 0.4 {
          run.upToDate.append(DurationHistory.Task(name: task.name, kind: task.kind))
        } else if draw < 0.9 {
          let took = seconds(&random)
          run.samples.append(
            DurationHistory.Sample(
              name: task.name, kind: task.kind, duration: .seconds(took),
              lastAttempt: random.unit() < 0.1 ? .seconds(took * random.unit()) : nil,
              isCensored: random.unit() < 0.1))
        }
      }
      return run
    }
    let kind = DurationHistory.Kind(
      name: "kind 0",
      durations: (0..<Int(random.unit() * 4)).map { _ in .seconds(seconds(&random)) })
    return DurationHistory(runs: runs, kinds: kind.map { [$0] } ?? [])
  }

  /// A random run; calls the closure with the forecast after each event.
  private static func play(
    _ seed: Int, _ look: (inout GraphForecast, Duration, _ isOver: Bool) -> Void
  ) {
    var random = SeededNumbers(seed: UInt64(seed))
    let graph = graph(&random)
    let history = history(of: graph, &random)
    let workers = 1 + Int(random.unit() * 4)
    var forecast = GraphForecast(graph, workers: workers, history: history)
    var now = Duration.zero
    look(&forecast, now, false)
    for task in graph.tasks.indices {
      if random.unit() < 0.7 {
        forecast.found(task, changed: random.unit() < 0.4, at: now)
        look(&forecast, now, false)
      }
      if graph.tasks[task].isGroup || random.unit() < 0.3 {
        forecast.end(task, graph.tasks[task].isGroup ? .succeeded : .upToDate, at: now)
      } else {
        forecast.start(task, at: now)
        look(&forecast, now, false)
        now += .seconds(seconds(&random))
        if random.unit() < 0.2 { forecast.report(task, part: 0.1 + 0.9 * random.unit(), at: now) }
        look(&forecast, now, false)
        if random.unit() < 0.1 {
          forecast.retry(task, after: .seconds(1), at: now)
          look(&forecast, now, false)
        }
        forecast.end(task, random.unit() < 0.9 ? .succeeded : .failed, at: now)
      }
      look(&forecast, now, task == graph.tasks.count - 1)
    }
  }

  @Test(arguments: 0..<4) func `Answers are finite and in order, and the end is the end`(part: Int)
  {
    for seed in Repetitions.seeds(of: part, usual: 25, real: 100) {
      Self.play(seed) { forecast, now, isOver in
        let answer = forecast.forecast(at: now)
        #expect((0...1).contains(answer.fraction), "run \(seed)")
        var ranges = forecast.tasks.indices.map { forecast.remaining(of: $0, at: now) }
        ranges.append(answer.remaining)
        for case .some(let range) in ranges {
          #expect(.zero <= range.low, "run \(seed)")
          #expect(range.low <= range.median && range.median <= range.high, "run \(seed)")
          #expect(range.high <= .seconds(1e12), "run \(seed)")
        }
        if isOver {
          #expect(answer.fraction == 1 && answer.remaining?.high == .zero, "run \(seed)")
        }
      }
    }
  }

  @Test func `The same events give the same forecast, however often somebody asks`() {
    for seed in 0..<Self.seeds {
      var asked: [GraphForecast.Answer] = []
      Self.play(seed) { forecast, now, _ in
        _ = forecast.overdue(at: now)
        _ = forecast.criticalPath(at: now)
        asked.append(forecast.forecast(at: now))
      }
      var again: [GraphForecast.Answer] = []
      Self.play(seed) { forecast, now, _ in
        // A copy answers, so that the forecast itself is never asked.
        var copy = forecast
        again.append(copy.forecast(at: now))
      }
      #expect(asked == again, "run \(seed)")
    }
  }

  @Test func `After the first success there is always a remaining time`() {
    for seed in 0..<Self.seeds {
      var hasEnded = false
      Self.play(seed) { forecast, now, _ in
        hasEnded = hasEnded || forecast.observations.count > 0
        if hasEnded { #expect(forecast.forecast(at: now).remaining != nil, "run \(seed)") }
      }
    }
  }
}
