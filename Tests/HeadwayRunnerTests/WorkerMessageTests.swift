import HeadwayCollections
import HeadwayPlan
import HeadwayRelay
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// The messages between a runner and its workers.
struct WorkerMessageTests {
  private static let attempt = Attempt(task: TaskID(3), number: 2)

  private static let requests: [WorkerRequest] = [
    .begin(
      WorkerSetup(
        folder: "/home/ü \"x\"\n", identity: "20260101-1", taskCount: 8, names: ["A", "B"],
        values: ["1", "two\u{1B}[0m"])),
    .begin(
      WorkerSetup(
        folder: "/x", identity: "1/2", taskCount: 1, names: [], values: [], copiesFiles: true,
        cache: "/scratch/me")),
    .start(
      attempt,
      WorkerCommand(
        arguments: ["true"], names: [], values: [], directory: nil, gpus: [1, 3],
        folders: ["a b", "c"])),
    .start(
      attempt,
      WorkerCommand(arguments: ["zig"], names: [], values: [], hasProgressPipe: true)),
    .start(
      attempt,
      WorkerCommand(
        arguments: ["/bin/sh", "-c", "echo 'a\\b'\n\t\"c\""], names: ["X"], values: [""],
        directory: "sub folder")),
    .start(
      attempt, WorkerCommand(arguments: ["true"], names: [], values: [], directory: nil)),
    .signal(attempt, .terminate), .signal(attempt, .kill), .signal(attempt, .suspend),
    .signal(attempt, .resume), .release(attempt, keepsProcesses: true),
    .release(attempt, keepsProcesses: false), .check(7),
    .forward(1, Array("{}\n\n".utf8)), .forward(2, []), .close(2), .begin(services), .end,
  ]

  /// What the worker for services has to know.
  private static let services: WorkerSetup = {
    var setup = WorkerSetup(
      folder: "/", identity: "1+services", taskCount: 2, names: [], values: [])
    setup.isForServices = true
    return setup
  }()

  private static let replies: [WorkerReply] = [
    .connected(1), .forwarded(1, Array("\n{\"tell\":\n".utf8)), .disconnected(1),
    .refused(reason: "no such folder"), .begun(folder: nil), .begun(folder: "/a b"),
    .notStarted(attempt, reason: "not found: x"),
    .output(attempt, Array("{\"reply\":\"ended\"}\n\u{0}\u{FF}".utf8)), .output(attempt, []),
    .progress(attempt, [0x01, 0x0A, 0xFF]),
    .outputEnded(attempt), .exited(attempt, .succeeded, left: []),
    .exited(attempt, .failed(.exited(code: 3)), left: ["sleep (12)"]),
    .exited(
      attempt, .succeeded, left: [],
      usage: ResourceUsage(cpuTime: .nanoseconds(1_234_567), peakMemory: 1 << 40)),
    .exited(attempt, .succeeded, left: [], usage: ResourceUsage(cpuTime: .zero)),
    .exited(attempt, .failed(.signalled(number: 9)), left: []), .left(attempt, []),
    .left(attempt, ["a", "b"]), .checked(7), .ended(strays: ["sleep (9)"]),
  ]

