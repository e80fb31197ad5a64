internal import HeadwayFiles
internal import HeadwayRun

/// Carries out attempts at tasks: as processes of this machine, or elsewhere.
///
/// The run loop decides what starts and what ends; an executor carries it out and reports the results. An attempt goes
/// through these stages, in which the executor keeps what it needs to signal it:
///
/// ```
///   start ─▶ running ─▶ nextExit ─▶ leftovers still run ─▶ hasLeftovers is false ─▶ release
/// ```
///
/// There is at most one attempt of a task at a time. All calls come from the thread of the run loop, and none blocks:
/// the executor's `RunHost` wakes the loop when there are results.
protocol Executor: AnyObject {
  /// Starts an attempt.
  ///
  /// - Throws: `StartError` with a text for the user; the attempt needs no `release` then.
  func start(_ attempt: Attempt, _ request: AttemptRequest) throws(StartError)

  /// Sends a signal to all processes of an attempt, and to what it has left behind.
  func signal(_ attempt: Attempt, _ signal: AttemptSignal)

  /// Takes the next attempt whose own process has ended, nil if there is none.
  func nextExit() -> AttemptExit?

  /// Makes the host report `.output` while the attempt's output can be read.
  ///
  /// - Returns: Whether there was room for one more; if not, the caller tries again later.
  func watchOutput(of attempt: Attempt) -> Bool

  /// Reads output of an attempt.
  ///
  /// - Parameters:
  ///   - attempt: The attempt.
  ///   - reads: The maximum number of reads.
  ///   - take: Called with the bytes of each read.
  /// - Returns: Whether the output has ended: no process can write to it any more.
  func readOutput(
    of attempt: Attempt, reads: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Bool

  /// Whether processes of an attempt are left after its own process has ended.
  func hasLeftovers(_ attempt: Attempt) -> Bool

  /// The processes of an attempt that are left, in words.
  func leftovers(of attempt: Attempt) -> [String]

  /// Forgets an attempt.
  ///
  /// - Parameters:
  ///   - attempt: The attempt.
  ///   - keepsProcesses: Whether processes that it has left behind may live on.
  func release(_ attempt: Attempt, keepsProcesses: Bool)

  /// The processes that live on although their attempts were released.
  func strays() -> [Stray]

  /// Sends a signal to a stray process.
  func signal(_ stray: Stray, _ signal: AttemptSignal)

  /// Whether an attempt that was killed and does not end may be taken for ended.
  ///
  /// One on another machine may not as long as nobody knows what becomes of it there: another attempt could run beside it, unless the
  /// run ends at once.
  func mayGiveUp(_ attempt: Attempt) -> Bool

  /// The other machine that carries out an attempt, nil for this one.
  func host(of attempt: Attempt) -> String?

  /// How many attempts can be under way at once, nil for as many as there are workers.
  var places: Int? { get }

  /// What the machines have, what the one task needs that a machine is for, and whether attempts can start there, by the numbers of
  /// machines; empty if there is nothing to choose.
  var machines: [(has: Resources, own: Resources?, isOpen: Bool)] { get }

  /// Whether an attempt can begin: on a machine with this number, or on any if it is nil.
  func canStart(on machine: Int?) -> Bool

  /// The machines that can be provided for single tasks, nil if there are none.
  var dedicatedMachines: DedicatedMachines? { get }

  /// Tells what waiting tasks need, so that machines can be provided for them: each of the needs with the number of tasks, the most
  /// urgent first. Nil leaves everything as it is.
  func expect(_ wanted: [(needs: Resources, count: Int)]?)

  /// Whether there may be more places later, for which tasks wait if there are none.
  var expectsWorkers: Bool { get }

  /// The machines that have not started, with a time of the continuous clock; nil if none wait.
  var waiting: RunEvent.WorkersWaiting? { get }

  /// Ends all that is left of the run on other machines, because it is over.
  func end()

  /// Whether nothing of the run is left on other machines, as far as it can be known.
  var hasEnded: Bool { get }

  /// The machines that have not said that nothing of the run is left there, each by its name.
  var unanswered: [String] { get }

  /// The processes on other machines that belonged to no attempt at the end, in words.
  var strayNames: [String] { get }
}

extension Executor {
  func mayGiveUp(_ attempt: Attempt) -> Bool { true }
  func host(of attempt: Attempt) -> String? { nil }
  var places: Int? { nil }
  var machines: [(has: Resources, own: Resources?, isOpen: Bool)] { [] }
  func canStart(on machine: Int?) -> Bool { true }
  var dedicatedMachines: DedicatedMachines? { nil }
  func expect(_ wanted: [(needs: Resources, count: Int)]?) {}
  var expectsWorkers: Bool { false }
  var waiting: RunEvent.WorkersWaiting? { nil }
  func end() {}
  var hasEnded: Bool { true }
  var unanswered: [String] { [] }
  var strayNames: [String] { [] }
}

/// How often the output of an attempt is read at once.
enum OutputReads {
  /// While it runs, before others get their turn.
  static let perTurn = 4
  /// Once its own process has ended: more than a pipe holds, but not without end, because what it has left behind may go on
  /// writing.
  static let atEnd = 64
}

/// Identifies an attempt at a task.
struct Attempt: Hashable, Sendable {
  /// The task.
  let task: TaskID
  /// The number of the attempt, from 1.
  let number: Int
}

/// A command to carry out.
struct AttemptRequest: Sendable {
  /// The program and its arguments; never empty.
  var arguments: [String]
  /// The variables that differ from the run's environment; of two values of a name the last one counts.
  var variables: [(name: String, value: String)]
  /// The directory to start in, nil for that of the plan.
  var directory: String?
  /// An open file to which the attempt writes its output directly, nil if the executor collects it.
  var outputFile: Int32?
  /// The number of the machine that carries it out, nil for any.
  var machine: Int?
  /// Whether it belongs to a service, which is carried out on the machine of the run wherever other tasks are.
  var isService = false
  /// The numbers of the GPUs of that machine that it may use, empty if it needs none.
  var gpus: [Int] = []
  /// The folders that it needs and that are to be created, below the current one.
  var folders: [String] = []
  /// The files of the task, if they have to be copied to another machine.
  var files: TaskFiles?
  /// The writing end of a pipe that becomes its descriptor 3, for progress in Zig's protocol; nil for none.
  var progressPipe: Int32?
}

/// The files of a task, as a plan declares them.
struct TaskFiles: Hashable, Sendable {
  /// The patterns of what it reads.
  var inputs: [String]
  /// The patterns of what it creates.
  var outputs: [String]

