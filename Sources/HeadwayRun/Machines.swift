/// Machines that carry out the tasks of a plan, and how they are used.
package struct Machines: Hashable, Sendable {
  /// The machines, empty for this one; nil if that was not said.
  package var hosts: [WorkerHost]?
  /// The options of the jobs of a Slurm cluster, as `sbatch` takes them.
  package var slurmOptions: [String] = []
  /// Whether the jobs of a Slurm cluster are submitted with `sbatch` and their workers connect over TCP; nil if that was not said.
  package var usesTCP: Bool?
  /// The port for these connections, nil for any.
  package var port: Int?
  /// How long a machine may be out of reach before what runs there is lost, nil for the usual time.
  package var patience: Duration?

  /// Whether a machine is chosen for each task, also for one that says nothing of what it needs.
  package var choosesForEach: Bool { hosts?.contains { $0.hasJobPerTask } ?? false }

  /// Creates settings that say nothing.
  package init() {}

  /// The settings, with those of others for what they do not say.
  package func completed(by others: Machines) -> Machines {
    var machines = self
    machines.hosts = hosts ?? others.hosts
    if slurmOptions.isEmpty { machines.slurmOptions = others.slurmOptions }
    machines.usesTCP = usesTCP ?? others.usesTCP
    machines.port = port ?? others.port
    machines.patience = patience ?? others.patience
    // The command line names hosts, and the plan says what they have.
    for index in (hosts ?? []).indices {
      guard let other = others.hosts?.first(where: { $0.name == hosts?[index].name }) else {
        continue
      }
      machines.hosts?[index].take(other)
    }
    return machines
  }

  /// The words of a text, which are separated by spaces.
  package static func words(of text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map { String($0) }
  }
}

extension JSONObject {
  /// Reads how long a machine may be out of reach, in milliseconds; more than a plan allows counts as the longest that it does.
  package func patience(_ name: String) throws -> Duration {
    let longest = RunLimits.days * 86_400_000
    return .milliseconds(try number(name, clampedTo: 0...longest))
  }
}
