import Foundation

/// How many earlier runs an estimator may know.
enum KnownRuns: String, CaseIterable {
  /// None.
  case none
  /// The one before.
  case one
  /// Up to nine others.
  case all

  /// The number of runs at most.
  var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .all: 9
    }
  }
}

/// What the command line asks for.
struct Options {
  /// The words that are explained by `--help`.
  static let help = """
    usage: headway-bench forecast [FILE…] [--workers N,N…] [--history none,one,all] [--only NAME,NAME…] [--json]
           headway-bench forecast [FILE…] --pictures FOLDER
           headway-bench forecast --cost TASKS…

    Replays recorded runs in virtual time and prints how far off this forecast and the formulas of others are.

      FILE…        traces, or folders of them; without any, those of this package and of the folder in HEADWAY_TRACES
      --workers    how many tasks run at a time; 2,8,32 when it is left out
      --history    how many earlier runs are known: none, the one before, or all (up to nine); all three when left out
      --only       the estimators that are asked; all when it is left out:
                   \(Estimators.all.prefix(7).map { $0.name }.joined(separator: ", ")),
                   \(Estimators.all.dropFirst(7).map { $0.name }.joined(separator: ", "))
      --json       a line of JSON for each estimator, number of workers and history
      --pictures   draws the pictures of the documentation into a folder, too
      --cost       prints the microseconds of one forecast of so many tasks, by longest path and by first ready

    Benchmarks/README.md tells the format of a trace and what the columns mean.

    """

  /// The trace files and the folders of them that are named.
  var files: [String] = []
  /// How many tasks run at a time.
  var workers = [2, 8, 32]
  /// How many earlier runs are known.
  var histories = KnownRuns.allCases
  /// Whether lines are printed as JSON.
  var json = false
  /// Where the pictures of the documentation go, nil where none are drawn.
  var pictures: URL?
  /// The estimators.
  var chosen: [any Estimator.Type] = Estimators.all
  /// The numbers of tasks whose forecast is timed; nothing is replayed where there are any.
  var costs: [Int] = []
  /// Whether the words of the command line are explained and nothing else is done.
  var isHelp = false

  /// Reads the command line.
  ///
  /// - Parameter arguments: The words without the program's name.
  /// - Throws: `Trouble` for words that cannot be understood.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
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
        throw Trouble.usage("there is no option \"\(word)\"")
      case let file: files.append(file)
      }
    }
    if pictures != nil, !histories.contains(.all) || chosen.count < Estimators.all.count {
      throw Trouble.usage(
        "--pictures draws every estimator with all earlier runs: leave --only and --history out")
    }
  }

  /// Reads words with commas between them, each once.
  ///
  /// - Parameters:
  ///   - option: The option that they belong to.
  ///   - what: What it needs.
  ///   - words: The words, nil where there are none.
  ///   - read: Reads one, nil where it is none of these.
  /// - Returns: What they say.
  /// - Throws: `Trouble` when one is not understood, or when there are none.
  private static func list<Item: Equatable>(
    _ option: String, _ what: String, _ words: String?, read: (String) -> Item?
  ) throws -> [Item] {
    let needs = "\(option) needs \(what), with commas between them"
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

  /// Prints the lines of one width and history.
  ///
  /// - Parameter summaries: The lines; nothing is printed without any.
  /// - Throws: What encoding throws.
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
    )
    Swift.print(
      "                     MAE     p90     max  ETArel    back   stall  over99    jump   rough   cover"
    )
    for one in summaries {
      let numbers = [
        one.mae, one.p90, one.max, one.etaRel, one.back, one.stall, one.over99, one.jump, one.rough,
      ]
      let cells = numbers.map { String(format: "%8.2f", $0) }.joined()
      let cover = one.cover.map { String(format: "%8.2f", $0) } ?? "       –"
      Swift.print(
        one.estimator.padding(toLength: 17, withPad: " ", startingAt: 0) + cells + cover)
    }
  }
}