  @Test(arguments: [1, 2, 3, 7, 64, 10_000])
  func `All messages arrive as they were sent, in pieces of any size`(size: Int) throws {
    var bytes: [UInt8] = []
    for request in Self.requests { request.write(to: &bytes) }
    var stream = MessageStream()
    var requests: [WorkerRequest] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      stream.append(bytes[start..<min(start + size, bytes.count)])
      while let message = try stream.next() { requests.append(try WorkerRequest(message)) }
    }
    #expect(requests == Self.requests)
    bytes = []
    for reply in Self.replies { reply.write(to: &bytes) }
    var replies: [WorkerReply] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      stream.append(bytes[start..<min(start + size, bytes.count)])
      while let message = try stream.next() { replies.append(try WorkerReply(message)) }
    }
    #expect(replies == Self.replies)
  }

  @Test(arguments: [
    "hello", "{}", #"{"request":"dance"}"#, #"{"request":"start","task":1,"attempt":1}"#,
    #"{"request":"start","task":1,"attempt":1,"arguments":[],"names":[],"values":[]}"#,
    #"{"request":"start","task":1,"attempt":1,"arguments":["x"],"names":["A"],"values":[]}"#,
    #"{"request":"signal","task":-1,"attempt":1,"signal":"kill"}"#,
    #"{"request":"signal","task":1,"attempt":0,"signal":"kill"}"#,
    #"{"request":"signal","task":1,"attempt":1,"signal":"dance"}"#,
    #"{"request":"begin","folder":"/","identity":"i","tasks":-1,"names":[],"values":[]}"#,
    #"{"request":"check","number":"one"}"#, #"{"request":"end","bytes":-1}"#,
    #"{"request":"end","bytes":2000000}"#,
  ])
  func `What no program sends is refused`(line: String) {
    var stream = MessageStream()
    stream.append(Array("\(line)\n".utf8)[...])
    #expect(throws: MessageError.self) {
      let message = try #require(try stream.next())
      _ = try WorkerRequest(message)
    }
  }

  @Test(arguments: [
    (#"{"reply":1}"#, "'reply' must be a text"), (#"{"reply":"checked"}"#, "'number' is missing"),
  ])
  func `What is wrong with a message is said in words`(line: String, words: String) throws {
    var stream = MessageStream()
    stream.append(Array("\(line)\n".utf8)[...])
    let message = try #require(try stream.next())
    let error = #expect(throws: MessageError.self) { try WorkerReply(message) }
    #expect(error?.description == "a message cannot be read: \(words)")
  }

  @Test func `A number that a worker claims is one that a machine can have`() throws {
    func greeting(_ number: Int) throws -> WorkerGreeting {
      let line =
        #"{"headway":"worker","version":2,"cores":N,"memory":N,"gpus":N,"host":""}"# + "\n"
      var stream = MessageStream()
      stream.append(Array(line.split(separator: "N").joined(separator: "\(number)").utf8)[...])
      return try WorkerGreeting(try #require(try stream.next()))
    }
    for number in [0, -1, .min] {
      let least = try greeting(number)
      #expect(least.cores == 1 && least.memory == 0 && least.gpus == 0)
    }
    let most = try greeting(.max)
    // Of as many machines as a run can have.
    #expect(!most.cores.multipliedReportingOverflow(by: 1_000_000).overflow)
    #expect(!most.memory.multipliedReportingOverflow(by: 1_000).overflow)
    #expect(!most.gpus.multipliedReportingOverflow(by: 1_000_000).overflow)
  }

  @Test(arguments: [
    "0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
  ])
  func `A number of any size in any message is refused, or harms nobody`(number: String) throws {
    var bytes: [UInt8] = []
    for request in Self.requests { request.write(to: &bytes) }
    WorkerRequest.heartbeat(3).write(to: &bytes)
    for reply in Self.replies { reply.write(to: &bytes) }
    WorkerReply.heartbeat(3).write(to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    var changed = 0
    for line in lines where line.hasPrefix("{\"re") {
      for match in line.matches(of: #/:(\d+)/#) {
        changed += 1
        let value = match.output.1
        Self.receive(
          Array("\(line[..<value.startIndex])\(number)\(line[value.endIndex...])\n".utf8))
      }
    }
    #expect(changed > 30)
  }

  /// Lets a runner and a worker receive bytes; what they refuse is not received.
  private static func receive(_ bytes: [UInt8]) {
    let executor = WorkerExecutor(patience: .seconds(5))
    _ = executor.addWorker(on: "a", Resources(cpus: 1), at: .zero)
    let request = AttemptRequest(arguments: ["true"], variables: [])
    try? executor.start(attempt, request)
    executor.signal(attempt, .kill)
    _ = try? executor.receive(bytes[...], from: 0, at: .seconds(1))
    #expect(executor.overdue(at: .seconds(1_000)) == (executor.hasEnded(0) ? [] : [0]))
    var stream = MessageStream()
    stream.append(bytes[...])
    guard let message = try? stream.next(), let request = try? WorkerRequest(message) else {
      return
    }
    if case .begin(let setup) = request {
      var lease = WorkerLease(patience: setup.patience, from: .seconds(1))
      #expect(lease.heartbeat(at: .seconds(1)) == 1 && lease.end > .seconds(1))
    }
    var session = WorkerSession(
      executor: executor, lease: WorkerLease(patience: .seconds(5), from: .zero))
    try? session.receive(request)
    session.turn(at: .seconds(1))
  }

  @Test func `A line without end is refused before it fills the memory`() {
    var stream = MessageStream()
    #expect(throws: MessageError.self) {
      for _ in 0..<10 {
        stream.append([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)[...])
        _ = try stream.next()
      }
    }
  }

  @Test func `Damaged bytes give messages or an error, never a crash`() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<3_000 {
      var bytes: [UInt8] = []
      for _ in 0..<3 {
        Self.replies[Int.random(in: 0..<Self.replies.count, using: &random)].write(to: &bytes)
        Self.requests[Int.random(in: 0..<Self.requests.count, using: &random)].write(to: &bytes)
      }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0 ... .max, using: &random)
      }
      var stream = MessageStream()
      stream.append(bytes[...])
      do {
        while let message = try stream.next() {
          _ = try? WorkerReply(message)
          _ = try? WorkerRequest(message)
        }
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}

/// The executor whose attempts are on workers.
struct WorkerExecutorTests {
  private static func attempt(_ task: Int, _ number: Int = 1) -> Attempt {
    Attempt(task: TaskID(task), number: number)
  }

  private static let request = AttemptRequest(
    arguments: ["true"],
    variables: [
      ("A", "1"), (RunWork.Variable.progress, "/run/socket"), (RunWork.Variable.zig, "3"),
    ], directory: nil)

  private static func executor(_ places: [Int]) -> WorkerExecutor {
    let executor = WorkerExecutor()
    for places in places { _ = executor.addWorker(on: "w", Resources(cpus: places), at: .zero) }
    return executor
  }

  private static func bytes(_ replies: [WorkerReply]) -> ArraySlice<UInt8> {
    replies.reduce(into: [UInt8]()) { $1.write(to: &$0) }[...]
  }

  /// The requests that wait for a worker.
  private static func requests(_ executor: WorkerExecutor, _ worker: Int) throws -> [WorkerRequest]
  {
    var stream = MessageStream()
    stream.append(executor.takePending(for: worker)[...])
    var requests: [WorkerRequest] = []
    while let message = try stream.next() { requests.append(try WorkerRequest(message)) }
    return requests
  }

  @Test func `The worker with the most free places gets the next attempt`() throws {
    let executor = Self.executor([1, 3])
    #expect(executor.places == 4)
    for task in 0..<4 { try executor.start(Self.attempt(task), Self.request) }
    #expect(try Self.requests(executor, 0).count == 1)
    let command = WorkerCommand(
      arguments: ["true"], names: ["A", RunWork.Variable.progress], values: ["1", "/run/socket"],
      directory: nil)
    let started = try Self.requests(executor, 1)
    #expect(started.count == 3)
    // What names descriptors of this machine stays here.
    #expect(started.first == .start(Self.attempt(0), command))
    #expect(throws: StartError.self) { try executor.start(Self.attempt(4), Self.request) }
    executor.release(Self.attempt(0), keepsProcesses: false)
    try executor.start(Self.attempt(4), Self.request)
    #expect(
      try Self.requests(executor, 1) == [
        .release(Self.attempt(0), keepsProcesses: false), .start(Self.attempt(4), command),
      ])
  }

  @Test func `What an attempt used on another machine arrives with its end`() throws {
    let executor = Self.executor([1])
    try executor.start(Self.attempt(0), Self.request)
    let usage = ResourceUsage(cpuTime: .seconds(5), peakMemory: 2_000_000)
    let end = Self.bytes([.exited(Self.attempt(0), .succeeded, left: [], usage: usage)])
    _ = try executor.receive(end, from: 0, at: .zero)
    #expect(executor.nextExit()?.usage == usage)
  }

  @Test func `A worker may speak only of its own attempts`() throws {
    let executor = Self.executor([1, 1])
    try executor.start(Self.attempt(0), Self.request)
    // Of one that nobody has started, or whose last messages were on their way.
    let late = Self.bytes([.exited(Self.attempt(5), .succeeded, left: [])])
    #expect(try executor.receive(late, from: 0, at: .zero).hasExits == false)
    let old = Self.bytes([.exited(Self.attempt(0, 2), .succeeded, left: [])])
    #expect(try executor.receive(old, from: 0, at: .zero).hasExits == false)
    #expect(throws: MessageError.self) {
      try executor.receive(
        Self.bytes([.exited(Self.attempt(0), .succeeded, left: [])]), from: 1, at: .zero)
    }
    #expect(executor.nextExit() == nil)
  }

  @Test func `A worker that is gone loses its attempts, and gets no others`() throws {
    let executor = Self.executor([2, 1])
    for task in 0..<3 { try executor.start(Self.attempt(task), Self.request) }
    _ = try executor.receive(
      Self.bytes([
        .output(Self.attempt(0), Array("whole".utf8)),
        .exited(Self.attempt(0), .failed(.exited(code: 2)), left: ["sleep (1)"]),
      ]), from: 0, at: .zero)
    #expect(executor.hasLeftovers(Self.attempt(0)))
    executor.lose(0)
    #expect(executor.places == 1)
    var exits: [AttemptExit] = []
    while let exit = executor.nextExit() { exits.append(exit) }
    // One had ended before.
    #expect(
      exits == [
        AttemptExit(attempt: Self.attempt(0), result: .failed(.exited(code: 2))),
        AttemptExit(attempt: Self.attempt(1), result: .lost),
      ])
    for task in [0, 1] { #expect(!executor.hasLeftovers(Self.attempt(task))) }
    var output: [UInt8] = []
    #expect(unsafe executor.readOutput(of: Self.attempt(0), reads: 4) { unsafe output += $0 })
    #expect(output == Array("whole".utf8))
    #expect(throws: StartError.self) { try executor.start(Self.attempt(3), Self.request) }
    executor.lose(1)
    #expect(executor.places == 0 && executor.hasEnded)
  }

  @Test func `An attempt is given up only if its machine answers`() throws {
    let executor = Self.executor([1])
    try executor.start(Self.attempt(0), Self.request)
    _ = executor.takePending(for: 0)
    executor.signal(Self.attempt(0), .kill)
    executor.signal(Self.attempt(0), .kill)
    let kill = WorkerRequest.signal(Self.attempt(0), .kill)
    #expect(try Self.requests(executor, 0) == [kill, .check(1), kill])
    #expect(!executor.mayGiveUp(Self.attempt(0)))
    _ = try executor.receive(Self.bytes([.checked(1)]), from: 0, at: .zero)
    #expect(executor.mayGiveUp(Self.attempt(0)))
    #expect(executor.hasLeftovers(Self.attempt(0)))
  }
}

/// The right of a worker to go on.
struct WorkerLeaseTests {
  @Test func `An answer extends the lease from when its heartbeat was sent`() {
    var lease = WorkerLease(patience: .seconds(60), from: .seconds(5))
    #expect(lease.end == .seconds(65))
    #expect(lease.heartbeat(at: .seconds(5)) == 1)
    #expect(lease.heartbeat(at: .seconds(14)) == nil)
    #expect(lease.nextHeartbeat == .seconds(15))
    #expect(lease.heartbeat(at: .seconds(15)) == 2)
    #expect(lease.heartbeat(at: .seconds(25)) == 3)
    // However late the answer comes.
    lease.renew(by: 2)
    #expect(lease.end == .seconds(75))
    // An old answer, and one to a heartbeat that nobody has sent.
    lease.renew(by: 1)
    lease.renew(by: 9)
    #expect(lease.end == .seconds(75))
    lease.renew(by: 3)
    #expect(lease.end == .seconds(85))
  }

  @Test func `A patience of no time has a lower bound`() {
    let lease = WorkerLease(patience: .zero, from: .zero)
    #expect(lease.end == WorkerLease.leastPatience)
  }
}
