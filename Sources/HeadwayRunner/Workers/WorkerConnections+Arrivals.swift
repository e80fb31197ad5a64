// What arrives from workers and from the programs that connect to them.

internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

extension WorkerConnections {
  /// How often is read what a program has sent that has ended.
  private static let mostLastReads = 64

  /// Handles what has happened to a connection.
  ///
  /// - Returns: What the run loop has to know of it.
  func receive(_ token: UInt64) -> [HostEvent] {
    let events = handle(token)
    // The run loop acts on the events at once, and must know whether a machine that was lost may come back.
    updateExpectation()
    return events
  }

  private func handle(_ token: UInt64) -> [HostEvent] {
    if token == Self.queueToken { return receiveQueue() ? [.exits] : [] }
    if submitted?.contains(token: token) == true {
      for event in submitted?.handle(token, in: poller, &retired) ?? [] { handle(event) }
      return [.exits]
    }
    if copies.contains(token: token) {
      // Before the next wait, `send` looks whether it has ended.
      copies.receive(token, in: poller)
      return []
    }
    if reports.contains(token: token) {
      reports.handle(token, for: executor, in: poller)
      return []
    }
    if token >= Self.firstExitToken { return noteExit(Int(token - Self.firstExitToken)) }
    if token >= Self.firstErrorToken {
      return readErrors(Int(token - Self.firstErrorToken)) ? [.exits] : []
    }
    return readMessages(Int(token - Self.firstToken))
  }

  /// Handles what has come over a connection, or its end.
  private func readMessages(_ index: Int) -> [HostEvent] {
    guard let link = connections[index].link, link.socket >= 0 else { return [] }
    if connections[index].isWaitingForRoom { send([], to: index) }
    guard let bytes = link.receive() else {
      lose(index)
      return [.exits]
    }
    if bytes.isEmpty { return [] }
    do throws(MessageError) {
      guard let worker = connections[index].worker else {
        try prepare(index, bytes)
        return connections[index].stage == .ready ? [.exits] : []
      }
      let news = try executor.receive(bytes[...], from: worker, at: MonotonicTime.continuous)
      reports.carryReports(of: executor, in: poller)
      connections[index].hasSaidEnd = executor.hasEnded(worker)
      if executor.hasEnded(worker), !executor.isEnding {
        if !executor.wasAsked(worker) { warn(index, "was ended from outside the run") }
        retry(index)
      }
      return news.outputs.map { .output($0) } + (news.hasExits ? [.exits] : [])
    } catch {
      if connections[index].worker == nil {
        connections[index].errors = Array(error.description.utf8)
      }
      lose(index, error.description)
      return [.exits]
    }
  }

  /// Handles the end of the program of a connection, although something that it has left may hold its streams: the master of later
  /// connections of `ssh`, for example.
  private func noteExit(_ index: Int) -> [HostEvent] {
    guard let link = connections[index].link, link.hasExited else { return [] }
    poller.remove(link.exit)
    connections[index].link?.endExit()
    var events: [HostEvent] = []
    // What it has sent comes first.
    for _ in 0..<Self.mostLastReads where connections[index].link?.hasArrived == true {
      events += readMessages(index)
    }
    guard let socket = connections[index].link?.socket, socket >= 0 else { return events }
    lose(index)
    return events + [.exits]
  }

  /// Keeps what has come from standard error, and looks for the last words of a supervisor.
  ///
  /// - Returns: Whether attempts of an unreachable worker are known to have ended.
  @discardableResult
  func readErrors(_ index: Int) -> Bool {
    if let link = connections[index].link, link.errors >= 0 {
      if let bytes = link.receiveErrors() {
        connections[index].errors = (connections[index].errors + bytes).suffix(Self.mostErrors)
      } else {
        poller.remove(link.errors)
        connections[index].link?.endErrors()
      }
    }
    readOutput(index)
    // They may have come before the end of the connection was noticed.
    guard connections[index].stage == .unreachable, let worker = connections[index].worker,
      lines(connections[index].errors).contains(where: { $0 == Supervisor.nothingLeft })
    else { return false }
    executor.lose(worker)
    retry(index)
    return true
  }

