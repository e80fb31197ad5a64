import HeadwayRelay
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// The worker's side of a connection.
struct WorkerSessionTests {
  private static let attempt = Attempt(task: TaskID(0), number: 1)

  private static func session(_ executor: FloodExecutor) throws -> WorkerSession {
    var session = WorkerSession(
      executor: executor, lease: WorkerLease(patience: .seconds(60), from: .zero))
    try session.receive(.start(attempt, command))
    return session
  }

  private static let command = WorkerCommand(
    arguments: ["yes"], names: ["A", RunWork.Variable.progress, "B"],
    values: ["1", "2;token.0;/run/runner.sock", "2"], directory: nil)

  @Test(arguments: [nil, "/tmp/worker;1.forwarded"])
  func `Programs report to the socket of their own machine`(path: String?) throws {
    let executor = FloodExecutor()
    var session = WorkerSession(
      executor: executor, lease: WorkerLease(patience: .seconds(60), from: .zero))
    session.progressSocket = path
    try session.receive(.start(Self.attempt, Self.command))
    let expected = path.map { ["1", "2;token.0;\($0)", "2"] } ?? ["1", "2"]
    #expect(executor.started.map { $0.variables.map(\.value) } == [expected])
  }

  @Test func `No output is read while the connection has no room`() throws {
    let executor = FloodExecutor()
    var session = try Self.session(executor)
    while session.hasRoom { session.readOutput(of: Self.attempt.task) }
    let most = WorkerSession.highWater + (OutputReads.perTurn + 1) * FloodExecutor.piece.count
    #expect(session.pending.count < most)
    // What was taken and not sent counts as well.
    session.unsent = session.pending.count
    session.pending = []
    #expect(!session.hasRoom)
    session.readOutput(of: Self.attempt.task)
    #expect(session.pending.isEmpty)
    session.unsent = 0
    session.readOutput(of: Self.attempt.task)
    #expect(!session.pending.isEmpty)
  }

  /// The replies that wait for the runner, without heartbeats.
  private static func replies(_ session: inout WorkerSession) throws -> [WorkerReply] {
    var stream = MessageStream()
    stream.append(session.pending[...])
    session.pending = []
    var replies: [WorkerReply] = []
    while let message = try stream.next() {
      let reply = try WorkerReply(message)
      if case .exited = reply { replies.append(reply) }
    }
    return replies
  }

  @Test func `A signal that may have been meant for the worker is reported a moment later`() throws
  {
    let executor = FloodExecutor()
    let terminated = Outcome.failed(.signalled(number: 15))
    let exited = WorkerReply.exited(Self.attempt, terminated, left: ["yes (1)"])
    var session = try Self.session(executor)
    executor.exits = [AttemptExit(attempt: Self.attempt, result: terminated)]
    session.turn(at: .zero)
    #expect(try Self.replies(&session) == [])
    #expect(session.nextMoment == .milliseconds(500))
    session.turn(at: .milliseconds(500))
    #expect(try Self.replies(&session) == [exited])
    // If the worker is ended meanwhile, so was the attempt.
    session = try Self.session(executor)
    executor.exits = [AttemptExit(attempt: Self.attempt, result: terminated)]
    session.turn(at: .zero)
    session.abandon(at: .milliseconds(10))
    session.turn(at: .milliseconds(600))
    #expect(try Self.replies(&session) == [])
    // A signal of the runner is no doubt.
    session = try Self.session(executor)
    try session.receive(.signal(Self.attempt, .terminate))
    executor.exits = [AttemptExit(attempt: Self.attempt, result: terminated)]
    session.turn(at: .zero)
    #expect(try Self.replies(&session) == [exited])
  }

  @Test(arguments: [
    // A shell whose command was ended by a signal.
    (Outcome.failed(.exited(code: 143)), false, Duration.milliseconds(500)),
    (.failed(.exited(code: 2)), true, .milliseconds(100)),
    (.failed(.exited(code: 2)), false, .zero),
    (.succeeded, true, .zero),
  ])
  func `A failure that may come from the end of the job is reported a moment later`(
    result: Outcome, isInJob: Bool, delay: Duration
  ) throws {
    let executor = FloodExecutor()
    var session = WorkerSession(
      executor: executor, lease: WorkerLease(patience: .seconds(60), from: .zero),
      isInJob: isInJob)
    try session.receive(.start(Self.attempt, Self.command))
    executor.exits = [AttemptExit(attempt: Self.attempt, result: result)]
    session.turn(at: .zero)
    #expect(try Self.replies(&session).isEmpty == (delay > .zero))
    session.turn(at: delay)
    if delay > .zero { #expect(try Self.replies(&session).count == 1) }
  }

  @Test func `The end of a task does not wait for what others go on writing`() throws {
    let executor = FloodExecutor()
    var session = try Self.session(executor)
    executor.exits = [AttemptExit(attempt: Self.attempt, result: .succeeded)]
    session.turn(at: .seconds(1))
    #expect(executor.readCount == OutputReads.atEnd)
    #expect(session.isLingering)
    // Nor does what is left of it fill the memory.
    for second in 2..<100 { session.turn(at: .seconds(second)) }
    #expect(executor.readCount == OutputReads.atEnd)
  }
}

/// A task that has left behind a process, which writes without end.
private final class FloodExecutor: Executor {
  static let piece = [UInt8](repeating: 0x79, count: 1 << 16)

  var exits: [AttemptExit] = []
  private(set) var readCount = 0
  private(set) var started: [AttemptRequest] = []

  func start(_ attempt: Attempt, _ request: AttemptRequest) { started.append(request) }
  func signal(_ attempt: Attempt, _ signal: AttemptSignal) {}
  func nextExit() -> AttemptExit? { exits.popLast() }
  func watchOutput(of attempt: Attempt) -> Bool { true }

  func readOutput(
    of attempt: Attempt, reads: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    // A test of an endless loop should end.
    for _ in 0..<min(reads, 1_000) {
      readCount += 1
      unsafe Self.piece.withUnsafeBytes { unsafe take($0) }
    }
    return false
  }

  func hasLeftovers(_ attempt: Attempt) -> Bool { true }
  func leftovers(of attempt: Attempt) -> [String] { ["yes (1)"] }
  func release(_ attempt: Attempt, keepsProcesses: Bool) {}
  func strays() -> [Stray] { [] }
  func signal(_ stray: Stray, _ signal: AttemptSignal) {}
}
