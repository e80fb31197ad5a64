import Glibc
import HeadwaySystem
import Testing

/// The calls of the system that several modules share.
struct SystemTests {
  @Test func `What is written is read, as far as the limit allows`() {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    #expect(writeAll(ends[1], Array("hello".utf8)) == 0)
    #expect(readAll(ends[0], limit: 4).bytes == Array("hell".utf8))
    close(ends[1])
    let rest = readAll(ends[0], limit: 100)
    #expect(rest.bytes == Array("o".utf8))
    #expect(rest.error == 0)
    close(ends[0])
  }

  @Test func `Errors are returned`() {
    #expect(writeAll(-1, [1]) == EBADF)
    #expect(readAll(-1, limit: 1).error == EBADF)
    #expect(readAll(-1, limit: 1).bytes == [])
  }

  @Test func `An event stays set until it is cleared, however often it was set`() {
    let event = WaitableEvent()
    #expect(event.isOpen)
    #expect(fcntl(event.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    var wait = [pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)]
    #expect(unsafe poll(&wait, 1, 0) == 0)
    // More than fit into a pipe: setting never blocks.
    for _ in 0..<70_000 { event.set() }
    #expect(unsafe poll(&wait, 1, 0) == 1)
    event.clear()
    #expect(unsafe poll(&wait, 1, 0) == 0)
    event.set()
    #expect(unsafe poll(&wait, 1, 0) == 1)
  }

  @Test func `Without descriptors an event is not open, and errno is the reason`() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      _ = unsafe setrlimit(__rlimit_resource_t(7), &limit)
      let event = WaitableEvent()
      exit(!event.isOpen && errno == EMFILE ? 0 : 1)
    }
  }

  @Test func `An empty variable counts as unset`() {
    unsafe setenv("HEADWAY_SYSTEM_TEST", "", 1)
    #expect(environmentValue("HEADWAY_SYSTEM_TEST") == nil)
    unsafe setenv("HEADWAY_SYSTEM_TEST", "x", 1)
    #expect(environmentValue("HEADWAY_SYSTEM_TEST") == "x")
    unsafe unsetenv("HEADWAY_SYSTEM_TEST")
    #expect(environmentValue("HEADWAY_SYSTEM_TEST") == nil)
  }

  /// Whether a signal is blocked in the calling thread.
  private static var isBlockedHere: Bool {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return unsafe sigismember(&mask, SIGUSR2) == 1
  }

  @Test func `A thread inherits the signal mask`() async {
    let (inThread, here) = await withCheckedContinuation { continuation in
      let here = Self.isBlockedHere
      let error = SystemThread.start(named: "test") {
        continuation.resume(returning: (Self.isBlockedHere, here))
      }
      if error != 0 { continuation.resume(returning: (here, !here)) }
    }
    #expect(inThread == here)
  }

  @Test func `A thread can block all signals`() async {
    let isBlocked = await withCheckedContinuation { continuation in
      let before = Self.isBlockedHere
      let error = SystemThread.start(named: "test", blocksSignals: true) {
        continuation.resume(returning: Self.isBlockedHere)
      }
      if error != 0 { continuation.resume(returning: false) }
      #expect(Self.isBlockedHere == before)
    }
    #expect(isBlocked)
  }

  @Test func `There is a processor, and a thread has a number`() {
    #expect(Processors.count >= 1)
    #expect(SystemThread.number >= 1)
  }
}
