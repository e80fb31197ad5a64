import HeadwayRun

@testable import HeadwayRunner

/// A virtual machine behind a connection: the executor of the loop has a worker there, and the worker's executor is the machine.
///
/// Messages arrive at once, in pieces of random sizes.
final class WorkerMachine: RunHost {
  private let machine: VirtualMachine
  /// The executor of the loop.
  let executor: WorkerExecutor
  private var session: WorkerSession
  private var requests = WorkerStream()
  /// The size of the next piece of a message.
  private let piece: () -> Int
  /// What went wrong on the connection.
  private(set) var violations: [String] = []

  /// How often a worker looks at what its tasks have left.
  private static let lookInterval = Duration.milliseconds(20)

  init(_ machine: VirtualMachine, places: Int, piece: @escaping () -> Int) {
    self.machine = machine
    self.piece = piece
    executor = WorkerExecutor()
    executor.addWorker(places: places)
    session = WorkerSession(executor: machine)
  }

  /// The attempts that the worker still knows.
  var attempts: [Attempt] { session.attempts }

  var endRequests: Int { machine.endRequests }

  func takeTurn() { machine.takeTurn() }

  func stop(isFromTerminal: Bool) {
    _ = exchange()
    machine.stop(isFromTerminal: isFromTerminal)
  }

  func wait(for timeout: Duration?) -> [HostEvent] {
    var events = exchange()
    if !events.isEmpty { return events }
    let limit = timeout.map { machine.time.now + $0 }
    repeat {
      let now = machine.time.now
      var wait = limit.map { max($0 - now, .zero) }
      if session.isLingering { wait = min(wait ?? Self.lookInterval, Self.lookInterval) }
      for event in machine.wait(for: wait) {
        switch event {
        case .exits: break
        case .output(let task): session.readOutput(of: task)
        case .answers, .request, .signal: events.append(event)
        }
      }
      events += exchange()
    } while events.isEmpty && limit.map { machine.time.now < $0 } ?? true
    return events
  }

  /// Carries messages in both directions until there are no more.
  ///
  /// - Returns: What the loop learns from them.
  func exchange() -> [HostEvent] {
    var outputs: Set<TaskID> = []
    var hasExits = false
    do throws(WorkerMessageError) {
      repeat {
        for bytes in pieces(executor.takePending(for: 0)) {
          requests.append(bytes)
          while let message = try requests.next() { try session.receive(WorkerRequest(message)) }
        }
        session.turn(at: machine.time.now)
        let replies = session.pending
        session.pending = []
        for bytes in pieces(replies) {
          let news = try executor.receive(bytes, from: 0)
          outputs.formUnion(news.outputs)
          hasExits = hasExits || news.hasExits
        }
      } while !session.pending.isEmpty
    } catch {
      violations.append("\(error)")
    }
    return outputs.sorted().map { .output($0) } + (hasExits ? [.exits] : [])
  }

  private func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var rest = bytes[...]
    var pieces: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      let count = min(max(piece(), 1), rest.count)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
