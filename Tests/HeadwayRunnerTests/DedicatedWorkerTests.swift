import HeadwayRelay
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// Workers for the attempt of a single task.
struct DedicatedWorkerTests {
  private let executor = WorkerExecutor()
  private let request = AttemptRequest(arguments: ["true"], variables: [])

  init() {
    executor.dedicatedMachines = DedicatedMachines(most: 3, largest: Resources(cpus: 8))
    _ = executor.addWorker(on: "n1", Resources(cpus: 2), at: .zero, own: Resources(cpus: 2))
  }

  private func attempt(_ task: Int, _ number: Int = 1) -> Attempt {
    Attempt(task: TaskID(task), number: number)
  }

  private func start(_ attempt: Attempt, on machine: Int) throws {
    var request = request
    request.machine = machine
    try executor.start(attempt, request)
  }

  /// The requests that wait for the worker.
  private func requests() throws -> [WorkerRequest] {
    var stream = MessageStream()
    stream.append(executor.takePending(for: 0)[...])
    var requests: [WorkerRequest] = []
    while let message = try stream.next() { requests.append(try WorkerRequest(message)) }
    return requests
  }

  @Test func `A worker is asked to end after its attempt, and gets no other one`() throws {
    #expect(executor.places == 3)
    #expect(executor.isIdle(0))
    try start(attempt(0), on: 0)
    #expect(!executor.isIdle(0) && executor.machines[0].isOpen)
    #expect(throws: StartError.self) { try start(attempt(1), on: 0) }
    _ = try requests()
    executor.release(attempt(0), keepsProcesses: false)
    #expect(!executor.machines[0].isOpen && !executor.canStart(on: 0))
    #expect(throws: StartError.self) { try start(attempt(1), on: 0) }
    #expect(try requests() == [.release(attempt(0), keepsProcesses: false), .end])
    #expect(executor.wasAsked(0))
    // Its end is nothing that the run has to know of.
    var reply: [UInt8] = []
    WorkerReply.ended(strays: []).write(to: &reply)
    #expect(try !executor.receive(reply[...], from: 0, at: .zero).hasExits)
    #expect(executor.hasEnded(0) && executor.places == 3)
    // Once no more of them can be started, nothing waits for them.
    executor.dedicatedMachines = nil
    #expect(executor.places == 0)
  }

  @Test func `A condition and its command are one attempt`() throws {
    try start(attempt(0), on: 0)
    executor.release(attempt(0), keepsProcesses: false)
    try start(attempt(0), on: 0)
    #expect(try !requests().contains(.end))
    executor.release(attempt(0), keepsProcesses: false)
    #expect(try requests().contains(.end))
  }

  @Test func `A worker that no task needs can be ended before it had one`() throws {
    executor.endWorker(0)
    #expect(try requests() == [.end])
    #expect(!executor.isIdle(0) && !executor.machines[0].isOpen)
  }
}
