import Foundation

/// The parts of the benchmark, in the order in which they are measured.
nonisolated let areas: [any Area.Type] = [Spawn.self]

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
    case "--headway":
      guard let path = rest.popFirst() else { throw Trouble("--headway needs a path") }
      options.headway = path
    case let name where areas.contains { $0.name == name }: options.areas.append(name)
    default:
      let names = areas.map { $0.name }.joined(separator: "|")
      throw Trouble(
        "usage: headway-bench [\(names)]… [--json] [--rounds N] [--tasks N] [--headway PATH]; not \(argument)"
      )
    }
  }
  return options
}

do {
  let options = try options(Array(CommandLine.arguments.dropFirst()))
  for area in areas where options.areas.isEmpty || options.areas.contains(area.name) {
    let rows = try area.measure(options)
    print(options.json ? try rows.json() : rows.table, terminator: "")
  }
} catch {
  FileHandle.standardError.write(Data("headway-bench: \(error)\n".utf8))
  exit(error is Trouble ? 69 : 70)
}
