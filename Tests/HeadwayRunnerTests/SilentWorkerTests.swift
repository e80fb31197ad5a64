import Glibc
import HeadwayPlan
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// Workers that live and do not answer.
struct SilentWorkerTests {
  private static let attempt = Attempt(task: TaskID(0), number: 1)

  /// How long the heartbeats of a worker are answered that never answers what it is asked.
  private static func answeredUntil(_ ask: (WorkerExecutor) throws -> Void) throws -> Duration {
    let executor = WorkerExecutor(patience: .seconds(10))
    _ = executor.addWorker(on: "w", Resources(cpus: 1), at: .zero)
    try executor.start(attempt, AttemptRequest(arguments: ["true"], variables: []))
    try ask(executor)
    var last = Duration.zero
    for second in 0..<300 {
      let now = Duration.seconds(second)
      if !executor.overdue(at: now).isEmpty {
        // Not before what runs there has ended.
        #expect(now >= last + .seconds(10) + WorkerLease.endingTime)
        return last
      }
      _ = executor.takePending(for: 0)
      var bytes: [UInt8] = []
      WorkerReply.heartbeat(second).write(to: &bytes)
      _ = try executor.receive(bytes[...], from: 0, at: now)
      if !executor.takePending(for: 0).isEmpty { last = now }
    }
    return .seconds(300)
  }

  @Test func `A worker that was asked nothing may live on without an answer`() throws {
    #expect(try Self.answeredUntil { _ in } == .seconds(300))
  }

  @Test func `Heartbeats are no answer to a kill, nor to the end of the run`() throws {
    let limit = Duration.seconds(10) + WorkerLease.endingTime
    #expect(try Self.answeredUntil { $0.signal(Self.attempt, .kill) } == limit)
    #expect(try Self.answeredUntil { $0.end() } == limit)
    #expect(try Self.answeredUntil { $0.endWorker(0) } == limit)
  }

  @Test func `Who answers is asked again without haste`() throws {
    let executor = WorkerExecutor(patience: .seconds(10))
    _ = executor.addWorker(on: "w", Resources(cpus: 1), at: .zero)
    try executor.start(Self.attempt, AttemptRequest(arguments: ["true"], variables: []))
    executor.signal(Self.attempt, .kill)
    for second in 0..<300 {
      var bytes: [UInt8] = []
      WorkerReply.heartbeat(second).write(to: &bytes)
      if second == 30 { WorkerReply.checked(1).write(to: &bytes) }
      _ = try executor.receive(bytes[...], from: 0, at: .seconds(second))
      #expect(executor.overdue(at: .seconds(second)).isEmpty)
    }
  }

  /// A run of a task of an hour on workers that say nothing but that they live, from the first second on.
  private static func run(_ incidents: [Duration]) throws -> LoopRun {
    let run = try LoopRun([.make("a") { $0.grace = .seconds(60) }])
    run.machine.scripts[TaskID(0)] = [
      VirtualMachine.AttemptScript(leader: VirtualMachine.Script(duration: .seconds(3_600)))
    ]
    for moment in incidents {
      run.machine.schedule(.signal(SIGINT, isForwarded: true), at: moment)
    }
    run.useWorkers([(.seconds(1), 0, .silent), (.seconds(1), 1, .silent)], patience: .seconds(60)) {
      1_000
    }
    run.run()
    return run
  }

  @Test func `The second interrupt ends a run whose worker does not answer, and the run says so`()
    throws
  {
    let run = try Self.run([.seconds(5), .seconds(10)])
    let end = try #require(run.end(0))
    #expect(run.outcome(0) == .cancelled && end <= .seconds(10) + AttemptTable.killTimeout * 2)
    #expect(run.endSignal == SIGINT)
    #expect(
      run.warnings.prefix(2) == [
        "w0 has not said whether anything of the run is left there",
        "w1 has not said whether anything of the run is left there",
      ])
  }

  @Test func `The interrupts may also come when all tasks have ended`() throws {
    let run = try LoopRun([.make("a")])
    for second in [100, 101] {
      run.machine.schedule(.signal(SIGINT, isForwarded: true), at: .seconds(second))
    }
    run.machine.scripts[TaskID(0)] = [
      VirtualMachine.AttemptScript(leader: VirtualMachine.Script(duration: .milliseconds(900)))
    ]
    run.useWorkers([(.seconds(0), 1, .silent)], patience: .seconds(3_600)) { 1_000 }
    run.run()
    #expect(run.outcome(0) == .succeeded)
    #expect(run.machine.time.now < .seconds(101) + .seconds(3_600))
    #expect(run.warnings == ["w1 has not said whether anything of the run is left there"])
  }

  @Test func `Without anybody, such a run ends once nothing can be alive there`() throws {
    let run = try Self.run([.seconds(5)])
    #expect(run.outcome(0) == .cancelled && run.warnings == [])
  }
}
