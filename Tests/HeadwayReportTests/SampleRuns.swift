import Foundation
import HeadwayCollections
import HeadwayForecast
import HeadwayRun

@testable import HeadwayReport

/// A plan that is run in virtual time, with its forecast: what the sample pages are made of.
struct SampleRun {
  /// A task of the plan.
  struct Step {
    /// Its name.
    var name: String
    /// Its kind.
    var kind = ""
    /// The places of the tasks that it needs.
    var needs: [Int] = []
    /// How long it takes, in seconds.
    var seconds: Double
    /// How it ends.
    var outcome = Outcome.Kind.succeeded
    /// The number of attempts.
    var attempts = 1
  }

  /// The name of the plan.
  var plan: String
  /// The name of the run.
  var run: String
  /// The tasks.
  var steps: [Step]
  /// The number of workers.
  var workers: Int
  /// Earlier durations of each task by its name, a run after the other.
  var history: [[String: Double]]
  /// About how often the forecast is asked.
  var looks = 300.0

  /// Runs the plan: the first ready task takes the first free worker, and a failure stops what has not begun.
  ///
  /// - Returns: The report of the run.
  func report() -> RunReport {
    var forecast = GraphForecast(input, workers: workers, history: durations, order: .firstReady)
    var shown = ShownProgress()
    var forecasts: [ForecastRecord] = []
    var tasks = steps.indices.map {
      TaskRecord(
        index: $0, outcome: .skipped, attempts: 0, expected: expected(steps[$0].name))
    }
    var missing = steps.map(\.needs.count)
    var waiting = [[Int]](repeating: [], count: steps.count)
    for (place, step) in steps.enumerated() {
      for need in step.needs { waiting[need].append(place) }
    }
    var ready = steps.indices.filter { missing[$0] == 0 }
    var running: [(end: Double, task: Int)] = []
    var now = 0.0
    var look = 0.0
    let pace = max(0.02, steps.reduce(0) { $0 + $1.seconds } / Double(workers) / looks)
    var outcome = Outcome.Kind.succeeded
    while true {
      while running.count < workers, !ready.isEmpty, outcome == .succeeded {
        let task = ready.removeFirst()
        forecast.start(task, at: .seconds(now))
        running.append((now + steps[task].seconds, task))
        tasks[task].began = .seconds(now)
      }
      guard let next = running.min(by: { $0.end < $1.end }) else { break }
      while look < next.end {
        let answer = forecast.forecast(at: .seconds(look))
        let fraction = shown.advance(
          to: .seconds(look), target: answer.fraction, remaining: answer.remaining?.median)
        forecasts.append(.init(at: .seconds(look), fraction: fraction, remaining: answer.remaining))
        look += pace
      }
      now = next.end
      running.removeAll { $0.task == next.task }
      let step = steps[next.task]
      tasks[next.task].outcome = step.outcome
      tasks[next.task].attempts = step.outcome == .upToDate ? 0 : step.attempts
      tasks[next.task].ran = .seconds(step.seconds)
      let isGood = step.outcome == .succeeded || step.outcome == .upToDate
      let end: Outcome.Kind =
        isGood ? step.outcome == .upToDate ? .skipped : .succeeded : .failed
      forecast.end(next.task, end, at: .seconds(now))
      if !isGood { outcome = .failed }
      for place in waiting[next.task] where isGood {
        missing[place] -= 1
        if missing[place] == 0 { ready.append(place) }
      }
    }
    return RunReport(
      RunRecord(
        plan: plan, name: run, began: 1_795_291_128_000, workers: workers,
        machine: MachineIdentity(cores: workers, host: 0),
        tasks: steps.map { TaskIdentity(name: $0.name, kind: $0.kind, fingerprint: 0) },
        graph: graph, total: .seconds(now), outcome: outcome, records: tasks, forecasts: forecasts))
  }

  /// The dependencies of the plan.
  private var graph: TaskGraph {
    TaskGraph(
      taskCount: steps.count,
      edges: steps.indices.flatMap { task in
        steps[task].needs.map { TaskGraph.Edge(before: $0, after: task) }
      })
  }

  /// The input of the forecast.
  private var input: ForecastInput {
    ForecastInput(
      tasks: steps.map { ForecastInput.Task(name: $0.name, kind: $0.kind) }, edges: graph.edges)
  }

  /// The earlier runs as the forecast knows them.
  private var durations: DurationHistory {
    let kinds = Dictionary(steps.map { ($0.name, $0.kind) }) { first, _ in first }
    return DurationHistory(
      runs: history.map { run in
        DurationHistory.Run(
          samples: run.sorted { $0.key < $1.key }.map {
            .init(name: $0.key, kind: kinds[$0.key] ?? "", duration: .seconds($0.value))
          })
      })
  }

