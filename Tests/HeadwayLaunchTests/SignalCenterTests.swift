import HeadwayLock
import HeadwayRun
import HeadwaySystem
import Testing

@testable import HeadwayLaunch

/// When the handlers of signals are installed, and what happens to signals that no launcher takes.
struct SignalCenterTests {
  /// A launcher whose task waits until it is cancelled.
  private func launcher(_ options: LauncherOptions) throws -> Launcher {
    var graph = LaunchGraph()
    graph.addService("waits") { service in
      service.ready()
      await service.waitForShutdown()
    }
    return try Launcher(graph, options: options)
  }

  @Test func `Handlers are installed for the runs that watch a signal, after the thread is there`()
    async throws
  {
    let process = SignalProcess()
    let one = try launcher(process.options([.sigterm]))
    let two = try launcher(process.options([.sigterm]))
    let three = try launcher(process.options([.sigint]))
    #expect(process.handlers.log == [])
    one.start()
    #expect(process.handlers.log == ["start", "install SIGTERM"])
    two.start()
    three.start()
    one.cancel()
    _ = await one.result
    #expect(process.handlers.installed == [.sigterm, .sigint])
    three.cancel()
    _ = await three.result
    two.cancel()
    _ = await two.result
    #expect(
      process.handlers.log == [
        "start", "install SIGTERM", "install SIGINT", "restore SIGINT", "restore SIGTERM",
      ])
  }

  @Test func `A run that ends as it begins installs nothing`() async throws {
    let process = SignalProcess()
    let empty = try Launcher(LaunchGraph(), options: process.options())
    #expect(await empty.run().isSuccess)
    let cancelled = try launcher(process.options())
    cancelled.cancel()
    #expect(await cancelled.result.endReason == .cancelled)
    #expect(process.handlers.log == [])
    // As if another thread had ended it before this one could watch.
    cancelled.watchSignals()
    #expect(process.handlers.installed == [])
  }

  @Test func `Where signals cannot be received, the run goes on without them`() async throws {
    let process = SignalProcess(canStart: false)
    var graph = LaunchGraph()
    graph.add("short") { _ in }
    let first = await (try Launcher(graph, options: process.options())).run()
    #expect(first.isSuccess && process.handlers.log == ["start"])
    // Tried again with the next run.
    _ = await (try Launcher(graph, options: process.options())).run()
    #expect(process.handlers.log == ["start", "start"])
  }

  @Test func `After the descriptors were lost, signals have their previous effect`() async throws {
    let process = SignalProcess()
    let first = try launcher(process.options([.sigterm]))
    first.start()
    process.handlers.lose()
    #expect(process.handlers.log == ["start", "install SIGTERM", "restore SIGTERM"])
    process.receive(.sigterm)
    #expect(process.handlers.sent == [.sigterm])
    let second = try launcher(process.options([.sigterm]))
    second.start()
    #expect(process.handlers.log.suffix(2) == ["start", "install SIGTERM"])
    process.receive(.sigterm)
    #expect(await second.result.signal == .sigterm)
    first.cancel()
    #expect(await first.result.signal == nil)
  }

  @Test func `A signal that was on its way when the run ended has its previous effect`()
    async throws
  {
    let process = SignalProcess()
    let launcher = try launcher(process.options([.sigterm, .sigint]))
    launcher.start()
    launcher.cancel()
    #expect(await launcher.result.signal == nil)
    process.receive(.sigterm)
    #expect(process.handlers.sent == [.sigterm])
  }

  @Test func `A copy of the signal that has ended the run is no other one`() async throws {
    let process = SignalProcess()
    let launcher = try launcher(process.options([.sigterm]))
    launcher.start()
    process.receive(.sigterm, at: 100)
    #expect(await launcher.result.signal == .sigterm)
    process.receive(.sigterm, at: 100.019)
    #expect(process.handlers.sent == [])
    process.receive(.sigterm, at: 100.02)
    #expect(process.handlers.sent == [.sigterm])
  }

  @Test func `A run does not lose a signal because an earlier one has taken another`() async throws
  {
    let process = SignalProcess()
    let first = try launcher(process.options([.sigterm]))
    first.start()
    process.receive(.sigterm, at: 100)
    _ = await first.result
    // A hangup after SIGTERM is a copy, but not for a run that has not received it.
    let second = try launcher(process.options([.sighup]))
    second.start()
    process.receive(.sighup, at: 100.001)
    #expect(await second.result.signal == .sighup)
    let third = try launcher(process.options([.sighup]))
    third.start()
    third.cancel()
    _ = await third.result
    process.receive(.sighup, at: 100.002)
    #expect(process.handlers.sent == [.sighup])
  }

  @Test func `A queue that is released no longer watches signals`() throws {
    let process = SignalProcess()
    var queue: Launcher? = Launcher.makeQueue(options: process.options([.sigterm]))
    queue?.start()
    #expect(process.handlers.installed == [.sigterm])
    queue = nil
    #expect(process.handlers.installed == [])
    process.receive(.sigterm)
    #expect(process.handlers.sent == [.sigterm])
  }

  @Test func `A launcher that has ended, or is being released, gives a signal back`() async throws {
    let process = SignalProcess()
    let ended = try Launcher(LaunchGraph())
    _ = await ended.run()
    // As on a thread that has not come to the end of its watch.
    process.center.watch([.sigterm, .sigint], for: ended)
    var released: Launcher? = try Launcher(LaunchGraph())
    if let released { process.center.watch([.sigterm, .sigusr1], for: released) }
    released = nil
    let other = try launcher(process.options([.sigint]))
    other.start()
    process.receive(.sigterm)
    #expect(process.handlers.sent == [.sigterm])
    // All that they watched, except what another one watches.
    #expect(process.handlers.installed == [.sigint])
    process.receive(.sigint)
    #expect(await other.result.signal == .sigint)
    #expect(process.handlers.installed == [] && process.handlers.sent == [.sigterm])
  }

  @Test func `A thread waits for a run that a signal ends`() async throws {
    let process = SignalProcess()
    let launcher = try launcher(process.options([.sigterm]))
    let result = await withCheckedContinuation { continuation in
      _ = SystemThread.start(named: "test") {
        // Begun by `runBlocking` otherwise; here so that the signal does not come before.
        launcher.start()
        _ = SystemThread.start(named: "test") { process.receive(.sigterm) }
        let result = launcher.runBlocking()
        #expect(process.handlers.installed == [])
        continuation.resume(returning: result)
      }
    }
    #expect(result.signal == .sigterm && result.endReason == .cancelled)
  }

  @Test func `Runs begin and end, launchers are released, and signals come at the same time`()
    async throws
  {
    let process = SignalProcess()
    let moment = Guarded(0.0)
    let isOver = Semaphore()
    let threads = 4
    for thread in 0..<threads {
      _ = SystemThread.start(named: "test") {
        for round in 0..<200 {
          switch (thread + round) % 4 {
          case 0:
            let queue = Launcher.makeQueue(options: process.options([.sigterm]))
            queue.start()
            _ = try? queue.add("task", .immediate { _ in })
            if round % 3 == 0 { queue.close() }
          case 1:
            let launcher = try? Launcher(
              LaunchGraph { PlannedTask("task", .immediate { _ in }) },
              options: process.options([.sigterm, .sigint]))
            launcher?.start()
            launcher?.cancel()
          default:
            // Far enough apart that none is a copy.
            let second = moment.withLock { moment in
              moment += 1
              return moment
            }
            process.receive(.sigterm, at: second)
          }
        }
        isOver.post(1)
      }
    }
    for _ in 0..<threads { isOver.wait() }
    // What is left are queues whose last task has just ended.
    for _ in 0..<1_000_000 where !process.handlers.installed.isEmpty { await Task.yield() }
    #expect(process.handlers.installed == [])
  }

  @Test func `Whoever waits for a run finds the previous handlers`() async throws {
    let process = SignalProcess()
    for _ in 0..<200 {
      var graph = LaunchGraph()
      graph.add("short") { _ in }
      let launcher = try Launcher(graph, options: process.options([.sigterm]))
      let result = await launcher.run()
      #expect(result.isSuccess && process.handlers.installed == [])
      // As if the thread that has ended the run had not come that far.
      process.center.watch([.sigterm], for: launcher)
      _ = await launcher.result
      #expect(process.handlers.installed == [])
    }
  }
}
