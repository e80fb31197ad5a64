// The forecast against recorded runs, replayed in virtual time.
//
//   forecast-replay FILE… [--workers 2,8,32] [--history none,one,all] [--json]
//   forecast-replay FILE… --pictures FOLDER
//   forecast-replay --cost TASKS…

import Foundation
import HeadwayForecast

/// The largest run that is replayed; larger ones are history only.
let largestRun = 800
/// How often an estimator is asked in a run.
let steps = 200

/// Replays a run and asks an estimator at equal steps.
func course(_ type: any Estimator.Type, _ setting: Setting, _ scenes: [Scene]) -> Score {
  var estimator = type.init(setting)
  return Score(scenes.map { estimator.shown($0) }, length: setting.replay.length)
}

if CommandLine.arguments.dropFirst().first == "--cost" {
  for count in CommandLine.arguments.dropFirst(2).compactMap({ Int($0) }) {
    print(
      count, Cost.microseconds(tasks: count, order: .longestPath),
      Cost.microseconds(tasks: count, order: .firstReady))
  }
  exit(0)
}
let options = try Options(Array(CommandLine.arguments.dropFirst()))
/// The scores by estimator, width and history, and then by group.
var scores: [String: [String: [Score]]] = [:]
for file in options.files {
  let trace = try Trace(file: file)
  for (place, run) in trace.runs.enumerated() where run.tasks.count <= largestRun {
    let others = Array(trace.runs[(place + 1)...] + trace.runs[..<place])
    let plan = Plan(run)
    for workers in options.workers {
      let replay = Replay(plan, workers: workers)
      guard replay.length > 0 else { continue }
      let scenes = (0..<steps).map { step in
        replay.scene(at: replay.length * Double(step) / Double(steps))
      }
      for history in options.histories {
        if history != .none, others.isEmpty { continue }
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
/// The summaries with all earlier runs, for the pictures.
var drawn: [Summary] = []
for history in options.histories {
  for workers in options.workers {
    let summaries = options.chosen.compactMap { type in
      scores["\(type.name) \(workers) \(history)"].map {
        Summary(type.name, workers: workers, history: history.rawValue, scores: $0)
      }
    }
    try options.print(summaries)
    if history == .all { drawn += summaries }
  }
}
if let folder = options.pictures { try Pictures(options.files).write(to: folder, drawn) }