  /// The middle one of the earlier durations of a task.
  private func expected(_ name: String) -> Duration? {
    let times = history.compactMap { $0[name] }.sorted()
    return times.isEmpty ? nil : .seconds(times[times.count / 2])
  }
}

extension SampleRun {
  /// A recorded build.
  private struct Trace: Decodable {
    /// A task of it.
    struct Task: Decodable {
      /// The name.
      var name: String
      /// The kind.
      var kind: String
      /// The places of those that it needs.
      var parents: [Int]
      /// How long it took, in seconds.
      var seconds: Double
      /// The names in the file.
      enum CodingKeys: String, CodingKey {
        case name, kind, parents
        case seconds = "runtime_s"
      }
    }
    /// A run of it.
    struct Run: Decodable {
      /// The name.
      var name: String
      /// The number of workers.
      var workers: Int?
      /// The tasks.
      var tasks: [Task]
    }
    /// The runs.
    var runs: [Run]
  }

  /// A run of a build that was recorded, with the others before it.
  ///
  /// - Parameters:
  ///   - group: The name of the file.
  ///   - place: Which run.
  /// - Returns: The run.
  /// - Throws: What reading a file throws.
  static func recorded(_ group: String, run place: Int) throws -> SampleRun {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "Benchmarks/Traces/build-\(group).json"))
    var runs = try JSONDecoder().decode(Trace.self, from: data).runs
    let run = runs.remove(at: place)
    return SampleRun(
      plan: group, run: "20261121-195848-4711",
      steps: run.tasks.map {
        Step(name: $0.name, kind: $0.kind, needs: $0.parents, seconds: $0.seconds)
      },
      workers: run.workers ?? 2,
      history: runs.map { run in
        Dictionary(run.tasks.map { ($0.name, $0.seconds) }) { first, _ in first }
      })
  }

  /// A small release that fails: a task is up to date, one succeeds at the second attempt, one runs out of time.
  static let failing: SampleRun = {
    let steps = [
      Step(name: "fetch sources", kind: "net", seconds: 0, outcome: .upToDate),
      Step(name: "configure", kind: "tool", needs: [0], seconds: 6.4),
      Step(name: "compile core", kind: "cxx", needs: [1], seconds: 21.5),
      Step(name: "compile surface", kind: "cxx", needs: [1], seconds: 14.2),
      Step(name: "compile tools", kind: "cxx", needs: [1], seconds: 9.1),
      Step(name: "lint", kind: "tool", needs: [0], seconds: 7.9, attempts: 2),
      Step(name: "link", kind: "link", needs: [2, 3, 4], seconds: 3.8),
      Step(name: "test core", kind: "test", needs: [6], seconds: 17.6, outcome: .failed),
      Step(name: "test surface", kind: "test", needs: [6], seconds: 20, outcome: .timedOut),
      Step(name: "handbook", kind: "doc", needs: [1], seconds: 12.3),
      Step(name: "examples", kind: "test", needs: [6], seconds: 8.2),
      Step(name: "pack", kind: "tool", needs: [7, 8, 9], seconds: 2.5),
      Step(name: "sign <&> upload", kind: "net", needs: [11], seconds: 5),
    ]
    var history: [[String: Double]] = []
    for factor in [0.9, 1.05, 1.15] {
      history.append(
        Dictionary(uniqueKeysWithValues: steps.dropFirst().map { ($0.name, $0.seconds * factor) }))
      history[history.count - 1]["compile core"] = 16 * factor
      history[history.count - 1]["test surface"] = 11 * factor
    }
    return SampleRun(
      plan: "release", run: "20261121-195848-19428", steps: steps, workers: 3, history: history)
  }()

  /// A wide run of many tasks, made by a seeded generator.
  static func wide(count: Int, workers: Int) -> SampleRun {
    var numbers = SplitMix64(seed: 11)
    var steps: [Step] = []
    for place in 0..<count {
      // A few long ones among many short ones, in layers with a narrow place after each thousand.
      let size = Int.random(in: 0..<1000, using: &numbers)
      let seconds = size < 8 ? 20 + Double(size) * 4 : 0.1 + Double(size) * Double(size) / 300_000
      let layer = place / 1000 * 1000
      let needs = place == layer ? Array(max(0, layer - 1000)..<layer) : layer > 0 ? [layer] : []
      steps.append(
        Step(
          name: "part-\(layer / 1000)/unit-\(place).o", kind: "unit", needs: needs,
          seconds: place == layer ? 4 : seconds))
    }
    let earlier = steps.map {
      ($0.name, $0.seconds * (0.8 + 0.0005 * Double(Int.random(in: 0..<1000, using: &numbers))))
    }
    return SampleRun(
      plan: "wide", run: "20261121-201530-311", steps: steps, workers: workers,
      history: [Dictionary(uniqueKeysWithValues: earlier)], looks: 60)
  }
}
