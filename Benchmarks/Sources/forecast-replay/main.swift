// Compares forecasts with recorded runs, replayed in virtual time.
//
// `headway-bench forecast` starts this program with its arguments; `headway-bench forecast --help` explains them.

import Foundation
import HeadwayForecast

/// How often an estimator is asked in a run.
let steps = 200

/// Replays a run and asks an estimator at equal intervals.
func course(_ type: any Estimator.Type, _ setting: Setting, _ scenes: [Scene]) -> Score {
  var estimator = type.init(setting)
  return Score(scenes.map { estimator.shown($0) }, length: setting.replay.length)
}

/// Replays traces, scores the estimators, prints the results, and draws the pictures if requested.
func compareFormulas(_ options: Options, _ traces: [Trace]) throws {
  let numbers = options.workers ?? [2, 8, 32]
  let histories = options.histories ?? KnownRuns.allCases
  /// The scores by estimator, number of workers and history, and then by group.
  var scores: [String: [String: [Score]]] = [:]
  /// The runs that are not scored, by number of workers and history.
  var omitted: [String: Omissions] = [:]
  func omit(_ reason: WritableKeyPath<Omissions, Int>, workers: Int, history: KnownRuns) {
    omitted["\(workers) \(history)", default: Omissions()][keyPath: reason] += 1
  }
  for trace in traces {
    for (place, run) in trace.runs.enumerated() {
      guard run.tasks.count <= Replay.largestRun else {
        for workers in numbers {
          for history in histories { omit(\.large, workers: workers, history: history) }
        }
        continue
      }
      let others = Array(trace.runs[(place + 1)...] + trace.runs[..<place])
      let plan = Plan(run)
      for workers in numbers {
        let replay = Replay(plan, workers: workers)
        guard replay.length > 0 else {
          for history in histories { omit(\.empty, workers: workers, history: history) }
          continue
        }
        let scenes = (0..<steps).map { step in
          replay.scene(at: replay.length * Double(step) / Double(steps))
        }
        for history in histories {
          if history != .none, others.isEmpty {
            omit(\.alone, workers: workers, history: history)
            continue
          }
          let setting = Setting(replay: replay, history: others.suffix(history.count))
          for type in options.chosen where history != .none || !type.needsHistory {
            let key = "\(type.name) \(workers) \(history)"
            scores[key, default: [:]][trace.group, default: []].append(
              course(type, setting, scenes))
          }
        }
      }
    }
  }
  guard !scores.isEmpty else {
    throw Trouble.input(
      "nothing to replay: no run of at most \(Replay.largestRun) tasks with the history that is asked for"
    )
  }
  /// The summaries with all earlier runs, for the pictures.
  var drawn: [Summary] = []
  for history in histories {
    for workers in numbers {
      let summaries = options.chosen.compactMap { type in
        scores["\(type.name) \(workers) \(history)"].map {
          Summary(
            type.name, workers: workers, history: history.rawValue, scores: $0,
            omitted: omitted["\(workers) \(history)"] ?? Omissions())
        }
      }
      try options.print(summaries)
      if history == .all { drawn += summaries }
    }
  }
  if let folder = options.pictures { try Pictures(traces).write(to: folder, drawn) }
}

/// Writes a line to standard error.
func tell(_ words: String) {
  FileHandle.standardError.write(Data("headway-bench forecast: \(words)\n".utf8))
}

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if options.isHelp {
    print(Options.help, terminator: "")
    exit(0)
  }
  for count in options.costs {
    print(
      count, Cost.microseconds(tasks: count, order: .longestPath),
      Cost.microseconds(tasks: count, order: .firstReady))
  }
  if !options.costs.isEmpty { exit(0) }
  let (files, note) = try TraceFiles.found(
    options.files, environment: ProcessInfo.processInfo.environment)
  if let note { tell(note) }
  if let folder = options.pictures { try Pictures.make(folder) }
  let traces = try files.map(Trace.init(file:))
  if options.checksEngine {
    print(try EngineCheck(traces: traces).run(), "runs are as the engine runs them")
  } else if options.comparesFormulas {
    try compareFormulas(options, traces)
  } else {
    try DisplayReplay(options: options, traces: traces).run()
  }
} catch let trouble as Trouble {
  tell(trouble.words)
  exit(trouble.code)
} catch {
  tell("\(error)")
  exit(70)
}
