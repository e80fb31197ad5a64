import HeadwayForecast

/// Replays runs as `headway run` shows them, and prints a table for each case.
struct DisplayReplay {
  /// The options.
  let options: Options
  /// The traces.
  let traces: [Trace]

  /// Replays all cases.
  ///
  /// - Throws: The error of encoding.
  func run() throws {
    var isEmpty = true
    var histories: [String: DurationHistory] = [:]
    for runCase in options.cases {
      var summaries: [DisplaySummary] = []
      for history in options.histories ?? runCase.histories {
        for workers in options.workers ?? Self.workers {
          summaries.append(summary(runCase, workers: workers, history, &histories))
        }
      }
      isEmpty = isEmpty && summaries.allSatisfy(\.scores.isEmpty)
      try print(summaries)
    }
    if isEmpty {
      throw Trouble.input(
        "nothing to replay: no run that suits a case, with the history that is asked for")
    }
  }

  /// The default numbers of workers.
  private static let workers = [2, 8]

  /// Replays all runs of a case.
  private func summary(
    _ runCase: RunCase, workers: Int, _ known: KnownRuns,
    _ histories: inout [String: DurationHistory]
  ) -> DisplaySummary {
    var scores: [String: [DisplayScore]] = [:]
    var omitted = Omissions()
    for trace in traces {
      for (place, recorded) in trace.runs.enumerated() {
        var others = Array((trace.runs[(place + 1)...] + trace.runs[..<place]).suffix(known.count))
        if known != .none, others.isEmpty {
          omitted.alone += 1
          continue
        }
        guard let run = runCase.made(from: recorded, workers: workers) else {
          omitted.unsuited += 1
          continue
        }
        let earlier = runCase.earlierWorkers(before: workers)
        let history: DurationHistory
        if runCase == .lateAgain {
          runCase.change(&others, before: run)
          history = DurationHistory(others, workers: earlier)
        } else {
          let shares = run.processors != nil
          let key = "\(trace.group) \(place) \(known) \(earlier) \(shares)"
          history =
            histories[key]
            ?? DurationHistory(others, workers: earlier, sharesProcessors: shares)
          histories[key] = history
        }
        let displayed = DisplayedRun(run, history: history)
        var all = CaseRun(recorded, workers: workers)
        if run.processors != nil { all.shareProcessors() }
        let complete = Schedule(all).length
        guard displayed.schedule.length > 0, complete > 0 else {
          omitted.empty += 1
          continue
        }
        scores[trace.group, default: []].append(DisplayScore(displayed, run, complete: complete))
      }
    }
    return DisplaySummary(
      runCase: runCase, workers: workers, history: known, scores: scores, omitted: omitted)
  }

  /// Prints the summaries of a case.
  private func print(_ summaries: [DisplaySummary]) throws {
    let found = summaries.filter { !$0.scores.isEmpty }
    if options.json {
      for summary in found { Swift.print(try summary.json()) }
      return
    }
    guard let first = found.first else { return }
    Swift.print("\n\(first.runCase.rawValue): \(first.runCase.summary)")
    for summary in found {
      let runs = summary.scores.values.reduce(0) { $0 + $1.count }
      if summary.workers == first.workers || summary.omitted != first.omitted {
        Swift.print(
          "  history \(summary.history), \(summary.workers) workers: \(summary.scores.count) groups, \(runs) runs\(summary.omitted.words)"
        )
      }
    }
    Swift.print(DisplaySummary.heading)
    for summary in found { Swift.print(summary.row) }
  }
}
