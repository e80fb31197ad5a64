#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Why the player ends without having played: what it says, and its code for the shell.
enum Failure: Error {
  /// The arguments have a mistake.
  case arguments(String)
  /// The file is not there or cannot be read.
  case file(String, reason: String)
  /// The file is there, and holds nothing that can be played.
  case media(String, reason: String)
  /// Something that the player needs is not there.
  case missing(String)

  /// The code for the shell.
  var code: Int32 {
    switch self {
    case .arguments: 2
    case .media: 65
    case .file: 66
    case .missing: 69
    }
  }

  /// What is said, on one line.
  var message: String {
    switch self {
    case .arguments(let mistake): "\(mistake). Say: headway-player FILE"
    case .file(let path, let reason): "\(path) cannot be read: \(reason)."
    case .media(let path, let reason): "\(path) cannot be played: \(reason)"
    case .missing(let sentence): sentence
    }
  }

  /// Says it on standard error and ends the program with its code.
  func end() -> Never {
    let line = Array("headway-player: \(message)\n".utf8)
    _ = unsafe line.withUnsafeBytes { bytes in unsafe write(2, bytes.baseAddress, bytes.count) }
    exit(code)
  }
}
