import CToolDriver
import Glibc
import HeadwayLock
import HeadwayRun
import ProcessFixtures
import Synchronization
import Testing

@testable import HeadwayLaunch

/// Real signals, each in a process of its own: a signal, and the handlers of signals, concern all tests of a process.
struct SignalProcessTests {
  /// What child processes count.
  private enum Counts {
    static let earlier = Atomic<Int>(0)
    static let other = Atomic<Int>(0)
  }

  /// A graph of services, of which the last one calls a function when it is ready.
  ///
  /// `closed` receives their names in the order in which they are closed.
  private static func services(
    _ closed: Box<[String]>, _ ready: @escaping @Sendable () -> Void
  ) -> LaunchGraph {
    var graph = LaunchGraph()
    let database = graph.addService("database") { service in
      service.ready()
      await service.waitForShutdown()
      closed.change { $0.append("database") }
    }
    graph.addService("server", after: database) { service, _ in
      service.ready()
      ready()
      await service.waitForShutdown()
      closed.change { $0.append("server") }
    }
    return graph
  }

  private static func options(_ signals: Set<LauncherSignal>) -> LauncherOptions {
    var options = LauncherOptions()
    options.cancellationSignals = signals
    return options
  }

  /// Sends a signal to this process.
  private static func send(_ number: Int32) { kill(getpid(), number) }

  /// Waits for the signal that ends this process, and exits if none does.
  private static func waitForEnd() -> Never {
    _ = eventually { false }
    exit(EXIT_FAILURE)
  }

