internal import Glibc
internal import HeadwayReport
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayStore

/// `headway report`: writes a page about one run of the past.
struct ReportCommand {
  /// The runs that are named where the one that was asked for is not there.
  private static let namedRuns = 5

  /// The run as it was named: its own name, a plan, or nil for the newest.
  private let word: String?
  /// The folder for records that was named, nil for the one beside the plan.
  private let stateFolder: String?
  /// Where the page goes, nil for a file beside the records; `-` for the output.
  private let output: String?

  /// Reads the arguments.
  ///
  /// - Throws: `ArgumentMistake`.
  init(_ arguments: [String]) throws(ArgumentMistake) {
    let parsed = try Arguments(
      arguments,
      known: [
        .init(name: "--state", value: "DIR"), .init(name: "--output", letter: "-o", value: "FILE"),
      ])
    if let more = parsed.words.dropFirst().first {
      throw ArgumentMistake(message: "name one run, or none for the newest, not '\(more)' too")
    }
    word = parsed.words.first
    stateFolder = parsed.options["--state"]
    output = parsed.options["--output"]
  }

  /// Writes the page.
  func run() throws -> ExitCode {
    let place = try HistoryPlace(word, stateFolder: stateFolder)
    let store = place.open()
    let kept = find(place.plan, in: store)
    for remark in store.remarks { printError("headway: \(remark)\n") }
    guard let kept else {
      if store.remarks.isEmpty { printError(Self.notFound(word, in: store)) }
      return .unavailable
    }
    let page = Self.report(of: kept).page()
    guard output != "-" else {
      printOutput(page)
      return .success
    }
    // Whatever a file that somebody else wrote calls its runs, the page stays in its folder.
    let name = String(kept.run.name.map { $0 == "/" ? "-" : $0 })
    let path = output ?? "\(place.folder)/reports/\(name).html"
    let error = PageFile.write(page, to: path, makesFolder: output == nil)
    guard error == 0 else {
      throw RunnerError.state(path, error)
    }
    printOutput("\(path)\n")
    return .success
  }

  /// Finds the run that was named, or the newest.
  ///
  /// - Parameters:
  ///   - plan: The plan whose newest run is wanted, nil where no plan file was named.
  ///   - store: Where to look.
  /// - Returns: The run, nil where there is none.
  private func find(_ plan: String?, in store: HistoryStore) -> KeptRun? {
    if plan == nil, let run = store.run(named: word) { return run }
    guard let plan = plan ?? word else { return nil }
    return store.history(of: plan, runs: 1).runs.first.flatMap { store.run(named: $0.name) }
  }

  /// Words for a run that is not there.
  private static func notFound(_ word: String?, in store: HistoryStore) -> String {
    let latest = store.runs(limit: namedRuns)
    guard let word, !latest.isEmpty else {
      return "headway: no runs are kept in \(store.path); a run of a plan begins the history\n"
    }
    let names = latest.map { "  \(plain($0.name))  \(plain($0.plan))\n" }.joined()
    return "headway: no run and no plan '\(word)' in \(store.path); the latest runs are\n\(names)"
  }

  /// What the page is made from.
  private static func report(of kept: KeptRun) -> RunReport {
    let run = kept.run
    let graph = run.graph
    // Without its graph a run is what its records tell; tasks without a record never ended.
    let identities = graph?.tasks ?? run.records.map { kept.tasks[$0.task] }
    var tasks = identities.map { RunReport.Task(name: $0.name, kind: $0.kind, outcome: nil) }
    for (number, record) in run.records.enumerated() {
      let place = graph == nil ? number : record.place
      guard tasks.indices.contains(place) else { continue }
      tasks[place].outcome = record.outcome
      tasks[place].began = record.began
      tasks[place].ran = record.ran
      tasks[place].attempts = record.attempts
      tasks[place].expected = record.expected
    }
    return RunReport(
      plan: kept.plan, run: run.name, began: run.began,
      secondsFromUTC: offset(at: run.began / 1000), workers: run.workers, total: run.total,
      outcome: run.outcome, tasks: tasks,
      needs: graph?.needs.map { ($0.task, $0.before) } ?? [],
      forecasts: run.forecasts.map {
        RunReport.Forecast(at: $0.at, fraction: $0.fraction, remaining: $0.remaining)
      })
  }

  /// The seconds that clocks here are east of Greenwich at a time.
  private static func offset(at seconds: Int64) -> Int {
    var time = time_t(seconds)
    var parts = unsafe tm()
    unsafe localtime_r(&time, &parts)
    return unsafe parts.tm_gmtoff
  }
}
