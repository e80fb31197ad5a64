import HeadwayRelay
import HeadwayRun

@testable import HeadwayRunner

/// A virtual machine behind connections: the executor of the loop has workers there, and the workers' executor is the machine.
///
/// Messages arrive at once, in pieces of random sizes, or not at all once a connection was cut.
final class WorkerMachine: RunHost {
  /// How a connection comes to its end.
  enum Fault {
    /// Both sides learn of it at once, and the worker's supervisor says when nothing is left.
    case closed
    /// Messages are lost in both directions from now on, and nobody is told.
    case cut
    /// The same, but only those of the worker are lost.
    case deaf
    /// The worker says that it lives, and nothing else any more.
    case silent
    /// The worker is stopped for a time, with its messages on their way.
    case stopped(Duration)
  }

  /// A worker and the connection to it.
  private struct Link {
    let worker: Int
    let executor: SharedMachine
    var session: WorkerSession
    var requests = MessageStream()
    /// What was sent and has not arrived.
    var arriving: (requests: [UInt8], replies: [UInt8]) = ([], [])
    var fault: Fault?
    /// Until when the worker is stopped.
    var stoppedUntil = Duration.zero
    /// Whether the loop has no connection to it any more.
    var isOver = false
  }

  private let machine: VirtualMachine
  /// The executor of the loop.
  let executor: WorkerExecutor
  private var links: [Link] = []
  /// The exits that no worker has taken.
  private let exits = SharedMachine.Exits()
  /// The size of the next piece of a message.
  private let piece: () -> Int
  private let places: Int
  private let patience: Duration
  /// What happens to connections, in the order of their times.
  var faults: [(at: Duration, worker: Int, Fault)] = []
  /// When workers come that take the place of others.
  private var joining: [Duration] = []
  /// What went wrong on the connections.
  private(set) var violations: [String] = []

  /// How often a worker looks at what its tasks have left.
  private static let lookInterval = Duration.milliseconds(20)

  init(
    _ machine: VirtualMachine, places: Int, workers: Int = 1,
    patience: Duration = WorkerLease.usualPatience, piece: @escaping () -> Int
  ) {
    self.machine = machine
    self.piece = piece
    self.places = places
    self.patience = patience
    executor = WorkerExecutor(patience: patience)
    for _ in 0..<workers { join() }
  }

  private func join() {
    let now = machine.time.now
    let worker = executor.addWorker(on: "w\(links.count)", Resources(cpus: places), at: now)
    let shared = SharedMachine(machine, exits)
    links.append(
      Link(
        worker: worker, executor: shared,
        session: WorkerSession(
          executor: shared, lease: WorkerLease(patience: patience, from: now))))
  }

  /// The attempts that the workers still know.
  var attempts: [Attempt] { links.flatMap(\.session.attempts) }

  var endRequests: Int { machine.endRequests }

  var ignoresHangup: Bool { machine.ignoresHangup }

  func takeTurn() { machine.takeTurn() }

  func wait(for timeout: Duration?) -> [HostEvent] {
    var events = exchange()
    if !events.isEmpty { return events }
    let limit = timeout.map { machine.time.now + $0 }
    repeat {
      let stopped = links.indices.filter { isStopped($0) }
      machine.unread = Set(stopped.flatMap { links[$0].session.attempts.map(\.task) })
      let wait = earliest(limit, nextMoment).map { max($0 - machine.time.now, .zero) }
      for event in machine.wait(for: wait) {
        switch event {
        case .exits: exits.collect(from: machine)
        case .output(let task):
          for index in links.indices where !isStopped(index) {
            links[index].session.readOutput(of: task)
          }
        case .answers, .request, .signal: events.append(event)
        }
      }
      events += exchange()
    } while events.isEmpty && limit.map { machine.time.now < $0 } ?? true
    return events
  }

  /// Lets the workers end that the run has left behind a connection that was cut.
  func finish() {
    while let link = links.firstIndex(where: { !$0.session.hasEnded }) {
      _ = exchange()
      let end = links[link].session.leaseEnd + WorkerLease.supervisorTime
      let wait = earliest(nextMoment, end).map { max($0 - machine.time.now, .milliseconds(1)) }
      for event in machine.wait(for: wait) where event == .exits { exits.collect(from: machine) }
    }
  }

  private func isStopped(_ index: Int) -> Bool { links[index].stoppedUntil > machine.time.now }

  /// When something happens here without an event of the machine.
  private var nextMoment: Duration? {
    let now = machine.time.now
    var next = earliest(executor.nextLoss, earliest(faults.first?.at, joining.min()))
    for (index, link) in links.enumerated() where !link.session.hasEnded {
      if isStopped(index) {
        let kill = link.session.leaseEnd + WorkerLease.supervisorTime
        next = earliest(next, min(link.stoppedUntil, max(kill, now)))
      } else {
        next = earliest(next, link.session.nextMoment)
        if link.session.isLingering { next = earliest(next, now + Self.lookInterval) }
      }
    }
    return next
  }

  /// Lets everything happen that is due, and carries messages in both directions until there are no more.
  ///
  /// - Returns: What the loop learns from it.
  func exchange() -> [HostEvent] {
    let now = machine.time.now
    var outputs: Set<TaskID> = []
    var hasExits = false
    while let (_, number, fault) = faults.first, faults[0].at <= now {
      faults.removeFirst()
      begin(fault, number % links.count, at: now)
    }
    for worker in executor.overdue(at: now) {
      hasExits = true
      lose(worker, at: now)
    }
    while let moment = joining.first, moment <= now {
      joining.removeFirst()
      if !executor.isEnding { join() }
      hasExits = true
    }
    executor.expectsWorkers = !joining.isEmpty || links.contains { !$0.isOver && $0.fault != nil }
    for index in links.indices {
      do throws(MessageError) {
        try exchange(index, at: now, &outputs, &hasExits)
      } catch {
        violations.append("\(error)")
      }
    }
    hasExits = hasExits || executor.hasExits
    return outputs.sorted().map { .output($0) } + (hasExits ? [.exits] : [])
  }

