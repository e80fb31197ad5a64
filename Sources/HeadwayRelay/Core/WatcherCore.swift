internal import HeadwayCollections
package import HeadwayProgress
package import HeadwayRun

/// Reads what a publishing process sends over one connection, and writes requests.
///
/// A value without descriptors, threads and trees, and without a clock, as nothing here takes time. The shell tells it
/// what has happened, and then does what ``nextAction()`` says until it is nil. It believes nothing: a line that the
/// protocol does not allow closes the connection. Whether a change fits the tree, a `ProgressMirror` knows; what it
/// refuses is told with ``refuse(_:_:)``.
///
/// What it stores is limited: one line, 64 requests, and of all publications together the parts of moments with 4,000 nodes.
package struct WatcherCore: ~Copyable {
  /// What the shell has to do.
  package enum Action: Sendable {
    /// Write what can be written without waiting, and call `sent`.
    case send(ArraySlice<UInt8>)
    /// There is a publication, published so long ago. It is old if it was there when the subscription began.
    case began(PublicationInfo, age: Duration, isOld: Bool)
    /// A tree has changed, or has come as a whole and replaces what was known of it.
    case changed(PublicationID, isWhole: Bool, TreeChange)
    /// There is a new forecast.
    case forecast(PublicationID, RunForecast)
    /// A publication ended.
    case ended(PublicationID, PublicationEnd)
    /// A request was granted, or refused. For what the mirror has passed on, restore its node then.
    case answered(Int, RelayRequest.Body, RelayRefusal?)
    /// Close the connection; nothing follows.
    case close(RelayError)
  }

  /// What was received of a publication.
  private struct Received {
    /// Whether the whole tree has come.
    var hasTree = false
    /// The parts of a moment whose last part has not come, and their number.
    var parts: ProgressEvent?
    var count = 0
  }

  /// The process and the program at the other end, nil before the greeting.
  package private(set) var publisher: (pid: Int32, program: String)?
  private var input = LineBuffer(limit: RelayLimits.eventBytes)
  private var publications: [PublicationID: Received] = [:]
  /// The nodes of all parts whose last part has not come.
  private var waitingNodes = 0
  /// The requests without an answer.
  private var asked: [Int: RelayRequest.Body] = [:]
  private var lastRequest = 0
  /// Whether the subscription was answered, which comes after all that was there.
  private var isSubscribed = false
  /// What is not sent of the last buffer.
  private var outgoing: ArraySlice<UInt8> = []
  /// The requests that come after it.
  private var waiting: [UInt8] = []
  /// What the shell has not done yet.
  private var actions = Queue<Action>()
  private var isClosed = false

  /// Creates the core of a connection that was just made.
  package init() {}

  /// Takes what has arrived.
  ///
  /// Take all actions before the next call.
  ///
  /// - Parameter bytes: The bytes.
  /// - Complexity: O(bytes).
  package mutating func received(_ bytes: ArraySlice<UInt8>) {
    if !isClosed { input.append(bytes) }
  }

  /// Takes what the shell does next.
  ///
  /// - Returns: The action, nil if there is nothing to do before something happens.
  /// - Complexity: O(length of a line).
  package mutating func nextAction() -> Action? {
    while true {
      if let action = actions.popFirst() { return action }
      guard !isClosed else { return nil }
      do {
        guard let line = try input.next() else { return nil }
        read(line)
      } catch {
        fail("a line has more than \(error.limit) bytes")
      }
    }
  }

  /// Sends a request.
  ///
  /// - Parameter body: What is requested.
  /// - Returns: The number that the answer will have. There always is one, unless the connection ends: too many requests
  ///   without an answer, and one that is too long for a line, are refused here.
  @discardableResult
  package mutating func request(_ body: RelayRequest.Body) -> Int {
    lastRequest += 1
    guard !isClosed else { return lastRequest }
    var line: [UInt8] = []
    RelayRequest(id: lastRequest, body).appendLine(to: &line)
    if asked.count >= RelayLimits.pendingRequests {
      let refusal = RelayRefusal(
        .tooMany, "\(asked.count) requests wait for their answers; try again later")
      actions.append(.answered(lastRequest, body, refusal))
    } else if line.count > RelayLimits.requestBytes {
      let refusal = RelayRefusal(
        .invalid, "a request has more than \(RelayLimits.requestBytes) bytes; use a shorter path")
      actions.append(.answered(lastRequest, body, refusal))
    } else {
      asked[lastRequest] = body
      waiting += line
      sendWaiting()
    }
    return lastRequest
  }

  /// Takes what was written of the last `send`.
  ///
  /// - Parameter count: The number of bytes. If it is not all, call `writable` once more can be written.
  package mutating func sent(_ count: Int) {
    let rest = outgoing.dropFirst(count)
    outgoing = rest.isEmpty ? [] : rest
    sendWaiting()
  }

  /// Sends the rest of a buffer.
  ///
  /// Call it only after a `sent` of less than all.
  package mutating func writable() {
    if !outgoing.isEmpty, !isClosed { actions.append(.send(outgoing)) }
  }

  /// Closes the connection because of a change that does not fit its tree.
  ///
  /// - Parameters:
  ///   - publication: The publication.
  ///   - problem: What is wrong with the change.
  package mutating func refuse(_ publication: PublicationID, _ problem: MirrorProblem) {
    fail("in the tree of \(publication), \(problem)")
  }

  /// Sends the requests that wait for the last buffer.
  private mutating func sendWaiting() {
    guard outgoing.isEmpty, !waiting.isEmpty, !isClosed else { return }
    outgoing = waiting[...]
    waiting = []
    actions.append(.send(outgoing))
  }

  /// Closes the connection because of a line.
  private mutating func fail(_ reason: String) {
    close(.invalidLine(program: publisher?.program ?? "a publisher", reason: reason))
  }

  private mutating func close(_ error: RelayError) {
    guard !isClosed else { return }
    isClosed = true
    actions.append(.close(error))
    input = LineBuffer(limit: 0)
    publications = [:]
    (outgoing, waiting) = ([], [])
  }

  /// Reads a line.
  private mutating func read(_ line: ArraySlice<UInt8>) {
    let event: RelayEvent
    do {
      event = try RelayEvent(line: line)
    } catch {
      fail((error as? DecodingError)?.words ?? "it cannot be read")
      return
    }
    guard case .hello(let version, let pid, let program) = event else {
      if publisher == nil { fail("it did not greet") } else { read(event) }
      return
    }
    if publisher != nil {
      fail("it greeted twice")
    } else if version > RelayLimits.version {
      close(.newerVersion(version, program: program.isEmpty ? "a publisher" : program))
    } else {
      publisher = (pid, program)
    }
  }

  /// Reads an event after the greeting.
  private mutating func read(_ event: RelayEvent) {
    switch event {
    case .began(let info, let age):
      if publications[info.id] != nil {
        fail("\(info.id) began twice")
      } else if publications.count >= RelayLimits.publications {
        fail("there are more than \(RelayLimits.publications) publications")
      } else {
        publications[info.id] = Received()
        actions.append(.began(info, age: age, isOld: !isSubscribed))
      }
    case .tree(let event): read(event)
    case .forecast(let id, let forecast, _):
      if isKnown(id) { actions.append(.forecast(id, forecast)) }
    case .ended(let id, let reason, _):
      if isKnown(id) {
        waitingNodes -= publications[id]?.parts?.change.nodes.count ?? 0
        publications[id] = nil
        actions.append(.ended(id, reason))
      }
    case .answer(let id?, let refusal): readAnswer(id, refusal)
    case .answer(nil, let refusal):
      close(
        .refused(
          program: publisher?.program ?? "a publisher",
          reason: refusal?.description ?? "it did not say why"))
    case .hello, .other: break
    }
  }

  /// Whether there is a publication; closes the connection if not.
  private mutating func isKnown(_ id: PublicationID) -> Bool {
    if publications[id] != nil { return true }
    fail("there is no publication '\(id)'")
    return false
  }

  /// Reads an answer.
  private mutating func readAnswer(_ id: Int, _ refusal: RelayRefusal?) {
    guard let body = asked.removeValue(forKey: id) else {
      fail("it answered a request \(id), which nobody made")
      return
    }
    if refusal == nil {
      if case .subscribe = body { isSubscribed = true }
      if case .unsubscribe = body {
        isSubscribed = false
        publications = [:]
        waitingNodes = 0
      }
    }
    actions.append(.answered(id, body, refusal))
  }

  /// Reads a tree, its changes, or a part of them.
  private mutating func read(_ event: ProgressEvent) {
    guard let id = event.publication, isKnown(id), var received = publications[id] else { return }
    var whole = event
    if let parts = received.parts {
      waitingNodes -= parts.change.nodes.count
      guard !event.isWhole, event.change.ended.isEmpty else {
        fail("a line of \(id) is not a part of the change before it")
        return
      }
      whole = parts
      whole.change.nodes += event.change.nodes
      whole.hasMore = event.hasMore
    }
    received.count += 1
    guard event.isWhole || received.parts != nil || received.hasTree else {
      fail("a change of \(id) came before its tree")
      return
    }
    if let problem = Self.problem(of: whole.change, parts: received.count, last: event.change) {
      fail("in the tree of \(id), \(problem)")
      return
    }
    if whole.hasMore {
      waitingNodes += whole.change.nodes.count
      guard waitingNodes <= RelayLimits.waitingNodes else {
        fail("more than \(RelayLimits.waitingNodes) nodes wait for the rest of their trees")
        return
      }
      received.parts = whole
    } else {
      received = Received(hasTree: true)
      actions.append(.changed(id, isWhole: whole.isWhole, whole.change))
    }
    publications[id] = received
  }

  /// Which limit a change exceeds, nil if it is within all of them.
  private static func problem(of change: TreeChange, parts: Int, last: TreeChange) -> String? {
    let limit = RelayLimits.nodes
    if change.nodes.count > limit { return "more than \(limit) nodes have changed at once" }
    if change.ended.count > limit { return "more than \(limit) nodes have ended at once" }
    if parts > RelayLimits.parts { return "a change has more than \(RelayLimits.parts) lines" }
    return last.excess.map { "\($0) is too long" }
  }
}
