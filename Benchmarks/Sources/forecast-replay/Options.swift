import Foundation

/// The amount of history that an estimator gets.
enum KnownRuns: String, CaseIterable {
  /// None.
  case none
  /// The previous run.
  case one
  /// Up to nine others.
  case all

  /// The maximum number of runs.
  var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .all: 9
    }
  }
}

/// The options of the program.
struct Options {
  /// The text of `--help`.
  static let help = """
    usage: headway-bench forecast [FILE…] [--case NAME,…] [--workers N,…] [--history none,one,all] [--json]
           headway-bench forecast [FILE…] --formulas [--workers N,…] [--history none,one,all] [--only NAME,…] [--json]
           headway-bench forecast [FILE…] --pictures FOLDER
           headway-bench forecast [FILE…] --check
           headway-bench forecast --cost TASKS…
           headway-bench forecast --real FOLDER --headway PATH [--workers N] [--json]

    Replays recorded runs in virtual time, as `headway run` runs and shows them, and prints how far off that was. With
    --formulas, compares the forecast with other formulas, in a simpler replay without what is shown.

      FILE…        traces, or folders of them (default: those of this package and of the folder in HEADWAY_TRACES)
      --case       what happens in the run (default: all):
    \(RunCase.allCases.map { "               " + $0.rawValue.padding(toLength: 20, withPad: " ", startingAt: 0) + $0.summary }.joined(separator: "\n"))
      --workers    the numbers of workers (default: 2,8, and with --formulas 2,8,32)
      --history    the earlier runs: none, the previous one, or all, up to nine (default: all three; for cases other
                   than whole: one,all)
      --formulas   compare formulas; tasks start in the order in which they became ready
      --only       the estimators of --formulas (default: all):
                   \(Estimators.all.prefix(7).map { $0.name }.joined(separator: ", ")),
                   \(Estimators.all.dropFirst(7).map { $0.name }.joined(separator: ", "))
      --real       build the project of a folder that cmake -G Ninja has made, with ninja and with headway run, and
                   compare what they say
      --json       print a line of JSON for each row
      --pictures   compare formulas, and draw the pictures of the documentation into a folder
      --check      compare the simulated runs with those of the engine, and exit with 1 if they differ
      --cost       print the microseconds of one forecast of that many tasks, by critical path and by first ready

    Benchmarks/README.md describes the cases, the columns and the format of a trace.

    """

  /// The trace files and folders of them.
  var files: [String] = []
  /// The numbers of workers, nil for the default.
  var workers: [Int]?
  /// The amounts of history, nil for the default.
  var histories: [KnownRuns]?
  /// The cases.
  var cases = RunCase.allCases
  /// Whether simulated runs are compared with those of the engine.
  var checksEngine = false
  /// Whether formulas are compared.
  var comparesFormulas = false
  /// Whether to print lines of JSON.
  var json = false
  /// The folder for the pictures of the documentation, nil for none.
  var pictures: URL?
  /// The estimators.
  var chosen: [any Estimator.Type] = Estimators.all
  /// The numbers of tasks for which the time of a forecast is measured; if there are any, nothing is replayed.
  var costs: [Int] = []
  /// Whether to print the help.
  var isHelp = false

  /// Parses the arguments.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  /// - Throws: `Trouble` if they are invalid.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    var hasCases = false
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": isHelp = true
      case "--json": json = true
      case "--pictures":
        guard let folder = rest.popFirst(), !folder.isEmpty, !folder.hasPrefix("-") else {
          throw Trouble.usage("--pictures needs a folder")
        }
        pictures = URL(filePath: folder)
      case "--workers":
        workers = try Self.list(argument, "numbers from 1 to 10000", rest.popFirst()) {
          Int($0).flatMap { (1...10_000).contains($0) ? $0 : nil }
        }
      case "--history":
        histories = try Self.list(
          argument, "words of none, one and all", rest.popFirst(), read: KnownRuns.init)
      case "--case":
        let what = "names of \(RunCase.allCases.map(\.rawValue).joined(separator: ", "))"
        cases = try Self.list(argument, what, rest.popFirst(), read: RunCase.init)
        hasCases = true
      case "--check": checksEngine = true
      case "--formulas": comparesFormulas = true
      case "--only":
        let known = Estimators.all.map { $0.name }
        let what = "names of \(known.joined(separator: ", "))"
        let names = try Self.list(argument, what, rest.popFirst()) {
          known.contains($0) ? $0 : nil
        }
        chosen = Estimators.all.filter { names.contains($0.name) }
      case "--cost":
        costs = rest.compactMap { Int($0) }.filter { (1...1_000_000).contains($0) }
        guard !costs.isEmpty, costs.count == rest.count else {
          throw Trouble.usage("--cost needs numbers of tasks from 1 to 1000000, and nothing else")
        }
        rest = []
      case let word where word.isEmpty || word.hasPrefix("-"):
        throw Trouble.usage("unknown option \"\(word)\"")
      case let file: files.append(file)
      }
    }
    if pictures != nil { comparesFormulas = true }
    if hasCases, comparesFormulas {
      throw Trouble.usage("--formulas and --pictures replay runs as recorded, without --case")
    }
    if chosen.count < Estimators.all.count, !comparesFormulas {
      throw Trouble.usage("--only selects formulas, so it needs --formulas")
    }
    if pictures != nil, histories?.contains(.all) == false || chosen.count < Estimators.all.count {
      throw Trouble.usage(
        "--pictures draws every estimator with all earlier runs: leave --only and --history out")
    }
  }

  /// Parses a list of words separated by commas, without duplicates.
  ///
  /// - Parameters:
  ///   - option: The name of the option.
  ///   - what: The expected values.
  ///   - words: The list, nil if it is missing.
  ///   - read: Parses a word; nil if it is invalid.
  /// - Returns: The parsed values.
  /// - Throws: `Trouble` if a word is invalid or missing.
  private static func list<Item: Equatable>(
    _ option: String, _ what: String, _ words: String?, read: (String) -> Item?
  ) throws -> [Item] {
    let needs = "\(option) needs \(what), separated by commas"
    guard let words else { throw Trouble.usage(needs) }
    var items: [Item] = []
    for word in words.split(separator: ",", omittingEmptySubsequences: false) {
      guard let item = read(String(word)) else {
        throw Trouble.usage("\(needs), not \"\(words)\"")
      }
      if !items.contains(item) { items.append(item) }
    }
    return items
  }

  /// Prints the results for one number of workers and amount of history.
  ///
  /// - Parameter summaries: The results.
  /// - Throws: The error of encoding.
  func print(_ summaries: [Summary]) throws {
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      for summary in summaries {
        Swift.print(String(decoding: try encoder.encode(summary), as: UTF8.self))
      }
      return
    }
    guard let first = summaries.first else { return }
    Swift.print(
      "\nhistory \(first.history), \(first.workers) workers: \(first.groups) groups, \(first.runs) runs"
        + first.omitted.words
    )
    Swift.print(
      "                     MAE     p90     max  ETArel    back   stall  over98  over99    jump   rough   cover   width"
    )
    for one in summaries {
      let numbers = [
        one.mae, one.p90, one.max, one.etaRel, one.back, one.stall, one.over98, one.over99,
        one.jump,
        one.rough,
      ]
      let cells = numbers.map { String(format: "%8.2f", $0) }.joined()
      let ranges = [one.cover, one.width].map {
        $0.map { String(format: "%8.2f", $0) } ?? "       –"
      }.joined()
      Swift.print(
        one.estimator.padding(toLength: 17, withPad: " ", startingAt: 0) + cells + ranges)
    }
  }
}
