internal import HeadwayRelay
internal import HeadwayRun

/// What a worker says first, so that its runner knows where its messages begin: a login shell may have printed something before.
struct WorkerGreeting: Hashable, Sendable {
  /// The version of the messages.
  static let version = 2
  /// The beginning of its line.
  static let mark = Array(#"{"headway":"worker","#.utf8)

  /// The version of the messages that the worker speaks.
  var version = Self.version
  /// The number of its cores.
  var cores: Int
  /// Its memory in bytes, 0 if unknown.
  var memory = 0
  /// The number of its GPUs.
  var gpus = 0
  /// The name of its node in a Slurm cluster, empty outside of one.
  var host: String
}

/// What a worker has to know of a run before it can start anything.
struct WorkerSetup: Hashable, Sendable {
  /// The folder of the plan, in which its tasks run.
  var folder: String
  /// The beginning of `HEADWAY_TASK_ID` in the run.
  var identity: String
  /// The number of tasks of the run.
  var taskCount: Int
  /// The names of the variables of the plan that all tasks have.
  var names: [String]
  /// Their values, as many as `names`.
  var values: [String]
  /// How long the worker may hear nothing of its runner.
  var patience = WorkerLease.usualPatience
  /// The beginnings of `HEADWAY_TASK_ID` in the runs that this one goes on with, of which nothing may be alive.
  var earlier: [String] = []
  /// Whether the folder of the plan is not there, so that files are copied to a folder of the run.
  var copiesFiles = false
  /// The folder below which that is, nil for the cache of the user.
  var cache: String?
  /// Whether it is on the machine of the run, for its services; if the run is in a job of Slurm, that is not the worker's.
  var isForServices = false
}

extension WorkerGreeting {
  /// Appends the greeting to the bytes for a connection.
  func write(to bytes: inout [UInt8]) {
    var line = JSONLine(names: [])
    swap(&line.bytes, &bytes)
    line.begin()
    line.add(named: "headway", text: "worker")
    line.add(named: "version", number: version)
    line.add(named: "cores", number: cores)
    line.add(named: "memory", number: memory)
    line.add(named: "gpus", number: gpus)
    line.add(named: "host", text: host)
    line.end()
    line.bytes.append(UInt8(ascii: "\n"))
    swap(&line.bytes, &bytes)
  }

  /// Reads a greeting.
  ///
  /// - Parameter message: The message.
  /// - Throws: `MessageError`.
  init(_ message: MessageStream.Message) throws(MessageError) {
    self = try message.read { fields throws in
      WorkerGreeting(
        version: try fields.number("version"),
        cores: try fields.number("cores", clampedTo: 1...WorkerHost.mostPlaces),
        memory: fields.contains("memory")
          ? try fields.number("memory", clampedTo: 0...RunLimits.sizeBytes) : 0,
        gpus: fields.contains("gpus")
          ? try fields.number("gpus", clampedTo: 0...WorkerHost.mostPlaces) : 0,
        host: fields.contains("host") ? try fields.text("host") : "")
    }
  }
}
