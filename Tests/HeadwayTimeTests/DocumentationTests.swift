import Dispatch
import Glibc
import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// The examples of the documentation.
///
/// `DocumentedNamesTests` compares them with the articles, except for lines that begin with `#expect`.
@Suite(.timeLimit(.minutes(60)))
struct DocumentationTests {
  private typealias Runner = TimeoutRunner<String, String>

  /// The output of the examples.
  private let screen = Screen()
  private let clock = VirtualClock()
  /// Blocks the functions that hang.
  private let semaphore = DispatchSemaphore(value: 0)

  /// Submits a function that hangs until the semaphore is signalled, and waits until the function runs.
  ///
  /// - Parameters:
  ///   - runner: The runner.
  ///   - key: The key.
  ///   - completion: The completion handler.
  /// - Throws: `TimeoutRunnerError`.
  private func hang(
    _ runner: Runner, _ key: String,
    completion: @escaping @Sendable (Result<String, any Error>) -> Void = { _ in }
  ) async throws {
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    try runner.submit(key) { [semaphore] in
      start.yield()
      semaphore.wait()
      return "192.0.2.7"
    } completion: { result in
      completion(result)
    }
    for await _ in starts { break }
  }
}

// MARK: - The first page

extension DocumentationTests {
  @Test func `A wheel returns expired timers`() {
    var wheel = TimingWheel<String>()
    let fetch = wheel.schedule("fetch", at: 500)
    wheel.schedule("ping", at: 90)
    let next = wheel.nextExpiry  // 90
    #expect(next == 90)
    var expired: [String] = []
    wheel.advance(to: 100) { wheel, timer in
      expired.append(timer.payload)  // ping
      wheel.schedule("ping", at: timer.deadline + 90)
    }
    #expect(expired == ["ping"])
    let first = wheel.cancel(fetch)  // "fetch"
    let second = wheel.cancel(fetch)  // nil: the timer is gone
    #expect(first == "fetch")
    #expect(second == nil)
  }

  @Test func `A lane keeps a timer that is restarted`() {
    var idle = TimeoutLane<String>(duration: 30)
    let connection = idle.schedule("connection 7", now: 0)
    let isOpen = idle.restart(connection, now: 12)  // true: there was activity
    #expect(isOpen)
    var closed: [String] = []
    idle.advance(to: 41) { _, timer in closed.append(timer.payload) }  // nothing yet
    #expect(closed.isEmpty)
    idle.advance(to: 42) { _, timer in closed.append(timer.payload) }  // connection 7
    #expect(closed == ["connection 7"])
  }

  @Test func `A timer is rescheduled and cancelled`() {
    let connection = Connection()
    let timers = TimerService.continuous
    let timer = timers.schedule(after: .seconds(30)) { connection.close() }
    timer.reschedule(after: .seconds(60))  // the connection was used
    let isOff = timer.cancel()  // true: it will not run
    #expect(isOff)
  }

  @Test func `A heartbeat and ticks repeat`() async {
    let connection = Connection()
    let timers = TimerService.continuous
    let show = screen.show
    let heartbeat = timers.schedule(every: .seconds(30)) { connection.ping() }
    for await tick in timers.ticks(every: .milliseconds(1)) {
      show("tick \(tick)")
      if tick >= 3 { break }
    }
    heartbeat.cancel()
    #expect(!heartbeat.isScheduled)
  }

  @Test func `A result in time is shown`() async throws {
    let show = screen.show
    do {
      show(try await withDeadline(in: .seconds(30)) { try await download("index.html") })
    } catch let error as DeadlineExceeded {
      show("\(error)")  // the deadline of 30.0 seconds has passed
    }
    #expect(await screen.next() == "the page index.html")
    #expect("\(DeadlineExceeded(limit: .seconds(30)))" == "the deadline of 30.0 seconds has passed")
  }

  @Test func `A runner calls a function that blocks`() async throws {
    let runner = TimeoutRunner<String, String>(timeout: .seconds(10))
    let address = try await runner.run("example.org") { try resolve("example.org") }
    #expect(address == "192.0.2.1")
  }
}

