import Foundation

/// The areas of the benchmark, in order.
nonisolated let areas: [any Area.Type] = [
  Spawn.self, Time.self, ProgressTree.self, Launch.self, Rate.self, Bar.self, Relay.self,
  Machines.self,
]

/// The text of `--help`.
let help = """
  usage: headway-bench [\(areas.map { $0.name }.joined(separator: "|"))]… [--json] [--rounds N]
           spawn:    [--tasks N] [--headway PATH] [--counts]
           time:     [--quick | --sizes N,N…] [--counts]
           progress: [--quick] [--counts]
           launch:   [--quick] [--counts]
           rate:     [--quick] [--counts]
           bar:      [--quick] [--counts]
           relay:    [--quick] [--counts]
           machines: [--quick] [--headway PATH]
         headway-bench forecast [FILE…] [--case NAME,…] [--workers N,…] [--history none,one,all] [--json]
         headway-bench forecast --real FOLDER --headway PATH [--workers N] [--json]
                                [--pictures FOLDER]

  Without an area, all areas of the first line but machines, which needs root, are measured. forecast can only be started alone; see its --help.

    --json      print a line of JSON for each row
    --rounds    the number of rounds, of which the minimum counts (default: 4)
    --tasks     the number of tasks of a plan (default: 10000)
    --headway   the binary to measure (default: .build-ship/release/headway)
    --sizes     the numbers of timers (default: 100000,1000000,10000000)
    --quick     measure less, to get a first impression in seconds
    --counts    count instructions and allocations instead of measuring time

  Benchmarks/README.md describes the build, the peers and the exit codes.

  """

/// Parses the arguments.
///
/// - Parameter arguments: The arguments without the program's name.
/// - Returns: The options.
/// - Throws: `Misunderstanding` if they are invalid.
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
          "--sizes needs numbers from 1 to 100000000, separated by commas")
      }
      options.sizes = sizes
    case "--headway":
      guard let path = rest.popFirst() else { throw Misunderstanding("--headway needs a path") }
      options.headway = path
    case let name where areas.contains { $0.name == name }: options.areas.append(name)
    case "forecast":
      throw Misunderstanding("forecast must be the only area, and the first argument")
    default:
      throw Misunderstanding("unknown area or option \"\(argument)\"")
    }
  }
  return options
}

var isAboveCeiling = false
// As a task of a run, what is measured would be shown as a part of that run, which costs more.
unsafe unsetenv("HEADWAY_PROGRESS")
do {
  let words = Array(CommandLine.arguments.dropFirst())
  // The forecast has its own options and output: many numbers for each estimator, without peers.
  if words.first == "forecast" { exit(try Forecast.run(Array(words.dropFirst()))) }
  if words.contains("--help") || words.contains("-h") {
    print(help, terminator: "")
    exit(0)
  }
  let options = try options(words)
  for area in areas
  where options.areas.isEmpty ? !area.needsRoot : options.areas.contains(area.name) {
    let rows = try area.measure(options)
    print(options.json ? try rows.json() : rows.table, terminator: "")
    // Times are noisy and reported; counts are the same in every run and decide.
    let decides = options.counts || area.isExact
    isAboveCeiling =
      isAboveCeiling || rows.contains { $0.isMet == false && (decides || $0.isExact) }
  }
} catch let misunderstanding as Misunderstanding {
  let line = "headway-bench: \(misunderstanding.words); see headway-bench --help\n"
  FileHandle.standardError.write(Data(line.utf8))
  exit(64)
} catch {
  FileHandle.standardError.write(Data("headway-bench: \(error)\n".utf8))
  exit(error is Trouble ? 69 : 70)
}
if isAboveCeiling { exit(1) }
