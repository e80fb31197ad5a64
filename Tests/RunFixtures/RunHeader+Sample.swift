internal import HeadwayRun
package import HeadwayState
internal import HeadwaySystem

extension RunHeader {
  /// A header of a run of this machine, whose process does not exist any more.
  package static func sample(_ names: [String]) -> RunHeader {
    var header = RunHeader(
      run: "run", plan: "plan", folder: "/", workers: 2, began: 1_800_000_000_000,
      machine: MachineIdentity(cores: 2),
      process: ProcessIdentity(number: .max, started: 1, boot: "an earlier one"), identity: "run")
    header.tasks = names.map { Task(name: $0) }
    return header
  }
}