// MARK: - Giving blocking calls a deadline

extension DocumentationTests {
  @Test func `A runner is configured`() async throws {
    var configuration = TimeoutRunner<String, String>.Configuration(timeout: .seconds(10))
    configuration.threads = 8  // functions that run at once, not counting stuck ones
    configuration.stuckLimit = 16  // threads that stuck functions may hold
    configuration.queueLimit = 1_000  // functions that wait for a thread
    let runner = TimeoutRunner(configuration)
    #expect(try await runner.run(Lookup(key: "example.org")) == "192.0.2.1")
  }

  @Test func `A handler shows the address`() async throws {
    let show = screen.show
    let runner = TimeoutRunner<String, String>(timeout: .seconds(10))
    try runner.submit("example.org", timeout: .seconds(20), on: .main) {
      try resolve("example.org")
    } completion: { result in
      switch result {
      case .success(let address): show(address)
      case .failure(let error as DeadlineExceeded) where error.attempts == 0: show("too busy")
      case .failure(is DeadlineExceeded): show("no answer in time")
      case .failure(let error): show("no address: \(error)")
      }
    }
    #expect(await screen.next() == "192.0.2.1")
  }

  @Test func `A task has its key and its function`() async throws {
    let runner = TimeoutRunner<String, String>(timeout: .seconds(10))
    let address = try await runner.run(Lookup(key: "example.org"))
    #expect(address == "192.0.2.1")
  }

  @Test func `Functions that hang are listed`() async throws {
    let show = screen.show
    let runner = TimeoutRunner(
      Runner.Configuration(
        timeout: .seconds(10), threads: 1, stuckLimit: 0, timers: clock.timers))
    try await hang(runner, "slow")
    clock.advance(by: .seconds(12))
    do {
      show(try await runner.run("example.org") { try resolve("example.org") })
    } catch let error as DeadlineExceeded {
      show("no answer: \(error)")
    } catch TimeoutRunnerError.tooManyStuck(let limit, let keys) {
      show("more than \(limit) calls hang, among them \(keys)")
    }
    for function in runner.stuck {
      show("\(function.key) has run for \(function.running), \(function.overdue) too long")
    }
    semaphore.signal()
    #expect(await screen.next() == #"more than 0 calls hang, among them ["slow"]"#)
    #expect(await screen.next() == "slow has run for 12.0 seconds, 2.0 seconds too long")
  }

  @Test func `A late result is cached`() async throws {
    let cache = Cache(screen)
    var configuration = Runner.Configuration(timeout: .seconds(10), timers: clock.timers)
    configuration.lateResult = { late in
      if case .success(let address) = late.result { cache.store(address, for: late.key) }
    }
    let runner = TimeoutRunner(configuration)
    try await hang(runner, "slow")
    clock.advance(by: .seconds(10))
    semaphore.signal()
    #expect(await screen.next() == "slow is 192.0.2.7")
    #expect(runner.statistics.timedOutRunning == 1)
  }

  @Test func `A function that hangs once is restarted`() async throws {
    let show = screen.show
    var configuration = Runner.Configuration(timeout: .seconds(10), timers: clock.timers)
    configuration.restartLimit = 2
    let runner = TimeoutRunner(configuration)
    let calls = Counter()
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    try runner.submit("slow") { [semaphore] in
      let call = calls.next()
      start.yield()
      if call == 1 { semaphore.wait() }
      return "call \(call)"
    } completion: { result in
      show((try? result.get()) ?? "no answer")
    }
    for await _ in starts { break }
    clock.advance(by: .seconds(10))
    #expect(await screen.next() == "call 2")
    semaphore.signal()
  }

