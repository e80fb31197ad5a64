internal import HeadwayPlan

/// Where a worker is, and the command that connects to it there.
struct WorkerPlace: Sendable {
  /// The name for people.
  let name: String
  /// The command whose standard input and output are the connection.
  let arguments: [String]
  /// The command to connect again, nil for the same.
  var argumentsAgain: [String]?
  /// How many attempts the worker may have at once, nil for one for each core of its machine.
  let places: Int?
  /// How long the worker may take to answer, nil where it may wait in a queue.
  let timeout: Duration?

  /// A machine that is reached with `ssh`.
  static func host(_ host: WorkerHost) -> WorkerPlace {
    // Keys of machines that are not known are refused, and nobody is asked for a password.
    WorkerPlace(
      name: "the host '\(host.name)'",
      arguments: [
        "ssh", "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "--", host.name,
        "headway", "worker",
      ], places: host.places, timeout: .seconds(60))
  }
}
