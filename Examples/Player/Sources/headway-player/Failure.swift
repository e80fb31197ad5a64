#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An error that ends the player, with its message and exit code.
enum Failure: Error {
  /// The arguments are invalid.
  case arguments(String)
  /// The file does not exist or cannot be read.
  case file(String, reason: String)
  /// The file cannot be played.
  case media(String, reason: String)
  /// A display or media support is missing.
  case missing(String)

  /// The exit code.
  var code: Int32 {
    switch self {
    case .arguments: 2
    case .media: 65
    case .file: 66
    case .missing: 69
    }
  }

  /// The message, one line.
  var message: String {
    switch self {
    case .arguments(let mistake): "\(mistake). Usage: headway-player FILE"
    case .file(let path, let reason): "\(path) cannot be read: \(reason)."
    case .media(let path, let reason): "\(path) cannot be played: \(reason)"
    case .missing(let sentence): sentence
    }
  }

  /// Prints the message to standard error and exits.
  func end() -> Never {
    let line = Array("headway-player: \(message)\n".utf8)
    _ = unsafe line.withUnsafeBytes { bytes in unsafe write(2, bytes.baseAddress, bytes.count) }
    exit(code)
  }
}
