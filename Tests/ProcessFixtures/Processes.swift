public import Glibc
internal import HeadwaySystem

/// How a process ended.
public enum ProcessEnd: Equatable, Sendable {
  /// It exited with a code.
  case code(Int32)
  /// A signal ended it.
  case signal(Int32)

  /// Creates an end from what `waitpid` reports.
  public init(status: Int32) {
    self = status & 0x7f == 0 ? .code(status >> 8 & 0xff) : .signal(status & 0x7f)
  }
}

/// The state of a process as a letter of `/proc`, such as T for a stopped one; nil if there is no such process.
public func state(of process: pid_t) -> Character? {
  let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  let text = String(decoding: readAll(file, limit: 4096).bytes, as: UTF8.self)
  // The name before the state may contain parentheses too.
  return text.split(separator: ")").last?.first { $0 != " " }
}

/// The descriptors of this process that are ends of pipes.
public func openPipes() -> Set<Int32> {
  Set(
    folderEntries("/proc/self/fd").compactMap { Int32($0) }.filter { descriptor in
      var status = stat()
      return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    })
}

/// Limits the descriptors that this process may have open; for exit tests, because the limit cannot be raised again.
public func limitDescriptors(_ count: UInt) {
  var limit = rlimit(rlim_cur: count, rlim_max: count)
  let error = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  precondition(error == 0, "cannot limit the descriptors: error \(errno)")
}
