internal import CSpawn
internal import HeadwayLibc
internal import HeadwaySystem

/// Starts processes; all of them from the thread of the run loop.
@safe struct Spawner: ~Copyable {
  /// The environment of all tasks.
  private let environment: EnvironmentBlock
  /// The directories in which programs are looked up.
  private let searchPath: UnsafeMutablePointer<CChar>?
  /// An empty input for all tasks.
  private let input: Int32

  /// The directories that are searched if PATH is not set; those of the C library.
  private static let defaultSearchPath = "/bin:/usr/bin"

  /// Creates a spawner.
  ///
  /// - Parameter environment: The environment of all tasks.
  /// - Throws: `RunnerError.system` if `/dev/null` cannot be opened.
  init(environment: EnvironmentBlock) throws(RunnerError) {
    self.environment = environment
    let path = environment.bytes(of: "PATH") ?? Array(Self.defaultSearchPath.utf8)
    unsafe searchPath = FileSystem.withPath(path) { unsafe strdup($0) }
    input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    if input < 0 { throw .system("cannot open /dev/null", errno) }
  }

  deinit {
    close(input)
    unsafe free(searchPath)
  }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - request: The command.
  ///   - input: The descriptor for its input, nil for an empty one.
  ///   - output: The descriptor for its output.
  /// - Returns: The number of the process.
  /// - Throws: A text that says why it could not be started.
  func start(
    _ request: AttemptRequest, input: Int32? = nil, output: Int32
  ) throws(StartError) -> pid_t {
    var pid: pid_t = 0
    var stage = HW_STAGE_FORK
    // Rarely set, so they share one list, which is empty for most tasks.
    let ownPath = request.variables.last { $0.name == "PATH" }?.value
    let extras = [ownPath, request.directory].compactMap { $0 }
    let error = unsafe environment.with(request.variables) { variables in
      unsafe withCStrings(request.arguments) { arguments in
        unsafe withCStrings(extras) { extras in
          let path = unsafe ownPath == nil ? searchPath : extras[0]
          let directory = unsafe ownPath == nil ? extras[0] : extras[1]
          var raw = unsafe hw_spawn_request(
            argv: arguments, envp: variables, search_path: path,
            directory: request.directory == nil ? nil : directory, input: input ?? self.input,
            output: output,
            extra: request.progressPipe ?? -1)
          return unsafe hw_spawn(&raw, &pid, &stage)
        }
      }
    }
    guard error == 0 else {
      let path = unsafe ownPath ?? searchPath.map { unsafe String(cString: $0) } ?? ""
      throw StartError(request, stage: stage, code: error, searchPath: path)
    }
    return pid
  }
}

extension StartError {
  /// Describes an error of the system.
  init(_ request: AttemptRequest, stage: hw_stage, code: Int32, searchPath: String = "") {
    let program = request.arguments[0]
    let words = errorDescription(code)
    if stage == HW_STAGE_EXEC, code == ENOENT,
      let missing = MissingInterpreter(
        of: program, in: request.directory, searchPath: searchPath)
    {
      reason = "cannot run '\(program)': \(missing.reason)"
      return
    }
    switch stage {
    case HW_STAGE_EXEC where code == ENOENT && !program.contains("/"):
      reason = "command not found: \(program)"
    case HW_STAGE_EXEC:
      reason = "cannot run '\(program)': \(words)"
    case HW_STAGE_DIRECTORY:
      reason = "cannot enter directory '\(request.directory ?? ".")': \(words)"
    default:
      reason = "cannot start a process: \(words)"
    }
  }
}
