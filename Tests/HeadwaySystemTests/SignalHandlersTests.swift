import Glibc
import HeadwayLock
import HeadwaySystem
import ProcessFixtures
import Synchronization
import Testing

/// Handlers that pass signals on to a thread, each test in a process of its own.
struct SignalHandlersTests {
  /// What the thread has received.
  private final class Received: Sendable {
    let requests = Guarded<[EndRequest]>([])
    let mayGoOn = Atomic<Bool>(true)

    var count: Int { requests.withLock { $0.count } }

    /// Starts the thread, and installs the handler of a signal.
    func start(_ handlers: SignalHandlers, _ number: Int32) throws {
      let isStarted = handlers.start(
        { request in
          self.requests.withLock { $0.append(request) }
          #expect(eventually { self.mayGoOn.load(ordering: .acquiring) })
        }, onLoss: {})
      try #require(isStarted)
      handlers.install(number)
    }
  }

  @Test func `What is received has a number and a time, and signals are told apart`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGUSR1, SIG_DFL)
      let handlers = SignalHandlers()
      let received = Received()
      try received.start(handlers, SIGUSR1)
      handlers.install(SIGUSR2)
      // A second time it changes nothing: the previous handler is still the default.
      handlers.install(SIGUSR1)
      handlers.send(SIGUSR1)
      try #require(eventually { received.count == 1 })
      handlers.send(SIGUSR2)
      try #require(eventually { received.count == 2 })
      let requests = received.requests.withLock { $0 }
      #expect(requests.map(\.number) == [SIGUSR1, SIGUSR2])
      #expect(!requests.contains { $0.isFromTerminal })
      #expect(requests[0].milliseconds > 0)
      #expect(requests[1].milliseconds >= requests[0].milliseconds)
      handlers.restore(SIGUSR1)
      var present = sigaction()
      try #require(unsafe sigaction(SIGUSR1, nil, &present) == 0)
      #expect(unsafe present.__sigaction_handler.sa_handler == nil)
    }
  }

  @Test func `A signal is received while the one before holds up its thread`() async {
    await #expect(processExitsWith: .success) {
      let handlers = SignalHandlers()
      let received = Received()
      received.mayGoOn.store(false, ordering: .releasing)
      try received.start(handlers, SIGUSR1)
      for number in 1...3 {
        handlers.send(SIGUSR1)
        try #require(eventually { received.count == number })
      }
      received.mayGoOn.store(true, ordering: .releasing)
    }
  }

  @Test func `A handler leaves errno alone, and does not wait for the thread`() async {
    await #expect(processExitsWith: .success) {
      let handlers = SignalHandlers()
      let before = openPipes()
      let received = Received()
      try received.start(handlers, SIGUSR1)
      let ends = openPipes().subtracting(before)
      let writers = ends.filter { fcntl($0, F_GETFL) & O_ACCMODE == O_WRONLY }
      let writer = try #require(writers.first)
      #expect(ends.count == 2 && fcntl(writer, F_GETFL) & O_NONBLOCK != 0)
      // Now the handler fails.
      close(writer)
      // On a thread that has the signal unblocked, so that it is handled before the call returns.
      let error = onOwnThread { () -> Int32 in
        var awaited = sigset_t()
        unsafe sigemptyset(&awaited)
        unsafe sigaddset(&awaited, SIGUSR1)
        unsafe pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
        errno = ENOTTY
        pthread_kill(pthread_self(), SIGUSR1)
        return errno
      }
      #expect(error == ENOTTY)
    }
  }

  @Test func `A program that is started inherits no descriptor of it`() async {
    await #expect(processExitsWith: .success) {
      let before = openPipes()
      try Received().start(SignalHandlers(), SIGUSR1)
      let new = openPipes().subtracting(before)
      #expect(new.count == 2 && new.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    }
  }
}