  /// The folders in which it creates files, as far as they can be told from the patterns.
  var outputFolders: [String] {
    var folders: [String] = []
    for output in outputs where !output.hasPrefix("/") && !output.hasPrefix("\\") {
      let names = output.split(separator: "/").dropLast()
        .prefix { !$0.utf8.contains(where: \.isPatternCharacter) }
      if !names.isEmpty, !names.contains("..") { folders.append(names.joined(separator: "/")) }
    }
    return folders
  }
}

/// What can be done to an attempt that is under way.
enum AttemptSignal: Hashable, Sendable {
  /// Asks it to end.
  case terminate
  /// Ends it by force.
  case kill
  /// Stops it until `resume`.
  case suspend
  /// Continues it.
  case resume
}

/// The end of an attempt's own process.
struct AttemptExit: Hashable, Sendable {
  let attempt: Attempt
  let result: Outcome
  /// What it has used, nil if that is unknown.
  var usage: ResourceUsage?
}

/// A process that is left although no attempt owns it any more.
struct Stray: Hashable, Sendable {
  /// The task that started it, nil if unknown.
  let task: TaskID?
  /// The process in words.
  let name: String
  /// Identifies the process towards the executor.
  let id: Int
}

/// The reason why an attempt could not be started.
struct StartError: Error, Hashable {
  /// A text for the user.
  let reason: String
  /// Whether its machine is out of reach, which another attempt need not meet.
  var isLoss = false
}
