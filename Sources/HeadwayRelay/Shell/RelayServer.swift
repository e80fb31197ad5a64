#if os(Linux)
  internal import HeadwayLibc
  internal import HeadwayProgress
  internal import HeadwayRun
  internal import HeadwaySystem
  internal import HeadwayTime

  /// The socket of this process and its watchers; belongs to the thread of a ``RelayLoop``.
  final class RelayServer {
    /// A connection of a watcher.
    private struct Connection {
      let socket: RelaySocket
      let token: UInt64
      var isRead = true
      /// Whether the rest of a buffer waits for room.
      var isFull = false

      var interest: Poller.Interest {
        var interest: Poller.Interest = isRead ? .read : []
        if isFull { interest.insert(.write) }
        return interest
      }
    }

    /// A socket that others can connect to.
    private struct Listener {
      let socket: RelaySocket
      let directory: RuntimeDirectory
      let name: String
      var token: UInt64?
    }

    /// The connection to the process that shows the work of this one.
    private enum Parent {
      /// It was offered the work.
      case asked(RelaySocket, token: UInt64, WatcherBox)
      /// It watches the work, as the only one.
      case watching(PublisherCore.Peer)
      /// It shows the work as part of that of a program in between, which gets it through `zigOutput`.
      case hidden
    }

    /// A core that can be part of an enumeration.
    private final class WatcherBox {
      var core = WatcherCore()
    }

    unowned let thread: RelayThread
    private var core: PublisherCore
    private var spare = SpareDescriptor()
    private var listener: Listener?
    private var connections: [PublisherCore.Peer: Connection] = [:]
    private var lastPeer = 0
    private var published: [PublicationID: Published] = [:]
    /// The shares that other programs report for, by token, with the numbers of their clients.
    private var shares: [String: (share: OpenShare, client: Int)] = [:]
    /// Shares that are opened when a program reports for one, by the beginning of their tokens.
    private var groups: [Substring: ProcessShares] = [:]
    /// The pipes of programs that report as those written in Zig do, with their tokens.
    var zigInputs: [Int: (input: ZigInput, token: UInt64)] = [:]
    var lastZigInput = 0
    /// The pipe to a process that shows the work of this one as Zig does.
    private var zigOutput: ZigOutput?
    /// The process that shows the work of this one, once it was asked.
    private var parent: Parent?
    /// Whether it was looked for.
    private var hasSoughtParent = false
    /// What was reported, so that a hostile process cannot make anybody read the same sentence again and again.
    private var reported: Set<RelayError> = []

    /// A watcher that never connects.
    private static let nobody = PublisherCore.Peer(0)
    /// The most different problems that are reported.
    private static let reportLimit = 64
    /// The most connections that are accepted at a time.
    private static let acceptLimit = 64
    /// How long connections wait when the process has no descriptor for them.
    private static let acceptPause: Duration = .milliseconds(100)
    /// How long the process that shows the work of this one may take to answer.
    private static let parentLimit: Duration = .seconds(1)
    /// How often a tree that reports no changes is read while it is watched.
    private static let pollInterval: Duration = .milliseconds(100)
    /// How long answers wait for such a tree, which may wait for a program that does not go on.
    private static let pollLimit: Duration = .seconds(1)
    /// The number of copies of such trees so far.
    private var copyCount = 0

    /// Creates a server that publishes nothing.
    init(thread: RelayThread) {
      self.thread = thread
      var limit = rlimit()
      let hasLimit =
        unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0
      let descriptors = hasLimit ? Int(clamping: limit.rlim_cur) : 1_024
      core = PublisherCore(
        program: programName(), pid: getpid(), watcherLimit: max(descriptors / 2, 1),
        processorTime: { SystemThread.processorTime })
    }

    /// Whether nothing is published and nobody has to be told of an end.
    var isOver: Bool {
      core.isOver && shares.isEmpty && groups.isEmpty && zigInputs.isEmpty
        && !(zigOutput?.hasUnsent ?? false)
    }

    /// Whether watchers have not got everything that is to be sent.
    var hasUnsent: Bool { core.hasUnsent }

    /// When to call ``settle()`` if nothing happens before.
    var nextDeadline: Duration? {
      guard let own = zigOutput?.nextDeadline else { return core.nextDeadline }
      return core.nextDeadline.map { min($0, own) } ?? own
    }

    // MARK: What is published

    /// Publishes a tree; the socket is created with the first one.
    func publish(_ new: Published) {
      do throws(RelayError) {
        if !hasSoughtParent {
          hasSoughtParent = true
          seekParent()
        }
        if parent == nil, listener == nil { try listen() }
        try core.publish(
          new.id, kind: new.kind, name: new.name, path: new.path, accepts: new.accepts,
          now: MonotonicTime.now)
        published[new.id] = new
        if let zigOutput, let source = new.zigSource {
          zigOutput.add(new.id, source)
          new.isWatched = true
        }
      } catch {
        new.fail(error)
      }
    }

    /// Creates the socket.
    private func listen() throws(RelayError) {
      let directory = try RuntimeDirectory.first(of: RuntimeDirectory.places)
      directory.removeLeftovers()
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      guard let token = thread.add(socket.descriptor, .listener) else {
        let error = errno
        directory.remove(name)
        throw .system("cannot wait for watchers", reason: errorDescription(error))
      }
      listener = Listener(socket: socket, directory: directory, name: name, token: token)
    }

    /// Ends a publication.
    func unpublish(_ id: PublicationID, _ reason: PublicationEnd) {
      guard let entry = published.removeValue(forKey: id) else { return }
      entry.observer.disarm()
      let final = reason == .finished ? entry.observer.final : nil
      let hasFailed = reason == .finished && entry.hasFailed
      core.unpublish(id, hasFailed ? .failed : reason, final: final, now: MonotonicTime.now)
      zigOutput?.end(id, last: final)
      entry.isWatched = false
    }

    /// Notes that a tree has changed.
    func changed(_ id: PublicationID) { core.changed(id, now: MonotonicTime.now) }

    /// Notes that a tree has changed that is shown as Zig does.
    func zigChanged(_ id: PublicationID) { zigOutput?.changed(id) }

    /// Takes the snapshot of a tree that another thread has read.
    func copied(_ id: PublicationID, _ snapshot: ProgressSnapshot?) {
      guard let entry = published[id], entry.hasRead() else { return }
      if entry.awaited != nil {
        entry.awaited = nil
        core.copied(id, snapshot, now: MonotonicTime.now)
      } else {
        entry.polled = snapshot
        changed(id)
      }
    }

    /// Passes on a forecast.
    func forecast(_ forecast: RunForecast, of id: PublicationID) {
      core.forecast(forecast, of: id, now: MonotonicTime.now)
    }

    /// Lets the next frame be sent at once, whenever the last one was.
    func hurry() { core.hurry() }

    // MARK: Shares of this process

    /// Lets other programs report for a share.
    func open(_ share: OpenShare) {
      let address = address()
      if address != nil { add(share) }
      share.set(address: address)
    }

    /// Lets other programs report for shares that are opened later.
    func open(_ group: ProcessShares) {
      let address = address()
      if address != nil { groups[group.root.token[...]] = group }
      group.root.set(address: address)
    }

    /// The path of the socket, which is created if necessary; nil if that fails.
    private func address() -> String? {
      if listener == nil {
        do throws(RelayError) {
          try listen()
        } catch {
          report(error)
        }
      }
      return listener.map { "\($0.directory.path)/\($0.name)" }
    }

    private func add(_ share: OpenShare) {
      let number = SubscriptionHolder.makeNumber()
      shares[share.token] = (share, number)
      thread.add(RelayClient(share, number: number, thread: thread), number: number)
    }

    /// Ends a share, or a group of them.
    func closeShare(_ token: String) {
      closeZigInputs(of: token)
      if let (_, client) = shares.removeValue(forKey: token) { thread.removeClient(client) }
      guard groups.removeValue(forKey: token[...]) != nil else { return }
      for share in Array(shares.keys) + zigInputs.values.map(\.input.share)
      where share.hasPrefix("\(token).") {
        closeShare(share)
      }
    }

    /// The share with a token; one of a group is opened now.
    private func share(_ token: String) -> (share: OpenShare, client: Int)? {
      if let share = shares[token] { return share }
      guard let dot = token.lastIndex(of: "."), let group = groups[token[..<dot]],
        let number = Int(token[token.index(after: dot)...]), number >= 0,
        let node = group.node(number)
      else { return nil }
      add(OpenShare(node, token: token, masked: group.masked, isTask: true))
      return shares[token]
    }

    private func carryOut(_ request: PublisherCore.ShareRequest) {
      let now = MonotonicTime.now
      guard let (share, client) = share(request.share) else {
        let refusal = RelayRefusal(.unknownShare, "there is no such share any more")
        core.answered(request, refusal, now: now)
        return
      }
      switch request.body {
      case .tell(let told):
        share.note(told)
        core.answered(request, nil, now: now)
      case .offer:
        guard let bytes = core.handOver(request, now: now),
          let connection = connections.removeValue(forKey: request.peer)
        else { return }
        thread.remove(connection.socket.descriptor, connection.token)
        guard connection.socket.send(bytes) == .done(bytes.count) else { return }
        thread.client(client)?.adopt(connection.socket)
      }
    }

    // MARK: The process that shows the work of this one

    /// Asks the process that has started this one, if it shows the work of its programs.
    ///
    /// The pipe of a program written in Zig comes first: what `HEADWAY_PROGRESS` names is then further away, and shows the
    /// work as part of that program's.
    private func seekParent() {
      let share = environmentValue(OpenShare.variable).flatMap { ParentShare($0) }
      let output = ZigOutput(at: MonotonicTime.now)
      guard let share else {
        zigOutput = output
        return
      }
      if let output, !output.isOwn { return hide(behind: output) }
      guard let socket = share.connect(), let token = thread.add(socket.descriptor, .parent) else {
        // Such as from a container, in which there is no socket.
        if let output { hide(behind: output) }
        return
      }
      let box = WatcherBox()
      parent = .asked(socket, token: token, box)
      // Until it has answered, nobody sees the work, which would be shown twice.
      core.restrict(to: Self.nobody, now: MonotonicTime.now)
      box.core.request(.offer(share: share.token))
      settleParent()
      // It may be stopped; then others can see the work.
      thread.call(after: Self.parentLimit) { [weak self] in
        guard let self, case .asked(_, token, _) = self.parent else { return }
        self.loseParent()
      }
    }

    /// Shows the work through a pipe only.
    private func hide(behind output: ZigOutput) {
      zigOutput = output
      parent = .hidden
      core.restrict(to: Self.nobody, now: MonotonicTime.now)
    }

    /// Takes what the other process has answered.
    func parentIsReadable() {
      guard case .asked(let socket, _, let box) = parent else { return }
      var bytes: [UInt8] = []
      switch socket.receive(into: &bytes) {
      case .done: box.core.received(bytes[...])
      case .wouldBlock: return
      case .ended, .failed:
        loseParent()
        return
      }
      settleParent()
    }

    private func settleParent() {
      while case .asked(let socket, let token, let box) = parent,
        let action = box.core.nextAction()
      {
        switch action {
        case .send(let bytes):
          guard socket.send(bytes) == .done(bytes.count) else { return loseParent() }
          box.core.sent(bytes.count)
        case .answered(_, _, nil):
          lastPeer += 1
          let peer = PublisherCore.Peer(lastPeer)
          parent = .watching(peer)
          thread.retarget(token, .watcher(peer))
          connections[peer] = Connection(socket: socket, token: token)
          core.restrict(to: peer, now: MonotonicTime.now)
          core.connected(peer, now: MonotonicTime.now)
        case .answered, .close: loseParent()
        case .began, .changed, .forecast, .ended: break
        }
      }
    }

    /// Publishes the work as its own, because no other process shows it.
    private func loseParent() {
      if case .asked(let socket, let token, _) = parent { thread.remove(socket.descriptor, token) }
      parent = nil
      do throws(RelayError) {
        if listener == nil, !published.isEmpty { try listen() }
      } catch {
        for entry in published.values { entry.fail(error) }
      }
      core.restrict(to: nil, now: MonotonicTime.now)
    }

    // MARK: Watchers

    /// Accepts those who wait.
    func accept() {
      guard let listener else { return }
      for _ in 0..<Self.acceptLimit {
        switch listener.socket.accept() {
        case .accepted(let socket):
          lastPeer += 1
          let peer = PublisherCore.Peer(lastPeer)
          guard let token = thread.add(socket.descriptor, .watcher(peer)) else { continue }
          connections[peer] = Connection(socket: socket, token: token)
          core.connected(peer, now: MonotonicTime.now)
          // In between, so that one that is refused is closed before the next one is accepted.
          settle()
        case .otherUser(let user):
          report(.otherUser(path: "a program that connected to \(listener.name)", uid: user))
        case .none: return
        case .noDescriptor:
          report(
            .system("a watcher was not accepted", reason: "the limit on open files is reached"))
          if !spare.refuseConnection(to: listener.socket) {
            pauseAccepting()
            return
          }
        case .failed(let error):
          report(.system("cannot accept watchers", reason: errorDescription(error)))
          pauseAccepting()
          return
        }
      }
    }

    /// Does not accept for a while.
    private func pauseAccepting() {
      guard let listener, let token = listener.token else { return }
      thread.remove(listener.socket.descriptor, token)
      self.listener?.token = nil
      thread.call(after: Self.acceptPause) { [weak self] in
        guard let self, let listener = self.listener, listener.token == nil else { return }
        self.listener?.token = self.thread.add(listener.socket.descriptor, .listener)
      }
    }

    /// Takes in what has become possible on a connection.
    func ready(_ peer: PublisherCore.Peer, isReadable: Bool, isWritable: Bool) {
      guard let connection = connections[peer] else { return }
      if isWritable, connection.isFull { core.writable(peer, now: MonotonicTime.now) }
      if isReadable {
        var bytes: [UInt8] = []
        switch connection.socket.receive(into: &bytes) {
        case .done: core.received(bytes[...], from: peer, now: MonotonicTime.now)
        case .wouldBlock: break
        case .ended, .failed: drop(peer)
        }
      }
      settle()
    }

    /// Forgets a connection that has ended.
    private func drop(_ peer: PublisherCore.Peer) {
      core.closed(peer, now: MonotonicTime.now)
      close(peer)
    }

    private func close(_ peer: PublisherCore.Peer) {
      guard let connection = connections.removeValue(forKey: peer) else { return }
      thread.remove(connection.socket.descriptor, connection.token)
      if case .watching(peer) = parent { loseParent() }
    }

    // MARK: What the core decides

    /// Does what is due, after everything that has happened was taken in.
    func advance() {
      core.advance(to: MonotonicTime.now)
      settle()
      guard let zigOutput, !zigOutput.advance(to: MonotonicTime.now) else { return }
      self.zigOutput = nil
      for (id, entry) in published { entry.isWatched = core.watcherCount(of: id) > 0 }
      if case .hidden = parent { loseParent() }
    }

    /// Does all that can be done without waiting.
    private func settle() {
      while let action = core.nextAction() { perform(action) }
      for id in core.takeWatchChanges() {
        published[id]?.isWatched = core.watcherCount(of: id) > 0 || zigOutput != nil
      }
    }

    private func perform(_ action: PublisherCore.Action) {
      switch action {
      case .send(let peer, let bytes): send(bytes, to: peer)
      case .read(let peer, let isRead):
        connections[peer]?.isRead = isRead
        watch(peer)
      case .close(let peer, let error):
        close(peer)
        if let error { report(error) }
      case .arm(let id): arm(id)
      case .disarm(let id): published[id]?.observer.disarm()
      case .copy(let id): copy(id)
      case .carryOut(let command): carryOut(command)
      case .control(let control): pass(control)
      case .share(let request): carryOut(request)
      }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to peer: PublisherCore.Peer) {
      guard let connection = connections[peer] else { return }
      var count = 0
      switch connection.socket.send(bytes) {
      case .done(let sent): count = sent
      case .wouldBlock: break
      case .ended, .failed:
        drop(peer)
        return
      }
      core.sent(count, to: peer, now: MonotonicTime.now)
      let isFull = count < bytes.count
      guard isFull != connection.isFull else { return }
      connections[peer]?.isFull = isFull
      watch(peer)
    }

    /// Watches a connection for what is of interest now.
    private func watch(_ peer: PublisherCore.Peer) {
      guard let connection = connections[peer] else { return }
      thread.change(
        connection.socket.descriptor, connection.token, interest: connection.interest)
    }

    /// Waits for the next change of a tree.
    private func arm(_ id: PublicationID) {
      guard let entry = published[id] else { return }
      if entry.observer.isPolled {
        thread.call(after: Self.pollInterval) { entry.readLater() }
      } else if entry.observer.arm() {
        core.changed(id, now: MonotonicTime.now)
      }
    }

    private func copy(_ id: PublicationID) {
      guard let entry = published[id] else {
        core.copied(id, nil, now: MonotonicTime.now)
        return
      }
      if entry.observer.final != nil { return unpublish(id, .finished) }
      if entry.observer.isPolled, entry.polled == nil { return copyLater(entry) }
      let snapshot = entry.polled ?? entry.observer.snapshot(limit: RelayLimits.nodes)
      entry.polled = nil
      core.copied(id, snapshot, now: MonotonicTime.now)
    }

    /// Reads a tree that has to be polled.
    private func copyLater(_ entry: Published) {
      copyCount += 1
      let copy = copyCount
      entry.awaited = copy
      entry.readLater()
      thread.call(after: Self.pollLimit) { [weak self] in
        guard let self, entry.awaited == copy else { return }
        entry.awaited = nil
        self.core.copied(entry.id, nil, now: MonotonicTime.now)
      }
    }

    /// Passes a request on that only a run knows.
    private func pass(_ control: PublisherCore.Control) {
      guard let requests = published[control.reply.publication]?.requests else {
        let refusal = RelayRefusal(.refused, "this work cannot be controlled")
        return core.carriedOut(control.reply, refusal, now: MonotonicTime.now)
      }
      guard let request = RunRequest(control.request) else {
        let reason = "a run has no action '\(control.request.action)' of that kind"
        let refusal = RelayRefusal(.unknownRequest, reason)
        return core.carriedOut(control.reply, refusal, now: MonotonicTime.now)
      }
      ask(request, requests, control.reply)
    }

    /// Asks a run, which answers when it can.
    private func ask(
      _ request: RunRequest, _ requests: RequestQueue, _ reply: PublisherCore.Reply
    ) {
      requests.ask(request) { reason in
        RelayLoop.shared.post(.answer(reply, reason.map { RelayRefusal(.refused, $0) }))
      }
    }

    /// Answers a request that a run has carried out, or refused.
    func answer(_ reply: PublisherCore.Reply, _ refusal: RelayRefusal?) {
      core.carriedOut(reply, refusal, now: MonotonicTime.now)
      settle()
    }

    private func carryOut(_ command: PublisherCore.Command) {
      let id = command.reply.publication
      let entry = published[id]
      if let entry, let requests = entry.requests, entry.observer.isFirst(command.node) {
        // The run does it, and its tree shows it afterwards.
        return ask(RunRequest(command.request), requests, command.reply)
      }
      let result = entry?.observer.carryOut(command.request, onNode: command.node) ?? .finished
      // It was read before.
      entry?.polled = nil
      let refusal: RelayRefusal? =
        switch result {
        case .done: nil
        case .unknownNode:
          RelayRefusal(
            .unknownNode, "'\(id)' has no node \(command.node.map { String($0) } ?? "") any more")
        case .finished: RelayRefusal(.finished, "'\(id)' has ended")
        case .refused:
          RelayRefusal(
            .refused, "this work cannot be \(command.request == .cancel ? "cancelled" : "paused")")
        }
      core.carriedOut(command.reply, refusal, now: MonotonicTime.now)
    }

    /// Tells the program of a problem, once.
    func report(_ error: RelayError) {
      guard reported.count < Self.reportLimit, reported.insert(error).inserted else { return }
      for entry in published.values { entry.onProblem?(error) }
    }

    /// Closes all connections and removes the socket.
    func close() {
      parent = nil
      zigOutput = nil
      for peer in Array(connections.keys) { close(peer) }
      let open = Array(shares.keys) + groups.keys.map { String($0) }
      for token in open + zigInputs.values.map(\.input.share) { closeShare(token) }
      guard let listener else { return }
      listener.directory.remove(listener.name)
      if let token = listener.token { thread.remove(listener.socket.descriptor, token) }
      self.listener = nil
    }
  }

  /// The name of the program, for people.
  private func programName() -> String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map { String($0) } ?? "a program"
  }
#endif
