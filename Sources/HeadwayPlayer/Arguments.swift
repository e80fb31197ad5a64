#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the player is asked for.
enum Arguments: Equatable {
  /// To say how it is used.
  case help
  /// To play a file.
  case play(path: String)

  /// Reads the arguments.
  ///
  /// - Parameter words: The arguments without the name of the program.
  /// - Throws: `Failure.arguments` where there is not exactly one file or an option that is not known,
  ///   `Failure.file` where the file cannot be read.
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
          throw .arguments("\(word) is no option")
        }
        paths.append(word)
      }
    }
    guard let path = paths.first else { throw .arguments("A file is missing") }
    guard paths.count == 1 else { throw .arguments("One file is played, and \(paths.count) came") }
    try Self.check(path)
    self = .play(path: path)
  }

  /// Makes sure that a file can be read.
  private static func check(_ path: String) throws(Failure) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .file(path, reason: unsafe String(cString: strerror(errno))) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw .file(path, reason: "it is a folder")
    }
  }

  /// What `--help` says.
  static let instructions = """
    Plays a video with the bar of Headway.

      headway-player FILE

    Space         play and pause        Left, Right      five seconds back and on
    M             sound on and off      Page Up, Down    fifty seconds on and back
    F             full screen           Home, End        the beginning and the end
    Q             end                   0 to 9           tenths of the video

    Exit codes: 0 the window was closed, 2 a mistake in the arguments, 65 the file cannot be played,
    66 it cannot be read, 69 there is no display or no support for media.

    """
}
