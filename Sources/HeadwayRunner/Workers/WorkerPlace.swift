internal import HeadwayRun

/// Where a worker is, and the command that connects to it there.
struct WorkerPlace: Sendable {
  /// The name for people.
  let name: String
  /// The short name of the machine, as the user names it.
  let host: String
  /// The command whose standard input and output are the connection.
  let arguments: [String]
  /// The command to connect again, nil for the same.
  var argumentsAgain: [String]?
  /// How many attempts the worker may have at once, nil for one for each core of its machine.
  let places: Int?
  /// How long the worker may take to answer, nil where it may wait in a queue.
  let timeout: Duration?

  /// Whether it is one machine, so that a new worker there can end what an earlier one has left.
  var isOneMachine = false
  /// What the user says of the machine.
  var offer: WorkerHost?
  /// Whether it is the machine of the run, for the services of a run whose other tasks run elsewhere.
  var isForServices = false
  /// What tells `sbatch` about its job, nil if `arguments` are the connection.
  var submission: [String]?

  /// The machine of the run, where nothing but services runs.
  ///
  /// - Parameter identity: The beginning of `HEADWAY_TASK_ID` in services of the run.
  /// - Returns: The place, which has no places for other tasks.
  static func services(_ identity: String) -> WorkerPlace {
    var place = WorkerPlace(
      name: "the worker for services", host: "",
      arguments: [WorkerProgram.own, "worker", identity], places: 0, timeout: .seconds(60),
      isOneMachine: true)
    place.isForServices = true
    return place
  }

  /// A machine that is reached with `ssh`.
  ///
  /// - Parameters:
  ///   - host: The machine.
  ///   - program: The program, in case that the machine does not have it.
  ///   - identity: The beginning of `HEADWAY_TASK_ID` in the run.
  /// - Returns: The place.
  static func host(
    _ host: WorkerHost, _ program: WorkerProgram, identity: String
  ) -> WorkerPlace {
    // Keys of machines that are not known are refused, and nobody is asked for a password.
    WorkerPlace(
      name: "the host '\(host.name)'", host: host.name,
      arguments: [
        "ssh", "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "--", host.name,
      ] + program.words(identity), places: host.places, timeout: .seconds(60), isOneMachine: true,
      offer: host)
  }
}
