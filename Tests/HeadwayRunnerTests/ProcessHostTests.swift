import Glibc
import HeadwayLock
import HeadwayRelay
import HeadwayRun
import HeadwayState
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// What wakes a run loop in a process of this machine.
struct ProcessHostTests {
  /// A supervisor in memory, which lives as long as its test.
  private final class SupervisorInMemory: RunSupervisor {
    private let death = WaitableEvent()
    private let arrival = WaitableEvent()
    private var pending: [Int32] = []
    private(set) var turns = 0
    private(set) var hasBegun = false

    var pipe: Int32 { death.descriptor }
    var signals: Int32 { arrival.descriptor }
    var endRequests: Int { 2 }

    func begin() { hasBegun = true }
    func takeTurn() { turns += 1 }
    var ignoresHangup: Bool { true }

    func receive(_ numbers: [Int32]) {
      pending += numbers
      arrival.set()
    }

    func takeSignals() -> [Int32] {
      arrival.clear()
      defer { pending = [] }
      return pending
    }

    func exitAfterItsDeath(saying say: (String) -> Void) -> Never {
      preconditionFailure("the supervisor is alive")
    }
  }

  private let poller: Poller
  private let supervisor = SupervisorInMemory()
  private let answers = WaitableEvent()
  private let control: RunControl
  /// The view's end of the stream.
  private let socket: Int32
  private let view: ViewStream
  private let host: ProcessHost

  init() throws {
    // As in a run.
    signal(SIGPIPE, SIG_IGN)
    poller = try Poller.opened()
    control = try RunControl()
    let ends = try #require(socketPair())
    socket = ends.0
    view = ViewStream(socket: ends.1)
    host = try ProcessHost(
      poller: poller, supervisor: supervisor, answers: answers, control: control, view: view)
  }

  /// The limit of a wait for what has happened already, which only a hang reaches.
  private static let limit = Duration.seconds(120)

  @Test func `Answers and requests for a pause wake the loop once`() {
    answers.set()
    answers.set()
    #expect(host.wait(for: Self.limit) == [.answers])
    #expect(host.wait(for: .zero) == [])
    control.wake.set()
    #expect(host.wait(for: Self.limit) == [.request])
    #expect(host.wait(for: .zero) == [])
    answers.set()
    control.wake.set()
    #expect(Set(host.wait(for: Self.limit)) == [.answers, .request])
    #expect(host.wait(for: .zero) == [])
  }

  @Test func `Signals come in their order, and the end of a child is not one of them`() {
    supervisor.receive([SIGINT, SIGCHLD, SIGTERM])
    #expect(
      host.wait(for: Self.limit) == [
        .signal(SIGINT), .exits,
        .signal(SIGTERM),
      ])
    #expect(host.wait(for: .zero) == [])
    #expect(host.endRequests == 2)
  }

  @Test func `The requests of the view that has started the run wake the loop, and are answered`()
    throws
  {
    let connection = RunConnection(socket: socket, headerLimit: 1 << 20)
    let answers = Guarded<[String?]>([])
    for request in [RunRequest.pause, .retry("a")] {
      connection.ask(request) { answer in answers.withLock { $0.append(answer) } }
    }
    var events: [HostEvent] = []
    while events.isEmpty { events = host.wait(for: Self.limit) }
    #expect(events == [.request])
    let entries = control.requests.take()
    #expect(entries.map(\.request) == [.pause, .retry("a")])
    entries[0].answer(nil)
    entries[1].answer("'a' has not failed")
    let told = try #require(try connection.receive())
    #expect(
      told == [.answered(1, refusal: nil), .answered(2, refusal: "'a' has not failed")])
    for case .answered(let number, let refusal) in told {
      connection.pass(number, refusal: refusal)
    }
    #expect(answers.withLock { $0 } == [nil, "'a' has not failed"])
  }

  /// The messages that the view receives, without times.
  private func messages(_ connection: RunConnection, until isLast: (RunMessage) -> Bool) throws
    -> [RunMessage]
  {
    var told: [RunMessage] = []
    while !(told.last.map(isLast) ?? false) {
      _ = host.wait(for: .zero)
      told += try #require(try connection.receive()).map {
        if case .events(let lines, _) = $0 { .events(lines, at: .zero) } else { $0 }
      }
    }
    return told
  }

  @Test func `A view that reads late receives everything`() throws {
    let lines = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    for _ in 0..<20 { view.send(lines: lines, areKept: true) }
    view.say("bye")
    #expect(view.hasPending && view.isOpen)
    let connection = RunConnection(socket: socket, headerLimit: 1 << 20)
    let told = try messages(connection) { $0 == .said("bye") }
    #expect(told == Array(repeating: .events(lines, at: .zero), count: 20) + [.said("bye")])
    #expect(!view.hasPending)
  }

  @Test func `A view that is far behind reads on in the journal, and still gets answers and words`()
    throws
  {
    let lines = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
    for _ in 0..<10 { view.send(lines: lines, areKept: true) }
    view.answer(1, refusal: nil)
    view.say("bye")
    let connection = RunConnection(socket: socket, headerLimit: 1 << 20)
    let told = try messages(connection) { $0 == .said("bye") }
    // One more than the limit, and what the socket holds.
    let count = told.count { if case .events = $0 { true } else { false } }
    #expect((5...6).contains(count))
    #expect(told.suffix(3) == [.behind, .answered(1, refusal: nil), .said("bye")])
    #expect(told.count == count + 3 && view.isOpen && !control.hasViewLeft)
  }

  @Test func `A large header, and one large update, are no reason to be behind`() throws {
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: 8_000_000)
    view.begin(try StateFolder(existing: "/dev/null/none", plan: ""), header: large)
    view.send(lines: large, areKept: true)
    view.say("bye")
    let connection = RunConnection(socket: socket, headerLimit: 1 << 24)
    let told = try messages(connection) { $0 == .said("bye") }
    #expect(
      told == [
        .begun(run: "", stateFolder: "/dev/null/none", header: large),
        .events(large, at: .zero), .said("bye"),
      ])
  }

  @Test func `A view that has left before the loop begins is noticed`() throws {
    let ends = try #require(socketPair())
    hangUp(ends.0)
    let gone = ViewStream(socket: ends.1)
    #expect(!gone.say("hello"))
    let control = try RunControl()
    _ = try ProcessHost(
      poller: try Poller.opened(), supervisor: SupervisorInMemory(), answers: answers,
      control: control, view: gone)
    #expect(control.hasViewLeft)
  }

  @Test func `The end of the view is told once`() {
    close(socket)
    var events: [HostEvent] = []
    while events.isEmpty { events = host.wait(for: Self.limit) }
    #expect(events == [.request] && control.hasViewLeft && !view.isOpen)
    #expect(host.wait(for: .zero) == [])
  }

  @Test func `Output of a task wakes the loop while it can be read`() {
    let output = WaitableEvent()
    #expect(poller.add(output.descriptor, token: 5))
    output.set()
    #expect(host.wait(for: Self.limit) == [.output(TaskID(5))])
    #expect(host.wait(for: .zero) == [.output(TaskID(5))])
    poller.remove(output.descriptor)
    #expect(host.wait(for: .zero) == [])
  }

  @Test func `Each wait shows the supervisor that the run responds`() {
    #expect(supervisor.hasBegun)
    for _ in 0..<3 { _ = host.wait(for: .zero) }
    #expect(supervisor.turns == 3)
  }
}
