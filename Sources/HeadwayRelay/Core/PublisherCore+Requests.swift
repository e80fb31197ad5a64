internal import HeadwayCollections
internal import HeadwayProgress
internal import HeadwayRun

/// Reading and answering requests.
extension PublisherCore {
  /// Takes what a watcher has sent.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - peer: The connection; one that is forgotten is ignored.
  ///   - now: The time.
  /// - Complexity: O(bytes + publications for each subscription).
  package mutating func received(_ bytes: ArraySlice<UInt8>, from peer: Peer, now: Duration) {
    note(now)
    watchers[peer]?.input.append(bytes)
    readRequests(of: peer)
  }

  /// Notes that a request was carried out, or why not.
  ///
  /// Its answer follows what it has changed in the tree.
  ///
  /// - Parameters:
  ///   - reply: Where the answer goes.
  ///   - refusal: Why it was not done, nil if it was.
  ///   - now: The time.
  package mutating func carriedOut(_ reply: Reply, _ refusal: RelayRefusal?, now: Duration) {
    note(now)
    // Copied even if the observer has not told of a change, so that the answer cannot come before it.
    if refusal == nil { markChanged(reply.publication) }
    enqueueAnswer(reply.id, refusal, to: reply.peer)
  }

  /// Reads the requests that have arrived, as long as few wait for their answers.
  mutating func readRequests(of peer: Peer) {
    while let pending = watchers[peer]?.pending, pending < RelayLimits.pendingRequests {
      do {
        guard let line = try watchers[peer]?.input.next() else { break }
        read(line, of: peer)
      } catch {
        disconnect(peer, Self.invalid("a request has more than \(error.limit) bytes"))
      }
    }
    guard let watcher = watchers[peer] else { return }
    let isRead = watcher.pending < RelayLimits.pendingRequests
    if isRead != watcher.isRead {
      watchers[peer]?.isRead = isRead
      actions.append(.read(peer, isRead))
    }
  }

  /// Reads a request and answers it, unless the shell has to do it.
  private mutating func read(_ line: ArraySlice<UInt8>, of peer: Peer) {
    let request: RelayRequest
    do {
      request = try RelayRequest(line: line)
    } catch {
      let problem = (error as? DecodingError)?.words ?? "it cannot be read"
      // With a number it can be answered, and the watcher can go on.
      if let number = try? RequestNumber(line: line) {
        answer(number.id, RelayRefusal(.invalid, problem), to: peer)
      } else {
        disconnect(peer, Self.invalid(problem))
      }
      return
    }
    switch request.body {
    case .subscribe(let interest):
      answer(request.id, subscribe(peer, to: interest), to: peer)
    case .unsubscribe:
      unsubscribe(peer)
      answer(request.id, nil, to: peer)
    case .ask(let what, let id, let node):
      if let refusal = refusal(of: what == .cancel ? .cancel : .pause, id, to: peer) {
        answer(request.id, refusal, to: peer)
        return
      }
      watchers[peer]?.hasAsked = true
      watchers[peer]?.pending += 1
      actions.append(
        .carryOut(
          Command(
            reply: Reply(publication: id, peer: peer, id: request.id), node: node, request: what)))
    case .control(let control, let id):
      if let refusal = refusal(of: .control, id, to: peer) {
        answer(request.id, refusal, to: peer)
        return
      }
      watchers[peer]?.hasAsked = true
      watchers[peer]?.pending += 1
      actions.append(
        .control(
          Control(reply: Reply(publication: id, peer: peer, id: request.id), request: control)))
    case .offer(let share): pass(.offer, share, request.id, peer)
    case .tell(let share, let told): pass(.tell(told), share, request.id, peer)
    case .other(let name):
      let refusal = RelayRefusal(
        .unknownRequest, "this version of the protocol has no request '\(name)'")
      answer(request.id, refusal, to: peer)
    }
  }

  /// Passes a request about a share on to the shell.
  private mutating func pass(
    _ body: ShareRequest.Body, _ share: String, _ id: Int, _ peer: Peer
  ) {
    watchers[peer]?.hasAsked = true
    watchers[peer]?.pending += 1
    actions.append(.share(ShareRequest(share: share, body: body, peer: peer, id: id)))
  }

  /// Why a publication is not asked to do something, nil if it is.
  private func refusal(
    of request: AcceptedRequests, _ id: PublicationID, to peer: Peer
  ) -> RelayRefusal? {
    guard let publication = publications[id], isVisible(to: peer) else {
      return RelayRefusal(.unknownPublication, "there is no publication '\(id)'")
    }
    if publication.end != nil { return RelayRefusal(.finished, "'\(id)' has ended") }
    if publication.info.accepts.isSuperset(of: request) { return nil }
    let verb = request == .cancel ? "cancelled" : request == .pause ? "paused" : "controlled"
    return RelayRefusal(.refused, "'\(id)' cannot be \(verb) by another program")
  }

  /// Subscribes a connection to what matches.
  ///
  /// - Returns: Why not, nil if it is done.
  private mutating func subscribe(_ peer: Peer, to interest: Interest) -> RelayRefusal? {
    guard watchers[peer]?.interest == nil else {
      return RelayRefusal(.invalid, "this connection has a subscription; unsubscribe first")
    }
    guard isVisible(to: peer) else {
      watchers[peer]?.interest = interest
      return nil
    }
    if let id = interest.publication, publications[id]?.end != nil || publications[id] == nil {
      return RelayRefusal(.unknownPublication, "there is no publication '\(id)'")
    }
    watchers[peer]?.interest = interest
    let matches = publications.values.filter { $0.end == nil && interest.includes($0.info) }
    for publication in matches.sorted(by: { $0.number < $1.number }) {
      watch(publication.info.id, peer)
    }
    return nil
  }

  /// Ends the subscription of a connection, if it has one.
  private mutating func unsubscribe(_ peer: Peer) {
    guard let watcher = watchers[peer] else { return }
    for id in watcher.watches.keys { release(id, peer, hasTrees: watcher.hasTrees) }
    watchers[peer]?.interest = nil
    watchers[peer]?.watches = [:]
    watchers[peer]?.queue.removeAll { if case .publication = $0 { true } else { false } }
  }

  /// Answers a request that was just read.
  private mutating func answer(_ id: Int, _ refusal: RelayRefusal?, to peer: Peer) {
    watchers[peer]?.hasAsked = true
    watchers[peer]?.pending += 1
    enqueueAnswer(id, refusal, to: peer)
  }

  /// Puts the answer to a request behind what is to come before it.
  mutating func enqueueAnswer(_ id: Int, _ refusal: RelayRefusal?, to peer: Peer) {
    watchers[peer]?.queue.append(.answer(id, refusal))
    watchers[peer]?.isUrgent = true
    watchers[peer]?.isHeld = false
  }

  private static func invalid(_ reason: String) -> RelayError {
    .invalidLine(program: "a watcher", reason: reason)
  }
}
