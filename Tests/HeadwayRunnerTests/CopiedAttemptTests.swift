import HeadwayRelay
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// Attempts on a machine to which files are copied.
struct CopiedAttemptTests {
  private static let attempt = Attempt(task: TaskID(0), number: 1)

  private let executor = WorkerExecutor()

  init() throws {
    _ = executor.addWorker(on: "far", Resources(cpus: 2), at: .zero, copiesFiles: true)
  }

  private func start(inputs: [String], outputs: [String], directory: String? = nil) throws {
    try executor.start(
      Self.attempt,
      AttemptRequest(
        arguments: ["true"], variables: [], directory: directory,
        files: TaskFiles(inputs: inputs, outputs: outputs)))
  }

  /// The requests that wait for the worker.
  private func requests() throws -> [WorkerRequest] {
    var stream = MessageStream()
    stream.append(executor.takePending(for: 0)[...])
    var requests: [WorkerRequest] = []
    while let message = try stream.next() { requests.append(try WorkerRequest(message)) }
    return requests
  }

  /// Lets the worker say something.
  ///
  /// - Returns: Whether attempts may have ended.
  private func receive(_ replies: [WorkerReply]) throws -> Bool {
    let bytes = replies.reduce(into: [UInt8]()) { $1.write(to: &$0) }
    return try executor.receive(bytes[...], from: 0, at: .zero).hasExits
  }

  private func copies() -> [FileCopies.Copy] { executor.takeCopies().map { $0.1 } }

  private func copied(_ problem: String? = nil) {
    executor.copied(.init(attempt: Self.attempt, problem: problem))
  }

  private static func command(folders: [String] = [], directory: String? = nil) -> WorkerCommand {
    WorkerCommand(
      arguments: ["true"], names: [], values: [], directory: directory, folders: folders)
  }

  @Test func `The command begins once its inputs were copied`() throws {
    try start(inputs: ["a"], outputs: ["out/b"], directory: "sub")
    #expect(try requests() == [])
    #expect(copies() == [.init(attempt: Self.attempt, isBack: false, patterns: ["a"])])
    copied()
    #expect(
      try requests() == [
        .start(Self.attempt, Self.command(folders: ["out", "sub"], directory: "sub"))
      ])
    // The result is not told before its outputs are here.
    #expect(
      try !receive([.outputEnded(Self.attempt), .exited(Self.attempt, .succeeded, left: [])]))
    #expect(executor.nextExit() == nil)
    #expect(copies() == [.init(attempt: Self.attempt, isBack: true, patterns: ["out/b"])])
    copied()
    // Nor before its worker is known to be there still, which may have removed them.
    #expect(try requests() == [.check(1)])
    #expect(!executor.hasExits)
    #expect(try receive([.checked(1)]))
    #expect(executor.hasExits && executor.nextExit()?.result == .succeeded)
    #expect(!executor.hasLeftovers(Self.attempt))
    #expect(executor.takeWithdrawals() == [])
  }

  @Test func `A task without files waits for nothing, and what has failed is not copied`() throws {
    try start(inputs: [], outputs: ["b"])
    #expect(try requests() == [.start(Self.attempt, Self.command())])
    #expect(try receive([.exited(Self.attempt, .failed(.exited(code: 1)), left: [])]))
    #expect(copies() == [])
    #expect(executor.nextExit()?.result == .failed(.exited(code: 1)))
  }

  @Test(arguments: [false, true])
  func `A copy that fails is the failure of its task`(isBack: Bool) throws {
    try start(inputs: isBack ? [] : ["a"], outputs: ["b"])
    if isBack { _ = try receive([.exited(Self.attempt, .succeeded, left: [])]) }
    #expect(copies().map(\.isBack) == [isBack])
    copied("no room")
    #expect(executor.nextExit() == nil)
    #expect(try receive([.checked(1)]))
    let way = isBack ? "outputs could not be copied from" : "inputs could not be copied to"
    #expect(executor.nextExit()?.result == .failed(.threw("its \(way) far: no room")))
    #expect(!executor.hasLeftovers(Self.attempt))
  }

  @Test func `What is cancelled while its inputs are copied never begins`() throws {
    try start(inputs: ["a"], outputs: [])
    executor.signal(Self.attempt, .terminate)
    #expect(executor.nextExit()?.result == .failed(.signalled(number: 15)))
    #expect(!executor.hasLeftovers(Self.attempt))
    #expect(executor.takeWithdrawals() == [Self.attempt])
    #expect(copies() == [])
    copied()
    executor.release(Self.attempt, keepsProcesses: false)
    #expect(try requests() == [.release(Self.attempt, keepsProcesses: false)])
  }

  @Test func `What is killed while its outputs are copied has ended`() throws {
    try start(inputs: [], outputs: ["b"])
    _ = try receive([.exited(Self.attempt, .succeeded, left: [])])
    executor.signal(Self.attempt, .terminate)
    #expect(executor.nextExit() == nil)
    executor.signal(Self.attempt, .kill)
    #expect(executor.nextExit()?.result == .failed(.signalled(number: 9)))
  }

  @Test func `What is suspended while its inputs are copied begins suspended`() throws {
    try start(inputs: ["a"], outputs: [])
    executor.signal(Self.attempt, .suspend)
    copied()
    #expect(
      try requests() == [
        .start(Self.attempt, Self.command()), .signal(Self.attempt, .suspend),
      ])
  }

  @Test(arguments: [nil, "no connection"])
  func `What waits for files on a machine that is lost is lost`(problem: String?) throws {
    try start(inputs: [], outputs: ["b"])
    _ = try receive([.exited(Self.attempt, .succeeded, left: [])])
    // The copy ends before anybody knows that the machine is lost.
    copied(problem)
    executor.lose(0)
    #expect(executor.nextExit()?.result == .lost)
    #expect(executor.nextExit() == nil)
  }

  @Test func `Nothing begins on another machine than the chosen one`() throws {
    _ = executor.addWorker(on: "other", Resources(cpus: 2), at: .zero)
    executor.disconnect(0)
    #expect(!executor.canStart(on: 0) && executor.canStart(on: 1) && executor.canStart(on: nil))
    executor.expectsWorkers = true
    let request = AttemptRequest(
      arguments: ["true"], variables: [], directory: nil, machine: 0)
    let error = StartError(reason: "no machine is left to run it", isLoss: true)
    #expect(throws: error) { try executor.start(Self.attempt, request) }
    executor.expectsWorkers = false
    #expect(throws: StartError(reason: error.reason)) {
      try executor.start(Self.attempt, request)
    }
  }

  @Test func `What a worker has said before it took part is not lost`() throws {
    var stream = MessageStream()
    var bytes: [UInt8] = []
    WorkerReply.heartbeat(1).write(to: &bytes)
    stream.append(bytes.prefix(10))
    let worker = executor.addWorker(
      on: "third", Resources(cpus: 1), at: .zero, stream: stream)
    _ = try executor.receive(bytes.dropFirst(10), from: worker, at: .zero)
    var requests = MessageStream()
    requests.append(executor.takePending(for: worker)[...])
    #expect(try requests.next().map { try WorkerRequest($0) } == .heartbeat(1))
  }
}
