#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Starts threads of the system in which all signals are blocked.
enum QuietThread {
  /// What a thread needs to begin.
  private final class Start {
    /// What it does.
    let body: @Sendable () -> Void

    /// Creates the start of a thread.
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread.
  ///
  /// - Parameter body: What it does.
  /// - Returns: The thread, nil where the system has none to give.
  static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let start = unsafe Unmanaged.passRetained(Start(body))
    #if canImport(Glibc)
      var handle = pthread_t()
    #else
      var handle: pthread_t?
    #endif
    let result = unsafe pthread_create(
      &handle, nil,
      { argument in
        #if canImport(Glibc)
          guard let argument = unsafe argument else { return nil }
        #endif
        unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      // No thread, no report: the work goes on without one.
      unsafe start.release()
      return nil
    }
    return handle
  }
}
