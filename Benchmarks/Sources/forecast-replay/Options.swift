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
  /// The trace files.
  var files: [URL] = []
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

  /// Reads the command line.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": json = true
      case "--pictures": pictures = rest.popFirst().map { URL(filePath: $0) }
      case "--workers":
        workers = (rest.popFirst() ?? "").split(separator: ",").compactMap { Int($0) }
      case "--history":
        histories = (rest.popFirst() ?? "").split(separator: ",").compactMap {
          KnownRuns(rawValue: String($0))
        }
      case "--only":
        let names = (rest.popFirst() ?? "").split(separator: ",").map(String.init)
        chosen = Estimators.all.filter { names.contains($0.name) }
      case let file: files.append(URL(filePath: file))
      }
    }
  }

  /// Prints the lines of one width and history.
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
        one.cover ?? .nan,
      ]
      let cells = numbers.map { String(format: "%8.2f", $0) }.joined()
      Swift.print(one.estimator.padding(toLength: 17, withPad: " ", startingAt: 0) + cells)
    }
  }
}
