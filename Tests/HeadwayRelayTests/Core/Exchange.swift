import HeadwayLock
import HeadwayProgress
import HeadwayRun
import Testing

@testable import HeadwayRelay

/// A publisher and its watchers in one place: connections in memory, trees that are read as by the shell, and a clock that
/// the test moves.
final class Exchange {
  /// The processor time that was spent.
  private final class ProcessorTime: Sendable {
    let spent = Guarded<Duration>(.zero)
  }

  typealias Peer = PublisherCore.Peer

  /// A connection with the watcher at its other end.
  final class Link {
    let peer: Peer
    var watcher = WatcherCore()
    /// What was sent and is not read.
    var arriving: [UInt8] = []
    /// How much of that there can be.
    var capacity = Int.max
    /// What the publisher could not write of its buffer.
    var unsent = 0
    /// When each new buffer after the greeting came.
    var frames: [Duration] = []
    /// All lines that were read.
    var text = ""
    var mirrors: [PublicationID: ProgressMirror] = [:]
    /// The last copy that a mirror was like.
    var places: [PublicationID: Int] = [:]
    var began: [(info: PublicationInfo, isOld: Bool)] = []
    var ended: [PublicationID: PublicationEnd] = [:]
    var forecasts: [RunForecast] = []
    var answers: [Int: RelayRefusal?] = [:]
    /// Whether the publisher reads from it.
    var isRead = true
    /// Whether the publisher has closed it.
    var isClosed = false
    /// Why one of the two has closed it.
    var error: RelayError?

    init(_ peer: Peer) { self.peer = peer }

    /// The lines that were read since the last call.
    func takeLines() -> [String] {
      defer { text = "" }
      return text.split(separator: "\n").map { String($0) }
    }
  }

  var publisher: PublisherCore
  private(set) var now: Duration = .zero
  private(set) var links: [Peer: Link] = [:]
  private var connections = 0
  private var publicationCount = 0
  /// The trees that are published.
  private(set) var roots: [PublicationID: ProgressNode] = [:]
  /// The copies of each tree.
  private(set) var copies: [PublicationID: [ProgressSnapshot]] = [:]
  /// The processor time that a copy takes.
  var costOfCopy: Duration = .zero
  /// How much longer than that it takes.
  var delayOfCopy: Duration = .zero
  private let processorTime = ProcessorTime()
  /// The trees that cannot be read at once.
  var slow: Set<PublicationID> = []
  private var dirty: Set<PublicationID> = []
  private(set) var armed: Set<PublicationID> = []
  /// What watchers have asked for; carried out at once if nothing else is wanted.
  private(set) var commands: [PublisherCore.Command] = []
  var carriesOut = true
  /// Whether what a watcher has seen must have been there; not so where texts are cut.
  var checksCopies = true
  /// How often the clock had to ring.
  private(set) var wakes = 0

  init(watcherLimit: Int = RelayLimits.watchers) {
    let processorTime = processorTime
    publisher = PublisherCore(
      program: "test", pid: 7, watcherLimit: watcherLimit,
      processorTime: { processorTime.spent.withLock { $0 } })
  }

  // The core cannot be copied, so the macros of tests cannot take it.
  var nextDeadline: Duration? { publisher.nextDeadline }
  var watchers: [Peer: PublisherCore.Watcher] { publisher.watchers }
  var publications: [PublicationID: PublisherCore.Publication] { publisher.publications }

  /// How many watch a publication.
  func watcherCount(of id: PublicationID) -> Int { publisher.watcherCount(of: id) }

  // MARK: Publications

  /// Publishes a tree.
  @discardableResult
  func publish(
    _ root: ProgressNode, kind: String = "work", path: String? = nil,
    accepts: AcceptedRequests = [.cancel, .pause]
  ) throws -> PublicationID {
    publicationCount += 1
    let id = PublicationID("7.\(publicationCount)")
    try publisher.publish(id, kind: kind, path: path, accepts: accepts, now: now)
    roots[id] = root
    copies[id] = []
    dirty.insert(id)
    settle()
    return id
  }

  /// Ends a publication.
  func unpublish(_ id: PublicationID, _ reason: PublicationEnd) {
    let final = reason == .finished ? roots[id]?.snapshot() : nil
    roots[id] = nil
    armed.remove(id)
    publisher.unpublish(id, reason, final: final, now: now)
    settle()
  }

  /// Notes that a tree has changed, as its observer would.
  func touch(_ id: PublicationID) {
    dirty.insert(id)
    if armed.remove(id) != nil { publisher.changed(id, now: now) }
    settle()
  }

  // MARK: Connections

  /// Connects a watcher; its greeting is read.
  func connect(capacity: Int = .max) -> Link {
    connections += 1
    let link = Link(Peer(connections))
    link.capacity = capacity
    links[link.peer] = link
    publisher.connected(link.peer, now: now)
    settle()
    return link
  }

  /// Connects a watcher with a subscription, and reads what is there.
  func subscribe(_ interest: Interest = Interest()) -> Link {
    let link = connect()
    request(.subscribe(interest), link)
    deliver(link)
    return link
  }

  /// Sends a request.
  @discardableResult
  func request(_ body: RelayRequest.Body, _ link: Link) -> Int {
    let id = link.watcher.request(body)
    settle(link)
    return id
  }

  /// Sends bytes in place of a request.
  func send(_ text: String, _ link: Link) { send(Array(text.utf8), link) }

  /// Sends bytes in place of a request.
  func send(_ bytes: [UInt8], _ link: Link) {
    publisher.received(bytes[...], from: link.peer, now: now)
    settle()
  }

  /// Ends a connection from the side of the watcher.
  func disconnect(_ link: Link) {
    links[link.peer] = nil
    publisher.closed(link.peer, now: now)
    settle()
  }

