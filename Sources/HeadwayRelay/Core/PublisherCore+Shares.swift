/// What programs that were started below a share of this process say.
extension PublisherCore {
  /// A request that only the shell can answer, because it is about a share.
  package struct ShareRequest: Hashable, Sendable {
    /// What is asked for.
    package enum Body: Hashable, Sendable {
      /// To show the work of the program at the other end; the two sides of the connection change their roles.
      case offer
      /// To note what a program says of its progress.
      case tell(Told)
    }

    /// The token of the share.
    package let share: String
    package let body: Body
    package let peer: Peer
    let id: Int
  }

  /// Notes that a request about a share was carried out, or why not.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - refusal: Why it was not carried out, nil if it was.
  ///   - now: The time.
  package mutating func answered(
    _ request: ShareRequest, _ refusal: RelayRefusal?, now: Duration
  ) {
    note(now)
    enqueueAnswer(request.id, refusal, to: request.peer)
  }

  /// Grants an offer: forgets the connection, on which the shell is the watcher from now on.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - now: The time.
  /// - Returns: The bytes to write first, nil if the connection is gone.
  package mutating func handOver(_ request: ShareRequest, now: Duration) -> ArraySlice<UInt8>? {
    note(now)
    guard let watcher = forget(request.peer) else { return nil }
    var bytes = Array(watcher.outgoing)
    RelayEvent.answer(request.id, nil).appendLine(to: &bytes)
    return bytes[...]
  }

  /// Restricts all publications to one connection, that to the process which shows them as its own.
  ///
  /// Other watchers see nothing, so that nothing is shown twice.
  ///
  /// - Parameters:
  ///   - peer: The connection, nil for all again.
  ///   - now: The time.
  /// - Complexity: O(watchers · publications).
  package mutating func restrict(to peer: Peer?, now: Duration) {
    note(now)
    onlyPeer = peer
    guard peer == nil else { return }
    let live = publications.values.filter { $0.end == nil }.sorted { $0.number < $1.number }
    for (peer, watcher) in watchers {
      for publication in live where watcher.interest?.includes(publication.info) ?? false {
        if watcher.watches[publication.info.id] == nil { watch(publication.info.id, peer) }
      }
    }
  }

  /// Whether a connection may see the publications.
  func isVisible(to peer: Peer) -> Bool { onlyPeer == nil || onlyPeer == peer }
}
