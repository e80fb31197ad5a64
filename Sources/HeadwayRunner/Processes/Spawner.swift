internal import CSpawn
internal import Glibc
internal import HeadwayLaunch

/// Starts processes; all of them from the thread that the run loop lives on.
struct Spawner: ~Copyable {
  /// What is to be started.
  struct Request {
    /// The program and its arguments.
    var arguments: [String]
    /// The variables that differ from those of the run.
    var variables: [(name: String, value: String)]
    /// The folder to start in, nil for the current one.
    var directory: String?
    /// The descriptor for its output.
    var output: Int32
  }

  /// The environment that every task gets.
  private let environment: EnvironmentBlock
  /// The folders in which programs are looked up.
  private let searchPath: String
  /// An empty input for every task.
  private let input: Int32

  /// The folders that are searched where PATH is not set; what the C library uses.
  private static let defaultSearchPath = "/bin:/usr/bin"

  /// Creates a spawner.
  ///
  /// - Parameter environment: The environment that every task gets.
  /// - Throws: `RunnerError.system` when there is no `/dev/null`.
  init(environment: EnvironmentBlock) throws(RunnerError) {
    self.environment = environment
    searchPath = environment["PATH"] ?? Self.defaultSearchPath
    input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    if input < 0 { throw .system("cannot open /dev/null", errno) }
  }

  deinit { close(input) }

  /// Starts a process.
  ///
  /// - Parameter request: What is to be started.
  /// - Returns: The number of the process.
  /// - Throws: Words that say why it could not be started.
  func start(_ request: Request) throws(StartError) -> pid_t {
    var pid: pid_t = 0
    var stage = HW_STAGE_FORK
    let path = request.variables.last { $0.name == "PATH" }?.value ?? searchPath
    let error = unsafe environment.with(request.variables) { variables in
      unsafe withCStrings(request.arguments + [path, request.directory ?? ""]) { texts in
        // The last two are not arguments: they stand there to live as long as the call.
        let count = request.arguments.count
        let place = unsafe texts[count]
        let folder = unsafe texts[count + 1]
        let arguments = unsafe UnsafeMutablePointer(mutating: texts)
        unsafe arguments[count] = nil
        var raw = unsafe hw_spawn_request(
          argv: texts, envp: variables, search_path: place,
          directory: request.directory == nil ? nil : folder, input: input, output: request.output)
        return unsafe hw_spawn(&raw, &pid, &stage)
      }
    }
    guard error == 0 else { throw StartError(request, stage: stage, code: error) }
    return pid
  }
}

/// Why a process could not be started.
struct StartError: Error {
  /// What happened and to what, for a person.
  let reason: String

  /// Puts an error of the system into words.
  init(_ request: Spawner.Request, stage: hw_stage, code: Int32) {
    let program = request.arguments[0]
    let words = RunnerError.words(code)
    switch stage {
    case HW_STAGE_EXEC where code == ENOENT && !program.contains("/"):
      reason = "the program '\(program)' is in none of the folders of PATH"
    case HW_STAGE_EXEC:
      reason = "the program '\(program)' cannot be run: \(words)"
    case HW_STAGE_DIRECTORY:
      reason = "the folder '\(request.directory ?? ".")' cannot be entered: \(words)"
    default:
      reason = "no process can be made: \(words)"
    }
  }
}
