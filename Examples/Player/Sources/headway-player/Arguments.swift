#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The arguments of the program.
enum Arguments: Equatable {
  /// Print the help.
  case help
  /// Play a file.
  case play(path: String)

  /// Parses the arguments.
  ///
  /// - Parameter words: The arguments without the program name.
  /// - Throws: `Failure.arguments` unless there is exactly one file and no unknown option, `Failure.file` if the file
  ///   cannot be read.
  init(_ words: some Sequence<String>) throws(Failure) {
    var paths: [String] = []
    var isFile = false
    for word in words {
      switch word {
      case "--" where !isFile: isFile = true
      case "-h" where !isFile, "--help" where !isFile:
        self = .help
        return
      default:
        if !isFile, word.hasPrefix("-"), word != "-" {
          throw .arguments("unknown option \(word)")
        }
        paths.append(word)
      }
    }
    guard let path = paths.first else { throw .arguments("no file is given") }
    guard paths.count == 1 else { throw .arguments("expected one file, got \(paths.count)") }
    try Self.check(path)
    self = .play(path: path)
  }

  /// Checks that a file can be read.
  private static func check(_ path: String) throws(Failure) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .file(path, reason: unsafe String(cString: strerror(errno))) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw .file(path, reason: "it is a directory")
    }
  }

  /// The help.
  static let instructions = """
    Plays a video with Headway's progress bar.

      headway-player FILE

    Space         play and pause        Left, Right      five seconds back or forward
    M             sound on and off      Page Up, Down    fifty seconds forward or back
    F             full screen           Home, End        the beginning or the end
    Q             quit                  0 to 9           tenths of the video

    Exit codes: 0 the window was closed, 2 invalid arguments, 65 the file cannot be played,
    66 the file cannot be read, 69 no display or no media support.

    """
}
