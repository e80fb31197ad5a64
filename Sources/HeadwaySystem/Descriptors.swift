internal import CSystem
internal import HeadwayLibc

/// Writes all bytes to a descriptor, waiting as long as it takes.
///
/// - Returns: 0, or the error number of the write that failed.
package func writeAll(_ descriptor: Int32, _ bytes: some Collection<UInt8>) -> Int32 {
  let result = bytes.withContiguousStorageIfAvailable { bytes -> Int32 in
    guard let start = bytes.baseAddress else { return 0 }
    var written = 0
    while written < bytes.count {
      let count = unsafe write(descriptor, start + written, bytes.count - written)
      if count < 0 && errno == EAGAIN {
        // A parent may have made its pipe non-blocking.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&room, 1, -1)
        continue
      }
      if count < 0 && errno != EINTR { return errno }
      written += max(count, 0)
    }
    return 0
  }
  return result ?? writeAll(descriptor, Array(bytes))
}

/// The result of writing to a reader that may be slow.
package enum WriteResult: Hashable, Sendable {
  /// Everything was written.
  case done
  /// The rest waits for the reader.
  case waiting
  /// Nothing more can be written, because of an error number.
  case failed(Int32)
}

/// Writes what a descriptor that does not block has room for, and removes that from the bytes.
///
/// - Parameters:
///   - descriptor: The descriptor.
///   - bytes: The bytes to write; then those for which there was no room.
/// - Returns: What was done; after a failure, the bytes that were not written are still there.
package func writeSome(_ descriptor: Int32, _ bytes: inout [UInt8]) -> WriteResult {
  var written = 0
  defer { bytes.removeFirst(written) }
  while written < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe write(
        descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
    }
    if count > 0 {
      written += count
    } else if count < 0, errno == EAGAIN {
      return .waiting
    } else if count == 0 || errno != EINTR {
      return .failed(count == 0 ? EIO : errno)
    }
  }
  return .done
}

/// The time that one call of `poll` waits.
package enum PollTimeout {
  /// The maximum.
  package static let longest = Duration.seconds(86_400)

  /// A duration for `poll`: rounded up, so that no wait ends early and a short one is not busy; -1 for no limit.
  package static func milliseconds(_ limit: Duration?) -> Int32 {
    guard let limit else { return -1 }
    let (seconds, attoseconds) = max(min(limit, longest), .zero).components
    let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
    return Int32(
      seconds * 1_000 + (attoseconds + attosecondsPerMillisecond - 1) / attosecondsPerMillisecond)
  }
}

/// Opens two sockets that are connected with each other, and that no program which is started has.
///
/// - Returns: The sockets; nil if the system has none left, and then `errno` is the reason.
package func socketPair() -> (Int32, Int32)? {
  var ends: (Int32, Int32) = (-1, -1)
  let result = unsafe withUnsafeMutablePointer(to: &ends) { ends in
    unsafe ends.withMemoryRebound(to: Int32.self, capacity: 2) { ends in
      #if canImport(Darwin)
        unsafe socketpair(AF_UNIX, SOCK_STREAM, 0, ends)
      #else
        unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, ends)
      #endif
    }
  }
  guard result == 0 else { return nil }
  #if canImport(Darwin)
    _ = (fcntl(ends.0, F_SETFD, FD_CLOEXEC), fcntl(ends.1, F_SETFD, FD_CLOEXEC))
  #endif
  return ends
}

/// Lets reading and writing of a descriptor return at once if it would block.
package func makeNonblocking(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}

/// The number of bytes that a terminal or a pipe has for its reader, 0 if it cannot tell.
package func readableCount(_ descriptor: Int32) -> Int {
  #if canImport(Darwin)
    // A macro that Swift does not import there.
    let request: UInt = 0x4004_667F
  #else
    let request = UInt(FIONREAD)
  #endif
  var count: Int32 = 0
  _ = unsafe ioctl(descriptor, request, &count)
  return Int(count)
}

/// Whether a descriptor has room, so that a line can be written without waiting for its reader.
package func canWrite(_ descriptor: Int32) -> Bool {
  var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  return unsafe poll(&room, 1, 0) > 0
}

/// What one read of a descriptor has brought.
package enum ReadResult: Sendable {
  /// At least one byte.
  case bytes([UInt8])
  /// Nothing for now: the descriptor does not block.
  case nothing
  /// The end.
  case end
  /// An error number.
  case failed(Int32)

  /// The bytes; none if there are none, for any reason.
  package var bytesOrNone: [UInt8] {
    if case .bytes(let bytes) = self { bytes } else { [] }
  }
}

/// Reads what a descriptor has, waiting for it unless the descriptor does not block; a signal does not end it.
///
/// - Parameters:
///   - descriptor: The descriptor.
///   - most: The maximum number of bytes, at least 1.
/// - Returns: What it has brought.
package func readSome(_ descriptor: Int32, most: Int) -> ReadResult {
  var failure: Int32 = 0
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { room, count in
    var got = 0
    repeat {
      got = unsafe read(descriptor, room.baseAddress, most)
    } while got < 0 && errno == EINTR
    if got < 0 { failure = errno }
    count = max(got, 0)
  }
  if failure == EAGAIN || failure == EWOULDBLOCK { return .nothing }
  if failure != 0 { return .failed(failure) }
  return bytes.isEmpty ? .end : .bytes(bytes)
}

/// Reads a descriptor to its end, at most a number of bytes.
///
/// - Returns: The bytes, and the error number of the read that failed, 0 if none did; `EAGAIN` if a descriptor that does not block has
///   nothing more for now.
package func readAll(_ descriptor: Int32, limit: Int) -> (bytes: [UInt8], error: Int32) {
  var bytes: [UInt8] = []
  while bytes.count < limit {
    switch readSome(descriptor, most: min(limit - bytes.count, 65_536)) {
    case .bytes(let more): bytes += more
    case .nothing: return (bytes, EAGAIN)
    case .end: return (bytes, 0)
    case .failed(let error): return (bytes, error)
    }
  }
  return (bytes, 0)
}

/// The value of an environment variable, nil if it is unset, empty or not UTF-8: repaired, a path would be another one.
package func environmentValue(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
  return unsafe String(validatingCString: value)
}

/// Whether a descriptor is a terminal.
package func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// Writes what `print` and C functions have left in the buffer of standard output, unless another thread is printing.
package func flushStandardOutput() { hw_flush_output() }

/// Passes what the program prints to `stdout` and `stderr` on to a function; see `hw_output_pass_on`.
///
/// - Parameter function: Takes the descriptor, the bytes and their number, and returns how many bytes it has taken.
/// - Returns: Whether it is done; otherwise it has to be tried again.
package func passOnOutput(
  _ function: @convention(c) (Int32, UnsafePointer<CChar>?, Int) -> Int
) -> Bool {
  unsafe hw_output_pass_on(function)
}

/// Gives memory that was freed back to the system, as after the reading of something large; takes about a millisecond for each MB.
package func releaseFreeMemory() { hw_release_free_memory() }

/// The number of this process.
package var processNumber: Int32 { getpid() }
