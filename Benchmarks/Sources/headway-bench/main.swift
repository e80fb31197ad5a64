import Foundation

/// The parts of the benchmark, in the order in which they are measured.
nonisolated let areas: [any Area.Type] = [
  Spawn.self, Time.self, ProgressTree.self, Launch.self, Rate.self, Bar.self,
]

/// The words that are explained by `--help`.
let help = """
  usage: headway-bench [\(areas.map { $0.name }.joined(separator: "|"))]… [--json] [--rounds N]
           spawn:    [--tasks N] [--headway PATH] [--counts]
           time:     [--quick | --sizes N,N…] [--counts]
           progress: [--quick] [--counts]
           launch:   [--quick] [--counts]
           rate:     [--quick] [--counts]
           bar:      [--quick] [--counts]
         headway-bench forecast [FILE…] [--workers N,N…] [--history none,one,all] [--json]
                                [--pictures FOLDER]

  Without an area, all of the first line are measured; forecast stands alone, and its --help tells more.

    --json      a line of JSON for each row
    --rounds    how often everything is measured; the least value of each counts; 4 when it is left out
    --tasks     the number of tasks of a plan; 10000 when it is left out
    --headway   the binary that is measured; .build-ship/release/headway when it is left out
    --sizes     the numbers of timers; 100000,1000000,10000000 when they are left out
    --quick     less is measured, for a first impression in seconds
    --counts    instructions and allocations are counted instead of time

  Benchmarks/README.md tells how to build it, who the peers are, and what the exit codes mean.

  """

/// Reads the command line.
///
/// - Parameter arguments: The arguments without the program's name.
/// - Returns: What they ask for.
/// - Throws: `Misunderstanding` when they cannot be understood.
func options(_ arguments: [String]) throws -> Options {
  var options = Options()
  var rest = arguments[...]
  while let argument = rest.popFirst() {
    func number() throws -> Int {
      guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else {
        throw Misunderstanding("\(argument) needs a number from 1")
      }
      return number
    }
    switch argument {
    case "--json": options.json = true
    case "--rounds": options.rounds = try number()
    case "--tasks": options.tasks = try number()
    case "--quick":
      options.sizes = [100_000]
      options.isQuick = true
    case "--counts": options.counts = true
    case "--sizes":
      let sizes = rest.popFirst()?.split(separator: ",").compactMap { Int($0) } ?? []
      guard !sizes.isEmpty, sizes.allSatisfy({ (1...100_000_000).contains($0) }) else {
        throw Misunderstanding(
          "--sizes needs numbers from 1 to 100000000, with commas between them")
      }
      options.sizes = sizes
    case "--headway":
      guard let path = rest.popFirst() else { throw Misunderstanding("--headway needs a path") }
      options.headway = path
    case let name where areas.contains { $0.name == name }: options.areas.append(name)
    case "forecast":
      throw Misunderstanding("forecast stands alone, as the first word")
    default:
      throw Misunderstanding("there is no area and no option \"\(argument)\"")
    }
  }
  return options
}

var isAboveCeiling = false
do {
  let words = Array(CommandLine.arguments.dropFirst())
  // The forecast has words and lines of its own: many numbers for each estimator, not one beside a peer's.
  if words.first == "forecast" { exit(try Forecast.run(Array(words.dropFirst()))) }
  if words.contains("--help") || words.contains("-h") {
    print(help, terminator: "")
    exit(0)
  }
  let options = try options(words)
  for area in areas where options.areas.isEmpty || options.areas.contains(area.name) {
    let rows = try area.measure(options)
    print(options.json ? try rows.json() : rows.table, terminator: "")
    // Times are noisy and reported; counts are the same in every run and decide.
    let decides = options.counts || area.isExact
    isAboveCeiling =
      isAboveCeiling || rows.contains { $0.isMet == false && (decides || $0.isExact) }
  }
} catch let misunderstanding as Misunderstanding {
  let line = "headway-bench: \(misunderstanding.words); headway-bench --help tells more\n"
  FileHandle.standardError.write(Data(line.utf8))
  exit(64)
} catch {
  FileHandle.standardError.write(Data("headway-bench: \(error)\n".utf8))
  exit(error is Trouble ? 69 : 70)
}
if isAboveCeiling { exit(1) }