  /// Handles what a worker says before it takes part in the run.
  private func prepare(_ index: Int, _ bytes: [UInt8]) throws(MessageError) {
    if connections[index].stage == .connecting {
      guard try greet(index, bytes) else { return }
    } else {
      connections[index].stream.append(bytes[...])
    }
    guard let message = try connections[index].stream.next() else { return }
    switch try WorkerReply(message) {
    case .begun(let folder):
      let place = connections[index].place
      connections[index].stage = .ready
      connections[index].moment = nil
      connections[index].failures = 0
      if connections[index].needs != nil { taskJobs?.noteSuccess() }
      if let former = connections[index].former.take() { executor.lose(former) }
      connections[index].worker = executor.addWorker(
        on: connections[index].host ?? place.host, resources(of: index),
        at: MonotonicTime.continuous, copiesFiles: folder != nil,
        own: connections[index].needs,
        stream: connections[index].stream)
      if place.isForServices { executor.serviceWorker = connections[index].worker }
      connections[index].stream = MessageStream()
      if let folder { copies.setFolder(folder, of: place.host, place: index) }
      // Its first heartbeat has most often come with it.
      if let worker = connections[index].worker {
        _ = try executor.receive([], from: worker, at: MonotonicTime.continuous)
      }
    case .refused(let reason): throw MessageError(description: reason)
    default: throw MessageError(description: "it speaks before it is asked")
    }
  }

  /// Looks for the greeting of a worker, and then tells it about the run.
  ///
  /// - Returns: Whether it has come.
  private func greet(_ index: Int, _ bytes: [UInt8]) throws(MessageError) -> Bool {
    connections[index].noise += bytes
    let noise = connections[index].noise
    if !connections[index].wasCopied, let line = Self.start(of: WorkerProgram.mark, in: noise) {
      connections[index].noise = Array(noise[..<line])
      try copyProgram(to: index)
      return false
    }
    guard noise.count <= Self.mostNoise else {
      throw MessageError(description: "it says something else than a worker")
    }
    guard let start = Self.start(of: WorkerGreeting.mark, in: noise),
      noise[start...].contains(UInt8(ascii: "\n"))
    else { return false }
    connections[index].noise = []
    connections[index].stream.append(noise[start...])
    guard let message = try connections[index].stream.next() else { return false }
    let greeting = try WorkerGreeting(message)
    guard greeting.version == WorkerGreeting.version else {
      throw MessageError(description: "its headway has another version than this one")
    }
    connections[index].has = Resources(
      cpus: greeting.cores, memory: greeting.memory, gpus: greeting.gpus)
    connections[index].host = greeting.host.isEmpty ? nil : greeting.host
    connections[index].stage = .beginning
    connections[index].moment =
      MonotonicTime.continuous + setup.patience + WorkerLease.endingTime * 2
    var begin: [UInt8] = []
    var setup = setup
    if connections[index].place.isForServices {
      setup.identity = RunWork.identityOfServices(in: setup.identity)
    }
    if connections[index].former != nil { setup.earlier.append(setup.identity) }
    setup.copiesFiles = connections[index].place.offer?.copiesFiles ?? false
    setup.cache = connections[index].place.offer?.folder
    setup.isForServices = connections[index].place.isForServices
    WorkerRequest.begin(setup).write(to: &begin)
    send(begin, to: index)
    return true
  }

  /// Sends this program to a machine that does not have it.
  private func copyProgram(to index: Int) throws(MessageError) {
    connections[index].wasCopied = true
    guard let bytes = WorkerProgram.bytes(environment) else {
      throw MessageError(
        description: "it has no headway of this version, and this one cannot be read")
    }
    connections[index].moment = MonotonicTime.continuous + Self.copyTimeout
    send(bytes, to: index)
  }

  /// Where a line begins with some bytes.
  private static func start(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
    var line = 0
    while line + mark.count <= bytes.count {
      if bytes[line...].starts(with: mark) { return line }
      guard let end = bytes[line...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      line = end + 1
    }
    return nil
  }

  /// Why a connection has ended: the last line that its program, or what that started, has printed.
  func lastWords(_ index: Int) -> String {
    if let bytes = connections[index].link?.receiveErrors() { connections[index].errors += bytes }
    readOutput(index)
    for printed in [connections[index].errors, connections[index].noise] {
      let said = lines(printed).filter { $0 != Supervisor.nothingLeft }
      if let last = said.last { return last }
    }
    return "\(connections[index].place.arguments.first ?? "its connection") has ended"
  }

  private func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0) }
  }
}
