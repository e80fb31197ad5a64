internal import CSpawn
internal import Glibc
internal import HeadwayLaunch

/// Starts processes; all of them from the thread that the run loop lives on.
@safe struct Spawner: ~Copyable {
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
  /// The folders in which programs are looked up, as C has them.
  private let searchPath: UnsafeMutablePointer<CChar>?
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
    unsafe searchPath = strdup(environment["PATH"] ?? Self.defaultSearchPath)
    input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    if input < 0 { throw .system("cannot open /dev/null", errno) }
  }

  deinit {
    close(input)
    unsafe free(searchPath)
  }

  /// Starts a process.
  ///
  /// - Parameter request: What is to be started.
  /// - Returns: The number of the process.
  /// - Throws: Words that say why it could not be started.
  func start(_ request: Request) throws(StartError) -> pid_t {
    var pid: pid_t = 0
    var stage = HW_STAGE_FORK
    // What is seldom set stands in one list, an empty one for most tasks.
    let ownPath = request.variables.last { $0.name == "PATH" }?.value
    let extras = [ownPath, request.directory].compactMap { $0 }
    let error = unsafe environment.with(request.variables) { variables in
      unsafe withCStrings(request.arguments) { arguments in
        unsafe withCStrings(extras) { extras in
          let path = unsafe ownPath == nil ? searchPath : extras[0]
          let folder = unsafe ownPath == nil ? extras[0] : extras[1]
          var raw = unsafe hw_spawn_request(
            argv: arguments, envp: variables, search_path: path,
            directory: request.directory == nil ? nil : folder, input: input,
            output: request.output)
          return unsafe hw_spawn(&raw, &pid, &stage)
        }
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

  /// Says that a detached task has no log to write to.
  init(logOf request: Spawner.Request, code: Int32) {
    reason = "the log of '\(request.arguments[0])' cannot be made: \(RunnerError.words(code))"
  }

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
