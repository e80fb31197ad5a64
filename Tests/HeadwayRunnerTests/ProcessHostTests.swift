import Glibc
import HeadwayRun
import HeadwaySystem
import Testing

@testable import HeadwayRunner

/// What wakes a run loop in a process of this machine.
struct ProcessHostTests {
  /// A supervisor in memory, which lives as long as its test.
  private final class SupervisorInMemory: RunSupervisor {
    private let death = WaitableEvent()
    private let arrival = WaitableEvent()
    private var pending: [ReceivedSignal] = []
    private(set) var turns = 0
    private(set) var hasBegun = false

    var pipe: Int32 { death.descriptor }
    var signals: Int32 { arrival.descriptor }
    var endRequests: Int { 2 }

    func begin() { hasBegun = true }
    func takeTurn() { turns += 1 }
    func stopSelf(isFromTerminal: Bool) {}

    func receive(_ numbers: [Int32]) {
      pending += numbers.map { ReceivedSignal(number: $0, isFromTerminal: $0 == SIGINT) }
      arrival.set()
    }

    func takeSignals() -> [ReceivedSignal] {
      arrival.clear()
      defer { pending = [] }
      return pending
    }

    func exitAfterItsDeath(restoringTerminal restore: () -> Void) -> Never {
      preconditionFailure("the supervisor is alive")
    }
  }

  private let poller: Poller
  private let supervisor = SupervisorInMemory()
  private let answers = WaitableEvent()
  private let requests = WaitableEvent()
  private let host: ProcessHost

  init() throws {
    poller = try Poller.opened()
    host = try ProcessHost(
      poller: poller, supervisor: supervisor, answers: answers, requests: requests,
      restoreTerminal: {})
  }

  /// The limit of a wait for what has happened already, which only a hang reaches.
  private static let limit = Duration.seconds(120)

  @Test func `Answers and requests for a pause wake the loop once`() {
    answers.set()
    answers.set()
    #expect(host.wait(for: Self.limit) == [.answers])
    #expect(host.wait(for: .zero) == [])
    requests.set()
    #expect(host.wait(for: Self.limit) == [.request])
    #expect(host.wait(for: .zero) == [])
    answers.set()
    requests.set()
    #expect(Set(host.wait(for: Self.limit)) == [.answers, .request])
    #expect(host.wait(for: .zero) == [])
  }

  @Test func `Signals come in their order, and the end of a child is not one of them`() {
    supervisor.receive([SIGINT, SIGCHLD, SIGTERM])
    #expect(
      host.wait(for: Self.limit) == [
        .signal(ReceivedSignal(number: SIGINT, isFromTerminal: true)), .exits,
        .signal(ReceivedSignal(number: SIGTERM, isFromTerminal: false)),
      ])
    #expect(host.wait(for: .zero) == [])
    #expect(host.endRequests == 2)
  }

  @Test func `A stop that was continued before it happened does not happen`() {
    supervisor.receive([SIGTSTP, SIGCONT])
    #expect(
      host.wait(for: .zero) == [.signal(ReceivedSignal(number: SIGCONT, isFromTerminal: false))])
    supervisor.receive([SIGCONT, SIGTSTP])
    #expect(
      host.wait(for: .zero) == [
        .signal(ReceivedSignal(number: SIGCONT, isFromTerminal: false)),
        .signal(ReceivedSignal(number: SIGTSTP, isFromTerminal: false)),
      ])
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
