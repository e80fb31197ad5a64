internal import HeadwayText

/// The reason why a process cannot publish its work, or cannot watch that of another one.
///
/// The work itself goes on. The description is a sentence for people, on one line and safe to show: what happened, where,
/// and what to do.
///
/// ```swift
/// func cancel(_ work: WatchedPublication) async {
///   do throws(RelayError) {
///     try await work.cancel()
///   } catch {
///     show("\(work.program): \(error)")
///   }
/// }
/// ```
@nonexhaustive
public enum RelayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no directory for the sockets of the user, or it cannot be used.
  case noDirectory(path: String, reason: String)
  /// A file, directory or process belongs to another user.
  case otherUser(path: String, uid: UInt32)
  /// A publisher speaks a later version of the protocol.
  case newerVersion(Int, program: String)
  /// A process sent something that the protocol does not allow; its connection was closed.
  case invalidLine(program: String, reason: String)
  /// There are more of something than the limit allows.
  case tooMany(String, limit: Int)
  /// A process connected and asked for nothing; its connection was closed.
  case silent
  /// A process did not read what it had asked for; its connection was closed.
  case stalled
  /// A publisher did not say in time what it publishes.
  case noAnswer(pid: Int32)
  /// A publisher closed the connection, and said why.
  case refused(program: String, reason: String)
  /// A publisher did not grant a request.
  case requestRefused(reason: String)
  /// A program wrote something to `ZIG_PROGRESS` that is not of Zig's protocol; it was ignored.
  case notZigProgress
  /// The system refused something.
  case system(String, reason: String)
  /// The process is a copy of the one that published, made by `fork`.
  case forked
  /// Publishing does not work on this system.
  case notSupported
  /// The environment turns publishing off.
  case turnedOff

  /// A sentence for people.
  public var description: String { words.sanitized }

  private var words: String {
    switch self {
    case .noDirectory(let path, let reason):
      "cannot use the directory '\(path)': \(reason); set XDG_RUNTIME_DIR to a directory of your own"
    case .otherUser(let path, let uid):
      "'\(path)' belongs to user \(uid) and was not used; remove it, or ask that user to"
    case .newerVersion(let version, let program):
      """
      '\(program)' speaks version \(version) of the protocol, but this program only those up to \
      \(RelayLimits.version); update this program
      """
    case .invalidLine(let program, let reason):
      "'\(program)' sent a line that is not valid, and was disconnected: \(reason)"
    case .tooMany(let what, let limit):
      "there are more than \(limit) \(what); end some of them first"
    case .silent:
      """
      a program that connected was disconnected, as it asked for nothing within \
      \(RelayLimits.silence.components.seconds) seconds; send a request first
      """
    case .stalled:
      """
      a program that watched was disconnected, as it read nothing for \
      \(RelayLimits.stall.components.seconds) seconds; read faster, or ask for fewer lines
      """
    case .noAnswer(let pid):
      "process \(pid) did not answer, so its work is missing here; if it is stopped, continue it"
    case .refused(let program, let reason):
      "'\(program)' closed the connection: \(reason)"
    case .requestRefused(let reason): reason
    case .notZigProgress: "\(ZigReader.InvalidBytes())"
    case .system(let what, let reason):
      "\(what): \(reason)"
    case .forked:
      "a copy of a process cannot publish; start a program in it, or publish in the first process"
    case .notSupported:
      "work can be published on Linux only; it goes on unpublished"
    case .turnedOff:
      "HEADWAY_PUBLISH=off turns publishing off; remove it from the environment to publish"
    }
  }
}
