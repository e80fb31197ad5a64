#if os(Linux)
  internal import HeadwayProgress
  internal import HeadwayRun
  internal import HeadwaySystem

  /// The connections of one subscription; belongs to the thread of a ``RelayLoop``.
  final class RelayClient {
    /// A connection to a process that publishes.
    private final class Connection {
      /// The socket that it was found by, nil if the process has connected to this one.
      let name: SocketName?
      var isSubscribed = false
      /// Whether its socket was there when the subscription began.
      let isOld: Bool
      let socket: RelaySocket
      let socketToken: UInt64
      /// Tells when the process has ended, even if something else still has its socket.
      let process: ProcessWatch?
      let processToken: UInt64?
      var core = WatcherCore()
      var watched: [PublicationID: Watched] = [:]
      /// Those that have begun, and whose tree has not come.
      var waiting: [PublicationID: (info: PublicationInfo, isOld: Bool)] = [:]
      var questions: [Int: Question] = [:]
      /// The nodes of all that is watched.
      var nodeCount = 0
      /// Whether the rest of a buffer waits for room.
      var isFull = false
      var isClosed = false

      init(
        _ name: SocketName?, isOld: Bool, _ socket: RelaySocket, _ socketToken: UInt64,
        _ process: ProcessWatch?,
        _ processToken: UInt64?
      ) {
        (self.name, self.isOld) = (name, isOld)
        (self.socket, self.socketToken) = (socket, socketToken)
        (self.process, self.processToken) = (process, processToken)
      }
    }

    private unowned let thread: RelayThread
    /// The number of the subscription or the share.
    private let client: Int
    private let interest: Interest
    /// The only process that is connected to, nil for all.
    private let process: Int32?
    private let audience: any WatchAudience
    /// Takes what the processes send, nil if nobody wants it.
    private let onBytes: (@Sendable (_ connection: Int, ArraySlice<UInt8>) -> Void)?
    private var connections: [Int: Connection] = [:]
    private var numbers: [SocketName: Int] = [:]
    private var lastNumber = 0
    /// The nodes of all connections.
    private var nodeCount = 0
    /// The processes to which a connection is tried again.
    private var retried: Set<SocketName> = []
    /// The processes whose connection was closed because of what they, or their watchers, have sent.
    private var refused: Set<SocketName> = []
    private var isSearching = true
    /// Whether it is about the programs below a share.
    let isForShare: Bool
    /// The sockets that were there at the beginning, and have not told what they publish.
    private var unsettled: Set<SocketName> = []

    /// The most processes that a subscription follows.
    private static let connectionLimit = 4_096
    /// How long to wait before a connection is tried again that failed, or that the process has closed.
    private static let retryPause: Duration = .seconds(1)
    /// How long to wait for a process that has too many new connections.
    private static let busyPause: Duration = .milliseconds(20)

    /// Creates the connections of a subscription.
    init(_ subscriber: Subscriber, thread: RelayThread) {
      (client, interest, audience) = (subscriber.number, subscriber.interest, subscriber)
      process = subscriber.process
      onBytes = subscriber.onBytes
      self.thread = thread
      isForShare = false
    }

    /// Creates the connections of the programs below a share, which are not looked for.
    init(_ share: OpenShare, number: Int, thread: RelayThread) {
      (client, interest, audience) = (number, Interest(), share)
      process = nil
      onBytes = nil
      self.thread = thread
      isSearching = false
      isForShare = true
    }

    /// Connects to the processes that publish already.
    func begin(with sockets: [SocketName]) {
      let names = sockets.filter(isWanted)
      unsettled = Set(names)
      audience.wait(for: names.map(\.name))
      for name in names { connect(to: name) }
    }

    /// Does not look for further publications.
    func stopSearching() {
      isSearching = false
      audience.finish()
    }

    /// Tells of a problem.
    func report(_ error: RelayError) { audience.report(error) }

    // MARK: Connecting

    /// Whether the work of a process is wanted.
    private func isWanted(_ name: SocketName) -> Bool {
      process == nil || name.process == process
    }

    /// Connects to a process, unless there is a connection.
    func connect(to name: SocketName) {
      guard isSearching, isWanted(name), numbers[name] == nil, !refused.contains(name) else {
        return
      }
      guard connections.count < Self.connectionLimit else {
        report(.tooMany("publishing processes", limit: Self.connectionLimit))
        settle(name)
        return
      }
      let socket: RelaySocket
      do throws(RelaySocket.ConnectError) {
        socket = try RelaySocket.connect(in: name.directory, name: name.name)
      } catch {
        switch error {
        case .ended: settle(name)
        case .busy: connectAgain(to: name, after: Self.busyPause)
        case .failed(let problem):
          report(problem)
          settle(name)
          // The system may have room for it later.
          if case .system = problem { connectAgain(to: name, after: Self.retryPause) }
        }
        return
      }
      follow(name, socket)
    }

    /// Connects later, once for each process.
    private func connectAgain(to name: SocketName, after pause: Duration) {
      guard retried.insert(name).inserted else { return }
      thread.call(after: pause) { [weak self] in
        self?.retried.remove(name)
        self?.refused.remove(name)
        self?.connect(to: name)
      }
    }

    private func follow(_ name: SocketName?, _ socket: RelaySocket) {
      var process: ProcessWatch?
      do throws(ProcessWatch.Failure) {
        process = try ProcessWatch(peerOf: socket)
      } catch {
        // The system may not be able to tell; then the end of the connection does.
        if error == .ended {
          if let name {
            name.directory.remove(name.name)
            settle(name)
          }
          return
        }
      }
      lastNumber += 1
      let number = lastNumber
      guard
        let token = thread.add(
          socket.descriptor, .connection(client: client, number: number))
      else {
        report(.system("cannot wait for a publisher", reason: "the system has no room"))
        if let name { settle(name) }
        return
      }
      let processToken = process.flatMap {
        thread.add($0.descriptor, .process(client: client, number: number))
      }
      let connection = Connection(
        name, isOld: name.map { unsettled.contains($0) } ?? false, socket, token, process,
        processToken)
      connections[number] = connection
      if let name {
        numbers[name] = number
        subscribe(connection, number)
      }
    }

    /// Follows a process that has connected to this one; it greets first.
    func adopt(_ socket: RelaySocket) { follow(nil, socket) }

    private func subscribe(_ connection: Connection, _ number: Int) {
      connection.isSubscribed = true
      connection.core.request(.subscribe(interest))
      settle(connection, number)
    }

    /// Notes that a process has told what it publishes, or never will.
    private func settle(_ name: SocketName) {
      if unsettled.remove(name) != nil { audience.answered(name.name) }
    }

    // MARK: Following

    /// Takes in what has become possible on a connection.
    func ready(_ number: Int, isReadable: Bool, isWritable: Bool) {
      guard let connection = connections[number] else { return }
      if isWritable, connection.isFull { connection.core.writable() }
      if isReadable { receive(connection, number) }
      settle(connection, number)
    }

    /// Takes what a process has sent before its end.
    func processEnded(_ number: Int) {
      guard let connection = connections[number] else { return }
      while !connection.isClosed, receive(connection, number) {
        settle(connection, number)
      }
      end(connection, number, .died)
    }

    /// Receives what is there.
    ///
    /// - Returns: Whether there was something.
    @discardableResult
    private func receive(_ connection: Connection, _ number: Int) -> Bool {
      var bytes: [UInt8] = []
      switch connection.socket.receive(into: &bytes) {
      case .done:
        onBytes?(number, bytes[...])
        connection.core.received(bytes[...])
        return true
      case .wouldBlock: return false
      case .ended, .failed:
        end(connection, number, .died)
        return false
      }
    }

    /// Does all that can be done without waiting.
    private func settle(_ connection: Connection, _ number: Int) {
      while !connection.isClosed, let action = connection.core.nextAction() {
        perform(action, connection, number)
      }
      if !connection.isSubscribed, !connection.isClosed, connection.core.publisher != nil {
        subscribe(connection, number)
      }
    }

    private func perform(
      _ action: WatcherCore.Action, _ connection: Connection, _ number: Int
    ) {
      switch action {
      case .send(let bytes): send(bytes, connection, number)
      case .began(let info, _, let isOld):
        if interest.hasTrees {
          connection.waiting[info.id] = (info, isOld && connection.isOld)
        } else if let watched = watch(info, isOld: isOld && connection.isOld, connection, number) {
          audience.found(watched)
        }
      case .changed(let id, let isWhole, let change):
        apply(change, isWhole: isWhole, to: id, connection, number)
      case .forecast(let id, let forecast): connection.watched[id]?.set(forecast)
      case .ended(let id, let reason):
        connection.waiting[id] = nil
        if let watched = connection.watched.removeValue(forKey: id) {
          count(-watched.mirror.count, connection)
          audience.end(watched, WatchedEnd(reason))
        }
      case .answered(let request, let body, let refusal):
        answered(request, body, refusal, connection)
      case .close(let error):
        report(error)
        end(connection, number, .lost(error))
      }
    }

    /// Creates a publication that was told of; nil if it is not known whose it is.
    private func watch(
      _ info: PublicationInfo, isOld: Bool, _ connection: Connection, _ number: Int
    ) -> Watched? {
      guard let publisher = connection.core.publisher else { return nil }
      let watched = Watched(
        info, in: audience.makeRoot(), program: publisher.program, pid: publisher.pid,
        isOld: isOld, client: client, connection: number)
      connection.watched[info.id] = watched
      return watched
    }

    private func apply(
      _ change: TreeChange, isWhole: Bool, to id: PublicationID, _ connection: Connection,
      _ number: Int
    ) {
      let begun = connection.waiting.removeValue(forKey: id)
      if let begun { _ = watch(begun.info, isOld: begun.isOld, connection, number) }
      guard let watched = connection.watched[id] else { return }
      let before = watched.mirror.count
      let change = audience.shown(change)
      do throws(MirrorProblem) {
        if isWhole {
          try watched.mirror.replace(with: change)
        } else {
          try watched.mirror.apply(change)
        }
        count(watched.mirror.count - before, connection)
        let limit = RelayLimits.watchedNodes
        guard (isForShare ? nodeCount : connection.nodeCount) <= limit else {
          throw .tooManyNodes(limit: limit)
        }
      } catch {
        connection.core.refuse(id, error)
        return
      }
      if begun != nil { audience.found(watched) }
    }

    /// Counts nodes that have come or gone.
    private func count(_ change: Int, _ connection: Connection) {
      connection.nodeCount += change
      nodeCount += change
    }

    private func answered(
      _ request: Int, _ body: RelayRequest.Body, _ refusal: RelayRefusal?, _ connection: Connection
    ) {
      if case .subscribe = body, let name = connection.name { settle(name) }
      guard let question = connection.questions.removeValue(forKey: request) else { return }
      if case .node(let node, _) = question.body {
        connection.watched[question.publication]?.mirror.restore(node)
      }
      question.answer?(refusal.map { .refused($0) } ?? .granted)
    }

    private func send(_ bytes: ArraySlice<UInt8>, _ connection: Connection, _ number: Int) {
      var count = 0
      switch connection.socket.send(bytes) {
      case .done(let sent): count = sent
      case .wouldBlock: break
      case .ended, .failed:
        // What it has sent before may still be there to be received.
        return
      }
      connection.core.sent(count)
      let isFull = count < bytes.count
      guard isFull != connection.isFull else { return }
      connection.isFull = isFull
      thread.change(
        connection.socket.descriptor, connection.socketToken,
        interest: isFull ? [.read, .write] : .read)
    }

    // MARK: Requests

    /// Asks a publication for something.
    func ask(_ question: Question) {
      guard let connection = connections[question.connection], !connection.isClosed,
        connection.watched[question.publication] != nil
      else {
        question.answer?(.ended)
        return
      }
      let number: Int
      switch question.body {
      case .node(let node, let request):
        number = connection.core.request(.ask(request, question.publication, node: node))
      case .control(let request):
        number = connection.core.request(.control(request, question.publication))
      }
      connection.questions[number] = question
      settle(connection, question.connection)
    }

    // MARK: Ending

    /// Ends a connection and what was watched over it.
    private func end(_ connection: Connection, _ number: Int, _ reason: WatchedEnd) {
      guard !connection.isClosed else { return }
      // What was received counts.
      settle(connection, number)
      guard !connection.isClosed else { return }
      connection.isClosed = true
      connections[number] = nil
      thread.remove(connection.socket.descriptor, connection.socketToken)
      if let process = connection.process, let token = connection.processToken {
        thread.remove(process.descriptor, token)
      }
      count(-connection.nodeCount, connection)
      for watched in connection.watched.values { audience.end(watched, reason) }
      for question in connection.questions.values { question.answer?(.ended) }
      connection.watched = [:]
      connection.questions = [:]
      if let name = connection.name {
        numbers[name] = nil
        settle(name)
        if case .lost(let error) = reason {
          refused.insert(name)
          // Such as a watcher that was stopped for a while. Other errors come again.
          if case .refused = error { connectAgain(to: name, after: Self.retryPause) }
        }
      }
    }

    /// Ends the subscription.
    func close() {
      for (number, connection) in connections { end(connection, number, .unwatched) }
      audience.finish()
    }
  }
#endif
