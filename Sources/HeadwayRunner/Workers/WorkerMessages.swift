internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayText

/// What a runner asks of a worker; a line of JSON each.
///
/// ```
///   runner                                       worker
///     │ start 3.1 ["make", "-j2"]                  │
///     ├───────────────────────────────────────────▶│
///     │                    output 3.1, 120 bytes   │
///     │◀───────────────────────────────────────────┤
///     │ signal 3.1 terminate                       │
///     ├───────────────────────────────────────────▶│
///     │          exited 3.1 signal 15, left: none  │
///     │◀───────────────────────────────────────────┤
///     │ release 3.1                                │
///     ├───────────────────────────────────────────▶│
/// ```
///
/// These are the calls of `Executor` and its answers, so that the run loop does not know where an attempt is carried out.
enum WorkerRequest: Hashable, Sendable {
  /// Prepare for a run; the first request.
  case begin(WorkerSetup)
  /// Start an attempt.
  case start(Attempt, WorkerCommand)
  /// Send a signal to an attempt.
  case signal(Attempt, AttemptSignal)
  /// Forget an attempt.
  case release(Attempt, keepsProcesses: Bool)
  /// Answer at once, with the same number.
  case check(Int)
  /// The heartbeat with this number has come, which renews the lease of the worker.
  case heartbeat(Int)
  /// Bytes for a program that reports progress, by the number of its connection.
  case forward(Int, [UInt8])
  /// Close the connection of a program that reports progress.
  case close(Int)
  /// End all that is left, because the run is over.
  case end
}

/// The command of an attempt.
struct WorkerCommand: Hashable, Sendable {
  /// The program and its arguments; never empty.
  var arguments: [String]
  /// The names of the variables that differ from the worker's environment.
  var names: [String]
  /// Their values, as many as `names`.
  var values: [String]
  /// The directory to start in, nil for that of the worker.
  var directory: String?
  /// The numbers of the GPUs that it may use.
  var gpus: [Int] = []
  /// The folders that it needs and that may not exist, because files are copied.
  var folders: [String] = []
  /// Whether its programs may report their progress as those written in Zig do.
  var hasProgressPipe = false
}

/// What a worker tells its runner; a line of JSON each, and after `output` as many bytes as it says and the end of a line.
enum WorkerReply: Hashable, Sendable {
  /// The worker cannot take part in the run, for a reason for people.
  case refused(reason: String)
  /// The worker is prepared for the run; files are copied to a folder there, unless it shares the one of the plan.
  case begun(folder: String?)
  /// An attempt could not be started, for a reason for people.
  case notStarted(Attempt, reason: String)
  /// An attempt has written something.
  case output(Attempt, [UInt8])
  /// No process can write to the output of an attempt any more.
  case outputEnded(Attempt)
  /// The programs of an attempt have reported their progress as those written in Zig do.
  case progress(Attempt, [UInt8])
  /// The own process of an attempt has ended and used this; these processes of it are left, in words.
  case exited(Attempt, Outcome, left: [String], usage: ResourceUsage? = nil)
  /// After the end of the own process of an attempt, these processes of it are left.
  case left(Attempt, [String])
  /// The worker has received the check with this number.
  case checked(Int)
  /// The worker lives, and asks for more time; see ``WorkerLease``.
  case heartbeat(Int)
  /// A program has connected to report progress; the worker has given the connection a number.
  case connected(Int)
  /// A program that reports progress has said something.
  case forwarded(Int, [UInt8])
  /// The connection of a program that reports progress was closed.
  case disconnected(Int)
  /// Nothing of the run is left; these processes that belonged to no attempt were ended, in words.
  case ended(strays: [String])
}

// MARK: - Names

