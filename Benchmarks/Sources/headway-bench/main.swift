import Foundation

/// The parts of the benchmark, in the order in which they are measured.
nonisolated let areas: [any Area.Type] = [
  Spawn.self, Time.self, ProgressTree.self, Launch.self, Rate.self,
]

/// Reads the command line.
///
/// - Parameter arguments: The arguments without the program's name.
/// - Returns: What they ask for.
/// - Throws: `Trouble` when they cannot be understood.
func options(_ arguments: [String]) throws -> Options {
  var options = Options()
  var rest = arguments[...]
  while let argument = rest.popFirst() {
    func number() throws -> Int {
      guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else {
        throw Trouble("\(argument) needs a number from 1")
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
        throw Trouble("--sizes needs numbers from 1 to 100000000, with commas between them")
      }
      options.sizes = sizes
    case "--headway":
      guard let path = rest.popFirst() else { throw Trouble("--headway needs a path") }
      options.headway = path
    case let name where areas.contains { $0.name == name }: options.areas.append(name)
    default:
      let names = areas.map { $0.name }.joined(separator: "|")
      throw Trouble(
        """
        usage: headway-bench [\(names)]… [--json] [--rounds N]
                 spawn: [--tasks N] [--headway PATH]
                 time:  [--quick | --sizes N,N…] [--counts]
                 progress: [--quick] [--counts]
                 launch: [--quick] [--counts]
                 rate:  [--quick] [--counts]
               headway-bench forecast [FILE…] [--workers N,N…] [--history none,one,all] [--json]
                                     [--pictures FOLDER]
               not \(argument)
        """
      )
    }
  }
  return options
}

var isAboveCeiling = false
do {
  // The forecast has words and lines of its own: many numbers for each estimator, not one beside a peer's.
  if CommandLine.arguments.dropFirst().first == "forecast" {
    exit(try Forecast.run(Array(CommandLine.arguments.dropFirst(2))))
  }
  let options = try options(Array(CommandLine.arguments.dropFirst()))
  for area in areas where options.areas.isEmpty || options.areas.contains(area.name) {
    let rows = try area.measure(options)
    print(options.json ? try rows.json() : rows.table, terminator: "")
    // Times are noisy and reported; counts are the same in every run and decide.
    let decides = options.counts || area.isExact
    isAboveCeiling = isAboveCeiling || decides && rows.contains { $0.isMet == false }
  }
} catch {
  FileHandle.standardError.write(Data("headway-bench: \(error)\n".utf8))
  exit(error is Trouble ? 69 : 70)
}
if isAboveCeiling { exit(1) }