  /// Lets a watcher read.
  func deliver(_ link: Link, _ limit: Int = .max) {
    while !link.arriving.isEmpty {
      let count = min(limit, link.arriving.count)
      let bytes = Array(link.arriving[..<count])
      link.arriving.removeFirst(count)
      link.text += String(decoding: bytes, as: UTF8.self)
      link.watcher.received(bytes[...])
      settle(link)
      if link.unsent > 0, !link.isClosed {
        publisher.writable(link.peer, now: now)
        settle()
      }
      if limit < .max { return }
    }
  }

  /// Lets all watchers read.
  func deliverAll() {
    for link in links.values.sorted(by: { $0.peer < $1.peer }) { deliver(link) }
  }

  // MARK: Time

  /// Lets time go by, with all that the publisher does meanwhile.
  func advance(by duration: Duration) {
    let target = now + duration
    settle()
    var turns = 0
    while let deadline = publisher.nextDeadline, deadline <= target, turns < 100_000 {
      turns += 1
      now = max(now, deadline)
      publisher.advance(to: now)
      settle()
    }
    #expect(turns < 100_000, "the publisher never rests")
    wakes += turns
    now = max(now, target)
  }

  /// Lets a frame go by, and all watchers read.
  func frame() {
    deliverAll()
    advance(by: RelayLimits.frameInterval)
    deliverAll()
  }

  // MARK: What the shells do

  /// Does what the publisher wants.
  func settle() {
    while let action = publisher.nextAction() { perform(action) }
  }

  private func perform(_ action: PublisherCore.Action) {
    switch action {
    case .send(let peer, let bytes): write(bytes, to: peer)
    case .read(let peer, let isRead): links[peer]?.isRead = isRead
    case .close(let peer, let error):
      links[peer]?.isClosed = true
      links[peer]?.error = error
      links[peer] = nil
    case .arm(let id):
      if dirty.contains(id), !slow.contains(id) {
        publisher.changed(id, now: now)
      } else {
        armed.insert(id)
      }
    case .disarm(let id): armed.remove(id)
    case .copy(let id) where slow.contains(id): break
    case .copy(let id): copy(id)
    case .share(let request):
      let refusal = RelayRefusal(.unknownShare, "there is no share '\(request.share)'")
      publisher.answered(request, refusal, now: now)
    case .control(let control):
      let refusal = control.request.task == nil ? RelayRefusal(.refused, "no task") : nil
      publisher.carriedOut(control.reply, refusal, now: now)
    case .carryOut(let command):
      commands.append(command)
      if carriesOut { carryOut(command) }
    }
  }

  /// Reads a tree.
  func copy(_ id: PublicationID) {
    dirty.remove(id)
    armed.remove(id)
    now += costOfCopy + delayOfCopy
    processorTime.spent.withLock { $0 += costOfCopy }
    let snapshot = roots[id]?.snapshot()
    if let snapshot { copies[id]?.append(snapshot) }
    publisher.copied(id, snapshot, now: now)
  }

  /// Does what a watcher has asked for.
  func carryOut(_ command: PublisherCore.Command) {
    let root = roots[command.reply.publication]
    switch command.request {
    case .cancel: root?.cancel()
    case .pause: root?.pause()
    case .resume: root?.resume()
    }
    dirty.insert(command.reply.publication)
    if armed.remove(command.reply.publication) != nil {
      publisher.changed(command.reply.publication, now: now)
    }
    let refusal = command.node.map { RelayRefusal(.unknownNode, "there is no node \($0)") }
    publisher.carriedOut(command.reply, refusal, now: now)
  }

  private func write(_ bytes: ArraySlice<UInt8>, to peer: Peer) {
    guard let link = links[peer] else { return }
    #expect(link.unsent == 0 || link.unsent == bytes.count, "there is a second buffer")
    if link.unsent == 0, !bytes.starts(with: #"{"event":"hello""#.utf8) { link.frames.append(now) }
    let count = min(bytes.count, max(link.capacity - link.arriving.count, 0))
    link.arriving += bytes.prefix(count)
    link.unsent = bytes.count - count
    publisher.sent(count, to: peer, now: now)
  }

  /// Does what a watcher wants.
  private func settle(_ link: Link) {
    while let action = link.watcher.nextAction() {
      switch action {
      case .send(let bytes):
        publisher.received(bytes, from: link.peer, now: now)
        link.watcher.sent(bytes.count)
        settle()
      case .began(let info, _, let isOld): link.began.append((info, isOld))
      case .changed(let id, let isWhole, let change): apply(change, isWhole, to: id, link)
      case .forecast(_, let forecast): link.forecasts.append(forecast)
      case .ended(let id, let reason): link.ended[id] = reason
      case .answered(let id, _, let refusal): link.answers[id] = .some(refusal)
      case .close(let error):
        link.error = error
        disconnect(link)
      }
    }
  }

  /// Folds a change; the result must be one of the copies, and none before the last one.
  private func apply(_ change: TreeChange, _ isWhole: Bool, to id: PublicationID, _ link: Link) {
    if isWhole {
      link.mirrors[id] = ProgressMirror(limit: RelayLimits.nodes)
      link.places[id] = 0
    }
    guard let mirror = link.mirrors[id] else { return }
    do {
      try mirror.apply(change)
    } catch {
      Issue.record("\(id) is refused: \(error)")
    }
    let seen = mirror.root.snapshot()
    // The last state of a finished tree is not a copy.
    if seen.isFinished || !checksCopies { return }
    let place = link.places[id] ?? 0
    let found = copies[id]?[place...].firstIndex(of: seen)
    #expect(found != nil, "what \(link.peer.number) has seen of \(id) never was")
    link.places[id] = found ?? place
  }
}