  @Test func `A signal ends the services in order, and the next one the process`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      signal(SIGTERM, SIG_DFL)
      let closed = Box<[String]>([])
      let graph = Self.services(closed) { Self.send(SIGTERM) }
      let result = await (try Launcher(graph, options: Self.options([.sigterm, .sigint]))).run()
      try #require(result.signal == .sigterm && result.endReason == .cancelled)
      try #require(closed.value == ["server", "database"])
      Self.send(SIGTERM)
      Self.waitForEnd()
    }
  }

  @Test func `A signal that the thread of a run blocks ends the run`() async {
    await #expect(processExitsWith: .success) {
      var signals = sigset_t()
      unsafe sigemptyset(&signals)
      unsafe sigaddset(&signals, SIGUSR2)
      unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
      let result = onOwnThread { () -> LaunchResult? in
        let graph = Self.services(Box([])) { Self.send(SIGUSR2) }
        return try? Launcher(graph, options: Self.options([.sigusr2])).runBlocking()
      }
      #expect(result??.endingSignal == .sigusr2 && result??.exitStatus == 128 + SIGUSR2)
    }
  }

  @Test func `A program ends by the signal that has ended its run`() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      let graph = Self.services(Box([])) { Self.send(SIGINT) }
      let result = await (try Launcher(graph, options: Self.options([.sigint]))).run()
      // On a thread that blocks signals, as those of the thread pool do.
      try #require(result.endingSignal == .sigint)
      result.endingSignal?.endProcess()
    }
  }

  @Test func `A signal ends a run that a thread waits for, and a queue`() async {
    await #expect(processExitsWith: .success) {
      let queue = Launcher.makeQueue(options: Self.options([.sigusr1]))
      queue.start()
      let result = onOwnThread { () -> LaunchResult? in
        let graph = Self.services(Box([])) { Self.send(SIGUSR1) }
        return try? Launcher(graph, options: Self.options([.sigusr1])).runBlocking()
      }
      #expect(result??.signal == .sigusr1)
      #expect(eventually { queue.resultIfEnded?.signal == .sigusr1 })
    }
  }

  @Test func `A signal that comes again ends what is stuck`() async {
    await #expect(processExitsWith: .success) {
      // So that a signal after the end of the run does no harm.
      signal(SIGINT) { _ in Counts.earlier.add(1, ordering: .relaxed) }
      var graph = LaunchGraph()
      graph.addService("stuck", settings: TaskSettings(grace: .seconds(86_400))) { service in
        service.ready()
        await service.waitForShutdown()
        await Task { try? await Task.sleep(for: .seconds(86_400)) }.value
      }
      let launcher = try Launcher(graph, options: Self.options([.sigint]))
      launcher.start()
      // Copies of a signal do not count, so it may take some.
      let hasEnded = eventually {
        Self.send(SIGINT)
        return launcher.resultIfEnded != nil
      }
      #expect(hasEnded && launcher.resultIfEnded?.endReason == .cancelledImmediately)
      #expect(launcher.resultIfEnded?.signal == .sigint)
    }
  }

  @Test func `A signal is handled while code of the program holds up the one before`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGINT) { _ in Counts.earlier.add(1, ordering: .relaxed) }
      let mayGoOn = Semaphore()
      var graph = LaunchGraph()
      graph.addService("stuck", settings: TaskSettings(grace: .seconds(86_400))) { service in
        service.ready()
        await withTaskCancellationHandler {
          await service.waitForShutdown()
        } onCancel: {
          mayGoOn.wait()
        }
      }
      let launcher = try Launcher(graph, options: Self.options([.sigint]))
      launcher.start()
      let hasEnded = eventually {
        Self.send(SIGINT)
        return launcher.resultIfEnded != nil
      }
      #expect(hasEnded && launcher.resultIfEnded?.endReason == .cancelledImmediately)
      mayGoOn.post()
    }
  }

  @Test func `Handlers of the program come back, unless it has installed others`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGUSR1) { _ in Counts.earlier.add(1, ordering: .relaxed) }
      signal(SIGUSR2) { _ in Counts.earlier.add(1, ordering: .relaxed) }
      let graph = Self.services(Box([])) {
        signal(SIGUSR2) { _ in Counts.other.add(1, ordering: .relaxed) }
        Self.send(SIGUSR1)
      }
      let result = await (try Launcher(graph, options: Self.options([.sigusr1, .sigusr2]))).run()
      #expect(result.signal == .sigusr1)
      #expect(Counts.earlier.load(ordering: .relaxed) == 0)
      Self.send(SIGUSR1)
      #expect(eventually { Counts.earlier.load(ordering: .relaxed) == 1 })
      Self.send(SIGUSR2)
      #expect(eventually { Counts.other.load(ordering: .relaxed) == 1 })
    }
  }

  @Test func `An ignored signal stays ignored`() async {
    await #expect(processExitsWith: .success) {
      // As `nohup` does it.
      signal(SIGHUP, SIG_IGN)
      let graph = Self.services(Box([])) {
        Self.send(SIGHUP)
        Self.send(SIGTERM)
      }
      let result = await (try Launcher(graph, options: Self.options([.sighup, .sigterm]))).run()
      #expect(result.signal == .sigterm)
    }
  }

  @Test func `A handler that somebody installs again after the run does not hold up a signal`()
    async
  {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      signal(SIGTERM, SIG_DFL)
      let queue = Launcher.makeQueue(options: Self.options([.sigterm]))
      queue.start()
      var ours = sigaction()
      try #require(unsafe sigaction(SIGTERM, nil, &ours) == 0)
      queue.cancel()
      _ = await queue.result
      var present = sigaction()
      try #require(unsafe sigaction(SIGTERM, nil, &present) == 0)
      try #require(unsafe present.__sigaction_handler.sa_handler == nil)
      try #require(unsafe sigaction(SIGTERM, &ours, nil) == 0)
      Self.send(SIGTERM)
      Self.waitForEnd()
    }
  }

  // ThreadSanitizer handles signals itself, and loses the one that the copy sends to itself again.
  @Test(.disabled(if: td_has_sanitizer()))
  func `A signal to a copy of the process ends the copy and not the run`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGTERM, SIG_DFL)
      let queue = Launcher.makeQueue(options: Self.options([.sigterm, .sigusr1]))
      queue.start()
      #expect(td_signal_copy(SIGTERM) == SIGTERM)
      Self.send(SIGUSR1)
      #expect(await queue.result.signal == .sigusr1)
    }
  }

  @Test func `Without its descriptors a run goes on, and signals have their previous effect`() async
  {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      signal(SIGTERM, SIG_DFL)
      let before = openPipes()
      let queue = Launcher.makeQueue(options: Self.options([.sigterm]))
      queue.start()
      // As a program does that closes what it does not know.
      for descriptor in openPipes().subtracting(before) { close(descriptor) }
      let isRestored = eventually {
        var present = sigaction()
        return unsafe sigaction(SIGTERM, nil, &present) == 0
          && present.__sigaction_handler.sa_handler == nil
      }
      try #require(isRestored)
      try queue.add("task") { _ in }
      queue.close()
      try #require(await queue.result.isSuccess)
      Self.send(SIGTERM)
      Self.waitForEnd()
    }
  }

  @Test func `Where no descriptors are left, a signal has its usual effect`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      signal(SIGTERM, SIG_DFL)
      limitDescriptors(0)
      let queue = Launcher.makeQueue(options: Self.options([.sigterm]))
      queue.start()
      Self.send(SIGTERM)
      Self.waitForEnd()
    }
  }
}