/// The names of the fields of messages.
enum WorkerField {
  static let request = "request"
  static let reply = "reply"
  static let task = "task"
  static let attempt = "attempt"
  static let arguments = "arguments"
  static let names = "names"
  static let values = "values"
  static let directory = "directory"
  static let signal = "signal"
  static let keeps = "keeps_processes"
  static let number = "number"
  static let reason = "reason"
  static let bytes = MessageStream.bytesField
  static let left = "left"
  static let code = "code"
  static let cpuTime = "cpu_ns"
  static let memory = "memory"
  static let folder = "folder"
  static let identity = "identity"
  static let tasks = "tasks"
  static let patience = "patience_ms"
  static let earlier = "earlier"
  static let gpus = "gpus"
  static let folders = "folders"
  static let progress = "progress_pipe"
  static let copies = "copies"
  static let cache = "cache"
  static let services = "services"
}

extension AttemptSignal {
  /// The signals by their names in messages.
  private static let named: [(name: String, signal: AttemptSignal)] = [
    ("terminate", .terminate), ("kill", .kill), ("suspend", .suspend), ("resume", .resume),
  ]

  /// The name in messages.
  fileprivate var name: String { Self.named.first { $0.signal == self }?.name ?? "" }

  /// The signal with a name.
  init?(name: String) {
    guard let found = Self.named.first(where: { $0.name == name }) else { return nil }
    self = found.signal
  }
}

// MARK: - Writing

extension WorkerRequest {
  /// Appends the request to the bytes for a connection.
  func write(to bytes: inout [UInt8]) {
    var line = JSONLine(names: [])
    swap(&line.bytes, &bytes)
    line.begin()
    var payload: [UInt8] = []
    switch self {
    case .begin(let setup):
      line.add(named: WorkerField.request, text: "begin")
      line.add(named: WorkerField.folder, text: setup.folder)
      line.add(named: WorkerField.identity, text: setup.identity)
      line.add(named: WorkerField.tasks, number: setup.taskCount)
      line.add(named: WorkerField.earlier, texts: setup.earlier)
      line.add(named: WorkerField.patience, number: Int(setup.patience.wholeMilliseconds))
      line.add(named: WorkerField.names, texts: setup.names)
      line.add(named: WorkerField.values, texts: setup.values)
      if setup.copiesFiles { line.add(named: WorkerField.copies, flag: true) }
      if let cache = setup.cache { line.add(named: WorkerField.cache, text: cache) }
      if setup.isForServices { line.add(named: WorkerField.services, flag: true) }
    case .start(let attempt, let command):
      line.add(named: WorkerField.request, text: "start")
      line.add(attempt)
      line.add(named: WorkerField.arguments, texts: command.arguments)
      line.add(named: WorkerField.names, texts: command.names)
      line.add(named: WorkerField.values, texts: command.values)
      if let directory = command.directory {
        line.add(named: WorkerField.directory, text: directory)
      }
      if !command.gpus.isEmpty {
        line.add(named: WorkerField.gpus, texts: command.gpus.map { "\($0)" })
      }
      if !command.folders.isEmpty { line.add(named: WorkerField.folders, texts: command.folders) }
      if command.hasProgressPipe { line.add(named: WorkerField.progress, flag: true) }
    case .signal(let attempt, let signal):
      line.add(named: WorkerField.request, text: "signal")
      line.add(attempt)
      line.add(named: WorkerField.signal, text: signal.name)
    case .release(let attempt, let keepsProcesses):
      line.add(named: WorkerField.request, text: "release")
      line.add(attempt)
      line.add(named: WorkerField.keeps, flag: keepsProcesses)
    case .check(let number):
      line.add(named: WorkerField.request, text: "check")
      line.add(named: WorkerField.number, number: number)
    case .heartbeat(let number):
      line.add(named: WorkerField.request, text: "heartbeat")
      line.add(named: WorkerField.number, number: number)
    case .forward(let number, let forwarded):
      line.add(named: WorkerField.request, text: "forward")
      line.add(named: WorkerField.number, number: number)
      line.add(named: WorkerField.bytes, number: forwarded.count)
      payload = forwarded
    case .close(let number):
      line.add(named: WorkerField.request, text: "close")
      line.add(named: WorkerField.number, number: number)
    case .end: line.add(named: WorkerField.request, text: "end")
    }
    line.endMessage(with: payload)
    swap(&line.bytes, &bytes)
  }
}

