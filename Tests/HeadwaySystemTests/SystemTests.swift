import Glibc
import HeadwayLock
import HeadwaySystem
import ProcessFixtures
import Synchronization
import Testing

/// The calls of the system that several modules share.
struct SystemTests {
  @Test func `What is written is read, as far as the limit allows`() {
    let pipe = Pipe()
    #expect(writeAll(pipe.writer, Array("hello".utf8)) == 0)
    #expect(readAll(pipe.reader, limit: 4).bytes == Array("hell".utf8))
    close(pipe.writer)
    let rest = readAll(pipe.reader, limit: 100)
    #expect(rest.bytes == Array("o".utf8))
    #expect(rest.error == 0)
    close(pipe.reader)
  }

  @Test func `One read tells bytes from nothing yet, from the end and from an error`() {
    let pipe = Pipe()
    makeNonblocking(pipe.reader)
    func read(_ most: Int) -> String {
      switch readSome(pipe.reader, most: most) {
      case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
      case .nothing: "nothing"
      case .end: "end"
      case .failed(let error): "error \(error)"
      }
    }
    #expect(read(10) == "nothing")
    #expect(writeAll(pipe.writer, Array("hello".utf8)) == 0)
    #expect(read(4) == "hell" && read(10) == "o" && read(10) == "nothing")
    close(pipe.writer)
    #expect(pipe.hasEnded() && read(10) == "end")
    close(pipe.reader)
    #expect(read(10) == "error \(EBADF)")
  }

  @Test func `What a full pipe takes in pieces arrives once and in order`() throws {
    let pipe = Pipe()
    _ = fcntl(pipe.writer, F_SETFL, O_NONBLOCK)
    // Several times what fits into a pipe, and no part of it is like another one.
    let bytes = (0..<100_000).flatMap { number in
      [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number >> 16)]
    }
    let error = SystemThread.start(named: "test") {
      _ = writeAll(pipe.writer, bytes)
      close(pipe.writer)
    }
    try #require(error == 0)
    let found = try #require(onOwnThread { readAll(pipe.reader, limit: bytes.count) })
    let isSame = found.bytes == bytes
    #expect(isSame && found.error == 0)
    close(pipe.reader)
  }

  @Test func `A file that is larger than its limit is read up to the limit`() {
    let zeros = unsafe open("/dev/zero", O_RDONLY)
    for limit in [0, 1, 65_535, 65_536, 65_537, 70_000, 200_000] {
      #expect(readAll(zeros, limit: limit).bytes.count == limit)
    }
    close(zeros)
  }

  /// A thread that reads from a pipe, and lives on until it may end, so that it can be sent signals.
  private final class Reading: Sendable {
    /// The number of signals that were handled.
    static let signals = Atomic<Int>(0)
    /// The thread, 0 until it has started.
    let thread = Atomic<pthread_t>(0)
    let result = Guarded<(bytes: [UInt8], error: Int32)?>(nil)
    let mayEnd = Atomic<Bool>(false)

    /// The body of the thread.
    func run(_ descriptor: Int32, limit: Int) {
      var awaited = sigset_t()
      unsafe sigemptyset(&awaited)
      unsafe sigaddset(&awaited, SIGUSR1)
      unsafe pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
      thread.store(pthread_self(), ordering: .releasing)
      let found = readAll(descriptor, limit: limit)
      result.withLock { $0 = found }
      while !mayEnd.load(ordering: .acquiring) { sched_yield() }
    }
  }

  @Test func `A read that signals interrupt goes on`() async {
    // In an exit test, because a signal handler belongs to the whole process.
    await #expect(processExitsWith: .success) {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { _ in
        Reading.signals.add(1, ordering: .relaxed)
      }
      try #require(unsafe sigaction(SIGUSR1, &action, nil) == 0)
      let pipe = Pipe()
      let reading = Reading()
      defer { reading.mayEnd.store(true, ordering: .releasing) }
      let error = SystemThread.start(named: "test") { reading.run(pipe.reader, limit: 5) }
      try #require(error == 0)
      try #require(eventually { reading.thread.load(ordering: .acquiring) != 0 })
      let thread = reading.thread.load(ordering: .acquiring)
      // The first of them may come before the read begins, but not all of them.
      for number in 1...200 {
        pthread_kill(thread, SIGUSR1)
        try #require(eventually { Reading.signals.load(ordering: .relaxed) >= number })
      }
      pipe.write("hello")
      try #require(eventually { reading.result.withLock { $0 != nil } })
      let found = reading.result.withLock { $0 }
      #expect(found?.bytes == Array("hello".utf8) && found?.error == 0)
    }
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
      limitDescriptors(0)
      let event = WaitableEvent()
      exit(!event.isOpen && errno == EMFILE ? 0 : 1)
    }
  }

  @Test func `Dropped events leave no descriptor open`() async {
    await #expect(processExitsWith: .success) {
      limitDescriptors(100)
      for _ in 0..<200 {
        let event = WaitableEvent()
        if !event.isOpen { exit(1) }
      }
      exit(0)
    }
  }

  @Test func `An empty variable counts as unset`() async {
    // In a process of its own: threads of other tests read the environment.
    await #expect(processExitsWith: .success) {
      unsafe setenv("HEADWAY_SYSTEM_TEST", "", 1)
      #expect(environmentValue("HEADWAY_SYSTEM_TEST") == nil)
      unsafe setenv("HEADWAY_SYSTEM_TEST", "x", 1)
      #expect(environmentValue("HEADWAY_SYSTEM_TEST") == "x")
      unsafe unsetenv("HEADWAY_SYSTEM_TEST")
      #expect(environmentValue("HEADWAY_SYSTEM_TEST") == nil)
    }
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