  @Test func `Handlers run on a queue`() async throws {
    let show = screen.show
    let queue = DispatchQueue(label: "answers")
    let name = DispatchSpecificKey<String>()
    queue.setSpecific(key: name, value: "the queue")
    let executor = CompletionExecutor { work in queue.async(execute: work) }
    let runner = Runner(timeout: .seconds(10))
    try runner.submit("example.org", on: executor) {
      try resolve("example.org")
    } completion: { _ in
      show(DispatchQueue.getSpecific(key: name) ?? "elsewhere")
    }
    #expect(await screen.next() == "the queue")
  }

  @Test func `Asynchronous work has a deadline`() async throws {
    let page = try await withDeadline(in: .seconds(30)) { try await download("index.html") }
    #expect(page == "the page index.html")
  }

  @Test func `Steps share a deadline`() async throws {
    let deadline = ContinuousClock.now + .seconds(3_600)
    let page = try await withDeadline(deadline) { try await download("index.html") }
    let style = try await withDeadline(deadline) { try await download("style.css") }
    #expect(page + style == "the page index.htmlthe page style.css")
  }

  @Test func `A deadline passes on virtual time`() {
    let limit = Duration.seconds(5)
    #expect(throws: DeadlineExceeded(limit: limit)) {
      try withVirtualTime { clock in
        try await withDeadline(in: limit, clock: clock) {
          try await clock.sleep(for: .seconds(3_600))
        }
      }
    }
  }

  @Test func `A function hangs and its caller gets an error`() async throws {
    let clock = VirtualClock()
    let runner = TimeoutRunner<String, Int>(.init(timeout: .seconds(10), timers: clock.timers))
    let semaphore = DispatchSemaphore(value: 0)
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let (results, answer) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
    try runner.submit("slow") {
      start.yield()
      semaphore.wait()
      return 1
    } completion: { result in
      answer.yield(result)
    }
    for await _ in starts { break }  // the function is running
    clock.advance(by: .seconds(10))  // the deadline passes, but no real time
    for await result in results {
      #expect(throws: DeadlineExceeded(limit: .seconds(10))) { try result.get() }
      break
    }
    semaphore.signal()  // lets the function return
  }
}

// MARK: - Giving five calls a deadline

extension DocumentationTests {
  @Test func `Five hosts are asked`() async throws {
    let show = screen.show
    let runner = TimeoutRunner<String, String>(timeout: .seconds(10))
    for number in 0..<5 {
      let lookup = Lookup(key: "host-\(number)")
      try runner.submit(lookup, on: .main) { result in
        show("\(lookup.key): \(result)")
      }
    }
    var lines: [String?] = []
    for _ in 0..<5 { lines.append(await screen.next()) }
    #expect(
      lines.compactMap { $0 }.sorted() == (0..<5).map { "host-\($0): success(\"192.0.2.1\")" })
  }
}

/// Looks up the address of a host.
struct Lookup: BlockingTask {
  let key: String

  func run() throws -> String { try resolve(key) }
}

/// Returns the address of a host at once.
private func resolve(_ host: String) throws -> String {
  try #require(!host.isEmpty)
  return "192.0.2.1"
}

/// Returns a page at once.
private func download(_ name: String) async throws -> String {
  try Task.checkCancellation()
  return "the page \(name)"
}

/// Output, line by line.
private final class Screen: Sendable {
  private let lines: AsyncStream<String>
  private let end: AsyncStream<String>.Continuation

  init() { (lines, end) = AsyncStream.makeStream() }

  func show(_ line: String) { end.yield(line) }

  func next() async -> String? {
    for await line in lines { return line }
    return nil
  }
}

/// A connection that must not be closed.
private final class Connection: Sendable {
  func close() { Issue.record("the connection was closed") }
  /// May be called: a busy machine can take longer than the interval.
  func ping() {}
}

/// A cache that shows the addresses that it stores.
private struct Cache: Sendable {
  private let screen: Screen

  init(_ screen: Screen) { self.screen = screen }

  func store(_ address: String, for host: String) { screen.show("\(host) is \(address)") }
}

/// Counts from 1.
private final class Counter: Sendable {
  private let last = Guarded(0)

  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