extension WorkerReply {
  /// Appends the reply to the bytes for a connection.
  func write(to bytes: inout [UInt8]) {
    var line = JSONLine(names: [])
    swap(&line.bytes, &bytes)
    line.begin()
    var payload: [UInt8] = []
    switch self {
    case .refused(let reason):
      line.add(named: WorkerField.reply, text: "refused")
      line.add(named: WorkerField.reason, text: reason)
    case .begun(let folder):
      line.add(named: WorkerField.reply, text: "begun")
      if let folder { line.add(named: WorkerField.folder, text: folder) }
    case .notStarted(let attempt, let reason):
      line.add(named: WorkerField.reply, text: "not_started")
      line.add(attempt)
      line.add(named: WorkerField.reason, text: reason)
    case .output(let attempt, let output):
      line.add(named: WorkerField.reply, text: "output")
      line.add(attempt)
      line.add(named: WorkerField.bytes, number: output.count)
      payload = output
    case .outputEnded(let attempt):
      line.add(named: WorkerField.reply, text: "output_ended")
      line.add(attempt)
    case .progress(let attempt, let progress):
      line.add(named: WorkerField.reply, text: "progress")
      line.add(attempt)
      line.add(named: WorkerField.bytes, number: progress.count)
      payload = progress
    case .exited(let attempt, let outcome, let left, let usage):
      line.add(named: WorkerField.reply, text: "exited")
      line.add(attempt)
      line.add(outcome)
      if let usage { line.add(usage) }
      line.add(named: WorkerField.left, texts: left)
    case .left(let attempt, let left):
      line.add(named: WorkerField.reply, text: "left")
      line.add(attempt)
      line.add(named: WorkerField.left, texts: left)
    case .checked(let number):
      line.add(named: WorkerField.reply, text: "checked")
      line.add(named: WorkerField.number, number: number)
    case .heartbeat(let number):
      line.add(named: WorkerField.reply, text: "heartbeat")
      line.add(named: WorkerField.number, number: number)
    case .connected(let number):
      line.add(named: WorkerField.reply, text: "connected")
      line.add(named: WorkerField.number, number: number)
    case .forwarded(let number, let forwarded):
      line.add(named: WorkerField.reply, text: "forwarded")
      line.add(named: WorkerField.number, number: number)
      line.add(named: WorkerField.bytes, number: forwarded.count)
      payload = forwarded
    case .disconnected(let number):
      line.add(named: WorkerField.reply, text: "disconnected")
      line.add(named: WorkerField.number, number: number)
    case .ended(let strays):
      line.add(named: WorkerField.reply, text: "ended")
      line.add(named: WorkerField.left, texts: strays)
    }
    line.endMessage(with: payload)
    swap(&line.bytes, &bytes)
  }
}

extension JSONLine {
  /// Writes which attempt a message is about.
  fileprivate mutating func add(_ attempt: Attempt) {
    add(named: WorkerField.task, number: attempt.task.index)
    add(named: WorkerField.attempt, number: attempt.number)
  }

  /// Writes what an attempt has used.
  fileprivate mutating func add(_ usage: ResourceUsage) {
    add(named: WorkerField.cpuTime, number: Int(usage.cpuTime / .nanoseconds(1)))
    if let memory = usage.peakMemory { add(named: WorkerField.memory, number: memory) }
  }

  /// Writes how the own process of an attempt has ended: with a code, or by a signal.
  fileprivate mutating func add(_ outcome: Outcome) {
    guard case .failed(let failure) = outcome else { return }
    switch failure.cause {
    case .exited(let code): add(named: WorkerField.code, number: code)
    case .signalled(let number): add(named: WorkerField.signal, number: number)
    case .notStarted(let reason), .threw(let reason): add(named: WorkerField.reason, text: reason)
    }
  }
}
