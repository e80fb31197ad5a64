import HeadwayTime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A host at the other end of a socket, which answers after some time or never.
struct Host: BlockingTask {
  /// The number of the host.
  let key: Int
  /// The time from the request to the answer; nil for a host that never answers.
  let delay: Duration?
  /// The timers for answers.
  let timers: TimerService

  /// The client's own time limit, as an option of the socket.
  static let timeLimit = 2

  /// The errors of a client.
  enum Failure: Error {
    /// A system call failed with this error number.
    case system(Int32)
    /// The host did not answer within the client's time limit.
    case silent
    /// The host sent another answer.
    case confused
  }

  /// Sends a request: opens a connection, and blocks in `read` until the answer.
  func run() throws -> Int {
    let (near, far) = try connect()
    defer { close(near) }
    answer(on: far)
    var limit = timeval(tv_sec: Self.timeLimit, tv_usec: 0)
    guard
      unsafe setsockopt(
        near, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0
    else { throw Failure.system(errno) }
    var answer = 0
    let count = unsafe read(near, &answer, MemoryLayout<Int>.size)
    if count < 0 { throw errno == EAGAIN ? Failure.silent : Failure.system(errno) }
    guard count == MemoryLayout<Int>.size, answer == key else { throw Failure.confused }
    return answer
  }

  /// Opens a connection between client and host.
  private func connect() throws -> (near: Int32, far: Int32) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    var ends: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, stream, 0, &ends) == 0 else { throw Failure.system(errno) }
    return (ends[0], ends[1])
  }

  /// The side of the host: answers later, or hangs up after the client's time limit.
  private func answer(on far: Int32) {
    guard let delay else {
      timers.schedule(after: .seconds(Self.timeLimit + 1)) { close(far) }
      return
    }
    timers.schedule(after: delay) { [key] in
      var key = key
      // A client that has given up does not receive it.
      _ = unsafe write(far, &key, MemoryLayout<Int>.size)
      close(far)
    }
  }
}