  /// Carries the messages of one connection.
  private func exchange(
    _ index: Int, at now: Duration, _ outputs: inout Set<TaskID>, _ hasExits: inout Bool
  ) throws(MessageError) {
    let worker = links[index].worker
    repeat {
      links[index].arriving.requests += executor.takePending(for: worker)
      if case .cut = links[index].fault { links[index].arriving.requests = [] }
      if !isStopped(index) {
        let requests = links[index].arriving.requests
        links[index].arriving.requests = []
        for bytes in pieces(requests) {
          links[index].requests.append(bytes)
          while let message = try links[index].requests.next() {
            // As the worker's loop has it.
            let request = try WorkerRequest(message)
            if case .start = request, now >= links[index].session.leaseEnd || links[index].isOver {
              continue
            }
            try links[index].session.receive(request)
          }
        }
        if now >= links[index].session.leaseEnd { links[index].session.abandon(at: now) }
        links[index].session.turn(at: now)
        links[index].arriving.replies += links[index].session.pending
        links[index].session.pending = []
      } else if now >= links[index].session.leaseEnd + WorkerLease.supervisorTime {
        // The supervisor, which is not stopped, kills the worker and all that it has started.
        links[index].stoppedUntil = .zero
        links[index].session.abandon(at: now - .seconds(6))
      }
      switch links[index].fault {
      case .cut, .deaf: links[index].arriving.replies = []
      case .closed:
        links[index].arriving.replies = []
        if links[index].session.hasEnded, !links[index].isOver {
          lose(worker, at: now)
          hasExits = true
        }
      case .silent:
        links[index].arriving.replies = try Self.heartbeats(in: links[index].arriving.replies)
      case .stopped, nil: break
      }
      let replies = links[index].arriving.replies
      links[index].arriving.replies = []
      if links[index].isOver { continue }
      for bytes in pieces(replies) {
        let news = try executor.receive(bytes, from: worker, at: now)
        outputs.formUnion(news.outputs)
        hasExits = hasExits || news.hasExits
      }
      if executor.hasEnded(worker), !executor.isEnding { lose(worker, at: now) }
    } while !links[index].session.pending.isEmpty
  }

  /// The heartbeats of what a worker has sent.
  private static func heartbeats(in bytes: [UInt8]) throws(MessageError) -> [UInt8] {
    var stream = MessageStream()
    stream.append(bytes[...])
    var heartbeats: [UInt8] = []
    while let message = try stream.next() {
      let reply = try WorkerReply(message)
      if case .heartbeat = reply { reply.write(to: &heartbeats) }
    }
    return heartbeats
  }

  private func begin(_ fault: Fault, _ index: Int, at now: Duration) {
    guard links[index].fault == nil, !links[index].session.hasEnded else { return }
    links[index].fault = fault
    switch fault {
    case .cut, .deaf, .silent: break
    case .closed:
      executor.disconnect(links[index].worker)
      links[index].session.abandon(at: now)
    case .stopped(let time):
      links[index].stoppedUntil = now + time
      links[index].fault = nil
    }
  }

  /// Gives up a worker, and lets another one come.
  private func lose(_ worker: Int, at now: Duration) {
    executor.lose(worker)
    guard let index = links.firstIndex(where: { $0.worker == worker }), !links[index].isOver else {
      return
    }
    links[index].isOver = true
    let alive = links[index].session.attempts.filter { machine.isAlive($0) }
    if !alive.isEmpty {
      violations.append("\(alive) alive at \(now), after the loss of their worker")
    }
    joining.append(now + .seconds(2))
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

/// One of several executors of a virtual machine, which knows only its own attempts.
private final class SharedMachine: Executor {
  /// The exits that nobody has taken.
  final class Exits {
    var list: [AttemptExit] = []

    func collect(from machine: VirtualMachine) {
      while let exit = machine.nextExit() { list.append(exit) }
    }
  }

  private let machine: VirtualMachine
  private let exits: Exits
  private var own: Set<Attempt> = []

  init(_ machine: VirtualMachine, _ exits: Exits) {
    self.machine = machine
    self.exits = exits
  }

  func start(_ attempt: Attempt, _ request: AttemptRequest) throws(StartError) {
    try machine.start(attempt, request)
    own.insert(attempt)
  }

  func signal(_ attempt: Attempt, _ signal: AttemptSignal) { machine.signal(attempt, signal) }

  func nextExit() -> AttemptExit? {
    exits.collect(from: machine)
    guard let index = exits.list.firstIndex(where: { own.contains($0.attempt) }) else { return nil }
    return exits.list.remove(at: index)
  }

  func watchOutput(of attempt: Attempt) -> Bool { machine.watchOutput(of: attempt) }

  func readOutput(
    of attempt: Attempt, reads: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Bool { unsafe machine.readOutput(of: attempt, reads: reads, take) }

  func hasLeftovers(_ attempt: Attempt) -> Bool { machine.hasLeftovers(attempt) }

  func leftovers(of attempt: Attempt) -> [String] { machine.leftovers(of: attempt) }

  func release(_ attempt: Attempt, keepsProcesses: Bool) {
    own.remove(attempt)
    machine.release(attempt, keepsProcesses: keepsProcesses)
  }

  func strays() -> [Stray] { machine.strays() }

  func signal(_ stray: Stray, _ signal: AttemptSignal) { machine.signal(stray, signal) }
}
